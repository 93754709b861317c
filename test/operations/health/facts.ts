import { NOTHING_FORGOTTEN } from "../../../src/alerting/forgotten/forgotten.queries.ts";
import type { HealthFacts } from "../../../src/operations/health/facts.ts";
import { START } from "../../support/clock.ts";

const GB = 1e9;

/** The facts of a healthy Muster. */
export function soundFacts(changes: Partial<HealthFacts> = {}): HealthFacts {
  return {
    now: START,
    isFleetRead: true,
    version: "1.0.0",
    uptime: 86_400,
    writable: true,
    heartbeatLag: 0,
    failingWork: [],
    failingRequests: [],
    messages: { perSecond: 1, waiting: 0, mostWaiting: 4096, refused: [] },
    agents: {
      total: 10,
      versions: [{ version: "5.33.0", hosts: 10 }],
      clocks: { wrong: 0, behind: 0, worst: [] },
      overdue: { count: 0, names: [] },
    },
    forgotten: NOTHING_FORGOTTEN,
    database: {
      engine: "SQLite",
      bytes: 10 * GB,
      growth: GB,
      days: 30,
      disk: { free: 100 * GB, total: 200 * GB },
    },
    backup: { possible: true, last: START - 86_400, lastProven: null, days: 7, automatic: null },
    channels: { failing: 0, worst: [] },
    deliveries: { waiting: 0, oldest: null },
    certificates: [{ name: "Muster", expires: START + 60 * 86_400, problem: "" }],
    nodes: [],
    forecasts: { behind: 0 },
    compaction: { packedThrough: START - 3600, failed: 0 },
    ...changes,
  };
}
