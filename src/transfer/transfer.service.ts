import * as v from "valibot";
import { transaction } from "../database/open.ts";
import { ApiError, errors } from "../http/errors.ts";
import { VERSION } from "../version.ts";
import { channelsSection } from "./channels.section.ts";
import { groupsSection } from "./groups.section.ts";
import { hostsSection } from "./hosts.section.ts";
import { maintenanceSection } from "./maintenance.section.ts";
import { rulesSection } from "./rules.section.ts";
import { type Section, type Taken, type TransferParts, takeAll } from "./section.ts";
import { settingsSection } from "./settings.section.ts";
import { statusPagesSection } from "./statuspages.section.ts";
import { hasLocalAdmin } from "./transfer.repository.ts";
import { usersSection } from "./users.section.ts";

/** Of the file. A change that an earlier Muster would misread makes it another one. */
const FORMAT = 1;

/** In the order in which they are taken over: what is referred to comes first. */
const SECTIONS = [
  groupsSection,
  hostsSection,
  usersSection,
  channelsSection,
  rulesSection,
  maintenanceSection,
  statusPagesSection,
  settingsSection,
] as unknown as readonly Section<unknown>[];

export const SECTION_NAMES: readonly string[] = SECTIONS.map(({ name }) => name);

/** What people set up, as one document, and back. */
export class Transfer {
  constructor(private readonly parts: TransferParts) {}

  /** Everything that was set up. @param withSecrets whether passwords and tokens are in it, in the clear */
  export(withSecrets: boolean): Record<string, unknown> {
    const sections = SECTIONS.map((section) => [section.name, section.give(this.parts, withSecrets)]);
    return {
      muster: FORMAT,
      version: VERSION,
      exported: this.parts.clock.now(),
      secrets: withSecrets,
      ...Object.fromEntries(sections),
    };
  }

  /**
   * Creates what is missing, updates what has the same name, deletes nothing; all of it or nothing. Sections may be left
   * out.
   * @throws ApiError 400, 409 that says where in the document the fault is
   */
  import(document: unknown): Record<string, Taken> {
    const sections = this.#sectionsOf(document);
    return transaction(this.parts.db, () => {
      const taken = sections.map(([section, items]) => [section.name, takeAll(section, this.parts, items)]);
      if (!hasLocalAdmin(this.parts.db))
        throw errors.conflict("user.lastadmin", "No administrator with a password would be left");
      return Object.fromEntries(taken);
    });
  }

  #sectionsOf(document: unknown): [Section<unknown>, unknown][] {
    const given = v.safeParse(v.record(v.string(), v.unknown()), document);
    if (!given.success || typeof given.output.muster !== "number")
      throw errors.badRequest("This is no file that Muster exported");
    if (given.output.muster > FORMAT)
      throw errors.badRequest("The file is from a later version of Muster than this one");
    return SECTIONS.flatMap((section): [Section<unknown>, unknown][] => {
      const items = given.output[section.name];
      return items === undefined ? [] : [[section, items]];
    });
  }
}

/** The document in a file's bytes. @throws ApiError 400 */
export function documentIn(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(bytes));
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError)
      throw new ApiError(400, "request.invalid", "The file is no well-formed JSON");
    throw error;
  }
}
