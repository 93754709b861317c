/**
 * Backtest of forecasts on stored series: what they would have predicted some days ago, against what came.
 * `bun test/bench/forecast-backtest.ts [DATA [DAYS_AHEAD]]` reads a data folder; without one, it makes a demo fleet.
 */
import { join } from "node:path";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { STATISTIC as S } from "../../src/monit/statistic-types.ts";
import { forecast, WINDOW_DAYS } from "../../src/monitoring/forecast/forecast.ts";
import { statisticsOfHistory } from "../../src/monitoring/history/history.repository.ts";
import { hourlyMeans, wholeHours } from "../../src/monitoring/history/hourly-means.ts";
import { allHosts } from "../../src/monitoring/hosts/hosts.repository.ts";
import { closeDatabase, type Db, openDatabase } from "../../src/platform/storage/open.ts";
import { temporaryFolder } from "../e2e/support.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";

const HOURS = 24;
const TYPES = [S.spacePercent.code, S.inodePercent.code, S.memoryPercent.code];
/** Days of history of each demo host, and how many of the hosts: their messages are replayed one by one. */
const DEMO_DAYS = [12, 12] as const;
const DEMO_SIZE = 3;

interface Outcome {
  series: number;
  /** Series with at least a day of values before and after the time of the forecast. */
  compared: number;
  /** Of those, forecasts with a number, and forecasts that say "steady" or "tooshort". */
  numbers: number;
  others: Record<string, number>;
  /** Distance of the predicted value from the one that came, in percentage points, ascending. */
  errors: number[];
}

/** The values of the last `ahead` days are hidden from the forecast, and then compared with it. */
function backtest(db: Db, now: number, ahead: number): Outcome {
  const outcome: Outcome = { series: 0, compared: 0, numbers: 0, others: {}, errors: [] };
  for (const { id: hostId } of allHosts(db, "all")) {
    const ids = statisticsOfHistory(db, hostId, { type: TYPES }).map(({ id }) => id);
    for (const means of hourlyMeans(db, hostId, ids, wholeHours(WINDOW_DAYS * HOURS, now)).values()) {
      outcome.series++;
      const hidden = Math.round(ahead * HOURS);
      const past = new Float64Array(means.length).fill(Number.NaN);
      past.set(means.subarray(0, means.length - hidden), hidden);
      const [last, came] = [past, means].map((values) => values.findLast((value) => !Number.isNaN(value)));
      if (last === undefined || came === undefined) continue;
      outcome.compared++;
      const result = forecast(past);
      if (typeof result === "string") outcome.others[result] = (outcome.others[result] ?? 0) + 1;
      else outcome.numbers++;
      // Without a number, the value is expected to stay.
      const growth = typeof result === "string" ? 0 : result.growth;
      outcome.errors.push(Math.abs(last + growth * ahead - came));
    }
  }
  outcome.errors.sort((a, b) => a - b);
  return outcome;
}

if (import.meta.main) {
  const [dataFolder, days = "3"] = process.argv.slice(2);
  const now = Math.floor(Date.now() / 1000);
  using folder = temporaryFolder();
  const data = dataFolder ?? folder.path;
  if (dataFolder === undefined)
    makeDemoFleet({ folder: data, now, days: DEMO_DAYS, hosts: DEMO_HOSTS.slice(0, DEMO_SIZE) });
  const db = openDatabase(join(data, "muster.db"));
  const { errors, ...counts } = backtest(db, now, Number(days));
  closeDatabase(db);
  const at = (share: number) => errors[Math.floor((errors.length - 1) * share)]?.toFixed(2) ?? "none";
  console.log(`${days} days ahead: ${JSON.stringify(counts)}`);
  console.log(`error in percentage points: median ${at(0.5)}, 90% ${at(0.9)}, largest ${at(1)}`);
}
