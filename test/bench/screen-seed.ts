/** A data folder with everything that the screens show for many hosts. */
import { join } from "node:path";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { Arrivals } from "../../src/monitoring/expected/arrivals.ts";
import { decodeBlock, encodeBlock } from "../../src/monitoring/history/block.ts";
import { Compaction } from "../../src/monitoring/history/compaction.service.ts";
import { putBlock } from "../../src/monitoring/history/history.repository.ts";
import { RAW } from "../../src/monitoring/history/resolutions.ts";
import { HostCache } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { LimitEvaluation } from "../../src/monitoring/limits/limit-evaluation.service.ts";
import { limitRows } from "../../src/monitoring/limits/limits.repository.ts";
import { createLog } from "../../src/platform/log.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { loadSecretKey } from "../../src/platform/secrets/secret-key.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { closeDatabase, type Db, openDatabase, transaction } from "../../src/platform/storage/open.ts";
import { limitWith } from "../support/limits.ts";
import { Random } from "../support/random.ts";
import { copyHistory } from "./copied-history.ts";
import { DriftingHost } from "./drifting-host.ts";
import { fillMonth } from "./limits.ts";
import { seedFolder } from "./queries.ts";

const HOUR = 3600;
const DAY = 86_400;
const POLL = 30;
/** Hosts that report in one transaction. */
const BATCH = 200;
/** Limits that no host exceeds. All hosts of one group, a fifth of all, exceed another one. */
const LIMITS = 20;
const PASSED_BY = 2;
/** The group of the hosts with a month of history. */
export const HISTORY_GROUP = 100;
/** Factor for percentages of the other hosts, so that hosts with history come first in rankings. */
const LOWER = 0.25;
/** Days for which the first host reports, so that the last full day is summed up. Earlier days repeat the last one. */
const FIRST_DAYS = 2;
/** Seconds at the end of an hour in which no measurement starts, since packing would remove the newest samples. */
const LONGEST_RUN = 1500;

const PERCENT: ReadonlySet<number> = new Set(
  Object.values(STATISTIC)
    .filter(({ unit }) => unit === "percent")
    .map(({ code }) => code),
);

/** Time of the hosts' reports: now, or the start of the next hour if that is soon. Unix seconds. */
function timeOfReports(): number {
  const now = Math.floor(Date.now() / 1000);
  const next = Math.ceil(now / HOUR) * HOUR;
  return next - now < LONGEST_RUN ? next + POLL : now;
}

/** The agent of a host of `seedQueries`. */
function agentOf(hostId: number, incarnation: number, hasHistory: boolean): DriftingHost {
  const agent = new DriftingHost(hostId, new Random(hostId), POLL);
  const { message } = agent;
  message.agentId = `bench-agent-${hostId - 1}`;
  message.incarnation = incarnation;
  message.server.hostname = `host-${hostId - 1}`;
  if (!hasHistory)
    for (const service of message.services.flatMap(({ statistics }) => statistics))
      if (PERCENT.has(service.type)) service.value *= LOWER;
  return agent;
}

/** Receives messages like the collector. */
function receiver(db: Db, box: SecretBox): (agent: DriftingHost, receivedAt: number) => void {
  const events = new EventLog(db, alertSubscriber(db));
  const ingest = new Ingest(
    db,
    new HostCache(db),
    box,
    events,
    new LimitEvaluation(db, events),
    new Arrivals(db),
  );
  return (agent, receivedAt) =>
    ingest.applyAll([{ message: agent.next(receivedAt), receivedAt, source: "198.51.100.7" }]);
}

function insertLimits(db: Db): void {
  const types = [
    STATISTIC.spacePercent,
    STATISTIC.inodePercent,
    STATISTIC.memoryPercent,
    STATISTIC.swapPercent,
  ];
  for (let i = 0; i < LIMITS; i++) {
    const statistics = types.slice(i % types.length, (i % types.length) + 1).map(({ code }) => code);
    limitRows.insert(db, {
      ...limitWith({ name: `limit ${i}`, statistics, warning: 1000 + i }),
      deleted: false,
    });
  }
  const filter = { hostgroups: [PASSED_BY] };
  const statistics = [STATISTIC.memoryPercent.code];
  limitRows.insert(db, { ...limitWith({ name: "passed", statistics, filter, warning: 0 }), deleted: false });
}

/** Stores the failures of services that the events of `seedQueries` tell of. Each lasts six hours at most. */
function insertFailures(db: Db): void {
  const ofCheck = "partition by host_id, name_id, event_type order by date, id";
  db.$client.run(`insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at)
    select host_id, name_id, event_type, date, min(coalesce(recovery, date + 21600), date + 60 + abs(random()) % 21600)
    from (
      select host_id, name_id, event_type, date, state, lag(state) over (${ofCheck}) as before,
        min(case when state = 0 then date end) over (${ofCheck} rows between 1 following and unbounded following) as recovery
      from events where state in (0, 1) and event_type <> 1048576) as turns
    where state = 1 and coalesce(before, 0) = 0`);
}

