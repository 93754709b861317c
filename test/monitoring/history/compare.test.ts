import { beforeEach, expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";
import { HistoryFixture, HOUR } from "./history-fixture.ts";

const COMPARE = "/api/1/reports/history/compare";
const CPU = [STATISTIC.cpuUser.code, STATISTIC.cpuSystem.code, STATISTIC.cpuWait.code];
const DISK = STATISTIC.spacePercent.code;

let fixture: HistoryFixture;
let user: TestClient;

function report(name: string, value: number) {
  return fixture.app.report({
    id: name,
    hostname: name,
    services: [
      { name, type: 5, body: systemXml({ user: value, system: 2, wait: 1 }) },
      { name: "root", type: 0, body: filesystemXml({ percent: value }) },
      { name: "data", type: 0, body: filesystemXml({ percent: 50 }) },
    ],
  });
}

/** Two hosts report every 30 s for two hours; the second pauses in the middle. */
beforeEach(async () => {
  fixture = new HistoryFixture();
  for (let i = 0; i < 240; i++) {
    await report("a", 10);
    if (i < 80 || i >= 160) await report("b", 20 + (i % 2));
    fixture.app.clock.step(30);
  }
  user = await fixture.app.user();
});

const range = { datefrom: START, dateto: START + 2 * HOUR };

test("several hosts have their numbers at the same points, with gaps, packed or not", async () => {
  const fields = { hostid: [1, 2], type: CPU, ...range, points: 12 };
  const { json } = await user.get(COMPARE, fields);
  expect(json.resolution).toBe(600);
  expect(json.times).toEqual(Array.from({ length: 12 }, (_, i) => START + i * 600));
  expect(json.series).toMatchObject([
    { hostid: 1, hostname: "a", serviceid: 1, servicename: "a", mean: Array(12).fill(13) },
    {
      hostid: 2,
      hostname: "b",
      mean: [...Array(4).fill(23.5), ...Array(4).fill(null), ...Array(4).fill(23.5)],
    },
  ]);
  fixture.app.clock.step(HOUR);
  fixture.pack();
  user = await fixture.app.user();
  expect((await user.get(COMPARE, fields)).json.series).toEqual(json.series);
});

test("there are at most as many points as are asked for, also if the time begins within a step", async () => {
  const { json } = await user.get(COMPARE, {
    hostid: 1,
    type: CPU,
    datefrom: START + 60,
    dateto: START + 2 * HOUR + 60,
    points: 12,
  });
  expect(json.times.length).toBeLessThanOrEqual(12);
  expect(json.times[0]).toBeLessThanOrEqual(START + 60);
  expect(json.times.at(-1) + json.resolution).toBeGreaterThanOrEqual(START + 2 * HOUR + 60);
});

test("of several services of a host the highest counts, or the one that is asked for", async () => {
  const { json } = await user.get(COMPARE, { hostid: 1, type: DISK, ...range, points: 4 });
  expect(json.series).toEqual([
    { hostid: 1, hostname: "a", serviceid: 0, servicename: "", mean: Array(4).fill(50) },
  ]);
  const ofService = await user.get(COMPARE, { serviceid: 2, type: DISK, ...range, points: 4 });
  expect(ofService.json.series).toMatchObject([{ hostid: 1, servicename: "root", mean: Array(4).fill(10) }]);
});

test("unknown hosts and services are left out; none or more than twelve are refused", async () => {
  const { json } = await user.get(COMPARE, { hostid: [99, 1], serviceid: 99, type: CPU, ...range });
  expect(json.series.map(({ hostid }: { hostid: number }) => hostid)).toEqual([1]);
  const none = () => user.get(COMPARE, { type: CPU, ...range });
  await expectRefusal(fixture.app, none, 400, "argument.missing");
  const ids = Array.from({ length: 12 }, (_, i) => i + 1);
  const many = () => user.get(COMPARE, { hostid: ids, serviceid: 1, type: CPU, ...range });
  await expectRefusal(fixture.app, many, 400, "argument.invalid");
});
