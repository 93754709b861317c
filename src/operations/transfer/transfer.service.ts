import * as v from "valibot";
import { COMMAND_LINE } from "../../accounts/audit/actor.ts";
import { accountErrors } from "../../accounts/users/users.errors.ts";
import { countLocalAdmins } from "../../accounts/users/users.repository.ts";
import { report } from "../../alerting/mail-reports/mail-reports.schemas.ts";
import { maintenance } from "../../alerting/maintenance/maintenance.schemas.ts";
import { weeklyRehearsal } from "../../alerting/rehearsals/rehearsals.schemas.ts";
import { rule } from "../../alerting/rules/rules.schemas.ts";
import { agentKey } from "../../monitoring/agent-keys/agent-keys.schemas.ts";
import { expectedHost } from "../../monitoring/expected/expected.schemas.ts";
import { limit } from "../../monitoring/limits/limits.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import { parseJson } from "../../platform/http/json.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { VERSION } from "../../platform/version.ts";
import { filter } from "../../publishing/filters/filters.schemas.ts";
import { statusPage } from "../../publishing/status-pages/status-pages.schemas.ts";
import { view } from "../../publishing/views/views.schemas.ts";
import { channelsSection } from "./channels.section.ts";
import { collectionSection } from "./collection-section.ts";
import { storedItems } from "./comparison.ts";
import { contactsSection } from "./contacts.section.ts";
import { dependenciesSection } from "./dependencies.section.ts";
import { groupsSection } from "./groups.section.ts";
import { hostsSection } from "./hosts.section.ts";
import { onCallSection } from "./oncall.section.ts";
import {
  count,
  endSection,
  type Importer,
  type ImportOutcome,
  type ImportResult,
  type Items,
  importOne,
  itemsIn,
  nothingImported,
  type Placed,
  quoted,
  type Section,
  type TransferDependencies,
} from "./section.ts";
import { settingsSection } from "./settings.section.ts";
import { usersSection } from "./users.section.ts";

/** Version of the document format. Raise it for a change that an earlier Muster would misread. */
const FORMAT = 1;

/** In import order: an object comes after those that it refers to. */
const SECTIONS = [
  groupsSection,
  hostsSection,
  collectionSection("keys", agentKey, ({ agentKeys }) => agentKeys),
  // A key without groups lets agents name any. An expected host without groups only joins none.
  collectionSection("expected", expectedHost, ({ expectedHosts }) => expectedHosts, ["hostgroups"]),
  collectionSection("limits", limit, ({ statisticLimits }) => statisticLimits),
  usersSection,
  // Channels of kind email use the mail server of the settings.
  settingsSection,
  channelsSection,
  contactsSection,
  onCallSection,
  { ...collectionSection("rules", rule, ({ rules }) => rules), isOrdered: true },
  collectionSection("maintenance", maintenance, (dependencies) => dependencies.maintenance),
  collectionSection("mailreports", report, ({ mailReports }) => mailReports),
  collectionSection("weeklyrehearsals", weeklyRehearsal, ({ weeklyRehearsals }) => weeklyRehearsals),
  dependenciesSection,
  collectionSection("statuspages", statusPage, ({ statusPages }) => statusPages),
  collectionSection("filters", filter, ({ savedFilters }) => savedFilters),
  collectionSection("views", view, ({ views }) => views, ["hosts", "services"]),
] as unknown as readonly Section<unknown>[];

export const SECTION_NAMES: readonly string[] = SECTIONS.map(({ name }) => name);
/** Fields about the document itself. */
const HEAD: readonly string[] = ["muster", "version", "exported", "secrets", "leftout"];

/** An object that is not in an export, since what it refers to was deleted or has no name. */
interface LeftOut {
  section: string;
  name: string;
}

const BY_COMMAND: Importer = { actor: COMMAND_LINE, session: undefined, operation: "command/import" };

interface ImportOptions {
  /** Who imports; a command by default. */
  importer?: Importer;
  /** Judges an imported item. */
  outcomeOf?: (
    section: Section<unknown>,
    item: Placed<unknown>,
    outcome: ImportOutcome,
  ) => ImportOutcome | "same";
  /** Path of the data folder, into which backups must not go. */
  dataFolder?: string | null;
}

/** Export and import in one step, for commands and trials, during which nobody else is served. */
export class Transfer {
  constructor(private readonly dependencies: TransferDependencies) {}

