/** A part of the file in which settings are moved from one Muster to another. */
import * as v from "valibot";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import type { MaintenanceWindows } from "../../alerting/maintenance/maintenance.service.ts";
import type { Rules } from "../../alerting/rules/rules.service.ts";
import type { Groups } from "../../monitoring/groups/groups.service.ts";
import type { Hosts } from "../../monitoring/hosts/hosts.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { ApiError, errors } from "../../platform/http/errors.ts";
import type { SecretBox } from "../../platform/secrets/secret-box.ts";
import type { Db } from "../../platform/storage/open.ts";
import { cut } from "../../platform/text.ts";
import type { StatusPages } from "../../publishing/status-pages/status-pages.service.ts";
import type { SettingsAdmin } from "../settings/settings-admin.service.ts";

export interface TransferDependencies {
  db: Db;
  box: SecretBox;
  clock: Clock;
  audit: Audit;
  settings: SettingsAdmin;
  groups: Groups;
  hosts: Hosts;
  rules: Rules;
  maintenance: MaintenanceWindows;
  statusPages: StatusPages;
}

/** What became of the items of a section. */
export interface Taken {
  created: number;
  /** Were there before, and are now as the file has them. */
  updated: number;
  /** Names of what lacks a secret that the file does not hold; empty when nothing does. */
  incomplete: string[];
}

/** Things refer to each other by name, never by id: ids differ from one database to the other. */
export interface Section<T> {
  name: string;
  /** Of one item. */
  schema: v.GenericSchema<T>;
  /** What messages call an item. */
  nameOf: (item: T) => string;
  /** By what an item is known again, where that is not its name. */
  keyOf?: (item: T) => string;
  give: (parts: TransferDependencies, withSecrets: boolean) => T[];
  /** Called within the transaction of the whole import. */
  take: (parts: TransferDependencies, item: T, from: Import) => "created" | "updated" | "incomplete";
}

export interface Import {
  /** Of the item in the file, from 1. */
  place: number;
  /** The login of whoever imports, by its hash; it goes on whatever becomes of his password. */
  session: string | undefined;
}

/** Longest part of a file's own words in a message, characters. */
const MAX_QUOTED = 100;

/** A name out of the file, for messages. */
export function quoted(name: string): string {
  return `"${cut(name, MAX_QUOTED)}"`;
}

/** What is wrong, with the item's name. Nothing in a file is an argument, or something that the call is about. */
function explained(section: string, item: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return errors.badRequest(`${section}, ${quoted(item)}: ${error.message}`);
}

/** What is wrong with a value, without the value: it may be a secret, or very long. */
function faultIn({ path, expected }: v.BaseIssue<unknown>, section: string): ApiError {
  const keys = (path ?? []).map(({ key }) =>
    typeof key === "number" ? `[${key}]` : `.${cut(String(key), MAX_QUOTED)}`,
  );
  const why = expected === "never" ? "there is no such thing" : `${expected ?? "something else"} is expected`;
  return errors.badRequest(`${section}${keys.join("")} is not right: ${why}`);
}

/** The items of a section as the file has them. @throws ApiError that says where in the file the fault is */
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

/** Takes over every item. @throws ApiError that names the item at fault */
export function takeAll<T>(
  section: Section<T>,
  parts: TransferDependencies,
  items: readonly T[],
  session: string | undefined,
): Taken {
  const taken: Taken = { created: 0, updated: 0, incomplete: [] };
  for (const [i, item] of items.entries()) {
    const name = section.nameOf(item);
    try {
      const outcome = section.take(parts, item, { place: i + 1, session });
      if (outcome === "updated") taken.updated++;
      else taken.created++;
      if (outcome === "incomplete") taken.incomplete.push(name);
    } catch (error) {
      throw explained(section.name, name, error);
    }
  }
  return taken;
}
