/**
 * A preview skips hours of history by their extremes. Feeding a limit with everything stored gives the same result.
 */
import { expect, test } from "bun:test";
import { decodeBlock } from "../../../src/monitoring/history/block.ts";
import { blocksWithin, looseSamples } from "../../../src/monitoring/history/history.repository.ts";
import { FIVE_MINUTES, RAW } from "../../../src/monitoring/history/resolutions.ts";
import { periodsOfRows } from "../../../src/monitoring/history/rollup.ts";
import { compile, limitedValue } from "../../../src/monitoring/limits/host-limits.ts";
import type { Limit } from "../../../src/monitoring/limits/limit.ts";
import { isAboutStatistic } from "../../../src/monitoring/limits/limit.ts";
import { LimitPreview } from "../../../src/monitoring/limits/limit-preview.service.ts";
import { statisticsForLimits } from "../../../src/monitoring/limits/limits.repository.ts";
import { SimulatedLimit } from "../../../src/monitoring/limits/simulated-limit.ts";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { unstoredLimit } from "../../support/limits.ts";
import { Random, seeds } from "../../support/random.ts";
import { HistoryFixture, HOUR } from "../history/history-fixture.ts";

const DAY = 24 * HOUR;
const DAYS = 4;
const POLL = 150;
/** Patience with periods of five minutes, seconds. */
const PERIOD_PATIENCE = 7200;

function randomLimit(random: Random): Limit {
  const below = random.chance(0.3);
  const isOfCpu = random.chance(0.4);
  const [warning, critical, clear] = below ? [40, 30, 45] : isOfCpu ? [110, 130, 100] : [60, 70, 55];
  return unstoredLimit({
    statistics: isOfCpu ? [1, 2] : [18],
    direction: below ? "below" : "above",
    warning: random.chance(0.8) ? warning : null,
    critical,
    clearvalue: random.chance(0.5) ? clear : null,
    minutes: random.pick([0, 1, 5, 10, 60]),
    clearminutes: random.pick([0, 5, 30]),
    missing: random.pick(["keep", "clear", "warn"]),
  });
}

/** The failures of a host, from every stored period and sample. */
function plain(fixture: HistoryFixture, limit: Limit, hostId: number, days: number) {
  const { db, clock } = fixture.app;
  const to = clock.now() + 1;
  const [from, exactFrom] = [to - days * DAY, to - DAY];
  const statistics = statisticsForLimits(db, hostId).filter((statistic) =>
    isAboutStatistic(limit, statistic),
  );
  const positions = new Map(statistics.map(({ id }, position) => [id, position]));
  const simulated = compile(limit, statistics, positions, 1).map((entry) => new SimulatedLimit(entry));
  const sampleOf = (valueById: ReadonlyMap<number, number>) =>
    Float64Array.from(statistics, ({ id }) => valueById.get(id) ?? Number.NaN);
  const feed = (at: number, sample: Float64Array, patience: number) => {
    for (const limited of simulated) limited.message(limitedValue(limited.entry, sample, at), at, patience);
  };
  const isHigh = limit.minutes * 60 < FIVE_MINUTES.seconds !== (limit.direction === "below");
  for (const { payload } of blocksWithin(db, hostId, FIVE_MINUTES, { from, to: exactFrom }))
    for (const { at, aggregates } of periodsOfRows(decodeBlock(payload))) {
      const extremes = [...aggregates].map(([id, { min, max }]) => [id, isHigh ? max : min] as const);
      if (at >= from && at < exactFrom) feed(at, sampleOf(new Map(extremes)), PERIOD_PATIENCE);
    }
  const day = { from: exactFrom, to };
  const packed = blocksWithin(db, hostId, RAW, day).flatMap(({ payload }) => decodeBlock(payload));
  const rows = [...packed, ...looseSamples(db, hostId, day)].sort((a, b) => a.at - b.at);
  for (const { at, ids, values } of rows)
    if (at >= exactFrom && at < to)
      feed(at, sampleOf(new Map(Array.from(ids, (id, i) => [id, values[i] ?? Number.NaN]))), 3 * POLL);
  for (const limited of simulated) limited.silence(to - 1, 3 * POLL);
  return simulated.flatMap(({ entry, failures }) =>
    failures.map(({ from: date, to: end, level }) => {
      return { servicename: entry.service.serviceName, date, ended: end ?? 0, severity: level };
    }),
  );
}

const order = (failures: readonly { servicename: string; date: number }[]) =>
  failures.toSorted((a, b) => a.date - b.date || a.servicename.localeCompare(b.servicename));

for (const seed of seeds(1, 2, 3, 4, 5))
  test(`a preview that skips hours finds the same as the whole history (seed ${seed})`, async () => {
    const random = new Random(seed);
    const fixture = new HistoryFixture();
    const { app } = fixture;
    const services = [
      { name: "host-1", type: 5, body: systemXml({ user: 10, system: 5 }) },
      { name: "rootfs", type: 0, body: filesystemXml({ percent: 50 }) },
      { name: "data", type: 0, body: filesystemXml({ percent: 50 }) },
    ];
    const hostId = await fixture.addHost("agent-1");
    await app.report({ id: "agent-1", hostname: "host-1", at: app.clock.now(), poll: POLL, services });
    app.db.$client.run("delete from samples");
    const ids = app
      .rows<{ id: number }>("select id from statistics where type in (1, 2, 18) order by id")
      .map(({ id }) => id);
    const levels = ids.map(() => 50);
    const now = app.clock.now();
    for (let at = now - (DAYS + 1) * DAY; at <= now; at += POLL) {
      // Calm for hours, and then restless.
      const most = Math.floor(at / (5 * HOUR)) % 3 === 0 ? 9 : 1;
      for (let i = 0; i < levels.length; i++)
        levels[i] = Math.min(90, Math.max(10, (levels[i] ?? 0) + random.between(-most, most)));
      // In the last day, values are missing for a while.
      const isMissing = at > now - DAY && Math.floor(at / (4 * HOUR)) % 3 === 0;
      const kept = isMissing ? ids.slice(1) : ids;
      fixture.addSample(hostId, at, kept, Float64Array.from(isMissing ? levels.slice(1) : levels));
    }
    fixture.pack();
    let total = 0;
    for (let round = 0; round < 30; round++) {
      const limit = randomLimit(random);
      const reply = new LimitPreview(app.db, app.clock, () => 0).of(limit, DAYS);
      const failures = reply.records.map(({ servicename, date, ended, severity }) => {
        return { servicename, date, ended, severity };
      });
      expect(order(failures)).toEqual(order(plain(fixture, limit, hostId, DAYS)));
      total += reply.total;
    }
    expect(total).toBeGreaterThan(0);
  });
