/** Which services there were at a moment, and how they were. */
import { limitStates } from "../../platform/storage/schema.ts";
import { indexName } from "../../platform/storage/words.ts";
import { failingClasses } from "../health/health.ts";
import type { ExcludedReason } from "../uptime/excluded-time.repository.ts";
import { addRows, readValues } from "./moment-rows.ts";
import { type Composition, ofHosts } from "./moment-scope.ts";
import { severitiesOf } from "./past-events.repository.ts";
import { failuresAt, type PastFailure } from "./past-failures.repository.ts";
import { type ReportedStatus, statusesByReports } from "./past-reports.ts";
import { type Failing, failingServices, pastHealth, serviceKey } from "./past-state.ts";
import { type PastContent, revisionsAfter } from "./revisions.repository.ts";

/** A service, with the fields that decide the state of its host. */
export interface PastService {
  id: number;
  hostId: number;
  nameId: number;
  vanishedAt: number | null;
  monitorState: number;
  /** Bits of the event types that fail by the agent's status; null: unknown. */
  reported: number | null;
}

/** Monitored, in a state that was not recorded. */
const MONITORED = 1;

/** Reads the services and the open failures of a moment once, when it is constructed. */
export class PastServices {
  /** The failures that were open. */
  readonly open: readonly PastFailure[];
  /** What changes after the moment have replaced, by id. */
  readonly past: ReadonlyMap<number, PastContent>;
  /** By id. */
  readonly states: ReadonlyMap<number, PastService>;
  #failing: (hostId: number, nameId: number) => Failing;

  constructor(private readonly moment: Composition) {
    const { history, at, hostIds } = moment;
    this.open = failuresAt(history, at, hostIds);
    this.#failing = this.#judge();
    this.past = revisionsAfter(history, "services", at, hostIds);
    this.states = new Map(this.#readServices().map((service) => [service.id, service]));
    this.#followReports([...this.states.values()]);
  }

  healthOf({ hostId, nameId, monitorState }: PastService) {
    return pastHealth(this.#failing(hostId, nameId), monitorState);
  }

  /** Finds out what was failing, and which limits were exceeded. */
  #judge(): (hostId: number, nameId: number) => Failing {
    const { db, history, at } = this.moment;
    const ofLimits = this.open.filter(({ limitId }) => limitId > 0);
    const severities = severitiesOf(
      history,
      ofLimits.map(({ id }) => id),
      at,
    );
    addRows(
      db,
      limitStates,
      ofLimits.map(({ id, hostId, nameId, limitId, startedAt }) => ({
        limit_id: limitId,
        host_id: hostId,
        name_id: nameId,
        level: severities.get(id) ?? 0,
        service_type: 0,
        opened_at: startedAt,
      })),
    );
    return failingServices(
      this.open.map((failure) => ({ ...failure, severity: severities.get(failure.id) ?? 0 })),
    );
  }

  /** Why time of services was excluded, and since when. */
  #excluded(): Map<number, { reason: ExcludedReason; since: number }> {
    const { history, at, hostIds } = this.moment;
    const { condition, parameters } = ofHosts(this.moment, "host_id");
    const columns = "service_id, reason, started_at";
    const index = hostIds ? "" : indexName("excluded_by_end");
    const open = (ended: string) =>
      `select ${columns} from excluded_intervals ${index}
       where service_id is not null and started_at <= ?1 and ${ended}${condition}`;
    const rows = readValues(
      history,
      `${open("ended_at is null")} union all ${open("ended_at > ?1")}`,
      at,
      ...parameters,
    );
    return new Map(
      rows.map(([id, reason, since]) => [
        Number(id),
        { reason: reason as ExcludedReason, since: Number(since) },
      ]),
    );
  }

  #readServices(): PastService[] {
    const { history, at, recorded } = this.moment;
    const { condition, parameters } = ofHosts(this.moment, "host_id");
    const excluded = this.#excluded();
    const rows = readValues(
      history,
      `select id, host_id, name_id, monitor_state, status, status_hint from services where created_at <= ?1${condition}`,
      at,
      ...parameters,
    );
    return rows.flatMap(([rowId, hostId, nameId, state, status, statusHint]) => {
      const id = Number(rowId);
      const content = this.past.get(id);
      if (content === null) return [];
      const { reason, since } = excluded.get(id) ?? {};
      const isKnown = at >= recorded && content !== "unknown";
      const monitored = (isKnown && Number(content?.monitorState ?? state)) || MONITORED;
      return [
        {
          id,
          hostId: Number(hostId),
          nameId: Number(nameId),
          vanishedAt: reason === "vanished" ? (since ?? null) : null,
          monitorState: reason === "unmonitored" ? 0 : monitored,
          reported: isKnown
            ? failingClasses({
                status: Number(content?.status ?? status),
                statusHint: Number(content?.statusHint ?? statusHint),
              })
            : null,
        },
      ];
    });
  }

  /**
   * Corrects services whose failures differ from their last report by the moment: the report decides what was failing.
   */
  #followReports(existing: readonly PastService[]): void {
    const failing = this.#failing;
    const differing = existing.flatMap(({ hostId, nameId, reported }): ReportedStatus[] => {
      const { status } = failing(hostId, nameId);
      return reported === null || reported === status ? [] : [{ hostId, nameId, reported, failing: status }];
    });
    if (differing.length === 0) return;
    const statuses = statusesByReports(this.moment, differing, this.open);
    this.#failing = (hostId, nameId) => {
      const before = failing(hostId, nameId);
      return { ...before, status: statuses.get(serviceKey(hostId, nameId)) ?? before.status };
    };
  }
}
