/** What reporting a large fleet to Prometheus costs, and how long it keeps everything else waiting. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { Arrivals } from "../../src/monitoring/expected/arrivals.ts";
import { HostCache } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { LimitEvaluation } from "../../src/monitoring/limits/limit-evaluation.service.ts";
import { migrationsFolder, queryWorkerUrl } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { QueryWorkers } from "../../src/platform/queries/query-workers.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { closeDatabase, openDatabase, transaction } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { fleetQueries } from "../../src/publishing/metrics/fleet.queries.ts";
import { FleetMetrics } from "../../src/publishing/metrics/fleet-metrics.ts";
import { textStream } from "../../src/publishing/metrics/text-format.ts";
import { START } from "../support/clock.ts";
import { Random } from "../support/random.ts";
import { DriftingHost } from "./drifting-host.ts";
import type { Figure } from "./harness/figures.ts";

/** Hosts that are written in one transaction. */
const BATCH = 200;
const TARGET_BLOCK_MS = 20;
/** Interval at which it is checked whether the process answers, milliseconds. */
const LOOK_MS = 2;

/** The longest time for which nothing else could run during `work`, milliseconds. */
async function longestBlock(work: () => Promise<void>): Promise<number> {
  let last = performance.now();
  let longest = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    longest = Math.max(longest, now - last - LOOK_MS);
    last = now;
  }, LOOK_MS);
  await work();
  clearInterval(timer);
  return longest;
}

/** @param hostCount hosts that have reported once */
export async function benchFleetMetrics(hostCount: number): Promise<Figure[]> {
  const folder = mkdtempSync(join(tmpdir(), "muster-bench-"));
  const path = join(folder, "muster.db");
  const db = openDatabase(path);
  const argv = [JSON.stringify({ kind: "file", path })];
  const workers = new QueryWorkers({
    start: () => new Worker(queryWorkerUrl(), { argv }),
    queries: fleetQueries(db),
    log: createLog(console.error),
  });
  try {
    migrateDatabase(db, migrationsFolder());
    const events = new EventLog(db, alertSubscriber(db));
    const ingest = new Ingest(
      db,
      new HostCache(db),
      new SecretBox(Buffer.alloc(32, 1)),
      events,
      new LimitEvaluation(db, events),
      new Arrivals(db),
    );
    const random = new Random(1);
    for (let first = 0; first < hostCount; first += BATCH)
      transaction(db, () => {
        for (let i = first; i < Math.min(hostCount, first + BATCH); i++) {
          const host = new DriftingHost(i, random, 30);
          ingest.applyAll([{ message: host.next(START), receivedAt: START, source: "198.51.100.7" }]);
        }
      });
    const fleet = new FleetMetrics(events, workers.queries);
    const never = new AbortController().signal;
    const ask = async (of: string, filter: object): Promise<Figure[]> => {
      Bun.gc(true);
      const before = process.memoryUsage.rss();
      const startedAt = performance.now();
      let [bytes, lines, peak, read] = [0, 0, 0, 0];
      const block = await longestBlock(async () => {
        const snapshot = await fleet.read("bench", { ...filter, scope: "all" }, never);
        read = performance.now() - startedAt;
        lines = snapshot.families.reduce((sum, { values }) => sum + values.length, 0);
        for await (const chunk of textStream(snapshot, never, () => undefined)) {
          bytes += chunk.byteLength;
          peak = Math.max(peak, process.memoryUsage.rss());
        }
      });
      return [
        { what: `${of} series`, value: lines },
        { what: `${of} size`, value: bytes / 1e6, unit: "MB" },
        { what: `${of} time to the first byte`, value: Math.round(read), unit: "ms" },
        { what: `${of} time to the last byte`, value: Math.round(performance.now() - startedAt), unit: "ms" },
        { what: `${of} memory it adds`, value: Math.round((peak - before) / 1e6), unit: "MB" },
        { what: `${of} longest pause`, value: block, unit: "ms", target: { atMost: TARGET_BLOCK_MS } },
      ];
    };
    const some = ["muster_host_up", "muster_service_failing", "muster_cpu_user_ratio"];
    return [
      { what: "hosts", value: hostCount },
      ...(await ask("three families:", { family: some })),
      ...(await ask("of the system alone:", { servicetype: [5] })),
      ...(await ask("everything:", {})),
    ];
  } finally {
    await workers.stop();
    closeDatabase(db);
    rmSync(folder, { recursive: true, force: true });
  }
}
