import { narrowed } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type Maintenance, maintenanceRows } from "./maintenance.repository.ts";
import { maintenance } from "./maintenance.schemas.ts";
import { nextWindow, windowAt } from "./schedule.ts";

/** Maintenance as callers see it: only what they may change. */
export class MaintenanceReads extends CollectionReads<typeof maintenance, Maintenance> {
  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    super(db, maintenance, maintenanceRows, "name");
  }

  override visible(rows: Maintenance[], scope: Scope): Maintenance[] {
    const ofGroups = rows.filter(({ filter }) => isOfGroups(filter, scope));
    return narrowed(this.db, ofGroups, scope);
  }

  protected derived() {
    const now = this.clock.now();
    return ({ enabled, schedule }: Maintenance) => {
      const window = enabled ? windowAt(schedule, now) : null;
      const next = enabled ? nextWindow(schedule, now) : null;
      return { active: window !== null, until: window?.to ?? null, next };
    };
  }
}

/** Queries of planned maintenance that run on a query worker. */
export function maintenanceQueries(db: Db, clock: Clock) {
  const reads = new MaintenanceReads(db, clock);
  return {
    maintenanceList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    maintenance: (id: number, reach: Reach) => reads.get(id, reach),
  };
}

export type MaintenanceQueries = AsyncQueries<ReturnType<typeof maintenanceQueries>>;
