/** One section of the transfer document, for example its users. */
import * as v from "valibot";
import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Channels } from "../../alerting/channels/channels.service.ts";
import type { Contacts } from "../../alerting/contacts/contacts.service.ts";
import type { Dependencies } from "../../alerting/dependencies/dependencies.service.ts";
import type { MailReports } from "../../alerting/mail-reports/mail-reports.service.ts";
import type { MaintenanceWindows } from "../../alerting/maintenance/maintenance.service.ts";
import type { OnCall } from "../../alerting/on-call/on-call.service.ts";
import type { WeeklyRehearsals } from "../../alerting/rehearsals/weekly.service.ts";
import type { Rules } from "../../alerting/rules/rules.service.ts";
import type { AgentKeys } from "../../monitoring/agent-keys/agent-keys.service.ts";
import type { ExpectedHosts } from "../../monitoring/expected/expected.service.ts";
import type { Groups } from "../../monitoring/groups/groups.service.ts";
import type { Hosts } from "../../monitoring/hosts/hosts.service.ts";
import type { Limits } from "../../monitoring/limits/limits.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { changesBetween, type Details } from "../../platform/http/audit-details.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
import { declaredAt } from "../../platform/http/validate.ts";
import type { PutOutcome } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { cut } from "../../platform/text.ts";
import type { SavedFilters } from "../../publishing/filters/filters.service.ts";
import type { StatusPages } from "../../publishing/status-pages/status-pages.service.ts";
import type { Views } from "../../publishing/views/views.service.ts";
import type { SettingsAdmin } from "../settings/settings-admin.service.ts";

export interface TransferDependencies {
  db: Db;
  box: SecretBox;
  clock: Clock;
  audit: Audit;
  references: References;
  settings: SettingsAdmin;
  groups: Groups;
  agentKeys: AgentKeys;
  expectedHosts: ExpectedHosts;
  hosts: Hosts;
  statisticLimits: Limits;
  channels: Channels;
  rules: Rules;
  maintenance: MaintenanceWindows;
  mailReports: MailReports;
  weeklyRehearsals: WeeklyRehearsals;
  dependencies: Dependencies;
  contacts: Contacts;
  onCall: OnCall;
  statusPages: StatusPages;
  savedFilters: SavedFilters;
  views: Views;
}

export interface ImportResult {
  created: number;
  /** Number of objects that existed and were updated. */
  updated: number;
  /** Number of objects that are already as in the file. */
  same: number;
  /** Names of objects that lack a secret, because the file does not contain it. */
  incomplete: string[];
}

/** Objects refer to each other by name, because ids differ between databases. */
export interface Section<T> {
  name: string;
  schema: v.GenericSchema<T>;
  /** The name of an item in error messages. */
  nameOf: (item: T) => string;
  /** The key that identifies an item, if it is not the name. */
  keyOf?: (item: T) => string;
  /** Items that are imported before the others. */
  isFirst?: (item: T) => boolean;
  /** Whether the place of an item in the file matters. */
  isOrdered?: true;
  /** @param leaveOut is called with the name of each object that cannot be among the items */
  exportItems: (
    dependencies: TransferDependencies,
    withSecrets: boolean,
    leaveOut?: (name: string) => void,
  ) => T[];
  /** The items that an import can leave unchanged, if these are not all that are exported. */
  settledItems?: (dependencies: TransferDependencies) => T[];
  /**
   * The item as an export has it after the import: with the fields that a file of an earlier version lacks.
   * @param dependencies of the database to which it was imported
   */
  completed?: (dependencies: TransferDependencies, item: T) => T;
  /** Imports one item, within a transaction. */
  importItem: (dependencies: TransferDependencies, item: T, from: Import) => ImportOutcome;
  /** For objects whose changes each have an entry of their own in the audit log. */
  recorded?: Recorded<T>;
  /**
   * Refuses items that do not fit each other, or what is stored. Called after the last of them, in the same
   * transaction: an import writes such a section in one step.
   * @param dataFolder path; null without one
   */
  refuseUnfit?: (dependencies: TransferDependencies, items: readonly T[], dataFolder: string | null) => void;
}

/** incomplete: the object was created and lacks a secret; lacking: it existed, and lacks one. */
export type ImportOutcome = PutOutcome | "lacking";

interface Recorded<T> {
  /** The kind of object in the audit log; the name of an item is the id there. */
  subject: string;
  /** What an import may change of the object, as the audit log names it; null without such an object. */
  stateOf: (dependencies: TransferDependencies, item: T) => Details | null;
  /** Refuses a change that this importer may not make. The error is about the importer, not about the file. */
  refuseChange: (item: T, importer: Importer) => void;
}

/** Who imports. */
export interface Importer {
  actor: Actor;
  /** Hash of their session. This session survives even if the password of its user changes. */
  session: string | undefined;
  /** What the audit log calls the import; null for a trial, which leaves no entries. */
  operation: string | null;
}

interface Import {
  /** Position of the item in its section, from 1. */
  place: number;
  /** Hash of the session that imports, if one does. */
  session: string | undefined;
}

/** An item of a section, and its position there from 1. */
export interface Placed<T> {
  item: T;
  place: number;
}

/** The items of a file, by their sections in the order of an import. */
export type Items = readonly (readonly [section: Section<unknown>, items: readonly Placed<unknown>[]])[];

/** Longest quotation from a file in an error message, characters. */
const MAX_QUOTED = 100;

