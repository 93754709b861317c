/** Charts of a moment end at it, also if the host had not reported yet in the hour of the moment. */
import { beforeEach, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { systemXml } from "../../support/agent-messages.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { runToEnd } from "../history/history-fixture.ts";

const HOUR = 3600;
const DAY = 86_400;
/** Seconds after each full hour at which the host begins to report in it. */
const FIRST_REPORT = 900;
const HOURS = 40;

let user: TestClient;

freshAppOfEachTest();
beforeEach(async () => {
  for (let hour = 0; hour < HOURS; hour++) {
    app.clock.step(FIRST_REPORT);
    for (let minutes = 15; minutes < 60; minutes += 5) {
      const services = [{ name: "sys", type: 5, body: systemXml({ load: hour }) }];
      await app.report({ incarnation: START - HOUR, poll: 300, services });
      app.clock.step(300);
    }
  }
  app.clock.step(3 * HOUR);
  runToEnd(app.muster.compaction);
  user = await app.user();
});

const load = { type: STATISTIC.load.code, descriptor: "1min" };

/** The last hour that any chart of the moment shows. */
async function lastHours(at: number): Promise<(number | undefined)[]> {
  const last = (values: (number | null)[]) => values.findLast((value) => value !== null) ?? undefined;
  const charts = [5000, 200, 20].map(async (points) => {
    const args = { hostid: 1, ...load, at, datefrom: at - DAY, dateto: at, points };
    return last((await user.get("/api/1/reports/history/get", args)).json.series[0].max);
  });
  const compare = { hostid: [1], ...load, at, datefrom: at - DAY, dateto: at, points: 25 };
  const compared = (await user.get("/api/1/reports/history/compare", compare)).json.series[0].mean;
  const { records } = (await user.get("/api/1/status/hosts/glance", { id: 1, at })).json;
  return [...(await Promise.all(charts)), last(compared), last(records[0].loads)];
}

for (const [text, seconds] of [
  ["at a full hour", 0],
  ["a minute later", 60],
  ["just before the first report of the hour", FIRST_REPORT - 1],
] as const)
  test(`${text}, charts have no values of that hour`, async () => {
    expect(await lastHours(START + 30 * HOUR + seconds)).toEqual([29, 29, 29, 29, 29]);
  });

test("charts have the values of the hour that came by the moment", async () => {
  // A glance has means of the hours back from the moment: here of eight values of 29 and one of 30.
  expect(await lastHours(START + 30 * HOUR + FIRST_REPORT + 1)).toEqual([30, 30, 30, 30, 29.1]);
});

test("in the last hour of a day, charts have the hours before it", async () => {
  const lastHour = START + 35 * HOUR;
  expect(new Date(lastHour * 1000).getUTCHours()).toBe(23);
  expect(await lastHours(lastHour)).toEqual([34, 34, 34, 34, 34]);
});
