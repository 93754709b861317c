/**
 * A database in memory with the state as of a moment: what is known now of that second. The queries of the present run
 * over it. It has all hosts, or only those that a query is about.
 */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import {
  acknowledgements,
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  eventNotes,
  events,
  eventWords,
  hosts,
  limitStates,
  names,
  sampleLayouts,
  samples,
  services,
  statistics,
} from "../../platform/storage/schema.ts";
import { idsIn, indexName } from "../../platform/storage/words.ts";
import { failingClasses, hostStatusText, tally } from "../health/health.ts";
import { packValues } from "../history/sample-values.ts";
import { type HostSelection, type Past, showPast } from "../past/past.ts";
import {
  addRows,
  asParameter,
  asTheyWere,
  readRows,
  readValues,
  rowsWith,
  type StoredRow,
} from "./moment-rows.ts";
import { addConfiguration, addMemberships, addServiceGroups, hostsThen } from "./past-configuration.ts";
import { eventsOfHosts, eventsOfServices } from "./past-counts.repository.ts";
import {
  acknowledgementsBy,
  endedBy,
  eventsOfFailure,
  failuresOfEvents,
  lastErrors,
  messagesBy,
  notesBy,
  severitiesOf,
} from "./past-events.repository.ts";
import { endedLately, failuresAt, type PastFailure } from "./past-failures.repository.ts";
import { hostsSelected } from "./past-selection.ts";
import { type Exclusion, type Failing, failingServices, pastHealth, pastHostState } from "./past-state.ts";
import { systemStatistics, usageAt } from "./past-usage.ts";
import { LastValues, rowAt } from "./past-values.ts";
import { type PastContent, revisionsAfter } from "./revisions.repository.ts";

/** What is read of the moment. */
export interface MomentScope {
  /** Unix seconds. */
  at: number;
  /** Since when changes of settings are recorded, unix seconds. */
  recorded: number;
  /** Undefined: all hosts. */
  hostIds: readonly number[] | undefined;
}

/** A service, as far as the state of its host needs it. */
interface PastService {
  id: number;
  hostId: number;
  nameId: number;
  vanishedAt: number | null;
  monitorState: number;
  /** Bits of the event types that fail by the agent's status. */
  reported: number;
}

type ChangedKind = "services" | "events";

/** Monitored, in a state that was not recorded. */
const MONITORED = 1;

export class MomentDatabase implements Past {
  readonly at: number;
  readonly #hostIds: readonly number[] | undefined;
  readonly #recorded: number;
  #failing: (hostId: number, nameId: number) => Failing = () => ({ status: 0, limitLevel: 0 });
  /** The failures that were open. */
  #open: readonly PastFailure[] = [];
  readonly #failures = new Set<number>();
  readonly #events = new Set<number>();
  readonly #names = new Set<number>();
  readonly #hostsWithServices = new Set<number>();
  #states: ReadonlyMap<number, PastService> | undefined;
  readonly #past = new Map<ChangedKind, ReadonlyMap<number, PastContent>>();
  /** Hosts whose events were fully described. */
  readonly #messages = new Set<number>();
  #values = "";
  #layouts = 0;

  /** @param db an empty database in memory @param history the real one */
  constructor(
    readonly db: Db,
    readonly history: Db,
    { at, hostIds, recorded }: MomentScope,
  ) {
    this.at = at;
    this.#hostIds = hostIds;
    this.#recorded = recorded;
    showPast(db, this);
    transaction(db, () => {
      addConfiguration(db, history, at, recorded);
      addMemberships(db, history, { at, recorded, hostIds });
      this.#open = failuresAt(history, at, hostIds);
      this.#judge(this.#open);
      this.#addHosts(this.#open);
    });
  }

