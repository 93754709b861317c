/** Limits on the traffic of a calendar month: what they add up, when they warn, and what they foresee. */
import { describe, expect, test } from "bun:test";
import { Months, outlookOf } from "../../../src/monitoring/limits/month-sum.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { limitWith } from "../../support/limits.ts";
import { Random, seeds } from "../../support/random.ts";

const MINUTE = 60;
const HOUR = 3600;
const DAY = 86_400;
/** Bytes that the network card downloaded and uploaded in all. */
const [DOWNLOAD, UPLOAD] = [153, 163];
const TRAFFIC = { name: "Traffic", statistics: [DOWNLOAD, UPLOAD], period: "month" };

const instant = (text: string) => Temporal.ZonedDateTime.from(text).epochMilliseconds / 1000;

function linkXml(download: number, upload: number): string {
  const side = (name: string, total: number) =>
    `<${name}><packets><now>0</now><total>0</total></packets><bytes><now>0</now><total>${total}</total></bytes><errors><now>0</now><total>0</total></errors></${name}>`;
  return `<link><state>1</state><speed>-1000000</speed><duplex>-1</duplex>${side("download", download)}${side("upload", upload)}</link>`;
}

/** A host whose network card counts, and an app that can be restarted. */
class Router {
  app = new TestApp();

  /** It was made at a time, unix seconds. */
  constructor(at = START) {
    this.app.clock.step(at - START);
  }

  limit(fields: object = {}): number {
    return this.app.muster.statisticLimits.create(limitWith({ ...TRAFFIC, warning: 1000, ...fields }));
  }

  /** Like a process that ends, and one that starts on the same database. */
  restart(): void {
    const { db, clock } = this.app;
    this.app = new TestApp({ db });
    this.app.clock.step(clock.now() - this.app.clock.now());
  }

  /** Time passes, and the host reports its counters; null: the message has none. */
  async report(seconds: number, download: number | null, upload = 0): Promise<void> {
    this.app.clock.step(seconds);
    this.app.heartbeat.tick();
    const body = download === null ? {} : { body: linkXml(download, upload) };
    const services = [{ name: "eth0", type: 8, ...body }];
    const reply = await this.app.report({ at: this.app.clock.now(), poll: DAY, services });
    expect(reply.status).toBe(200);
  }

  async sums(fields: Fields = { id: 1 }) {
    const admin = await this.app.admin();
    return (await admin.get("/api/1/limits/sums", fields)).json;
  }

  messages(): string[] {
    return this.app.rows<{ t: string }>("select message as t from events order by id").map(({ t }) => t);
  }
}

describe("the month of a time zone", () => {
  test.each([
    ["2026-11-24T12:00[UTC]", "2026-11-01T00:00[UTC]", "2026-12-01T00:00[UTC]"],
    ["2026-12-31T23:59:59[UTC]", "2026-12-01T00:00[UTC]", "2027-01-01T00:00[UTC]"],
    ["2026-01-01T00:00[UTC]", "2026-01-01T00:00[UTC]", "2026-02-01T00:00[UTC]"],
    ["2026-03-31T23:30[Europe/Berlin]", "2026-03-01T00:00[Europe/Berlin]", "2026-04-01T00:00[Europe/Berlin]"],
    [
      "2026-11-01T01:30-04:00[America/New_York]",
      "2026-11-01T00:00[America/New_York]",
      "2026-12-01T00:00[America/New_York]",
    ],
    ["2026-02-28T23:00[Asia/Kolkata]", "2026-02-01T00:00[Asia/Kolkata]", "2026-03-01T00:00[Asia/Kolkata]"],
  ])("that holds %s goes from %s to %s", (at, from, to) => {
    const zone = /\[(.*)\]/.exec(at)?.[1] ?? "";
    expect(new Months(zone).holding(instant(at))).toEqual({ from: instant(from), to: instant(to) });
  });

  test("has 743 or 745 hours when clocks change in one of 31 days", () => {
    const { from, to } = new Months("Europe/Berlin").holding(instant("2026-03-10T00:00[Europe/Berlin]"));
    expect((to - from) / HOUR).toBe(743);
    const autumn = new Months("Europe/Berlin").holding(instant("2026-10-10T00:00[Europe/Berlin]"));
    expect((autumn.to - autumn.from) / HOUR).toBe(745);
  });
});

