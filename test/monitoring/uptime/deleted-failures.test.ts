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

function clean(of: TestApp = app): void {
  of.clock.step(HOUR);
  for (let steps = 0; of.muster.retention.step(); steps++)
    if (steps > 1000) throw new Error("retention does not end");
}

/** What is said about ten days from the first report of the host on, in hours. */
async function said(by: TestApp = app) {
  const admin = await by.admin();
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
    earlyInPast: await upUntilOutage({ at: by.clock.now() }),
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

/** This app after an upgrade from a version that deleted failures without noting it. */
function upgraded(): TestApp {
  const keptFrom = app.clock.now() - app.settings.get("eventdays") * DAY;
  for (const table of ["downtime_intervals", "excluded_intervals"])
    app.db.$client.run(`delete from ${table} where ended_at < ${keptFrom}`);
  app.db.$client.run("delete from settings where key = 'uptimesince'");
  app.db.$client.run(
    `insert into revisions (kind, object_id, until) values ('recording', 0, ${app.clock.now()})`,
  );
  return new TestApp({ snapshot: app.snapshot() });
}

test("after an upgrade, time before the days that the earlier version kept is unknown", async () => {
  await keepDays(5);
  const next = upgraded();
  clean(next);
  const { unknown, up, down } = await said(next);
  // Retention ran an hour after the nine days, so it has deleted what ended before the first four and an hour.
  expect({ unknown, up, down }).toEqual({ unknown: 4 * 24 + 1, up: 5 * 24, down: 0 });
  await (await next.admin()).post("/api/1/admin/settings/update", { eventdays: 1095 });
  clean(next);
  expect(await said(next)).toMatchObject({ unknown: 4 * 24 + 1, down: 0 });
});

test("after an upgrade, all time counts if no host is older than the days that are kept", async () => {
  await keepDays(10);
  const next = upgraded();
  clean(next);
  expect(await said(next)).toMatchObject({ unknown: 0, excluded: 6, down: 7 });
  expect(next.settings.get("uptimesince")).toBe(0);
});

test("without an upgrade, all time counts until something is deleted, however old the hosts are", async () => {
  const young = new TestApp();
  await young.report({ at: young.clock.now() });
  young.settings.set("eventdays", 1);
  young.clock.step(2 * DAY);
  clean(young);
  expect(young.settings.get("uptimesince")).toBe(0);
});
