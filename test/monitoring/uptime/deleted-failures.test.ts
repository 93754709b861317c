/** Time whose failures retention has deleted is neither up nor down. */
import { beforeEach, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

const HOUR = 3600;
const DAY = 86_400;
/** Six hours each. */
const CELLS = 40;

freshAppOfEachTest();

const report = (status = 0, event: object | null = null) =>
  app.report({
    at: app.clock.now(),
    incarnation: START - HOUR,
    poll: HOUR,
    services: [{ name: "web", status }],
    event: event && { service: "web", collectedSec: app.clock.now(), ...event },
  });

async function hours(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    app.pass(HOUR);
    await report();
  }
}

function clean(): void {
  app.clock.step(HOUR);
  for (let steps = 0; app.muster.retention.step(); steps++)
    if (steps > 1000) throw new Error("retention does not end");
}

/** What is said about ten days from the first report of the host on, in hours. */
async function said() {
  const admin = await app.admin();
  const get = async (path: string, fields: Fields) =>
    (await admin.get(`/api/1/reports/uptime/${path}`, { range: 12, ...fields })).json;
  const tenDays = { datefrom: START, dateto: START + 10 * DAY };
  const budget = await get("budget", { ...tenDays, cells: CELLS });
  const hoursOf = (seconds: number) => Math.round(seconds / HOUR);
  const upUntilOutage = async (fields: Fields) => {
    const { cells } = await get("bars", {
      id: 1,
      datefrom: START,
      dateto: START + 60 * HOUR,
      cells: 24,
      ...fields,
    });
    return hoursOf(cells.reduce((sum: number, { up }: { up: number }) => sum + up, 0));
  };
  return {
    up: hoursOf(budget.up),
    down: hoursOf(budget.down),
    excluded: hoursOf(budget.excluded),
    unknown: hoursOf(budget.unknown),
    cells: budget.items[0].cells.join(""),
    webDown: hoursOf((await get("get", { id: 1, ...tenDays })).items[0].downseconds),
    early: await upUntilOutage({}),
    earlyService: await upUntilOutage({ service: "web" }),
    earlyInPast: await upUntilOutage({ at: app.clock.now() }),
  };
}

/** Nine days: on the second the host was ignored for six hours, on the fourth it was down and then a service failed. */
beforeEach(async () => {
  await report();
  await hours(30);
  app.db.$client.run("update hosts set poll = 3600, skew = 3");
  const admin = await app.admin();
  const settings = { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "monit" };
  await admin.post("/api/1/admin/hosts/update", { ...settings, status: 2 });
  await hours(6);
  await (await app.admin()).post("/api/1/admin/hosts/update", { ...settings, status: 0 });
  await hours(36);
  app.pass(10 * HOUR);
  await report();
  await report(512, {});
  app.pass(2 * HOUR);
  await report(0, { state: 0 });
  await hours(9 * 24 - 84);
});

const keepDays = async (eventdays: number) =>
  (await app.admin()).post("/api/1/admin/settings/update", { eventdays });

test("as long as nothing is deleted, all time counts", async () => {
  clean();
  const { up, cells, ...others } = await said();
  const early = { early: 54, earlyService: 54, earlyInPast: 54 };
  expect(others).toEqual({ unknown: 0, excluded: 6, down: 7, webDown: 2, ...early });
  expect(cells.slice(0, 16)).toBe("1111101111113311");
});

test("time before the end of what was deleted is unknown, and later time counts as before", async () => {
  await keepDays(6);
  clean();
  const { unknown, excluded, down, cells, webDown } = await said();
  expect({ unknown, excluded, down, webDown }).toEqual({ unknown: 36, excluded: 0, down: 7, webDown: 2 });
  expect(cells.slice(0, 16)).toBe("0000001111113311");
});

test("a deleted outage is no uptime, in any report, also after events are kept for longer again", async () => {
  await keepDays(1);
  clean();
  const { unknown, up, down, cells, ...others } = await said();
  expect({ unknown, up, down }).toEqual({ unknown: 84, up: 133, down: 0 });
  expect(cells.slice(0, 16)).toBe("0000000000000011");
  expect(others).toMatchObject({ webDown: 0, early: 0, earlyService: 0, earlyInPast: 0 });
  await keepDays(1095);
  clean();
  expect(await said()).toMatchObject({ unknown: 84, up: 134, down: 0 });
});

test("what is unknown remains unknown after a restart", async () => {
  await keepDays(1);
  clean();
  const { unknown } = await said();
  const next = new TestApp({ snapshot: app.snapshot() });
  expect(next.settings.get("uptimesince")).toBe(START + unknown * HOUR);
});