describe("the outlook", () => {
  const sum = { sum: 600, countedFrom: 0, at: 6 * DAY };
  test("goes on as since the start of the month", () => {
    const { atEnd, reaches } = outlookOf(sum, 30 * DAY);
    expect(atEnd).toBe(3000);
    expect([600, 500, 1000, 2999, 3000].map(reaches)).toEqual([
      null,
      null,
      10 * DAY,
      expect.any(Number),
      null,
    ]);
  });

  test("is none before a day is counted, or while nothing grows", () => {
    expect(outlookOf({ ...sum, at: DAY - 1 }, 30 * DAY)).toMatchObject({ atEnd: null });
    expect(outlookOf({ ...sum, sum: 0 }, 30 * DAY).reaches(10)).toBe(null);
  });
});

describe("a limit on the month's traffic", () => {
  test("warns once both counters have grown so much together, and says when the next value will be reached", async () => {
    const router = new Router();
    router.limit({ critical: 4000 });
    await router.report(0, 5000, 1000);
    await router.report(2 * DAY, 5500, 1500);
    expect(router.messages()).toEqual([]);
    await router.report(MINUTE, 5501, 1500);
    expect(router.messages()).toEqual([
      "Traffic: 1001 B of download total and upload total in January 2026, above 1000 B (warning). At this rate, 3.91 KiB will be used up on 13 January.",
    ]);
    expect(router.app.rows("select severity, state, limit_id from events")).toEqual([
      { severity: 1, state: 1, limit_id: 1 },
    ]);
  });

  test("ends with the month, by the clock of its time zone", async () => {
    const router = new Router(instant("2026-03-31T22:00[Europe/Berlin]"));
    router.limit({ timezone: "Europe/Berlin", warning: 100 });
    await router.report(0, 0);
    await router.report(HOUR, 500);
    await router.report(HOUR - 1, 600);
    expect(router.messages()).toHaveLength(1);
    await router.report(1, 600);
    expect(router.messages()[1]).toBe(
      "Traffic: 0 B of download total and upload total in April 2026, no longer above 100 B",
    );
  });

  test.each([
    ["at once", false],
    ["after a restart", true],
  ])("counts the month anew %s when the clock was a month ahead", async (_, isRestarted) => {
    const router = new Router();
    router.limit();
    await router.report(0, 1000);
    await router.report(HOUR, 1600);
    await router.report(31 * DAY, 1700);
    await router.report(-31 * DAY, 1800);
    if (isRestarted) router.restart();
    for (const total of [1900, 2000]) await router.report(10 * MINUTE, total);
    expect((await router.sums()).records).toMatchObject([{ sum: 1000 }]);
    expect(router.messages()).toEqual([]);
    await router.report(10 * MINUTE, 2001);
    expect(router.messages()).toEqual([expect.stringContaining("1001 B")]);
  });

  test("is stored every ten minutes after the clock was a day ahead, too", async () => {
    const router = new Router();
    router.limit();
    await router.report(0, 0);
    await router.report(DAY, 100);
    await router.report(-DAY, 200);
    for (const total of [300, 400, 500]) await router.report(10 * MINUTE, total);
    expect((await router.sums()).records).toMatchObject([{ sum: 500 }]);
  });

  test("counts on when counters begin at 0 again", async () => {
    const router = new Router();
    router.limit();
    for (const total of [900, 1300, 50, 150]) await router.report(15 * MINUTE, total);
    expect((await router.sums()).records).toMatchObject([{ servicename: "eth0", sum: 550 }]);
  });

  test("passes over messages without the counters, and counts what grew meanwhile", async () => {
    const router = new Router();
    router.limit();
    await router.report(0, 100);
    await router.report(15 * MINUTE, null);
    await router.report(15 * MINUTE, -1);
    await router.report(15 * MINUTE, 400);
    expect((await router.sums()).records).toMatchObject([{ sum: 300 }]);
  });

  test("divides what grew over the start of the month by time", async () => {
    const router = new Router(instant("2026-01-31T23:00[UTC]"));
    router.limit();
    await router.report(0, 0);
    await router.report(4 * HOUR, 400);
    const { records, datefrom } = await router.sums();
    expect(datefrom).toBe(instant("2026-02-01T00:00[UTC]"));
    expect(records).toMatchObject([{ sum: 300, from: datefrom, at: datefrom + 3 * HOUR }]);
  });

  test("knows what was reported before it was made, in the month", async () => {
    const router = new Router(instant("2026-01-31T12:00[UTC]"));
    for (let hour = 0; hour < 60; hour++) {
      await router.report(HOUR, 1000 * hour);
      router.app.muster.compaction.step();
    }
    while (router.app.muster.compaction.step());
    router.limit();
    await router.report(HOUR, 60_000);
    // At midnight the counter stood at 11,000; of hours only the extremes are read.
    const { records } = await router.sums();
    expect(records).toMatchObject([{ from: instant("2026-02-01T00:00[UTC]") }]);
    expect(Math.abs(records[0].sum - 49_000)).toBeLessThanOrEqual(1000);
  });

  test("knows where a counter stood at a midnight that is no full hour of UTC", async () => {
    const router = new Router(instant("2026-01-31T12:05[UTC]"));
    let total = 0;
    for (const end = instant("2026-02-02T00:00[UTC]"); router.app.clock.now() < end; total += 1000) {
      await router.report(10 * MINUTE, total);
      router.app.muster.compaction.step();
    }
    while (router.app.muster.compaction.step());
    router.limit({ timezone: "Asia/Kolkata" });
    await router.report(10 * MINUTE, total);
    const midnight = instant("2026-02-01T00:00[Asia/Kolkata]");
    const [sum] = (await router.sums()).records;
    expect(sum.from).toBe(midnight);
    // 1000 every ten minutes, to within the last message before midnight.
    const used = (1000 * (router.app.clock.now() - midnight)) / (10 * MINUTE);
    expect(Math.abs(sum.sum - used)).toBeLessThanOrEqual(1000);
  });

  test("is stored every ten minutes, and goes on after a restart with what came since", async () => {
    const router = new Router();
    router.limit();
    await router.report(0, 0);
    for (let i = 1; i <= 25; i++) await router.report(MINUTE, 10 * i);
    expect(router.app.rows("select sum, at from limit_sums")).toEqual([
      { sum: 200, at: START + 20 * MINUTE },
    ]);
    router.restart();
    await router.report(10 * MINUTE, 300);
    expect(router.app.rows("select sum from limit_sums")).toEqual([{ sum: 300 }]);
  });

  test("is counted anew in another time zone, and forgotten when it is no longer about the month", async () => {
    const router = new Router(instant("2026-02-01T00:30[Europe/Berlin]"));
    router.limit({ timezone: "Europe/Berlin" });
    await router.report(0, 0);
    await router.report(15 * MINUTE, 100);
    expect((await router.sums()).datefrom).toBe(instant("2026-02-01T00:00[Europe/Berlin]"));
    router.app.muster.statisticLimits.update({ id: 1, timezone: "UTC" });
    await router.report(5 * MINUTE, 100);
    expect(await router.sums()).toMatchObject({
      datefrom: instant("2026-01-01T00:00[UTC]"),
      records: [{ sum: 100 }],
    });
    router.app.muster.statisticLimits.update({ id: 1, period: "message" });
    await router.report(5 * MINUTE, 100);
    expect(router.app.rows("select * from limit_sums")).toEqual([]);
  });

  test("is counted anew, from what was reported in the month, when the limit is about other counters", async () => {
    const router = new Router();
    router.limit({ statistics: [DOWNLOAD] });
    const usedBy = async (statistics: number[], download: number, upload: number) => {
      router.app.muster.statisticLimits.update({ id: 1, statistics });
      await router.report(15 * MINUTE, download, upload);
      const { records } = await router.sums();
      return records.map(({ sum, from }: Record<string, number>) => [sum, from]);
    };
    await router.report(0, 0, 0);
    await router.report(HOUR, 500, 40);
    expect(await usedBy([UPLOAD], 600, 50)).toEqual([[50, START]]);
    expect(await usedBy([DOWNLOAD, UPLOAD], 700, 60)).toEqual([[760, START]]);
    expect(await usedBy([DOWNLOAD], 800, 70)).toEqual([[800, START]]);
  });

  test("is kept while the agent does not know one of the counters", async () => {
    const router = new Router();
    router.limit();
    await router.report(0, 100, -1);
    await router.report(15 * MINUTE, 150, -1);
    // What was stored before is all that is known of the time before the restart.
    router.app.rows("delete from samples");
    router.restart();
    await router.report(15 * MINUTE, 170, -1);
    expect((await router.sums()).records).toMatchObject([{ sum: 70 }]);
  });

  test("goes with its limit and its host", async () => {
    const router = new Router();
    for (const name of ["one", "two"]) router.limit({ name });
    await router.report(0, 0);
    router.app.muster.statisticLimits.delete(1);
    expect(router.app.rows("select limit_id from limit_sums")).toEqual([{ limit_id: 2 }]);
    const admin = await router.app.admin();
    await admin.post("/api/1/admin/hosts/delete", { id: 1 });
    expect(router.app.rows("select * from limit_sums")).toEqual([]);
  });
});

