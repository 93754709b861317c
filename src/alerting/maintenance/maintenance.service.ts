import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { placeFilterOf } from "../../monitoring/places/place-filter-arguments.ts";
import { narrowed } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
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

export const maintenanceExists = declareTaken("maintenance.exists", "maintenance");

/** All of them are checked before a message is sent, hence the bound. */
export const MAX_MAINTENANCE = 1000;

/**
 * Maintenance windows, as administrators see and change them. A manager of host groups has those that apply to
 * these groups alone; others do not exist for them.
 */
export class MaintenanceWindows {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** The maintenance of a scope, by name. */
  list(scope: Scope) {
    const own = allMaintenance(this.db).filter(({ filter }) => isOfGroups(filter, scope));
    const records = narrowed(this.db, own, scope).map((one) => this.#reply(one));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number, scope: Scope): MaintenanceReply {
    return this.#reply(this.#find(id, scope));
  }

  /** @returns the id @throws ApiError 400, 403, 409 if the name is taken */
  create(given: MaintenanceCreation, scope: Scope): number {
    const { db } = this;
    return transaction(db, () => {
      const { name, enabled = true } = given;
      const schedule = scheduleOf(given, null, this.settings.get("timezone"));
      const filter = this.#scopeOf(given, null, scope);
      this.#refuseTaken(name);
      if (allMaintenance(db).length >= MAX_MAINTENANCE)
        throw errors.badRequest(`There are at most ${MAX_MAINTENANCE} of them; delete one first`);
      return insertMaintenance(db, { name, enabled, filter, schedule }, this.clock.now());
    });
  }

  /** Changes the given properties. @throws ApiError 400, 403, 404, 409 if the name is taken */
  update({ id, ...given }: MaintenanceUpdate, scope: Scope): void {
    transaction(this.db, () => {
      const before = this.#find(id, scope);
      const { name = before.name, enabled = before.enabled } = given;
      const schedule = scheduleOf(given, before.schedule, this.settings.get("timezone"));
      const filter = this.#scopeOf(given, before.filter, scope);
      if (name !== before.name) this.#refuseTaken(name);
      updateMaintenance(this.db, id, { name, enabled, filter, schedule });
      wakeSuppressed(this.db, this.clock.now());
    });
  }

  /** @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      this.#find(id, scope);
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
   * @param before null for new maintenance @throws ApiError 400; 403 beyond the planner's scope
   */
  #scopeOf(
    { everything, ...given }: Omit<MaintenanceUpdate, "id">,
    before: PlaceFilter | null,
    scope: Scope,
  ): PlaceFilter {
    const filter = placeFilterOf(this.db, given, (!everything && before) || {}, scope);
    const isEmpty = (place: PlaceFilter) => Object.keys(place).length === 0;
    if (everything && !isEmpty(filter))
      throw errors.badArgument("everything", "left out where hosts, groups, tags or services are named");
    if (isEmpty(filter) && !everything && !(before && isEmpty(before)))
      throw errors.missingArgument(
        "hostid",
        "what it applies to: hostid, hostgroupid, tag or servicename; or everything=true",
      );
    if (!isOfGroups(filter, scope)) throw errors.notGranted();
    return filter;
  }

  #refuseTaken(name: string): void {
    if (findMaintenanceByName(this.db, name)) throw maintenanceExists(name);
  }

  #find(id: number, scope: Scope): Maintenance {
    const one = findMaintenance(this.db, id);
    const isOwn = one !== undefined && isOfGroups(one.filter, scope);
    return found(isOwn ? narrowed(this.db, [one], scope)[0] : undefined, "maintenance", id);
  }
}