  /** @param withSecrets whether passwords and tokens are included, in clear text @param now unix seconds */
  export(withSecrets: boolean, now: number): Record<string, unknown> & { leftout: LeftOut[] } {
    const leftout: LeftOut[] = [];
    const sections = SECTIONS.map(({ name: section, exportItems }) => [
      section,
      exportItems(this.dependencies, withSecrets, (name) => leftout.push({ section, name })),
    ]);
    return {
      muster: FORMAT,
      version: VERSION,
      exported: now,
      secrets: withSecrets,
      leftout,
      ...Object.fromEntries(sections),
    };
  }

  /**
   * Imports a file: creates missing objects, updates those of the same name, and deletes nothing; all of it or
   * nothing. It records single objects. The entry of the whole import is the caller's.
   * @throws ApiError 400, 409 that says where in the file the error is
   */
  import(
    items: Items,
    { importer = BY_COMMAND, outcomeOf, dataFolder = null }: ImportOptions = {},
  ): Record<string, ImportResult> {
    const { dependencies } = this;
    return transaction(dependencies.db, () =>
      keepingAnAdmin(dependencies.db, () => {
        const results = items.map(([section, placed]) => {
          const result = nothingImported();
          for (const placedItem of placed) {
            const outcome = importOne(section, dependencies, placedItem, importer);
            const judged = outcomeOf?.(section, placedItem, outcome) ?? outcome;
            count(result, section.nameOf(placedItem.item), judged);
          }
          const imported = placed.map(({ item }) => item);
          endSection(section, dependencies, imported, dataFolder);
          return [section.name, result];
        });
        return Object.fromEntries(results);
      }),
    );
  }

  /** Imports a file for a command. @throws ApiError as `import` does */
  importFile(bytes: Uint8Array, dataFolder: string): Record<string, ImportResult> {
    const document = documentIn(bytes);
    const items = itemsOf(document);
    const isStored = storedItems(document, items, this.dependencies);
    const outcomeOf: ImportOptions["outcomeOf"] = (section, placed, outcome) =>
      isStored(section, placed, this.dependencies) && outcome === "updated" ? "same" : outcome;
    return this.import(items, { dataFolder, outcomeOf });
  }
}

/** Performs a part of an import within a transaction. @throws ApiError 409 when no administrator would remain */
export function keepingAnAdmin<T>(db: Db, work: () => T): T {
  const hadAdmin = countLocalAdmins(db, 1) > 0;
  const result = work();
  if (hadAdmin && countLocalAdmins(db, 1) === 0)
    throw accountErrors.lastAdmin("No administrator with a password would be left");
  return result;
}

/** The section with this name, which must exist: names from a file are checked before. */
export function sectionNamed(name: string): Section<unknown> {
  const section = SECTIONS.find((candidate) => candidate.name === name);
  if (!section) throw new Error(`there is no section ${name}`);
  return section;
}

/** Whether two successive items must be written in one step. */
export function isOneStep(
  item: { section: string } | undefined,
  next: { section: string } | undefined,
): boolean {
  return (
    next !== undefined &&
    item?.section === next.section &&
    sectionNamed(next.section).refuseUnfit !== undefined
  );
}

/** The items of a document. @throws ApiError 400 */
export function itemsOf(document: unknown): Items {
  const result = v.safeParse(v.record(v.string(), v.unknown()), document);
  if (!result.success || typeof result.output.muster !== "number")
    throw errors.badRequest("Muster did not export this file");
  if (result.output.muster > FORMAT)
    throw errors.badRequest("The file is from a later version of Muster than this one");
  const foreign = Object.keys(result.output).find(
    (name) => !HEAD.includes(name) && !SECTION_NAMES.includes(name),
  );
  if (foreign !== undefined) throw errors.badRequest(`There is no section ${quoted(foreign)}`);
  return SECTIONS.flatMap((section) => {
    const items = result.output[section.name];
    return items === undefined ? [] : [[section, itemsIn(section, items)] as const];
  });
}

/** Parses the bytes of a file. @throws ApiError 400 */
export function documentIn(bytes: Uint8Array): unknown {
  return parseJson(textOf(bytes), "file");
}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch (error) {
    if (error instanceof TypeError) throw errors.badRequest("The file is not in UTF-8");
    throw error;
  }
}
