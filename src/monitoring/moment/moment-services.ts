/** Adds services to a moment database, with their names and groups. */
import { names, services } from "../../platform/storage/schema.ts";
import { addRows, asTheyWere, readValues, rowsWith, type StoredRow } from "./moment-rows.ts";
import type { Composition } from "./moment-scope.ts";
import { addServiceGroups } from "./past-configuration.ts";
import { eventsOfServices } from "./past-counts.repository.ts";
import type { PastServices } from "./past-services.ts";

/** Adds names, each once. */
export class MomentNames {
  readonly #added = new Set<number>();

  constructor(private readonly moment: Composition) {}

  add(ids: Iterable<number>): void {
    const { db, history } = this.moment;
    const missing = new Set(ids).difference(this.#added);
    for (const id of missing) this.#added.add(id);
    if (missing.size > 0) addRows(db, names, rowsWith(history, names, "id", missing));
  }
}

/** Adds what existed at the moment, as it was then. `take` reads the services of each host once. */
export class MomentServices {
  /** Hosts whose services were added. */
  readonly #hosts = new Set<number>();

  constructor(
    private readonly moment: Composition,
    private readonly past: PastServices,
    private readonly names: MomentNames,
  ) {}

  /** Adds the services of hosts. @param hostIds undefined: of all hosts */
  take(hostIds?: readonly number[]): void {
    const { db, history, at } = this.moment;
    const wanted = hostIds ?? readValues(db, "select id from hosts").map(([id]) => Number(id));
    const missing = wanted.filter((id) => !this.#hosts.has(id));
    for (const id of missing) this.#hosts.add(id);
    if (missing.length === 0) return;
    const rows = rowsWith(history, services, "host_id", missing);
    // A list of all hosts does not show the numbers of events of their services, so they are not counted for it.
    this.add(rows, this.moment.hostIds ? eventsOfServices(history, missing, at) : new Map());
  }

  /**
   * Adds services.
   * @param rows as they are now
   * @param counts numbers of events, by host and name
   */
  add(rows: readonly StoredRow[], counts: ReadonlyMap<string, number> = new Map()): void {
    const { db, at, recorded } = this.moment;
    const present = new Set(rows.map(({ id }) => Number(id)));
    const changed = new Map([...this.past.past].filter(([id]) => present.has(id)));
    const existing = asTheyWere(services, rows, changed).flatMap((row): StoredRow[] => {
      const state = this.past.states.get(Number(row.id));
      if (!state) return [];
      const health = this.past.healthOf(state);
      const isUnknown = at < recorded || changed.get(state.id) === "unknown";
      return [
        {
          ...row,
          ...(isUnknown && { monitor_mode: 0, on_reboot: 0, every: "" }),
          vanished_at: state.vanishedAt,
          monitor_state: state.monitorState,
          status: health.status,
          status_hint: 0,
          limit_level: health.limitLevel,
          led: health.led,
          events: counts.get(`${state.hostId} ${state.nameId}`) ?? 0,
        },
      ];
    });
    this.names.add(existing.map(({ name_id }) => Number(name_id)));
    addRows(db, services, existing);
  }

  /** Adds the service groups of the hosts with their members, if they are recorded. */
  takeGroups(): void {
    const { db, history, at, recorded } = this.moment;
    if (at < recorded) return;
    const members = addServiceGroups(db, history, at);
    this.add(rowsWith(history, services, "id", members));
  }
}
