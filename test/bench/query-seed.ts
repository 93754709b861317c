/**
 * Fills the database of a data folder with a large fleet and its events, directly by SQL. Hosts are those that the load
 * generator plays: agent `bench-agent-N` is host N + 1.
 */
import { Database } from "bun:sqlite";
import { CollectorCredential } from "../../src/monitoring/agent-keys/collector-credential.ts";
import { Compaction } from "../../src/monitoring/history/compaction.service.ts";
import { RECOUNT } from "../../src/operations/doctor/counts.repository.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import type { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { closeDatabase, type Db, openDatabase } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/app.ts";

export interface SeedSize {
  hosts: number;
  events: number;
  /** Number of hosts, from the first, that have history of the last day; 20 by default. */
  historyHosts?: number;
}

const DAY = 86_400;
/** Events reach back this far. */
export const YEARS = 3;
const SPAN = YEARS * 365 * DAY;
/** Silences of a host within that time. */
const SILENCES = 12;
/** Statistics of each host with history, measured every 30 s. */
const HISTORY_HOSTS = 20;
const STATISTICS = 60;
const POLL = 30;
/** Cycles for which hosts may be silent, so that hosts without a simulated agent do not all fall silent meanwhile. */
const PATIENCE = 1000;

/** Service names that all hosts share, with their type and event classes. The last is that of the host itself. */
const SHARED = [
  ...Array.from({ length: 5 }, (_, i) => ({
    name: `process-${i}`,
    type: 3,
    events: [512, 2, 4096, 262_144],
  })),
  ...Array.from({ length: 2 }, (_, i) => ({ name: `filesystem-${i}`, type: 0, events: [2, 8192] })),
  ...Array.from({ length: 2 }, (_, i) => ({ name: `port-${i}`, type: 4, events: [32, 16_384] })),
  { name: "Monit", type: 5, events: [1_048_576, 65_536] },
] as const;
/** Ids of the hosts' own names (services of type system) follow those. */
const OWN_NAMES_FROM = SHARED.length + 1;
/** Share of all events that belong to the service of the host's own name. */
const OWN_SHARE = 15;

/** Group n of the fleet: its number of hosts, the number of all hosts, and its first host. */
export const GROUPS = [
  { id: 1, name: "half", share: 0.5, from: 0 },
  { id: 2, name: "fifth", share: 0.2, from: 0.4 },
  { id: 3, name: "tiny", share: 0.00003, from: 0.7 },
  ...Array.from({ length: 20 }, (_, i) => ({ id: 4 + i, name: `site ${i}`, share: 0.05, from: i * 0.05 })),
] as const;

const dice = (sides: number | string) => `(abs(random()) % (${sides}))`;
const upTo = (last: number) =>
  `with recursive n(i) as (select 0 union all select i + 1 from n where i < ${last - 1})`;