  #read(table: string, where: string, ...parameters: (string | number)[]): StoredRow[] {
    return readRows(this.history, `select * from ${table} where ${where}`, ...parameters);
  }

  /** The ids of the hosts, for a condition of SQL; without it, all. */
  #ofHosts(column: string): { condition: string; parameters: string[] } {
    if (!this.#hostIds) return { condition: "", parameters: [] };
    return { condition: ` and ${column} in ${idsIn("?2")}`, parameters: [asParameter(this.#hostIds)] };
  }

  #addHosts(failures: readonly PastFailure[]): void {
    const { at, history } = this;
    const { condition, parameters } = this.#ofHosts("id");
    const stored = this.#read("hosts", `created_at <= ?1${condition}`, at, ...parameters);
    const recorded = { at, recorded: this.#recorded, hostIds: this.#hostIds };
    const rows = hostsThen(this.db, history, stored, recorded);
    const excluded = this.#excludedHosts();
    const down = new Set(
      failures.filter(({ eventType }) => eventType === HEARTBEAT).map(({ hostId }) => hostId),
    );
    const byHost = Map.groupBy(this.#servicesThen().values(), ({ hostId }) => hostId);
    const totals = new Map(rows.map(({ id, events: total }) => [Number(id), Number(total)]));
    const counts = eventsOfHosts(history, totals, at);
    const existing = rows.filter(({ id }) => excluded.get(Number(id)) !== "deleted");
    addRows(
      this.db,
      hosts,
      existing.map((row) => {
        const id = Number(row.id);
        const present = (byHost.get(id) ?? []).filter(({ vanishedAt }) => vanishedAt === null);
        const leds = present.map(
          ({ nameId, monitorState }) => pastHealth(this.#failing(id, nameId), monitorState).led,
        );
        const lastmodified = Number(row.lastmodified);
        const state = { exclusion: excluded.get(id), isDown: down.has(id), lastmodified };
        return {
          ...row,
          ...pastHostState(state, tally(leds)),
          deadline: at,
          cpu: -1,
          mem: -1,
          events: counts.get(id) ?? 0,
        };
      }),
    );
    this.db.$client.run(
      `insert into host_counts (status, stopped, heartbeat, led, n)
       select status, stopped, heartbeat, led, count(*) from hosts group by status, stopped, heartbeat, led`,
    );
    // The text of a host that is down says when it reported last.
    this.takeUsage([...down]);
  }

  /** Why time of whole hosts was excluded. */
  #excludedHosts(): Map<number, Exclusion> {
    const { condition, parameters } = this.#ofHosts("host_id");
    const rows = readValues(
      this.history,
      `select host_id, reason from excluded_intervals
       where service_id is null and host_id is not null and started_at <= ?1
         and (ended_at is null or ended_at > ?1)${condition}`,
      this.at,
      ...parameters,
    );
    return new Map(rows.map(([host, reason]) => [Number(host), reason as Exclusion]));
  }

  /** Why time of services was excluded, and since when. */
  #excludedServices(): Map<number, { reason: Exclusion; since: number }> {
    const { condition, parameters } = this.#ofHosts("host_id");
    const columns = "service_id, reason, started_at";
    const index = this.#hostIds ? "" : indexName("excluded_by_end");
    const open = (ended: string) =>
      `select ${columns} from excluded_intervals ${index}
       where service_id is not null and started_at <= ?1 and ${ended}${condition}`;
    const rows = readValues(
      this.history,
      `${open("ended_at is null")} union all ${open("ended_at > ?1")}`,
      this.at,
      ...parameters,
    );
    return new Map(
      rows.map(([id, reason, since]) => [Number(id), { reason: reason as Exclusion, since: Number(since) }]),
    );
  }

  #servicesThen(): ReadonlyMap<number, PastService> {
    this.#states ??= new Map(this.#readServices().map((service) => [service.id, service]));
    return this.#states;
  }

  /** What changes after the moment have replaced, by id. */
  #changedSince(kind: ChangedKind): ReadonlyMap<number, PastContent> {
    const past = this.#past.get(kind) ?? revisionsAfter(this.history, kind, this.at, this.#hostIds);
    this.#past.set(kind, past);
    return past;
  }

  #readServices(): PastService[] {
    const { condition, parameters } = this.#ofHosts("host_id");
    const excluded = this.#excludedServices();
    const past = this.#changedSince("services");
    const rows = readValues(
      this.history,
      `select id, host_id, name_id, monitor_state, status, status_hint from services where created_at <= ?1${condition}`,
      this.at,
      ...parameters,
    );
    const existing = rows.flatMap(([rowId, hostId, nameId, state, status, statusHint]) => {
      const id = Number(rowId);
      const content = past.get(id);
      if (content === null) return [];
      const { reason, since } = excluded.get(id) ?? {};
      const isKnown = this.at >= this.#recorded && content !== "unknown";
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
            : 0,
        },
      ];
    });
    this.#addReportedFailures(existing);
    return existing;
  }

  /** The agent's status can say that a service fails for which there is no failure yet. */
  #addReportedFailures(existing: readonly PastService[]): void {
    const failing = this.#failing;
    const reported = existing.flatMap(({ hostId, nameId, reported: bits }) => {
      const others = bits & ~failing(hostId, nameId).status;
      return others === 0 ? [] : [{ hostId, nameId, others }];
    });
    if (reported.length === 0) return;
    const ended = endedLately(this.history, this.at);
    const extra = new Map(
      reported.map(({ hostId, nameId, others }) => {
        const key = `${hostId} ${nameId}`;
        return [key, others & ~(ended.get(key) ?? 0)];
      }),
    );
    this.#failing = (hostId, nameId) => {
      const known = failing(hostId, nameId);
      return { ...known, status: known.status | (extra.get(`${hostId} ${nameId}`) ?? 0) };
    };
  }

  /** Adds the services of hosts, with their names. @param hostIds undefined: of all hosts */
  takeServices(hostIds?: readonly number[]): void {
    const wanted = hostIds ?? readValues(this.db, "select id from hosts").map(([id]) => Number(id));
    const missing = wanted.filter((id) => !this.#hostsWithServices.has(id));
    for (const id of missing) this.#hostsWithServices.add(id);
    if (missing.length === 0) return;
    const rows = rowsWith(this.history, services, "host_id", missing);
    this.#addServices(rows, hostIds ? eventsOfServices(this.history, missing, this.at) : new Map());
  }

  /** @param counts numbers of events, by host and name */
  #addServices(rows: readonly StoredRow[], counts: ReadonlyMap<string, number>): void {
    const states = this.#servicesThen();
    const past = this.#changedSince("services");
    const present = new Set(rows.map(({ id }) => Number(id)));
    const changed = new Map([...past].filter(([id]) => present.has(id)));
    const existing = asTheyWere(services, rows, changed).flatMap((row): StoredRow[] => {
      const state = states.get(Number(row.id));
      if (!state) return [];
      const health = pastHealth(this.#failing(state.hostId, state.nameId), state.monitorState);
      return [
        {
          ...row,
          ...(this.at < this.#recorded && { monitor_mode: 0, on_reboot: 0, every: "" }),
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
    this.#addNames(existing.map(({ name_id }) => Number(name_id)));
    addRows(this.db, services, existing);
  }

  /** Adds the service groups of the hosts, if they are recorded. */
  takeServiceGroups(): void {
    this.takeServices();
    if (this.at >= this.#recorded) addServiceGroups(this.db, this.history, this.at);
  }

  #addNames(ids: Iterable<number>): void {
    const missing = new Set(ids).difference(this.#names);
    for (const id of missing) this.#names.add(id);
    if (missing.size > 0) addRows(this.db, names, rowsWith(this.history, names, "id", missing));
  }

  /** Finds out what was failing, and which limits were exceeded. */
  #judge(failures: readonly PastFailure[]): void {
    const ofLimits = failures.filter(({ limitId }) => limitId > 0);
    const severities = severitiesOf(
      this.history,
      ofLimits.map(({ id }) => id),
      this.at,
    );
    this.#failing = failingServices(
      failures.map((failure) => ({ ...failure, severity: severities.get(failure.id) ?? 0 })),
    );
    addRows(
      this.db,
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
  }

  /** Adds the open failures. @param eventType undefined: of all types */
  takeOpenFailures(eventType?: number): void {
    const wanted = this.#open.filter((failure) => eventType === undefined || failure.eventType === eventType);
    transaction(this.db, () => this.#addIntervals(wanted.map(({ id }) => id)));
  }

  /** Adds intervals that began by the moment, with their last errors and their acknowledgements. */
  #addIntervals(ids: readonly number[]): void {
    const { db, history, at } = this;
    const missing = ids.filter((id) => !this.#failures.has(id));
    for (const id of missing) this.#failures.add(id);
    if (missing.length === 0) return;
    const rows = rowsWith(history, downtimeIntervals, "id", missing)
      .filter(({ started_at }) => Number(started_at) <= at)
      .map((row): StoredRow => ({ ...row, ended_at: endedBy(row.ended_at, at) }));
    const open = new Set(rows.filter(({ ended_at }) => ended_at === null).map(({ id }) => Number(id)));
    addRows(db, downtimeIntervals, rows);
    this.#addNames(rows.map(({ name_id }) => Number(name_id)));
    const last = lastErrors(history, missing, at);
    this.#addEvents(
      [...last.values()],
      new Set([...last].filter(([failure]) => open.has(failure)).map(([, event]) => event)),
    );
    const made = acknowledgementsBy(history, missing, at);
    addRows(
      db,
      acknowledgements,
      made.map(({ failure_id, ...row }) => ({
        ...row,
        event_id: last.get(Number(failure_id)) ?? row.event_id ?? 0,
      })),
    );
  }

  /** Adds events that are dated by the moment. @param active the active errors among them */
  #addEvents(ids: readonly number[], active: ReadonlySet<number>): void {
    const { db, history, at } = this;
    const missing = ids.filter((id) => !this.#events.has(id));
    for (const id of missing) this.#events.add(id);
    if (missing.length === 0) return;
    const past = this.#changedSince("events");
    const rows = rowsWith(history, events, "id", missing).filter(({ date }) => Number(date) <= at);
    const present = new Set(rows.map(({ id }) => Number(id)));
    const changed = new Map([...past].filter(([id]) => present.has(id)));
    const known = this.at >= this.#recorded;
    addRows(
      db,
      events,
      asTheyWere(events, rows, changed).map((row) => ({
        ...row,
        active: Number(active.has(Number(row.id))),
        ...(!known && { dismissed: 0, dismissed_from: null }),
        noted: 0,
      })),
    );
    this.#addNames(rows.map(({ name_id }) => Number(name_id)));
    const sets = new Set(rows.map(({ word_set_id }) => Number(word_set_id)));
    addRows(db, eventWords, rowsWith(history, eventWords, "set_id", sets));
  }

  takeEvents(ids: readonly number[]): void {
    transaction(this.db, () => {
      this.#addIntervals(failuresOfEvents(this.history, ids));
      this.#addEvents(ids, new Set());
      this.#addServicesOf(ids);
      this.#addNotesAndMessages(ids);
    });
  }

  takeFailures(ids: readonly number[]): void {
    const eventIds = ids.flatMap((id) => eventsOfFailure(this.history, id, this.at));
    this.takeEvents([...new Set(eventIds)]);
    transaction(this.db, () => this.#addIntervals(ids));
  }

  /** Adds the services of the hosts of events. */
  #addServicesOf(eventIds: readonly number[]): void {
    const rows = readValues(
      this.db,
      `select distinct host_id from events where id in ${idsIn("?1")}`,
      asParameter(eventIds),
    );
    this.takeServices(rows.map(([id]) => Number(id)));
  }

  #addNotesAndMessages(eventIds: readonly number[]): void {
    const { db, history, at } = this;
    const missing = eventIds.filter((id) => !this.#messages.has(id));
    for (const id of missing) this.#messages.add(id);
    if (missing.length === 0) return;
    const notes = notesBy(history, missing, at);
    addRows(db, eventNotes, notes);
    db.$client
      .prepare(`update events set noted = 1 where id in ${idsIn("?")}`)
      .run(asParameter(notes.map(({ event_id }) => Number(event_id))));
    const { links, messages } = messagesBy(history, missing, at);
    addRows(db, deliveries, messages);
    addRows(db, deliveryEvents, links);
  }

  takeUsage(hostIds?: readonly number[]): void {
    const { db, history, at } = this;
    const ids = hostIds ?? readValues(db, "select id from hosts").map(([id]) => Number(id));
    const ofHosts = systemStatistics(history, ids);
    const last = new LastValues(history, at);
    const update = db.$client.prepare(
      `update hosts set cpu = ?1, mem = ?2, lastmodified = ?3, status_text = ?4,
         agent_uptime = case when agent_uptime > lastmodified - ?3 then agent_uptime - (lastmodified - ?3) else 0 end
         where id = ?5`,
    );
    const select = db.$client.prepare<{ lastmodified: number; status_text: string; heartbeat: number }>(
      "select lastmodified, status_text, heartbeat, status, stopped, services_total, services_ok from hosts where id = ?",
    );
    transaction(db, () => {
      for (const id of ids) {
        const row = select.get(id) as StoredRow | null;
        if (!row) continue;
        const found = last.of(
          id,
          (ofHosts.get(id) ?? []).map((statistic) => statistic.id),
        );
        const { cpu, mem } = usageAt(ofHosts.get(id) ?? [], found?.values ?? []);
        const stored = Number(row.lastmodified);
        const lastmodified = stored <= at ? stored : (found?.at ?? at);
        update.run(cpu, mem, lastmodified, statusTextOf(row, lastmodified), id);
      }
    });
  }

  takeValues(types: readonly number[]): void {
    const key = types.toSorted((a, b) => a - b).join(" ");
    if (this.#values === key) return;
    this.#values = key;
    transaction(this.db, () => this.#replaceValues(types));
  }

  #replaceValues(types: readonly number[]): void {
    const { db, history, at } = this;
    const rows = readRows(
      history,
      `select t.*, s.host_id from statistics t join services s on s.id = t.service_id
       where t.type in ${idsIn("?1")} and t.text is null and s.created_at <= ?2`,
      asParameter(types),
      at,
    );
    const byHost = Map.groupBy(rows, ({ host_id }) => Number(host_id));
    addRows(
      db,
      statistics,
      rows.map(({ host_id: _, ...row }) => row),
    );
    const serviceIds = new Set(rows.map(({ service_id }) => Number(service_id)));
    this.#addServices(rowsWith(history, services, "id", serviceIds), new Map());
    db.$client.run("delete from samples");
    const last = new LastValues(history, at);
    const reporting = readValues(
      db,
      "select id from hosts where heartbeat = 1 and stopped = 0 and status <> 2",
    ).map(([id]) => Number(id));
    for (const hostId of reporting) {
      const ids = (byHost.get(hostId) ?? []).map(({ id }) => Number(id));
      const found = ids.length > 0 && last.of(hostId, ids);
      if (found) this.#addSample(hostId, found.at, Uint32Array.from(ids), Float64Array.from(found.values));
    }
  }

  /** Adds the statistics of some hosts, and their last values. */
  takeHostValues(hostIds: readonly number[]): void {
    transaction(this.db, () => {
      this.takeServices(hostIds);
      const rows = readRows(
        this.history,
        `select t.* from services s join statistics t on t.service_id = s.id
         where s.host_id in ${idsIn("?1")} and t.text is null`,
        asParameter(hostIds),
      );
      addRows(this.db, statistics, rows);
      for (const hostId of hostIds) {
        const row = rowAt(this.history, hostId, this.at);
        if (row) this.#addSample(hostId, row.at, row.ids, row.values);
      }
    });
    this.takeUsage(hostIds);
  }

  #addSample(hostId: number, at: number, ids: Uint32Array, values: Float64Array): void {
    const id = ++this.#layouts;
    const statisticIds = new Uint8Array(ids.buffer, ids.byteOffset, ids.byteLength);
    addRows(this.db, sampleLayouts, [{ id, host_id: hostId, statistic_ids: statisticIds }]);
    addRows(this.db, samples, [{ host_id: hostId, layout_id: id, at, values: packValues(values) }]);
  }

  hostsThen(filter: HostSelection): number[] | undefined {
    return hostsSelected(this.db, this, filter);
  }
}

/** The text of a host that is down names its last report. */
function statusTextOf(row: StoredRow, lastmodified: number): string {
  if (Number(row.heartbeat) !== 0 || Number(row.stopped) !== 0 || Number(row.status) === 2)
    return String(row.status_text);
  const health = { status: Number(row.status), stopped: false, heartbeat: 0, lastmodified };
  return hostStatusText(health, tally([]));
}