/**
 * What grew in a month, computed from all messages at once: for each counter, every step between two known values, divided by
 * time between the months.
 */
function plainSum(points: readonly { at: number; values: readonly number[] }[], months: Months, now: number) {
  const month = months.holding(now);
  const counters = points[0]?.values.length ?? 0;
  let sum = 0;
  for (let counter = 0; counter < counters; counter++) {
    const known = points.filter(({ values }) => (values[counter] ?? -1) >= 0);
    for (const [i, { at, values }] of known.entries()) {
      const before = known[i - 1];
      if (!before || at <= month.from) continue;
      const [last = 0, value = 0] = [before.values[counter], values[counter]];
      const grown = value < last ? value : value - last;
      sum += grown * (before.at >= month.from ? 1 : (at - month.from) / (at - before.at));
    }
  }
  return sum;
}

describe("random traffic", () => {
  for (const seed of seeds(1, 2, 3))
    test(`is added up as from all messages at once, through restarts and an empty cache (seed ${seed})`, async () => {
      const random = new Random(seed);
      const zone = random.pick(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]);
      const months = new Months(zone);
      const router = new Router(instant("2026-03-28T20:00[UTC]"));
      router.limit({ timezone: zone, warning: 5000 });
      const points: { at: number; values: number[] }[] = [];
      let counters = [0, 0];
      for (let i = 0; i < 300; i++) {
        const event = random.below(20);
        if (event === 0) counters = [random.below(50), 0];
        if (event === 1) router.restart();
        if (event === 2) router.app.hostCache.forgetAll();
        if (event === 3) router.app.muster.compaction.step();
        counters = counters.map((total) => total + random.below(100));
        const isKnown = event !== 4;
        const seconds = random.chance(0.7) ? random.between(20, 300) : random.between(600, 2 * HOUR);
        await router.report(seconds, isKnown ? (counters[0] ?? 0) : null, counters[1]);
        if (isKnown) points.push({ at: router.app.clock.now(), values: [...counters] });
      }
      // The sum is stored every ten minutes.
      await router.report(15 * MINUTE, counters[0] ?? 0, counters[1]);
      points.push({ at: router.app.clock.now(), values: counters });
      const { records } = await router.sums();
      expect(records).toHaveLength(1);
      const now = points.at(-1)?.at ?? 0;
      expect(records[0].at).toBe(now);
      expect(records[0].sum).toBeCloseTo(plainSum(points, months, now), 3);
    });
});

