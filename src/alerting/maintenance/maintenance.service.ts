import { isVisibleById } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { wakeSuppressed } from "../rules/alert-wakes.repository.ts";
import { MaintenanceReads } from "./maintenance.queries.ts";
import type { Maintenance } from "./maintenance.repository.ts";
import type { maintenance } from "./maintenance.schemas.ts";
import type { MaintenanceSchedule } from "./schedule.ts";

export const maintenanceExists = declareTaken("maintenance.exists", "maintenance");

/** All of them are checked before a message is sent, hence the bound. */
const MAX_MAINTENANCE = 1000;

type Content = ContentOf<typeof maintenance>;

interface MaintenanceParts {
  db: Db;
  references: References;
  settings: SettingsReader;
  clock: Clock;
}

/**
 * Planned maintenance. Administrators see and change all of it, a manager of host groups only maintenance of these
 * groups.
 */
export class MaintenanceWindows extends Collection<typeof maintenance, Maintenance> {
  readonly #db: Db;
  readonly #settings: SettingsReader;
  readonly #clock: Clock;

  constructor({ db, references, settings, clock }: MaintenanceParts) {
    const reads = new MaintenanceReads(db, clock);
    super({
      reads,
      references,
      taken: maintenanceExists,
      maxObjects: MAX_MAINTENANCE,
      recorded: { kind: "maintenance_windows", clock },
    });
    this.#db = db;
    this.#settings = settings;
    this.#clock = clock;
  }

  protected columnsOf(content: Content, before: Maintenance | null): Omit<Maintenance, "id"> {
    const createdAt = before?.createdAt ?? this.#clock.now();
    const ofMutes = { mutedBy: null, note: "", leasedUntil: null, grace: 0 };
    return { ...content, ...ofMutes, schedule: this.#scheduleOf(content), createdAt };
  }

  protected override mayChange({ filter }: Content, scope: Scope): boolean {
    return isOfGroups(filter, scope) && isVisibleById(this.#db, filter, scope);
  }

  protected override isKnown(): boolean {
    return false;
  }

  protected override updated(row: Maintenance, columns: Omit<Maintenance, "id">, content: Content): void {
    super.updated(row, columns, content);
    wakeSuppressed(this.#db);
  }

  protected override deleted(row: Maintenance): void {
    super.deleted(row);
    wakeSuppressed(this.#db);
  }

  /** @throws ApiError 400 */
  #scheduleOf({ schedule }: Content): MaintenanceSchedule {
    if (schedule.kind === "weekly") {
      const { timezone = this.#settings.get("timezone") } = schedule;
      const days = [...new Set(schedule.days)].sort((a, b) => a - b);
      return { ...schedule, days, timezone };
    }
    if (schedule.from >= schedule.to) throw errors.badArgument("schedule.from", "before schedule.to");
    return schedule;
  }
}
