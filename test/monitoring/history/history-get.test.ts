import { describe, expect, test } from "bun:test";
import { type AgentXml, portXml, processXml, programXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { Random } from "../../support/random.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { DAY_START, HistoryFixture, HOUR } from "./history-fixture.ts";

const GET = "/api/1/reports/history/get";
const DAY = 24 * HOUR;

interface Series {
  id: number;
  serviceid: number;
  servicename: string;
  type: number;
  descriptor: string;
  min: (number | null)[];
  mean: (number | null)[];
  max: (number | null)[];
}

interface History {
  hostid: number;
  hostname: string;
  datefrom: number;
  dateto: number;
  resolution: number;
  times: number[];
  series: Series[];
}

async function get(client: TestClient, fields: Fields): Promise<History> {
  const reply = await client.get(GET, { hostid: 1, ...fields });
  expect({ fields, status: reply.status }).toEqual({ fields, status: 200 });
  return reply.json;
}

/** One statistic of a host over a time of which all samples are known. */
class OneStatistic extends HistoryFixture {
  #id = 0;
  readonly #values = new Map<number, number[]>();

  /** The statistic's id. */
  async begin(): Promise<number> {
    await this.addHost("host");
    await this.app.report({ id: "host", hostname: "host", services: [{ name: "s", body: processXml() }] });
    this.app.db.$client.run("delete from samples");
    this.app.hostCache.forgetAll();
    this.#id = this.app.rows<{ id: number }>("select id from statistics where type = 8")[0]?.id ?? -1;
    return this.#id;
  }

  sample(at: number, value: number): void {
    this.addSample(1, at, [this.#id], Float64Array.of(value));
    this.#values.set(at, [...(this.#values.get(at) ?? []), value]);
  }

  /** [minimum, mean, maximum] of the samples from `from` to before `to`; null when there are none. */
  naive(from: number, to: number): [number, number, number] | null {
    const values: number[] = [];
    for (let at = from; at < to; at++) values.push(...(this.#values.get(at) ?? []));
    if (values.length === 0) return null;
    const sum = values.reduce((total, value) => total + Math.round(value * 10), 0) / 10;
    return [Math.min(...values), sum / values.length, Math.max(...values)];
  }
}

/** A value with one decimal every 30 s from `from` to before `to`. */
async function halfMinutes(from: number, to: number): Promise<OneStatistic> {
  const fixture = new OneStatistic();
  await fixture.begin();
  const random = new Random(from);
  for (let at = from; at < to; at += 30) fixture.sample(at, random.below(1000) / 10);
  fixture.app.clock.step(to - START);
  return fixture;
}

describe("what was measured", () => {
  test("comes back as it was, whether it is packed, loose or both, without a hole or a repetition", async () => {
    const fixture = await halfMinutes(START, START + 5 * HOUR);
    const client = await fixture.app.user();
    const window = { range: 12, datefrom: START + 45, dateto: START + 5 * HOUR - 30, type: 8, points: 5000 };
    const rows = (fixture.shadow.get(1) ?? []).filter(
      ({ at }) => at >= window.datefrom && at < window.dateto,
    );
    const values = rows.map((row) => row.values[0] ?? 0);
    const expected = {
      hostid: 1,
      hostname: "host",
      datefrom: window.datefrom,
      dateto: window.dateto,
      resolution: 0,
      times: rows.map(({ at }) => at),
      series: [
        {
          id: expect.any(Number),
          serviceid: expect.any(Number),
          servicename: "s",
          type: 8,
          descriptor: "",
          min: values,
          mean: values,
          max: values,
        },
      ],
    };
    expect(await get(client, window)).toEqual(expected);
    const compaction = fixture.compaction(() => performance.now() * 1e9);
    for (let more = true; more; ) {
      more = compaction.step();
      expect(await get(client, window)).toEqual(expected);
    }
    expect(fixture.blocks(1, 0).length).toBe(4);
    expect(fixture.app.rows("select count(*) as n from samples")).toEqual([{ n: 120 }]);
  });

  test("in one second is one point", async () => {
    const fixture = await halfMinutes(START, START + 300);
    fixture.sample(START + 60, 200);
    const { times, series } = await get(await fixture.app.user(), {
      range: 12,
      datefrom: START,
      type: 8,
    });
    expect(times).toEqual(Array.from({ length: 10 }, (_, i) => START + i * 30));
    expect([series[0]?.min[2], series[0]?.mean[2], series[0]?.max[2]]).toEqual(
      fixture.naive(START + 60, START + 61) ?? [],
    );
  });

  test("has a null where reports are missing", async () => {
    const fixture = new OneStatistic();
    await fixture.begin();
    for (const at of [0, 30, 60, 90, 165, 195, 1000, 1030]) fixture.sample(START + at, at);
    fixture.app.clock.step(1100);
    const { times, series } = await get(await fixture.app.user(), {
      range: 12,
      datefrom: START,
      type: 8,
    });
    expect(times.map((time) => time - START)).toEqual([0, 30, 60, 90, 165, 195, 225, 1000, 1030]);
    expect(series[0]?.mean).toEqual([0, 30, 60, 90, 165, 195, null, 1000, 1030]);
  });
});

test("a failed test has no response time, and none of its period is lower for it, packed or not", async () => {
  const fixture = new HistoryFixture();
  const { app } = fixture;
  for (let i = 0; i < 120; i++) {
    await app.report({
      services: [{ name: "api", type: 4, body: portXml({ seconds: i % 4 === 3 ? -1 : 0.5 }) }],
    });
    app.clock.step(30);
  }
  const client = await app.user();
  const window = { range: 12, datefrom: START, dateto: START + HOUR, type: 15 };
  const course = async () => {
    const { json } = await client.get("/api/1/reports/history/top", { type: 15 });
    return json.records[0]?.course.at(-1);
  };
  const expectMeans = async () => {
    const {
      series: [all],
    } = await get(client, { ...window, points: 500 });
    expect(all?.mean).toEqual(Array.from({ length: 120 }, (_, i) => (i % 4 === 3 ? null : 0.5)));
    const {
      series: [some],
    } = await get(client, { ...window, points: 12 });
    for (const values of [some?.min, some?.mean, some?.max]) expect(values).toEqual(Array(12).fill(0.5));
  };
  await expectMeans();
  await app.report({ services: [{ name: "api", type: 4, body: portXml({ seconds: 0.5 }) }] });
  expect(await course()).toBe(0.5);
  app.clock.step(60);
  fixture.pack();
  expect(fixture.blocks(1, 300)).toHaveLength(1);
  await expectMeans();
  expect(await course()).toBe(0.5);
});

describe("points", () => {
  async function threeDays(): Promise<OneStatistic> {
    const fixture = await halfMinutes(DAY_START - 2 * DAY, START + HOUR / 2);
    fixture.pack();
    return fixture;
  }

  test("are never more than asked for, ascending, aligned, and agree with a naive sum", async () => {
    const fixture = await threeDays();
    const client = await fixture.app.user();
    const random = new Random(1);
    const now = fixture.app.clock.now();
    for (let round = 0; round < 60; round++) {
      const points = random.pick([2, 3, 10, 99, 100, 288, 500, 1000, 5000]);
      const datefrom = random.between(DAY_START - 2 * DAY - HOUR, now - 2);
      const dateto = random.between(datefrom + 1, now + HOUR);
      const question = { range: 12, datefrom, dateto, points, type: 8 };
      const { times, series, resolution } = await get(client, question);
      const [only] = series;
      const told = { ...question, resolution };
      expect({ ...told, n: times.length <= points }).toEqual({ ...told, n: true });
      for (const part of [only?.min, only?.mean, only?.max]) expect(part).toHaveLength(times.length);
      const steps = times.slice(1).map((time, i) => time - (times[i] ?? 0));
      expect({ ...told, steps: steps.every((step) => step > 0) }).toEqual({ ...told, steps: true });
      const step = steps.length === 0 ? 0 : Math.min(...steps);
      const isSummedUp = step > 30;
      for (const [i, time] of times.entries()) {
        expect(time).toBeGreaterThan(datefrom - Math.max(step, resolution, 1));
        expect(time).toBeLessThan(dateto);
        if (isSummedUp) expect(time % step).toBe(0);
        if (!isSummedUp || resolution !== 0) continue;
        const naive = fixture.naive(Math.max(time, datefrom), Math.min(time + step, dateto));
        const got = only?.mean[i] === null ? null : [only?.min[i], only?.mean[i], only?.max[i]];
        expect({ ...told, time, got }).toEqual({ ...told, time, got: naive });
      }
    }
  });

  test("of a resolution are that far apart, also where samples are not packed yet", async () => {
    const fixture = await threeDays();
    const client = await fixture.app.user();
    const now = fixture.app.clock.now();
    for (const [span, points, resolution] of [
      [DAY, 288, 300],
      [2 * DAY, 400, 300],
      [365 * DAY, 1000, 3600],
      [30 * DAY, 700, 3600],
    ] as const) {
      const history = await get(client, { range: 12, datefrom: now - span, points, type: 8 });
      expect(history.resolution).toBe(resolution);
      for (const [i, time] of history.times.entries()) {
        if (i > 0) expect((time - (history.times[i - 1] ?? 0)) % resolution).toBe(0);
        const step = Math.max(resolution, (history.times[1] ?? 0) - (history.times[0] ?? 0));
        const [only] = history.series;
        const got = only?.mean[i] === null ? null : [only?.min[i], only?.mean[i], only?.max[i]];
        expect({ span, time, got }).toEqual({ span, time, got: fixture.naive(time, time + step) });
      }
    }
  });
});

test("hours are read without the five minutes from which they were summed up", async () => {
  const fixture = await halfMinutes(DAY_START - 2 * DAY, START);
  fixture.pack();
  const client = await fixture.app.user();
  const question = { range: 12, datefrom: START - 60 * DAY, points: 700, type: 8 };
  const whole = await get(client, question);
  expect(whole.resolution).toBe(3600);
  // To read one of these is an error.
  const damage = `update history_blocks set payload = x'ff' where resolution = 300 and start < ${DAY_START}`;
  fixture.app.db.$client.run(damage);
  expect(await get(client, question)).toEqual(whole);
});

describe("the resolution", () => {
  const CASES: readonly [why: string, fields: Fields, resolution: number][] = [
    ["today", {}, 0],
    ["today in few points", { points: 100 }, 300],
    ["today in 12 points", { points: 12 }, 3600],
    ["an hour", { datefrom: START - HOUR }, 0],
    ["a day in as many points as it has 5 minutes", { datefrom: START - DAY, points: 288 }, 300],
    ["a day in one more", { datefrom: START - DAY, points: 289 }, 0],
    ["a week", { range: 5 }, 300],
    ["a month", { range: 6 }, 3600],
    ["a month in many points", { range: 6, points: 5000 }, 300],
    ["a year in as many points as there may be", { range: 9, points: 5000 }, 3600],
    [
      "an hour of which no raw samples are kept",
      { range: 12, datefrom: START - 15 * DAY, points: 5000 },
      300,
    ],
    ["a time of which nothing is kept", { range: 12, datefrom: 0, dateto: HOUR }, 3600],
  ];
  for (const [why, fields, resolution] of CASES)
    test(`of ${why} is ${resolution} s`, async () => {
      const fixture = await halfMinutes(START - 60, START);
      expect((await get(await fixture.app.user(), fields)).resolution).toBe(resolution);
    });

  test("follows the settings of retention", async () => {
    const fixture = await halfMinutes(START - 60, START);
    const client = await fixture.app.user();
    const question = { range: 12, datefrom: START - 3 * DAY, dateto: START - 2 * DAY, points: 5000 };
    expect((await get(client, question)).resolution).toBe(0);
    fixture.app.settings.set("historyraw", 2);
    expect((await get(client, question)).resolution).toBe(300);
    fixture.app.settings.set("historyfiveminutes", 2);
    expect((await get(client, question)).resolution).toBe(3600);
  });
});

const MESSAGE: AgentXml = {
  services: [
    { name: "=sys", type: 5, body: systemXml() },
    { name: "app", body: processXml() + portXml({ port: 80, seconds: 0.25 }) + portXml({ port: 81 }) },
    { name: "job", type: 7, body: programXml({ output: "text" }) },
  ],
};

async function appWithServices(): Promise<TestApp> {
  const app = new TestApp();
  await app.report(MESSAGE);
  app.clock.step(30);
  return app;
}

describe("filters", () => {
  const CASES: readonly [why: string, fields: Fields, names: string[]][] = [
    ["a type", { type: 30 }, ["app 30"]],
    ["several types", { type: [30, 31, 4] }, ["=sys 4", "app 30", "app 31"]],
    ["a type that no service has", { type: 99 }, []],
    ["a service by id", { serviceid: 1, type: [0, 8] }, ["=sys 0 1min", "=sys 0 5min", "=sys 0 15min"]],
    ["a service by name", { servicename: "app", type: [8, 30] }, ["app 8", "app 30"]],
    ["a service that there is not", { servicename: "none" }, []],
    ["an id that there is not", { serviceid: 99 }, []],
    ["an id and another service's name", { serviceid: 1, servicename: "app" }, []],
    ["a descriptor", { descriptor: "5min" }, ["=sys 0 5min"]],
    ["the empty descriptor", { descriptor: "", servicename: "app", type: [15, 8] }, ["app 8"]],
    ["a port", { type: 15, descriptor: "localhost:80 [HTTP/TCP]" }, ["app 15 localhost:80 [HTTP/TCP]"]],
    ["what is no number", { servicename: "job", type: [24, 35] }, ["job 24"]],
  ];
  for (const [why, fields, names] of CASES)
    test(`by ${why}`, async () => {
      const app = await appWithServices();
      const { series, times } = await get(await app.user(), fields);
      expect(series.map((line) => `${line.servicename} ${line.type} ${line.descriptor}`.trim())).toEqual(
        names,
      );
      expect(times).toEqual([START]);
      for (const { mean } of series) expect(mean).toHaveLength(1);
    });

  test("none gives every number of the host, as status/hosts/get has them", async () => {
    const app = await appWithServices();
    const { series } = await get(await app.user(), {});
    const latest = app.muster.status
      .get(1, false, "all")
      .records.host.services.flatMap(({ statistics }) => statistics)
      .filter((statistic) => !("text" in statistic))
      .map(({ id, value }) => [id, value]);
    expect(new Map(series.map(({ id, mean }) => [id, mean[0] ?? Number.NaN]))).toEqual(
      new Map(latest as [number, number][]),
    );
  });

  test("a vanished service's history is still there", async () => {
    const app = await appWithServices();
    await app.report({});
    const { series } = await get(await app.user(), {
      servicename: "app",
      type: 30,
      range: 12,
      datefrom: START,
    });
    expect(series[0]?.mean).toEqual([4711]);
  });

  test("POST is answered like GET", async () => {
    const app = await appWithServices();
    const client = await app.user();
    const fields = { hostid: 1, type: [30, 31] };
    const [got, posted] = [await client.get(GET, fields), await client.post(GET, fields)];
    expect([posted.status, posted.json]).toEqual([200, got.json]);
  });
});

test("reading changes nothing", async () => {
  const app = await appWithServices();
  const client = await app.user();
  const before = stored(app);
  await get(client, { range: 9 });
  expect(changedTables(app, before)).toEqual([]);
});

test("CSV has a column each for minimum, mean and maximum, empty where nothing is known, and no formula", async () => {
  const app = await appWithServices();
  app.clock.step(270);
  await app.report({ services: [{ name: "=sys", type: 5, body: systemXml({ memory: 50 }) }] });
  app.clock.step(1);
  const fields = { hostid: 1, type: [4, 15], range: 12, datefrom: START, format: "csv" };
  const reply = await (await app.user()).get(GET, fields);
  expect(reply.headers.get("Content-Type")).toBe("text/csv; charset=utf-8");
  expect(reply.headers.get("Content-Disposition")).toBe('attachment; filename="history.csv"');
  const [head, ...rows] = reply.text.split("\r\n");
  const port = (n: number) =>
    ["min", "mean", "max"].map((part) => `app 15 localhost:${n} [HTTP/TCP] ${part}`).join(",");
  expect(head).toBe(`time,'=sys 4 min,'=sys 4 mean,'=sys 4 max,${port(80)},${port(81)}`);
  expect(rows).toEqual([
    `${START},25,25,25,0.25,0.25,0.25,0.01,0.01,0.01`,
    `${START + 30},,,,,,,,,`,
    `${START + 300},50,50,50,,,,,,`,
    "",
  ]);
});

test("a range other than 12 ignores the dates, whatever they hold, and without a range they count", async () => {
  const app = new TestApp();
  await app.report({ services: [{ name: "s", body: processXml() }] });
  const user = await app.user();
  const COMPARE = "/api/1/reports/history/compare";
  for (const [path, fields] of [
    [GET, { hostid: 1 }],
    [COMPARE, { hostid: 1, type: 8 }],
  ] as const) {
    const plain = await user.get(path, { ...fields, range: 5 });
    const odd = await user.get(path, { ...fields, range: 5, datefrom: "x", dateto: "" });
    expect([odd.status, odd.json]).toEqual([200, plain.json]);
    const custom = () => user.get(path, { ...fields, datefrom: "x" });
    expect((await expectRefusal(app, custom, 400, "argument.invalid")).json.error).toStartWith("datefrom");
    expect((await user.get(path, { ...fields, datefrom: START - 60 })).json.datefrom).toBe(START - 60);
  }
});

describe("of a host with many series", () => {
  /** 200 services with 14 numbers each, reported every 30 s since a time. */
  async function many(createdAt = START - 365 * DAY) {
    const app = new TestApp();
    const services = Array.from({ length: 200 }, (_, i) => ({ name: `s${i}`, body: processXml() }));
    await app.report({ id: "many", hostname: "many", services, poll: 30 });
    app.db.$client.run(`update hosts set created_at = ${createdAt}`);
    app.clock.step(30);
    return { app, admin: await app.admin() };
  }

  test("more than 500,000 values are refused, with how to ask for less", async () => {
    const { app, admin } = await many();
    const hour = { datefrom: START - HOUR + 30, dateto: START + 30 };
    // 2,800 series of a minimum, a mean and a maximum at each point.
    await get(admin, { ...hour, points: 59 });
    const ask = (more: Fields) => admin.get(GET, { hostid: 1, ...hour, points: 60, ...more });
    const refusal = await expectRefusal(app, () => ask({}), 400, "history.values");
    expect(refusal.json.error).toBe(
      "That would be 504000 values, more than the 500000 of a reply: ask for fewer points, a shorter time, or one service or type of statistic",
    );
    await expectRefusal(app, () => ask({ format: "csv" }), 400, "history.values");
    expect((await get(admin, { ...hour, points: 60, servicename: "s7" })).series).toHaveLength(14);
    expect((await get(admin, { ...hour, points: 60, type: 8 })).series).toHaveLength(200);
  });

  test("few values of very many stored ones are refused too, and a time before anything is kept costs nothing", async () => {
    const { app, admin } = await many();
    const year = { datefrom: START - 365 * DAY, dateto: START + 30, points: 2 };
    const ask = () => admin.get(GET, { hostid: 1, ...year });
    const refusal = await expectRefusal(app, ask, 400, "history.values");
    expect(refusal.json.error).toMatch(
      /That takes about \d+ stored values, more than the 2000000 that are read at once/,
    );
    await get(admin, { datefrom: 1, dateto: START - 10_000 * DAY, points: 2 });
    await get(admin, { ...year, servicename: "s7" });
  });

  test("the time before the host existed does not count", async () => {
    const { app, admin } = await many(START);
    const hour = { datefrom: START - HOUR + 30, dateto: START + 30, points: 60 };
    const year = { datefrom: START - 365 * DAY, dateto: START + 30, points: 2 };
    for (const window of [hour, year]) expect((await get(admin, window)).series).toHaveLength(2800);
    const hostid = Array<number>(12).fill(1);
    const compare = () => admin.get("/api/1/reports/history/compare", { ...year, hostid, type: 8 });
    expect((await compare()).status).toBe(200);
    app.db.$client.run(`update hosts set created_at = ${year.datefrom}`);
    await expectRefusal(app, compare, 400, "history.values");
  });
});
