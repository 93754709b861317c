/** What the uptime of a large fleet over a year costs to report. */

import { HEARTBEAT } from "../../src/monit/event-types.ts";
import { Uptime } from "../../src/monitoring/uptime/uptime.service.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { openDatabase, transaction } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { START, TestClock } from "../support/clock.ts";
import { Random } from "../support/random.ts";
import type { Figure } from "./harness/figures.ts";
import { median } from "./measure.ts";

const HOSTS = 1000;
const SERVICES = 10;
const DAY = 86_400;
const YEAR = 365 * DAY;
/** Per host and year: once a week silent, once a month stopped, every day a service that fails. */
const SILENCES = 52;
const STOPS = 12;
const FAILURES = 365;
/** Restarts of Muster itself. */
const OFF_TIMES = 100;
const TARGET_MS = 150;

export function benchUptime(): Figure[] {
  const db = openDatabase(":memory:");
  migrateDatabase(db, migrationsFolder());
  const random = new Random(1);
  const sql = db.$client;
  const begin = () => START - random.below(YEAR);
  transaction(db, () => {
    const host = sql.query(
      "insert into hosts (id, agent_id, hostname, created_at, poll, incarnation, deadline, lastmodified) values (?, ?, ?, ?, 30, 0, 0, 0)",
    );
    const name = sql.query("insert into names (id, name) values (?, ?)");
    const service = sql.query(
      "insert into services (host_id, name_id, created_at, type, monitor_state, monitor_mode, on_reboot, status, status_hint, led) values (?, ?, ?, 3, 1, 0, 0, 0, 0, 2)",
    );
    const down = sql.query(
      "insert into downtime_intervals (host_id, name_id, event_type, started_at, ended_at) values (?, ?, ?, ?, ?)",
    );
    const excluded = sql.query(
      "insert into excluded_intervals (host_id, reason, started_at, ended_at) values (?, ?, ?, ?)",
    );
    for (let n = 1; n <= SERVICES; n++) name.run(n, `service ${n}`);
    for (let id = 1; id <= HOSTS; id++) {
      host.run(id, `agent ${id}`, `host ${id}`, START - 2 * YEAR);
      for (let n = 1; n <= SERVICES; n++) service.run(id, n, START - 2 * YEAR);
      for (let i = 0; i < SILENCES; i++) {
        const at = begin();
        down.run(id, 1, HEARTBEAT, at, at + random.below(3600));
      }
      for (let i = 0; i < FAILURES; i++) {
        const at = begin();
        down.run(id, random.between(1, SERVICES), 512, at, at + random.below(3600));
      }
      for (let i = 0; i < STOPS; i++) {
        const at = begin();
        excluded.run(id, "stopped", at, at + random.below(DAY));
      }
    }
    for (let i = 0; i < OFF_TIMES; i++) {
      const at = begin();
      excluded.run(null, "off", at, at + random.below(600));
    }
  });
  const settings = new Settings(db, new SecretBox(Buffer.alloc(32, 1)));
  const uptime = new Uptime(db, settings, new TestClock());
  const time = (work: () => unknown) => ({
    value: median(15, () => void JSON.stringify(work())),
    unit: "ms",
  });
  const figures: Figure[] = [
    {
      what: `all of ${HOSTS} hosts over a year`,
      ...time(() => uptime.list({ range: 9 }, "all")),
      target: { atMost: TARGET_MS },
    },
    { what: "all of them today", ...time(() => uptime.list({ range: 0 }, "all")) },
    { what: `${SERVICES} services of a host over a year`, ...time(() => uptime.get(1, { range: 9 }, "all")) },
    {
      what: "bars of a host over a year",
      ...time(() => uptime.bars({ hostId: 1, service: undefined, scope: "all" }, { range: 9 }, 96)),
    },
  ];
  sql.close();
  return figures;
}