/** A month of history is too much for all hosts: the others have the hours before this many days ago, for rankings. */
const PAST_DAYS = 13;
const PAST_HOURS = 2;

/** Repeats the messages of the last packed hours of the first host in the hours up to a time. */
export function repeatHours(db: Db, until: number): void {
  const blocks = db.$client
    .query<{ start: number; payload: Uint8Array }, [number]>(
      "select start, payload from history_blocks where host_id = 1 and resolution = 0 order by start desc limit ?",
    )
    .all(PAST_HOURS);
  for (const [i, { start, payload }] of blocks.entries()) {
    const earlier = Math.floor(until / HOUR) * HOUR - i * HOUR;
    const rows = decodeBlock(payload).map((row) => ({ ...row, at: row.at - start + earlier }));
    putBlock(db, { hostId: 1, resolution: RAW, start: earlier, payload: encodeBlock(rows) });
  }
}

/** Stores forecasts as if the daily pass had finished for today. */
function insertForecasts(db: Db, settings: Settings, now: number): void {
  const { spacePercent, inodePercent, memoryPercent } = STATISTIC;
  const types = [spacePercent, inodePercent, memoryPercent].map(({ code }) => code);
  db.$client.run(
    `insert into forecasts (statistic_id, host_id, calculated_at, usage, growth, full_at, earliest, latest)
     select t.id, s.host_id, ${now}, 60, 0.5, ${now} + (abs(random()) % ${100 * DAY}), ${now}, null
     from statistics t join services s on s.id = t.service_id
     where t.type in (${types}) and s.vanished_at is null`,
  );
  settings.set("forecastday", Math.ceil(now / DAY));
}

export interface ScreenSize {
  hosts: number;
  events: number;
  /** Number of hosts, from the first, that have a month of history. */
  historyHosts: number;
}

/** Makes the data folder `data`. */
export function seedScreens(folder: string, { hosts, events, historyHosts }: ScreenSize): void {
  const data = seedFolder(folder, { hosts, events, historyHosts: 0 });
  const startedAt = performance.now();
  const box = new SecretBox(loadSecretKey(join(data, "secret.key")));
  const db = openDatabase(join(data, "muster.db"));
  const settings = new Settings(db, box);
  const now = timeOfReports();
  const clock = { now: () => now };
  const log = createLog(() => undefined);
  const ids = Array.from({ length: historyHosts }, (_, i) => i + 1);
  db.$client.run(`update hosts set incarnation = ${now - FIRST_DAYS * DAY}`);
  db.$client.run(`update hosts set status = 0, stopped = 0, heartbeat = 1 where id <= ${historyHosts}`);
  insertLimits(db);

  const receive = receiver(db, box);
  const begun = now - FIRST_DAYS * DAY;
  const first = agentOf(1, begun, true);
  transaction(db, () => {
    for (let at = begun; at < now; at += POLL) receive(first, at);
  });
  const compaction = new Compaction({ db, settings, clock, log, monotonic: () => performance.now() });
  while (compaction.step());
  transaction(db, () => fillMonth(db, 1, now));

  const up = db.$client
    .query<{ id: number }, []>(
      "select id from hosts where status = 0 and stopped = 0 and heartbeat = 1 and id > 1",
    )
    .all();
  for (let from = 0; from < up.length; from += BATCH)
    transaction(db, () => {
      for (const { id } of up.slice(from, from + BATCH)) receive(agentOf(id, begun, id <= historyHosts), now);
    });
  copyHistory(db, 1, ids.slice(1));
  const past = now - PAST_DAYS * DAY;
  repeatHours(db, past);
  db.$client.run("update services set created_at = (select created_at from hosts where id = host_id)");
  const others = up.flatMap(({ id }) => (id > historyHosts ? [id] : []));
  copyHistory(db, 1, others, { from: past - (PAST_HOURS + 1) * HOUR, to: past });
  insertFailures(db);
  db.$client.run("insert into host_groups (id, name, name_key) values (?1, 'history', 'history')", [
    HISTORY_GROUP,
  ]);
  db.$client.run(
    "insert into host_group_members (group_id, host_id, by_hand) select ?1, id, 1 from hosts where id <= ?2",
    [HISTORY_GROUP, historyHosts],
  );
  insertForecasts(db, settings, now);
  closeDatabase(db);
  console.log(
    `what ${up.length} hosts report made in ${Math.round((performance.now() - startedAt) / 1000)} s`,
  );
}