function seedFleet(sql: Database, hosts: number, now: number): void {
  const name = sql.query("insert into names (id, name, name_key) values (?1, ?2, lower(?2))");
  for (const [i, shared] of SHARED.entries()) name.run(i + 1, shared.name);
  sql.run(`insert into names (id, name, name_key)
    ${upTo(hosts)} select i + ${OWN_NAMES_FROM}, 'host-' || i, 'host-' || i from n`);
  // One in 50 is silent, one in 200 stopped, one in 500 ignored; of the others one in 10 has failing services.
  sql.run(`insert into hosts (id, agent_id, created_at, hostname, poll, incarnation, deadline, lastmodified, skew, cpu, mem,
      status, stopped, heartbeat, led, status_text, services_total, services_ok, platform_name, agent_version, control_file,
      platform_version, ipaddrin, agentuser, agentpassword, hostname_key)
    ${upTo(hosts)}, state as materialized (select i, ${dice(1000)} as s from n)
    select i + 1, 'bench-agent-' || i, ${now - SPAN}, 'host-' || i, ${POLL}, ${now - DAY}, ${now + 3600}, ${now}, ${PATIENCE},
      ${dice(1000)} / 10.0, ${dice(1000)} / 10.0,
      iif(s < 25, 1, iif(s < 27, 2, 0)), s >= 20 and s < 25, s >= 20,
      iif(s < 20, 0, iif(s < 27, 3, iif(s < 50, 0, iif(s < 125, 1, 2)))),
      iif(s < 20, 'No report from Monit. Last report was ' || datetime(${now} - ${dice(DAY)}, 'unixepoch') || ' UTC',
        iif(s < 25, 'Stopped', iif(s < 27, 'Ignored', iif(s < 125, ${dice(9)} || ' out of 10 services are available',
          'All 10 services are available')))),
      10, 10, 'Linux', '5.33.0', '/etc/monit/monitrc', '#1 SMP PREEMPT_DYNAMIC Debian 6.1.0-1', '198.51.100.7', 'monit', '', 'host-' || i
    from state`);
  sql.run(`insert into services (host_id, name_id, created_at, type, monitor_state, monitor_mode, on_reboot, status,
      status_hint, every, led)
    ${upTo(hosts)}, s(k, type) as (values ${SHARED.map(({ type }, k) => `(${k + 1}, ${type})`).join(", ")})
    select i + 1, iif(k = ${SHARED.length}, i + ${OWN_NAMES_FROM}, k), ${now - SPAN}, type, 1, 0, 0, 0, 0, '', 2 from n, s`);
  for (const { id, name: group, share, from } of GROUPS) {
    sql.run("insert into host_groups (id, name, name_key) values (?1, ?2, lower(?2))", [id, group]);
    const first = Math.floor(hosts * from) + 1;
    sql.run(`insert into host_group_members (group_id, host_id, by_hand)
      select ${id}, id, 1 from hosts where id >= ${first} and id < ${first + Math.max(3, Math.floor(hosts * share))}`);
  }
  sql.run(`insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at)
    ${upTo(SILENCES)}, begun as materialized (select id, ${now - SPAN} + ${dice(SPAN - DAY)} as at from hosts, n)
    select id, ${SHARED.length}, 1048576, at, at + 60 + ${dice(3600)} from begun`);
}

function seedEvents(sql: Database, { hosts, events }: SeedSize, now: number): void {
  const kinds = SHARED.flatMap(({ type, events: classes }, i) =>
    Array.from({ length: 12 / classes.length }, () =>
      classes.map((event) => ({ name: i + 1, type, event })),
    ).flat(),
  );
  sql.run("create temp table kinds (id integer primary key, name, type, event)");
  const kind = sql.query("insert into kinds values (?, ?, ?, ?)");
  for (const [i, { name, type, event }] of kinds.entries()) kind.run(i, name, type, event);
  // A fifth of all events comes from a hundredth of the hosts.
  sql.run(`insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state,
      action, message, active, dismissed)
    ${upTo(events)}, drawn as materialized (
      select i, ${now - SPAN} + cast(i * ${SPAN / events} as integer) as at,
        iif(${dice(5)} = 0, ${dice(Math.ceil(hosts / 100))}, ${dice(hosts)}) as host,
        iif(${dice(100)} < ${OWN_SHARE}, null, ${dice(kinds.length)}) as kind,
        ${dice(20)} as s
      from n)
    select host + 1, coalesce(kinds.name, host + ${OWN_NAMES_FROM}), coalesce(type, 5), at, at, i % 1000000,
      coalesce(event, 2), iif(s < 9, 0, iif(s < 18, 1, 2)), 1,
      'something happened to it that takes some words to tell, as number ' || i,
      s >= 9 and s < 18 and i > ${events / 2} and i % 100 = 0, i % 1000 = 0
    from drawn left join kinds on kinds.id = kind`);
}