describe("the preview", () => {
  test("opens the failures that the limit opened, to the hour", async () => {
    const router = new Router(instant("2026-01-30T00:00[UTC]"));
    router.limit({ warning: 3000 });
    for (let hour = 0; hour < 80; hour++) await router.report(HOUR, 100 * hour);
    while (router.app.muster.compaction.step());
    const admin = await router.app.admin();
    const opened = router.app
      .rows<{ date: number; state: number }>("select date, state from events order by date, id")
      .map(({ date, state }) => [date, state]);
    expect(opened).toEqual([
      [instant("2026-01-31T08:00[UTC]"), 1],
      [instant("2026-02-01T00:00[UTC]"), 0],
      [instant("2026-02-02T07:00[UTC]"), 1],
    ]);
    const { json } = await admin.post("/api/1/limits/preview", { id: 1, days: 5 });
    // Times before the last day are approximate, and so is where the counter stood at midnight: one message an hour.
    const previewed = json.records
      .toReversed()
      .flatMap(({ date, ended }: Record<string, number>) => (ended === 0 ? [date] : [date, ended]));
    expect(previewed).toHaveLength(opened.length);
    for (const [i, [date = 0]] of opened.entries())
      expect(Math.abs(previewed[i] - date)).toBeLessThanOrEqual(HOUR);
  });
});

