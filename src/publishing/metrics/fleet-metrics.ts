import type { EventLog } from "../../monitoring/events/event-log.service.ts";
import type { Turn } from "../../platform/http/turn.ts";
import { type FleetPage, type FleetQueries, wantsHosts } from "./fleet.queries.ts";
import type { FleetSelection, Position } from "./fleet.repository.ts";
import { type FamilyDefinition, FLEET_FAMILIES } from "./fleet-families.ts";
import { FleetSnapshot } from "./fleet-snapshot.ts";

/** Indexed by code. */
const EVENT_STATES = ["success", "error", "change"];

/**
 * The current state and statistics of hosts and services, for other systems. They are read page by page on query workers,
 * so that other callers take their turns in between.
 */
export class FleetMetrics {
  /** @param events counts those that are recorded */
  constructor(
    private readonly events: Pick<EventLog, "recorded">,
    private readonly queries: FleetQueries,
  ) {}

  /**
   * Takes a snapshot.
   * @param turn the caller that it counts for @throws the signal's reason once it is aborted, or ApiError 503
   */
  async read(turn: Turn, selection: FleetSelection, signal: AbortSignal): Promise<FleetSnapshot> {
    const snapshot = new FleetSnapshot();
    await this.#addTotals(turn, selection, snapshot);
    let after: Position | null = null;
    do {
      signal.throwIfAborted();
      const page: FleetPage = (await this.queries.fleetPage(turn, selection, after)).value;
      snapshot.addPage(page);
      after = page.next;
    } while (after !== null);
    signal.throwIfAborted();
    return snapshot;
  }

  /** Adds the totals of all hosts, for callers who select and see all. */
  async #addTotals(turn: Turn, selection: FleetSelection, snapshot: FleetSnapshot): Promise<void> {
    const { host, hostgroup, tag, scope, family } = selection;
    if (scope !== "all" || host || hostgroup || tag || !wantsHosts(selection)) return;
    const isWanted = ({ name }: FamilyDefinition) => family?.includes(name) ?? true;
    if (isWanted(FLEET_FAMILIES.events))
      for (const [state, n] of this.events.recorded) {
        const set = snapshot.label({ state: EVENT_STATES[state] ?? String(state) });
        snapshot.add(FLEET_FAMILIES.events, set, n);
      }
    if (!isWanted(FLEET_FAMILIES.open)) return;
    const { open } = (await this.queries.openFleetEvents(turn)).value;
    snapshot.add(FLEET_FAMILIES.open, snapshot.label({}), open);
  }
}
