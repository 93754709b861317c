/** A part of the file in which settings are moved from one Muster to another. */
import * as v from "valibot";
import type { Clock } from "../clock.ts";
import type { Db } from "../database/open.ts";
import type { Groups } from "../groups/groups.service.ts";
import type { Hosts } from "../hosts/hosts.service.ts";
import { ApiError, errors } from "../http/errors.ts";
import type { MaintenanceWindows } from "../maintenance/maintenance.service.ts";
import type { Rules } from "../rules/rules.service.ts";
import type { SecretBox } from "../secrets/secret-box.ts";
import type { SettingsAdmin } from "../settings/settings-admin.service.ts";
import type { StatusPages } from "../statuspages/statuspages.service.ts";

export interface TransferParts {
  db: Db;
  box: SecretBox;
  clock: Clock;
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
  give: (parts: TransferParts, withSecrets: boolean) => T[];
  /** Called within the transaction of the whole import. @param place of the item in the file, from 1 */
  take: (parts: TransferParts, item: T, place: number) => "created" | "updated" | "incomplete";
}

/** An item by its name, for messages. */
function explained(section: string, item: string, error: unknown): unknown {
  if (!(error instanceof ApiError)) return error;
  return new ApiError(error.status, error.code, `${section}, "${item}": ${error.message}`);
}

/** Takes over every item. @throws ApiError that names the item at fault */
export function takeAll<T>(section: Section<T>, parts: TransferParts, given: unknown): Taken {
  const result = v.safeParse(v.array(section.schema), given, { abortEarly: true });
  if (!result.success) {
    const path = (result.issues[0].path ?? []).map(({ key }) =>
      typeof key === "number" ? `[${key}]` : `.${String(key)}`,
    );
    throw errors.badRequest(`${section.name}${path.join("")} is not right: ${result.issues[0].message}`);
  }
  const taken: Taken = { created: 0, updated: 0, incomplete: [] };
  for (const [i, item] of result.output.entries()) {
    const name = section.nameOf(item);
    try {
      const outcome = section.take(parts, item, i + 1);
      if (outcome === "updated") taken.updated++;
      else taken.created++;
      if (outcome === "incomplete") taken.incomplete.push(name);
    } catch (error) {
      throw explained(section.name, name, error);
    }
  }
  return taken;
}
