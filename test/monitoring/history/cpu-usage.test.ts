/** The CPU usage of a host is the same number wherever it is shown: the sum of all parts, at most 100 %. */
import { expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { systemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const report = (name: string, user: number, others = "") =>
  app.report({
    id: name,
    hostname: name,
    incarnation: START - 3600,
    services: [{ name, type: 5, body: systemXml({ user, system: 1 }).replace("</cpu>", `${others}</cpu>`) }],
  });

const STOLEN = "<steal>60</steal><guest>7</guest><guestnice>2</guestnice><softirq>20</softirq>";

const usages = async () => {
  const top = await admin.get("/api/1/reports/history/top", { type: [...CPU_PARTS] });
  const glance = await admin.get("/api/1/status/hosts/glance", { id: [1, 2, 3] });
  const dates = { datefrom: START, dateto: START + 120, points: 2 };
  const compared = { hostid: [1, 2, 3], type: [...CPU_PARTS], ...dates };
  return {
    list: (await admin.get("/api/1/status/hosts/list")).json.records.map(({ cpu }: { cpu: number }) => cpu),
    glance: glance.json.records.map(({ cpu }: { cpu: number[] }) => cpu.at(-1)),
    compare: (await admin.get("/api/1/reports/history/compare", compared)).json.series.map(
      ({ mean }: { mean: number[] }) => mean[0],
    ),
    top: top.json.records.map((row: { hostname: string; value: number }) => [row.hostname, row.value]),
    courses: top.json.records.map(({ course }: { course: number[] }) => course.at(-1)),
  };
};

test("a host whose time is stolen is as busy in rankings, means and comparisons as in the list", async () => {
  await report("calm", 9);
  await report("stolen", 2, STOLEN);
  await report("rounded", 99.1);
  app.clock.step(60);
  expect(await usages()).toEqual({
    list: [10, 100, 92],
    glance: [10, 92, 100],
    compare: [10, 92, 100],
    top: [
      ["rounded", 100],
      ["stolen", 92],
      ["calm", 10],
    ],
    courses: [100, 92, 10],
  });
});

test("a sum of values other than the parts of CPU usage can exceed 100", async () => {
  await report("a", 60);
  const type = [STATISTIC.cpuUser.code, STATISTIC.memoryPercent.code, STATISTIC.swapPercent.code];
  await app.report({ services: [{ name: "a", type: 5, body: systemXml({ user: 60, memory: 70 }) }] });
  expect((await admin.get("/api/1/reports/history/top", { type })).json.records[0].value).toBe(130);
});

test("a limit on CPU usage is exceeded by stolen time, and its message says at most 100 %", async () => {
  const content = { name: "CPU busy", statistics: [...CPU_PARTS], warning: 90, minutes: 0 };
  expect((await admin.post("/api/1/limits/create", content)).status).toBe(200);
  await report("stolen", 20, STOLEN);
  const { records } = (await admin.get("/api/1/reports/events/list")).json;
  expect(records[0].event).toBe("CPU busy: CPU usage is 100 %, above 90 % (warning).");
});

test("a failure of CPU usage that an agent reports marks every part", async () => {
  await app.report({
    services: [
      { name: "sys", type: 5, status: 2, body: systemXml().replace("</cpu>", "<steal>97</steal></cpu>") },
    ],
    event: { service: "sys", serviceType: 5, id: 2, message: "cpu usage of 97% matches resource limit" },
  });
  const { records } = (await admin.get("/api/1/reports/history/top", { type: STATISTIC.cpuSteal.code })).json;
  expect(records[0].exceeded).toBe(2);
});