/** Counters that are kept with hosts and services. */
function seedCounters(sql: Database): void {
  sql.run("create temp table counted as select host_id, name_id, count(*) as n from events group by 1, 2");
  sql.run(
    "update services set events = n from counted where counted.host_id = services.host_id and counted.name_id = services.name_id",
  );
  sql.run(
    "update hosts set events = total from (select host_id, sum(n) as total from counted group by 1) where host_id = hosts.id",
  );
}

/** The last day as agents measured it, for the first hosts. */
function seedHistory(sql: Database, hosts: number, now: number): void {
  const statistic = sql.query(
    "insert into statistics (service_id, type, descriptor) values (?, ?, ?) returning id",
  );
  const layout = sql.query("insert into sample_layouts (host_id, statistic_ids) values (?, ?) returning id");
  const sample = sql.query('insert into samples (host_id, layout_id, at, "values") values (?, ?, ?, ?)');
  for (let host = 1; host <= hosts; host++) {
    const { id: service } = sql.query("select min(id) as id from services where host_id = ?").get(host) as {
      id: number;
    };
    const ids = Array.from(
      { length: STATISTICS },
      (_, i) => (statistic.get(service + (i % 10), i % 35, `s${i}`) as { id: number }).id,
    );
    const { id: layoutId } = layout.get(host, Buffer.from(Uint32Array.from(ids).buffer)) as { id: number };
    for (let at = now - DAY; at < now; at += POLL) {
      const values = Float64Array.from(
        ids,
        (id) => Math.round((50 + 40 * Math.sin(at / 7000 + id)) * 10) / 10,
      );
      sample.run(host, layoutId, at, Buffer.from(values.buffer));
    }
  }
}

function packHistory(db: Db, box: SecretBox, now: number): void {
  const compaction = new Compaction({
    db,
    settings: new Settings(db, box),
    clock: { now: () => now },
    log: createLog(() => undefined),
    monotonic: () => performance.now(),
  });
  while (compaction.step());
}

/** Sets up the database like a first start, since Muster refuses a key beside a database that was never set up. */
function setUp(db: Db, box: SecretBox, now: number): void {
  const collector = new CollectorCredential(new Settings(db, box), { now: () => now });
  const passwords = { adminPassword: ADMIN_PASSWORD, collectorPassword: COLLECTOR_PASSWORD };
  setUpFirstStart({ db, box, credential: collector }, passwords);
}

/** Indexes cost far less when built from all rows at once, and triggers would count each row separately. */
function withoutIndexes(sql: Database, table: string, work: () => void): void {
  const made = sql
    .query(
      "select type, name, sql from sqlite_schema where tbl_name = ? and type in ('index', 'trigger') and sql is not null",
    )
    .all(table) as { type: string; name: string; sql: string }[];
  for (const { type, name } of made) sql.run(`drop ${type} "${name}"`);
  work();
  for (const { sql: make } of made) sql.run(make);
}

/** Makes the database at `path`, which must not exist. @returns the time it took, seconds */
export function seedQueries(path: string, box: SecretBox, size: SeedSize): number {
  const startedAt = performance.now();
  const empty = openDatabase(":memory:");
  migrateDatabase(empty, migrationsFolder());
  empty.$client.run("vacuum into ?", [path]);
  // Opened without durability, since it need not survive a crash.
  const sql = new Database(path, { strict: true });
  for (const pragma of [
    "synchronous = off",
    "journal_mode = memory",
    "cache_size = -1000000",
    "temp_store = memory",
  ])
    sql.run(`pragma ${pragma}`);
  const now = Math.floor(Date.now() / 1000);
  sql.run("begin");
  seedFleet(sql, size.hosts, now);
  withoutIndexes(sql, "events", () => seedEvents(sql, size, now));
  seedCounters(sql);
  for (const statement of RECOUNT) sql.run(statement);
  seedHistory(sql, Math.min(size.historyHosts ?? HISTORY_HOSTS, size.hosts), now);
  sql.run("commit");
  sql.close();
  const db = openDatabase(path);
  setUp(db, box, now);
  packHistory(db, box, now);
  closeDatabase(db);
  return (performance.now() - startedAt) / 1000;
}
