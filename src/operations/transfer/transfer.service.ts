import * as v from "valibot";
import type { Actor } from "../../accounts/audit/actor.ts";
import { accountErrors } from "../../accounts/users/users.errors.ts";
import { countLocalAdmins } from "../../accounts/users/users.repository.ts";
import { limit } from "../../monitoring/limits/limits.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import { transaction } from "../../platform/storage/open.ts";
import { withoutNul } from "../../platform/text.ts";
import { VERSION } from "../../platform/version.ts";
import { channelsSection } from "./channels.section.ts";
import { collectionSection } from "./collection-section.ts";
import { contactsSection } from "./contacts.section.ts";
import { dependenciesSection } from "./dependencies.section.ts";
import { filtersSection } from "./filters.section.ts";
import { groupsSection } from "./groups.section.ts";
import { hostsSection } from "./hosts.section.ts";
import { mailReportsSection } from "./mailreports.section.ts";
import { maintenanceSection } from "./maintenance.section.ts";
import { onCallSection } from "./oncall.section.ts";
import { rulesSection } from "./rules.section.ts";
import {
  type ImportResult,
  importAll,
  itemsIn,
  quoted,
  type Section,
  type TransferDependencies,
} from "./section.ts";
import { settingsSection } from "./settings.section.ts";
import { statusPagesSection } from "./statuspages.section.ts";
import { usersSection } from "./users.section.ts";
import { viewsSection } from "./views.section.ts";

/** Version of the document format. Raise it for a change that an earlier Muster would misread. */
const FORMAT = 1;

/** In import order: an object comes after those that it refers to. */
const SECTIONS = [
  groupsSection,
  hostsSection,
  collectionSection("limits", limit, ({ statisticLimits }) => statisticLimits),
  usersSection,
  channelsSection,
  contactsSection,
  onCallSection,
  rulesSection,
  maintenanceSection,
  mailReportsSection,
  dependenciesSection,
  statusPagesSection,
  filtersSection,
  viewsSection,
  settingsSection,
] as unknown as readonly Section<unknown>[];

export const SECTION_NAMES: readonly string[] = SECTIONS.map(({ name }) => name);
/** Fields about the document itself. */
const HEAD: readonly string[] = ["muster", "version", "exported", "secrets"];

export class Transfer {
  constructor(private readonly dependencies: TransferDependencies) {}

  /** The configuration without passwords and tokens. */
  export(): Record<string, unknown> {
    return this.#document(false);
  }

  /** The configuration with passwords and tokens in clear text. The audit log records who exported it. */
  exportWithSecrets(actor: Actor): Record<string, unknown> {
    this.dependencies.audit.add(actor, {
      operation: "admin/transfer/export",
      subject: "transfer",
      details: { with: "passwords and tokens" },
    });
    return this.#document(true);
  }

  #document(withSecrets: boolean): Record<string, unknown> {
    const sections = SECTIONS.map((section) => [
      section.name,
      section.exportItems(this.dependencies, withSecrets),
    ]);
    return {
      muster: FORMAT,
      version: VERSION,
      exported: this.dependencies.clock.now(),
      secrets: withSecrets,
      ...Object.fromEntries(sections),
    };
  }

  /**
   * Imports a document: creates what is missing, updates what has the same name, and deletes nothing; all of
   * it or nothing. Sections may be left out.
   * @param session hash of the session that imports: it survives a change of its user's password
   * @throws ApiError 400, 409 that says where in the document the error is
   */
  import(document: unknown, session?: string): Record<string, ImportResult> {
    const { dependencies } = this;
    const sections = sectionsOf(document);
    const hadAdmin = countLocalAdmins(dependencies.db) > 0;
    return transaction(dependencies.db, () => {
      const taken = sections.map(([section, items]) => [
        section.name,
        importAll(section, dependencies, items, session),
      ]);
      if (hadAdmin && countLocalAdmins(dependencies.db) === 0)
        throw accountErrors.lastAdmin("No administrator with a password would be left");
      return Object.fromEntries(taken);
    });
  }
}

/** The sections of a document, with their items. @throws ApiError 400 */
function sectionsOf(document: unknown): [Section<unknown>, unknown[]][] {
  const given = v.safeParse(v.record(v.string(), v.unknown()), document);
  if (!given.success || typeof given.output.muster !== "number")
    throw errors.badRequest("This is no file that Muster exported");
  if (given.output.muster > FORMAT)
    throw errors.badRequest("The file is from a later version of Muster than this one");
  const foreign = Object.keys(given.output).find(
    (name) => !HEAD.includes(name) && !SECTION_NAMES.includes(name),
  );
  if (foreign !== undefined) throw errors.badRequest(`There is no section ${quoted(foreign)}`);
  return SECTIONS.flatMap((section): [Section<unknown>, unknown[]][] => {
    const items = given.output[section.name];
    return items === undefined ? [] : [[section, itemsIn(section, items)]];
  });
}

/** Parses the bytes of a file. @throws ApiError 400 */
export function documentIn(bytes: Uint8Array): unknown {
  try {
    const text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
    return JSON.parse(text, (_name, value) => (typeof value === "string" ? withoutNul(value) : value));
  } catch (error) {
    // RangeError: it is nested deeper than the parser can go.
    if (error instanceof SyntaxError || error instanceof TypeError || error instanceof RangeError)
      throw errors.badRequest("The file is no well-formed JSON");
    throw error;
  }
}
