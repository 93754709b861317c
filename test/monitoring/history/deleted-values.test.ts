/** Where retention has deleted the finer values of a time, charts of it show the coarser ones. */
import { beforeEach, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { RESOLUTIONS } from "../../../src/monitoring/history/resolutions.ts";
import { systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { runToEnd } from "./history-fixture.ts";

const HOUR = 3600;
const DAY = 86_400;
/** Seconds between two reports: four in an hour, each in another five minutes. */
const POLL = 900;
const DAYS = 4;
const NOW = START + DAYS * DAY;
/** Of the time before the last two days only means of hours are kept, and of the day after it those of five minutes. */
const BY_HOUR = START + DAY;
const BY_MINUTES = START + 2.5 * DAY;
const BY_REPORT = START + 3.5 * DAY;
const LONG = { historyraw: 3650, historyfiveminutes: 3650, historyhourly: 3650 };
const load = { hostid: 1, type: STATISTIC.load.code, descriptor: "1min" };

function clean(of: TestApp = app): void {
  for (let steps = 0; of.muster.retention.step(); steps++)
    if (steps > 1000) throw new Error("retention does not end");
}

async function keep(days: Partial<typeof LONG>, of: TestApp = app): Promise<void> {
  const { status } = await (await of.admin()).post("/api/1/admin/settings/update", days);
  expect(status).toBe(200);
}

const report = (of: TestApp, id: string) =>
  of.report({
    id,
    hostname: id,
    at: of.clock.now(),
    incarnation: START - HOUR,
    poll: POLL,
    services: [{ name: "sys", type: 5, body: systemXml({ load: 1 }) }],
  });

/** Passes time in which hosts report, and packs what they reported. */
async function reportUntil(end: number, hosts: readonly string[], of: TestApp = app): Promise<void> {
  while (of.clock.now() < end) {
    for (const host of hosts) await report(of, host);
    of.clock.step(POLL);
  }
  runToEnd(of.muster.compaction);
}

/** The resolution of a chart of two hours, and how many values it and a comparison have. */
async function charted(
  from: number,
  { of = app, ...fields }: { of?: TestApp; at?: number; hostid?: number } = {},
) {
  const user = await of.user();
  const ask = async (what: string) => {
    const window = { range: 12, datefrom: from, dateto: from + 2 * HOUR, points: 1000 };
    const { status, json } = await user.get(`/api/1/reports/history/${what}`, {
      ...load,
      ...window,
      ...fields,
    });
    expect(status).toBe(200);
    return json;
  };
  const values = (means: (number | null)[]) => means.filter((mean) => mean !== null).length;
  const chart = await ask("get");
  const comparison = await ask("compare");
  return [chart.resolution, values(chart.series[0].mean), values(comparison.series[0].mean)];
}

// What `charted` returns. A comparison has a point for each two reports.
const HOURS = [3600, 2, 2];
const MINUTES = [300, 8, 8];
const REPORTS = [0, 8, 4];

/** What a moment says of its values. */
async function valuesOf(at: number, of: TestApp = app) {
  const { json } = await (await of.user()).get("/api/1/moment/get", { at });
  return json.unknown.includes("values") ? "unknown" : json.values;
}

freshAppOfEachTest();
beforeEach(async () => {
  await reportUntil(NOW, ["host-1", "host-2"]);
  await keep({ historyraw: 1, historyfiveminutes: 2 });
});

test("a chart has the finest values that are kept of its time", async () => {
  clean();
  expect(await charted(BY_HOUR)).toEqual(HOURS);
  expect(await charted(BY_MINUTES)).toEqual(MINUTES);
  expect(await charted(BY_REPORT)).toEqual(REPORTS);
});

test("a chart at a moment has the values that are kept of its time now", async () => {
  clean();
  const atItsEnd = (from: number) => charted(from, { at: from + 2 * HOUR });
  expect(await atItsEnd(BY_HOUR)).toEqual(HOURS);
  expect(await atItsEnd(BY_MINUTES)).toEqual(MINUTES);
  expect(await atItsEnd(BY_REPORT)).toEqual(REPORTS);
});

test("after more days are set, charts of time whose values were deleted still have the coarser ones", async () => {
  clean();
  await keep(LONG);
  clean();
  for (const moment of [{}, { at: NOW }]) {
    expect(await charted(BY_HOUR, moment)).toEqual(HOURS);
    expect(await charted(BY_MINUTES, moment)).toEqual(MINUTES);
    expect(await charted(BY_REPORT, moment)).toEqual(REPORTS);
  }
});

test("after more days are set, a moment says which values are kept of it", async () => {
  await keep({ historyhourly: 3 });
  clean();
  const moments = [START + HOUR, BY_HOUR + DAY / 2, BY_MINUTES, BY_REPORT];
  const said = () => Promise.all(moments.map((at) => valuesOf(at)));
  expect(await said()).toEqual(["unknown", "hour", "minutes", "message"]);
  await keep(LONG);
  clean();
  expect(await said()).toEqual(["unknown", "hour", "minutes", "message"]);
});

test("as long as nothing is deleted, charts and moments have the values of reports, also of hosts that began later", async () => {
  await keep(LONG);
  clean();
  await reportUntil(NOW + DAY, ["host-1", "host-3"]);
  expect(await charted(BY_HOUR)).toEqual(REPORTS);
  expect(await charted(NOW - HOUR, { hostid: 3 })).toEqual([0, 4, 2]);
  expect(await valuesOf(BY_HOUR)).toBe("message");
});

test("after an upgrade from a version that noted no deletion, charts have the values that are stored", async () => {
  clean();
  for (const { since } of RESOLUTIONS) app.db.$client.run(`delete from settings where key = '${since}'`);
  const upgraded = new TestApp({ db: app.db });
  upgraded.clock.step(NOW - upgraded.clock.now());
  await keep(LONG, upgraded);
  for (const pass of [() => undefined, () => clean(upgraded)]) {
    pass();
    expect(await charted(BY_HOUR, { of: upgraded })).toEqual(HOURS);
    expect(await charted(BY_MINUTES, { of: upgraded })).toEqual(MINUTES);
    expect(await charted(BY_REPORT, { of: upgraded })).toEqual(REPORTS);
    expect(await valuesOf(BY_MINUTES, upgraded)).toBe("minutes");
  }
});

test("a restored host brings back values of its own, and charts of other hosts still have theirs", async () => {
  app.deleteHosts([2]);
  clean();
  await keep(LONG);
  app.restoreHosts([2]);
  clean();
  expect(await charted(BY_MINUTES)).toEqual(MINUTES);
  expect(await charted(BY_MINUTES, { hostid: 2 })).toEqual(MINUTES);
});

test("after the clock was a year ahead for a while, charts have the values of reports since then", async () => {
  app.clock.step(365 * DAY);
  clean();
  app.clock.step(-365 * DAY);
  await reportUntil(NOW + 3 * HOUR, ["host-1"]);
  expect(await charted(NOW)).toEqual(REPORTS);
});
