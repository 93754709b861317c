/**
 * A database with the history of a small fleet: its agents' messages replayed through the real ingest with a stepped
 * clock, then packed by the real compaction. For screenshots, and for tests that need days of history.
 */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { md5 } from "../../src/accounts/users/password.ts";
import { insertUser } from "../../src/accounts/users/users.repository.ts";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { DEMO_HOSTS, type DemoHost, isUp } from "../../src/demo/demo-hosts.ts";
import { messagesOf } from "../../src/demo/demo-messages.ts";
import { parseAgentMessage } from "../../src/monit/message.ts";
import type { AgentMessage } from "../../src/monit/message.types.ts";
import { CollectorCredential } from "../../src/monitoring/agent-keys/collector-credential.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { Arrivals } from "../../src/monitoring/expected/arrivals.ts";
import { Heartbeat } from "../../src/monitoring/heartbeat/heartbeat.service.ts";
import { Compaction } from "../../src/monitoring/history/compaction.service.ts";
import { HostCache } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { LimitEvaluation } from "../../src/monitoring/limits/limit-evaluation.service.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { loadSecretKey } from "../../src/platform/secrets/secret-key.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { closeDatabase, openDatabase, transaction } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { StorageHealth } from "../../src/platform/storage/storage-health.ts";
import { agentXml, systemXml } from "./agent-messages.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, USER_PASSWORD } from "./app.ts";
import { TestClock } from "./clock.ts";

const DAY = 86_400;
/** Between two reports of an agent, seconds. */
export const DEMO_POLL = 300;
/** The last minutes pass second by second, so that the heartbeat notices hosts that went down, seconds. */
const SECOND_BY_SECOND = 1200;
/** Messages in one transaction. */
const BATCH = 500;

export interface DemoOptions {
  /** Data folder to make. */
  folder: string;
  /** End of the history, unix seconds. */
  now: number;
  /** Days of history of the first host, and of the others. */
  days?: readonly [first: number, others: number];
  hosts?: readonly DemoHost[];
}

interface Report {
  at: number;
  message: AgentMessage;
}

/** All reports, in order of time. */
function reportsOf(hosts: readonly DemoHost[], now: number, days: readonly [number, number]): Report[] {
  const reports = hosts.flatMap((host, number) => {
    const start = now - (number === 0 ? days[0] : days[1]) * DAY + number * 7;
    const count = Math.floor((now - start) / DEMO_POLL);
    const times = Array.from({ length: count }, (_, i) => start + i * DEMO_POLL);
    return times
      .filter((at) => isUp(host, now - at))
      .flatMap((at) =>
        messagesOf(host, number, { at, end: now, poll: DEMO_POLL }).map((message) => ({ at, message })),
      );
  });
  return reports.sort((a, b) => a.at - b.at);
}

/** A new data folder whose clock begins at `start`. Users: admin and user, with the passwords of the tests. */
function newFolder(folder: string, start: number) {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const box = new SecretBox(loadSecretKey(join(folder, "secret.key")));
  const db = openDatabase(join(folder, "muster.db"));
  migrateDatabase(db, migrationsFolder());
  const clock = new TestClock(start);
  const settings = new Settings(db, box);
  setUpFirstStart(
    { db, box, credential: new CollectorCredential(settings, clock) },
    {
      adminPassword: ADMIN_PASSWORD,
      collectorPassword: COLLECTOR_PASSWORD,
    },
  );
  const passwordMd5 = box.seal(md5(USER_PASSWORD));
  insertUser(db, { uname: "user", fullname: "A User", passwordMd5, admin: false });

  const log = createLog(() => undefined);
  const hostCache = new HostCache(db);
  const events = new EventLog(db, alertSubscriber(db));
  const limits = new LimitEvaluation(db, events);
  const ingest = new Ingest(db, hostCache, box, events, limits, new Arrivals(db));
  const apply = ({ at, message }: Report) => {
    clock.step(at - clock.now());
    ingest.applyAll([{ message, receivedAt: at, source: "198.51.100.7" }]);
  };
  return { db, clock, settings, hostCache, events, limits, log, apply };
}

const numbered = (i: number) => `host-${String(i).padStart(5, "0")}`;

/** Makes the data folder of many hosts that reported once, just before `now`: host-00000 and so on. */
export function makeHosts(folder: string, now: number, count: number, nameOf = numbered): void {
  const { db, apply } = newFolder(folder, now);
  transaction(db, () => {
    for (let i = 0; i < count; i++) {
      const hostname = nameOf(i);
      const services = [{ name: hostname, type: 5, body: systemXml({ user: i % 100 }) }, { name: "app" }];
      const xml = agentXml({ id: hostname, hostname, at: now, poll: DEMO_POLL, services });
      apply({ at: now, message: parseAgentMessage(Buffer.from(xml)) });
    }
  });
  closeDatabase(db);
}

/** Makes the data folder of a fleet with some history. */
export function makeDemoFleet({ folder, now, days = [14, 3], hosts = DEMO_HOSTS }: DemoOptions): void {
  const reports = reportsOf(hosts, now, days);
  const { db, clock, settings, hostCache, events, limits, log, apply } = newFolder(
    folder,
    reports[0]?.at ?? now,
  );
  const live = now - SECOND_BY_SECOND;
  const past = reports.filter(({ at }) => at < live);
  for (let from = 0; from < past.length; from += BATCH)
    transaction(db, () => {
      for (const report of past.slice(from, from + BATCH)) apply(report);
    });

  clock.step(live - clock.now());
  const monotonic = () => clock.now() * 1000;
  const heartbeat = new Heartbeat({
    db,
    hostCache,
    events,
    limits,
    settings,
    clock,
    log,
    monotonic,
    storage: new StorageHealth({ db, clock, monotonic, log, file: null }),
  });
  heartbeat.start();
  const waiting = reports.slice(past.length);
  for (let at = live; at <= now; at++) {
    clock.step(at - clock.now());
    while (waiting[0] && waiting[0].at <= at) {
      const report = waiting.shift();
      if (report) transaction(db, () => apply(report));
    }
    heartbeat.tick();
  }
  heartbeat.stop();

  const compaction = new Compaction({ db, settings, clock, log, monotonic: () => performance.now() });
  while (compaction.step());
  closeDatabase(db);
}
