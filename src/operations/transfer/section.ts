/** One section of the transfer document, for example its users. */
import * as v from "valibot";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { Contacts } from "../../alerting/contacts/contacts.service.ts";
import type { Dependencies } from "../../alerting/dependencies/dependencies.service.ts";
import type { MailReports } from "../../alerting/mail-reports/mail-reports.service.ts";
import type { MaintenanceWindows } from "../../alerting/maintenance/maintenance.service.ts";
import type { OnCall } from "../../alerting/on-call/on-call.service.ts";
import type { Rules } from "../../alerting/rules/rules.service.ts";
import type { Groups } from "../../monitoring/groups/groups.service.ts";
import type { Hosts } from "../../monitoring/hosts/hosts.service.ts";
import type { Limits } from "../../monitoring/limits/limits.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
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
  hosts: Hosts;
  statisticLimits: Limits;
  rules: Rules;
  maintenance: MaintenanceWindows;
  mailReports: MailReports;
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
  exportItems: (dependencies: TransferDependencies, withSecrets: boolean) => T[];
  /** Imports one item. Called within the transaction of the whole import. */
  importItem: (
    dependencies: TransferDependencies,
    item: T,
    from: Import,
  ) => "created" | "updated" | "incomplete";
}

export interface Import {
  /** Position of the item in the file, from 1. */
  place: number;
  /** Hash of the session that imports. This session survives even if its user's password changes. */
  session: string | undefined;
}

/** Longest quotation from a file in an error message, characters. */
const MAX_QUOTED = 100;

/** A name from the file, quoted for an error message. */
export function quoted(name: string): string {
  return `"${cut(name, MAX_QUOTED)}"`;
}

/** Adds section and item to an error, which is about the file, so that it names no API argument. */
function explained(section: string, item: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return errors.badRequest(`${section}, ${quoted(item)}: ${error.message}`);
}

/** Describes an invalid value by its path only, since the value may be secret or very long. */
function faultIn({ path, expected }: v.BaseIssue<unknown>, section: string): ApiError {
  const keys = (path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${cut(String(key), MAX_QUOTED)}`,
  );
  const why = expected === "never" ? "there is no such thing" : `${expected ?? "something else"} is expected`;
  return errors.badRequest(`${section}${keys.join("")} is not right: ${why}`);
}

/** Validates the items of a section. @throws ApiError that says where in the file the error is */
export function itemsIn<T>({ name, schema, nameOf, keyOf = nameOf }: Section<T>, given: unknown): T[] {
  const result = v.safeParse(v.array(schema), given, { abortEarly: true });
  if (!result.success) throw faultIn(result.issues[0], name);
  const items = result.output;
  const keys = new Set<string>();
  for (const key of items.map(keyOf)) {
    if (keys.has(key)) throw errors.badRequest(`${name} has ${quoted(key)} twice`);
    keys.add(key);
  }
  return items;
}

/** Imports every item of a section. @throws ApiError that names the invalid item */
export function importAll<T>(
  section: Section<T>,
  dependencies: TransferDependencies,
  items: readonly T[],
  session: string | undefined,
): ImportResult {
  const taken: ImportResult = { created: 0, updated: 0, incomplete: [] };
  for (const [i, item] of items.entries()) {
    const name = section.nameOf(item);
    try {
      const outcome = section.importItem(dependencies, item, { place: i + 1, session });
      if (outcome === "updated") taken.updated++;
      else taken.created++;
      if (outcome === "incomplete") taken.incomplete.push(name);
    } catch (error) {
      throw explained(section.name, name, error);
    }
  }
  return taken;
}