/** A name from the file, quoted for an error message. */
export function quoted(name: string): string {
  return `"${cut(name, MAX_QUOTED)}"`;
}

/** Adds section and item to an error, which is about the file, not about an argument of the API. */
function explained(section: string, item: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return errors.badRequest(`${section}, ${quoted(item)}: ${error.message}`);
}

/** Types, by the names that the validator has for them, in words. */
const TYPES: Readonly<Record<string, string>> = {
  Array: "a list",
  Object: "an object",
  boolean: "true or false",
  number: "a number",
  string: "a text",
};

/** Describes an invalid value by its path only, since the value may be secret or very long. */
function faultIn(
  section: string,
  schema: v.GenericSchema,
  value: unknown,
  { path: items, expected }: v.BaseIssue<unknown>,
): ApiError {
  const path = items ?? [];
  const keys = path.map(({ key }) => (typeof key === "number" ? key : String(key)));
  const names = keys.map((key) => (typeof key === "number" ? `[${key}]` : `.${cut(key, MAX_QUOTED)}`));
  const place = `${section}${names.join("")}`;
  if (expected === "never") return errors.badRequest(`${place} is unknown: there is no such field`);
  if (path.at(-1)?.origin === "key") return errors.badRequest(`${place} is missing`);
  const allowed = declaredAt(schema, keys, value) ?? TYPES[expected ?? ""];
  return errors.badRequest(allowed ? `${place} must be ${allowed}` : `${place} is invalid`);
}

/**
 * Validates the items of a section.
 * @returns them in the order in which they are imported
 * @throws ApiError that says where in the file the error is
 */
export function itemsIn<T>(section: Section<T>, value: unknown): Placed<T>[] {
  const { name, schema, nameOf, keyOf = nameOf, isFirst } = section;
  const result = v.safeParse(v.array(schema), value, { abortEarly: true });
  if (!result.success) throw faultIn(name, v.array(schema), value, result.issues[0]);
  const keys = new Set<string>();
  for (const key of result.output.map(keyOf)) {
    if (keys.has(key)) throw errors.badRequest(`${name} has ${quoted(key)} twice`);
    keys.add(key);
  }
  const items = result.output.map((item, i) => ({ item, place: i + 1 }));
  if (!isFirst) return items;
  return [...items.filter(({ item }) => isFirst(item)), ...items.filter(({ item }) => !isFirst(item))];
}

/**
 * Imports an item, and records it if its section says so.
 * @throws ApiError that names it, or says what the importer may not do
 */
export function importOne<T>(
  section: Section<T>,
  dependencies: TransferDependencies,
  { item, place }: Placed<T>,
  importer: Importer,
): ImportOutcome {
  const record = section.recorded && recorder(section.recorded, section.nameOf(item), dependencies, item);
  let outcome: ImportOutcome;
  try {
    outcome = section.importItem(dependencies, item, { place, session: importer.session });
  } catch (error) {
    throw explained(section.name, section.nameOf(item), error);
  }
  record?.(importer);
  return outcome;
}

/** Begins the entry of an item, before its import. @returns a function that adds it, if something changed */
function recorder<T>(
  { subject, stateOf, refuseChange }: Recorded<T>,
  id: string,
  dependencies: TransferDependencies,
  item: T,
): (importer: Importer) => void {
  const { audit } = dependencies;
  const before = stateOf(dependencies, item);
  const nameBefore = audit.nameOf(subject, id);
  return (importer) => {
    const after = stateOf(dependencies, item) ?? {};
    const details = before ? changesBetween(before, after) : withoutEmptyTexts(after);
    if (before && Object.keys(details).length === 0) return;
    refuseChange(item, importer);
    if (importer.operation === null) return;
    audit.add(importer.actor, {
      operation: `${importer.operation}/${before ? "update" : "create"}`,
      subject,
      subjectId: id,
      subjectName: nameBefore || audit.nameOf(subject, id),
      details,
    });
  };
}

function withoutEmptyTexts(details: Details): Details {
  return Object.fromEntries(Object.entries(details).filter(([, value]) => value !== ""));
}

/** Ends the import of these items of a section. @throws ApiError that names the section */
export function endSection<T>(
  section: Section<T>,
  dependencies: TransferDependencies,
  items: readonly T[],
  dataFolder: string | null,
): void {
  try {
    section.refuseUnfit?.(dependencies, items, dataFolder);
  } catch (error) {
    throw error instanceof ApiError ? errors.badRequest(`${section.name}: ${error.message}`) : error;
  }
}

/** Counts the outcome of an item. */
export function count(result: ImportResult, name: string, outcome: ImportOutcome | "same"): void {
  const isIncomplete = outcome === "incomplete" || outcome === "lacking";
  if (isIncomplete) result.incomplete.push(name);
  if (outcome === "incomplete") result.created++;
  else if (outcome === "lacking") result.updated++;
  else result[outcome]++;
}

/** The results of an import by section, for the audit log: a file may contain hundreds of thousands of names. */
export function auditedResults(results: Readonly<Record<string, ImportResult>>): Details {
  return Object.fromEntries(
    Object.entries(results).map(([name, { incomplete, ...counts }]) => [
      name,
      { ...counts, incomplete: incomplete.length },
    ]),
  );
}

/** A new result, to which the items of a section are added. */
export function nothingImported(): ImportResult {
  return { created: 0, updated: 0, same: 0, incomplete: [] };
}
