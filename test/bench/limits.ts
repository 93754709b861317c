/** What limits add to the cost of a message, and how long a preview takes. */

import { STATISTIC as S } from "../../src/monit/statistic-types.ts";
import { decodeBlock, encodeBlock } from "../../src/monitoring/history/block.ts";
import { blocksWithin, newestBlock, putBlock } from "../../src/monitoring/history/history.repository.ts";
import { FIVE_MINUTES, HOURLY, RAW } from "../../src/monitoring/history/resolutions.ts";
import { periodsOfRows, rowsOfPeriods } from "../../src/monitoring/history/rollup.ts";
import { findHost } from "../../src/monitoring/hosts/hosts.repository.ts";
import { compile, HostLimits } from "../../src/monitoring/limits/host-limits.ts";
import { LimitPreview } from "../../src/monitoring/limits/limit-preview.service.ts";
import { WITHIN_BOUNDS } from "../../src/monitoring/limits/limit-state.ts";
import { statisticsForLimits } from "../../src/monitoring/limits/limits.repository.ts";
import type { Clock } from "../../src/platform/clock.ts";
import { type Db, transaction } from "../../src/platform/storage/open.ts";
import { unstoredLimit } from "../support/limits.ts";
import type { Figure } from "./harness/figures.ts";

const DAY = 86_400;
const DAYS = 30;
/** Hosts that the time of a preview is stated for. */
const PREVIEWED = 200;
/** Limits of a host that the time of a message is stated for. */
const LIMITS = 20;
const ROUNDS = 200_000;

/** Repeats the newest day of a host on the days before. */
export function fillMonth(db: Db, hostId: number, now: number): void {
  for (const resolution of [HOURLY, FIVE_MINUTES]) {
    const newest = blocksWithin(db, hostId, resolution, { from: now - DAY, to: now });
    for (const { start, payload } of newest) {
      const periods = periodsOfRows(decodeBlock(payload));
      for (let day = 1; day <= DAYS; day++) {
        const earlier = periods.map(({ at, aggregates }) => ({ at: at - day * DAY, aggregates }));
        putBlock(db, {
          hostId,
          resolution,
          start: start - day * DAY,
          payload: encodeBlock(rowsOfPeriods(earlier)),
        });
      }
    }
  }
}

/** Microseconds that 20 limits, none exceeded, add to a message of their host. */
function costOfMessage(db: Db, hostId: number): { perMessage: number; entries: number } {
  const newest = newestBlock(db, hostId, RAW);
  const row = newest && decodeBlock(newest).at(-1);
  const host = findHost(db, hostId, "all");
  if (!row || !host) throw new Error(`host ${hostId} has no message`);
  const positions = new Map(Array.from(row.ids, (id, position) => [id, position]));
  const statistics = statisticsForLimits(db, hostId);
  const types = [...new Set(statistics.map(({ type }) => type))].slice(0, LIMITS);
  const limits = new HostLimits(row.at, row.at + 90);
  limits.entries = types.flatMap((type, i) =>
    compile(
      { ...unstoredLimit({ statistics: [type], warning: 1e15 }), id: i + 1 },
      statistics,
      positions,
      4,
    ).map((entry) => ({ ...entry, state: WITHIN_BOUNDS, openedAt: 0, errorAt: 0 })),
  );
  const round = () => {
    for (let i = 0; i < ROUNDS; i++)
      if (!limits.isQuiet(row.values, row.at + 30, 90)) throw new Error("a limit is passed");
  };
  round();
  const before = process.cpuUsage();
  round();
  const { user, system } = process.cpuUsage(before);
  return { perMessage: (user + system) / ROUNDS, entries: limits.entries.length };
}

/** @param hostCount hosts with a day of history */
export function limitFigures(db: Db, clock: Clock, hostCount: number): Figure[] {
  const { perMessage, entries } = costOfMessage(db, 1);
  transaction(db, () => {
    for (let id = 1; id <= hostCount; id++) fillMonth(db, id, clock.now());
  });
  const preview = (statistics: readonly number[], warning: number) => {
    const limit = unstoredLimit({ statistics, warning, minutes: 10 });
    const startedAt = performance.now();
    new LimitPreview(db, clock).of(limit, DAYS);
    return ((performance.now() - startedAt) / hostCount) * PREVIEWED;
  };
  const ms = (value: number) => ({ value, unit: "ms", target: { atMost: 2000 } });
  return [
    {
      what: `${LIMITS} limits (${entries} values) of a message that passes none, CPU`,
      value: perMessage,
      unit: "us",
      target: { atMost: 6 },
    },
    {
      what: `preview of a limit that is rarely passed, ${PREVIEWED} hosts, ${DAYS} days`,
      ...ms(preview([S.spacePercent.code], 99)),
    },
    {
      what: "the same of one that is passed and kept in every hour",
      ...ms(preview([S.cpuUser.code, S.cpuSystem.code], 10)),
    },
  ];
}
