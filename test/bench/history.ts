/** What a day of statistics costs to store, to pack and to draw. */
import { mkdtempSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deliveryRetention } from "../../src/alerting/notifications/deliveries.service.ts";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { Arrivals } from "../../src/monitoring/expected/arrivals.ts";
import { Compaction } from "../../src/monitoring/history/compaction.service.ts";
import { History } from "../../src/monitoring/history/history.service.ts";
import { HostCache } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { LimitEvaluation } from "../../src/monitoring/limits/limit-evaluation.service.ts";
import { Retention } from "../../src/monitoring/retention/retention.service.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { closeDatabase, type Db, openDatabase, transaction } from "../../src/platform/storage/open.ts";
import { freePages } from "../../src/platform/storage/size.repository.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { START, TestClock } from "../support/clock.ts";
import { Random } from "../support/random.ts";
import { DriftingHost } from "./drifting-host.ts";
import { forecastFigures } from "./forecasts.ts";
import type { Figure } from "./harness/figures.ts";
import { limitFigures } from "./limits.ts";
import { median } from "./measure.ts";

const POLL = 30;
const HOUR = 3600;
const HOURS = 24;
/** Number of cycles per transaction, since commits are not what is measured. */
const CYCLES_PER_TRANSACTION = 10;
const TARGET_BYTES = 1;
const TARGET_CHART_MS = 15;

function payloadBytes(db: Db): Record<string, number> {
  const rows = db.$client
    .query("select resolution, sum(length(payload)) as bytes from history_blocks group by resolution")
    .all() as { resolution: number; bytes: number }[];
  return Object.fromEntries(rows.map(({ resolution, bytes }) => [resolution, bytes]));
}

/** Runs until nothing is left to do. @returns milliseconds */
function runToEnd(step: () => boolean): number {
  const startedAt = performance.now();
  while (step());
  return performance.now() - startedAt;
}

/** Lets hosts report for a day into an empty database, and packs what they reported. */
export function reportForADay(db: Db, hostCount: number) {
  const box = new SecretBox(Buffer.alloc(32, 1));
  const settings = new Settings(db, box);
  const clock = new TestClock(START + 12 * HOUR);
  const log = createLog((line) => console.error(line));
  const events = new EventLog(db, alertSubscriber(db));
  const ingest = new Ingest(
    db,
    new HostCache(db),
    box,
    events,
    new LimitEvaluation(db, events),
    new Arrivals(db),
  );
  const compaction = new Compaction({ db, settings, clock, log, monotonic: () => performance.now() });
  const random = new Random(1);
  const hosts = Array.from({ length: hostCount }, (_, i) => new DriftingHost(i, random, POLL));
  const cycle = () => {
    clock.step(POLL);
    const receivedAt = clock.now();
    for (const host of hosts)
      ingest.applyAll([{ message: host.next(receivedAt), receivedAt, source: "198.51.100.7" }]);
  };
  let packing = 0;
  const cyclesPerHour = HOUR / POLL;
  for (let hour = 0; hour < HOURS; hour++) {
    for (let done = 0; done < cyclesPerHour; done += CYCLES_PER_TRANSACTION)
      transaction(db, () => {
        for (let i = 0; i < CYCLES_PER_TRANSACTION; i++) cycle();
      });
    packing += runToEnd(() => compaction.step());
  }
  clock.step(HOUR);
  packing += runToEnd(() => compaction.step());
  const samples = hostCount * HOURS * cyclesPerHour * (hosts[0]?.statistics ?? 0);
  return { settings, clock, host: hosts[0], packing, samples };
}

/** @param hostCount hosts that report for a day */
export function benchHistory(hostCount: number): Figure[] {
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-"));
  const path = join(folder, "muster.db");
  const db = openDatabase(path);
  try {
    migrateDatabase(db, migrationsFolder());
    const { settings, clock, host, packing, samples } = reportForADay(db, hostCount);
    const retention = new Retention(db, settings, clock, { rules: [deliveryRetention(db)] });
    // Each step gives back a little space, even if it finds nothing to delete.
    for (let before = -1; before !== freePages(db).total; ) {
      before = freePages(db).total;
      retention.step();
    }
    db.$client.run("PRAGMA wal_checkpoint(TRUNCATE)");

    const perSample = (bytes: number) => ({ value: bytes / samples, unit: "bytes" });
    const blocks = payloadBytes(db);
    const history = new History(db, settings, clock);
    const chart = (type: readonly { code: number }[], points: number) =>
      median(30, () => {
        const now = clock.now();
        const query = { hostid: 1, points, datefrom: now - HOURS * HOUR, dateto: now };
        JSON.stringify(history.get({ ...query, type: type.map(({ code }) => code) }, "all"));
      });
    const ms = (value: number) => ({ value, unit: "ms" });
    return [
      { what: "hosts", value: hostCount },
      { what: "statistics of a host (that move)", value: `${host?.statistics} (${host?.moving})` },
      { what: "samples", value: samples },
      {
        what: "per sample, whole file",
        ...perSample(statSync(path).size),
        target: { atMost: TARGET_BYTES },
      },
      { what: "of that, as measured", ...perSample(blocks[0] ?? 0) },
      { what: "of that, per 5 minutes", ...perSample(blocks[300] ?? 0) },
      { what: "of that, per hour", ...perSample(blocks[HOUR] ?? 0) },
      { what: "file", value: statSync(path).size / 1e6, unit: "MB" },
      ...forecastFigures(db, clock, hostCount),
      ...limitFigures(db, clock, hostCount),
      { what: "compaction of a host-hour", ...ms(packing / (hostCount * HOURS)) },
      {
        what: "24 h chart of one statistic",
        ...ms(chart([STATISTIC.cpuUser], 500)),
        target: { atMost: TARGET_CHART_MS },
      },
      { what: "24 h chart of one statistic, every sample of it", ...ms(chart([STATISTIC.cpuUser], 5000)) },
      {
        what: "24 h chart of nine CPU statistics",
        ...ms(
          chart(
            [
              STATISTIC.cpuUser,
              STATISTIC.cpuSystem,
              STATISTIC.cpuWait,
              STATISTIC.cpuNice,
              STATISTIC.cpuHardIrq,
              STATISTIC.cpuSoftIrq,
              STATISTIC.cpuSteal,
              STATISTIC.cpuGuest,
              STATISTIC.cpuGuestNice,
            ],
            500,
          ),
        ),
      },
    ];
  } finally {
    closeDatabase(db);
    rmSync(folder, { recursive: true, force: true });
  }
}