describe("the sums of a limit", () => {
  test("are those of the hosts that the caller sees, the greatest first, in pages", async () => {
    const router = new Router();
    router.limit();
    const { app } = router;
    for (const [seconds, factor] of [
      [0, 0],
      [2 * DAY, 1],
    ] as const) {
      app.clock.step(seconds);
      for (const n of [1, 2, 3]) {
        const services = [{ name: "eth0", type: 8, body: linkXml(100 * n * factor, 0) }];
        const at = app.clock.now();
        await app.report({ id: `a${n}`, hostname: `h${n}`, at, poll: DAY, services, hostGroups: [`g${n}`] });
      }
    }
    const { from, to } = new Months("UTC").holding(app.clock.now());
    const all = await router.sums();
    expect(all).toMatchObject({ totalRecords: 3, pageSize: 50, datefrom: from, dateto: to });
    expect(all.records.map(({ hostname, sum }: Record<string, unknown>) => [hostname, sum])).toEqual([
      ["h3", 300],
      ["h2", 200],
      ["h1", 100],
    ]);
    const at = START + 2 * DAY;
    expect(all.records[0]).toEqual({
      hostid: 3,
      hostname: "h3",
      servicename: "eth0",
      sum: 300,
      from: START,
      at,
      atend: 300 + (150 * (to - at)) / DAY,
      warningat: Math.ceil(at + (700 / 150) * DAY),
      criticalat: null,
    });
    expect((await router.sums({ id: 1, results: 1, startindex: 1 })).records).toMatchObject([
      { hostname: "h2" },
    ]);
    const user = await app.user();
    const admin = await app.admin();
    await admin.post("/api/1/admin/grants/set", { uname: "user", view: 2 });
    expect((await user.get("/api/1/limits/sums", { id: 1 })).json).toMatchObject({
      totalRecords: 1,
      records: [{ hostname: "h2" }],
    });
  });

  test("are each on one page, also those of hosts with the same name that are equal", async () => {
    const router = new Router();
    router.limit();
    const ids = [1, 2, 3, 4, 5, 6, 7, 8, 9];
    for (const order of [ids, [9, 3, 7, 1, 5, 2, 8, 4, 6]]) {
      for (const id of order) {
        const services = [{ name: "eth0", type: 8, body: linkXml(100, 0) }];
        await router.app.report({ id: `a${id}`, at: router.app.clock.now(), poll: DAY, services });
      }
      router.app.clock.step(15 * MINUTE);
    }
    const pages = await Promise.all(ids.map((_, i) => router.sums({ id: 1, results: 1, startindex: i })));
    expect(pages.map(({ records }) => records[0].hostid)).toEqual(ids);
  });

  test("foresee nothing for a time that is over, of a host that no longer reports", async () => {
    const router = new Router();
    router.limit({ critical: 3000 });
    await router.report(0, 0);
    await router.report(2 * DAY, 300);
    const foreseen = async () => {
      const [sum] = (await router.sums()).records;
      return [sum.warningat, sum.criticalat];
    };
    const [warningAt, criticalAt] = [2 * DAY + (700 / 150) * DAY, 2 * DAY + (2700 / 150) * DAY];
    expect(await foreseen()).toEqual([START + Math.ceil(warningAt), START + criticalAt]);
    router.app.clock.step(10 * DAY);
    expect(await foreseen()).toEqual([null, START + criticalAt]);
  });

  test("do not exist of a limit on single values, or of none", async () => {
    const router = new Router();
    router.limit({ period: "message" });
    const admin = await router.app.admin();
    for (const [id, status, code] of [
      [1, 400, "argument.invalid"],
      [2, 404, "object.unknown"],
    ] as const) {
      const reply = await admin.get("/api/1/limits/sums", { id });
      expect([reply.status, reply.json.code]).toEqual([status, code]);
    }
  });
});

test.each<[fields: Fields, argument: string]>([
  [{ statistics: [18] }, "statistics"],
  [{ statistics: [DOWNLOAD, 151] }, "statistics"],
  [{ statistics: [152] }, "statistics"],
  [{ direction: "below" }, "direction"],
  [{ perprocessor: true }, "perprocessor"],
  [{ timezone: "Mars/Olympus" }, "timezone"],
  [{ period: "year" }, "period"],
])("a month of %j is refused, and the argument named", async (fields, argument) => {
  const app = new TestApp();
  const admin = await app.admin();
  const reply = await admin.post("/api/1/limits/create", { ...TRAFFIC, warning: 10, ...fields });
  expect([reply.status, reply.text]).toEqual([400, expect.stringContaining(argument)]);
  expect(app.rows("select * from limits")).toEqual([]);
});
