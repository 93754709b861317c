import type { Clock } from "../../platform/clock.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { PlaceFilter } from "../rules/event-filter.ts";
import { placeFilterOf } from "../rules/filters.ts";
import {
  allMaintenance,
  deleteMaintenance,
  findMaintenance,
  findMaintenanceByName,
  insertMaintenance,
  type Maintenance,
  updateMaintenance,
} from "./maintenance.repository.ts";
import type { MaintenanceCreation, MaintenanceReply, MaintenanceUpdate } from "./maintenance.schemas.ts";
import { nextWindow, windowAt } from "./schedule.ts";
import { scheduleOf } from "./schedule-arguments.ts";
import { wakeSuppressed } from "./suppressed-alerts.repository.ts";

export const maintenanceExists = declareError(
  409,
  "maintenance.exists",
  "Another maintenance has this name",
  (name: string) => `There is already a maintenance "${name}"`,
);

/** All of them are checked before a message is sent, hence the bound. */
export const MAX_MAINTENANCE = 1000;

/** Maintenance windows, as administrators see and change them. */
export class MaintenanceWindows {
  constructor(
    private readonly db: Db,
    private readonly settings: Settings,
    private readonly clock: Clock,
  ) {}

  /** All maintenance, by name. */
  list() {
    const records = allMaintenance(this.db).map((one) => this.#reply(one));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number): MaintenanceReply {
    return this.#reply(this.#find(id));
  }

  /** @returns the id @throws ApiError 400, 409 if the name is taken */
  create(given: MaintenanceCreation): number {
    const { db } = this;
    return transaction(db, () => {
      const { name, enabled = true } = given;
      const schedule = scheduleOf(given, null, this.settings.get("timezone"));
      const filter = this.#scopeOf(given, null);
      this.#refuseTaken(name);
      if (allMaintenance(db).length >= MAX_MAINTENANCE)
        throw errors.badRequest(`There are at most ${MAX_MAINTENANCE} of them; delete one first`);
      return insertMaintenance(db, { name, enabled, filter, schedule }, this.clock.now());
    });
  }

  /** Changes the given properties. @throws ApiError 400, 404, 409 if the name is taken */
  update({ id, ...given }: MaintenanceUpdate): void {
    transaction(this.db, () => {
      const before = this.#find(id);
      const { name = before.name, enabled = before.enabled } = given;
      const schedule = scheduleOf(given, before.schedule, this.settings.get("timezone"));
      const filter = this.#scopeOf(given, before.filter);
      if (name !== before.name) this.#refuseTaken(name);
      updateMaintenance(this.db, id, { name, enabled, filter, schedule });
      wakeSuppressed(this.db, this.clock.now());
    });
  }

  /** @throws ApiError 404 */
  delete(id: number): void {
    transaction(this.db, () => {
      this.#find(id);
      deleteMaintenance(this.db, id);
      wakeSuppressed(this.db, this.clock.now());
    });
  }

  #reply({ id, name, enabled, filter, schedule }: Maintenance): MaintenanceReply {
    const now = this.clock.now();
    const window = enabled ? windowAt(schedule, now) : null;
    const next = enabled ? nextWindow(schedule, now) : null;
    return { id, name, enabled, filter, schedule, active: window !== null, until: window?.to ?? null, next };
  }

  /**
   * What it applies to. No one means everything by leaving out what is meant, so everything has to be asked for.
   * @param before null for new maintenance @throws ApiError 400
   */
  #scopeOf({ everything, ...given }: Omit<MaintenanceUpdate, "id">, before: PlaceFilter | null): PlaceFilter {
    const filter = placeFilterOf(this.db, given, (!everything && before) || {});
    const isEmpty = (scope: PlaceFilter) => Object.keys(scope).length === 0;
    if (everything && !isEmpty(filter))
      throw errors.badArgument("everything", "left out where hosts, groups, tags or services are named");
    if (isEmpty(filter) && !everything && !(before && isEmpty(before)))
      throw errors.missingArgument(
        "hostid",
        "what it applies to: hostid, hostgroupid, tag or servicename; or everything=true",
      );
    return filter;
  }

  #refuseTaken(name: string): void {
    if (findMaintenanceByName(this.db, name)) throw maintenanceExists(name);
  }

  #find(id: number): Maintenance {
    const found = findMaintenance(this.db, id);
    if (!found) throw errors.notFound("maintenance", id);
    return found;
  }
}
