/** A limit that many hosts exceed is deleted in steps. */
import { expect, test } from "bun:test";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

const SPACE = 18;
const HOSTS = 50;

async function report(app: TestApp, host: number, percent = 95): Promise<void> {
  const services = [{ name: "rootfs", type: 0, body: filesystemXml({ percent }) }];
  const id = `agent-${host}`;
  await app.report({ id, hostname: id, at: app.clock.now(), incarnation: START - 60, poll: 3600, services });
}

/** Hosts that all exceed a limit, with a clock that runs out each time it is read. */
async function site() {
  let elapsed = 0;
  const app = new TestApp({
    monotonic: () => {
      elapsed += 30;
      return elapsed;
    },
  });
  const admin = await app.admin();
  await admin.post("/api/1/limits/create", { name: "disk", statistics: [SPACE], warning: 90 });
  for (let host = 0; host < HOSTS; host++) await report(app, host);
  const count = (what: string) => app.rows<{ n: number }>(`select count(*) as n from ${what}`)[0]?.n ?? -1;
  const open = () => count("downtime_intervals where ended_at is null and limit_id = 1");
  const names = async () =>
    (await admin.get("/api/1/limits/list")).json.records.map(({ name }: { name: string }) => name);
  return { app, admin, count, open, names };
}

test("the failures of a deleted limit end in steps, also after a restart, each once", async () => {
  const { app, admin, count, open, names } = await site();
  expect(open()).toBe(HOSTS);
  expect((await admin.post("/api/1/limits/delete", { id: 1 })).status).toBe(200);
  expect(await names()).toEqual([]);
  expect((await admin.get("/api/1/limits/get", { id: 1 })).status).toBe(404);
  expect(open()).toBe(HOSTS - 20);
  expect(count("limits")).toBe(1);
  // A host whose failure has yet to end reports in between.
  app.hostCache.forgetAll();
  await report(app, HOSTS - 1);
  expect(count("events where limit_id = 1 and state = 1")).toBe(HOSTS);
  let steps = 0;
  for (; app.muster.statisticLimits.endStep(); steps++) app.hostCache.forgetAll();
  expect(steps).toBe(2);
  expect([open(), count("limits"), count("limit_states")]).toEqual([0, 0, 0]);
  expect(count("events where limit_id = 1 and state = 0")).toBe(HOSTS);
  expect(count("services where limit_level > 0 or led <> 2")).toBe(0);
  expect(examine(app.db, 0)).toEqual([]);
  await report(app, 0);
  expect(open()).toBe(0);
});

test("the failures of a disabled limit end in steps, and it stays", async () => {
  const { app, admin, count, open, names } = await site();
  await admin.post("/api/1/limits/update", { id: 1, enabled: false });
  expect(open()).toBe(HOSTS - 20);
  while (app.muster.statisticLimits.endStep());
  expect([open(), count("limit_states")]).toEqual([0, 0]);
  expect(await names()).toEqual(["disk"]);
  expect(app.muster.statisticLimits.endStep()).toBe(false);
  await admin.post("/api/1/limits/update", { id: 1, enabled: true });
  await report(app, 3);
  expect(open()).toBe(1);
});

test("the sums of a deleted limit are deleted in steps, and then the limit", async () => {
  const { app, admin, count, names } = await site();
  const SUMS = 1200;
  const before = () => count("limit_sums");
  const numbers = `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${SUMS / HOSTS})`;
  const { $client } = app.db;
  $client.run(`insert into names (name, name_key) ${numbers} select 'net' || i, 'net' || i from n`);
  $client.run(
    `insert into limit_sums (limit_id, host_id, name_id, month_from, counted_from, sum, at, counters)
     select 1, hosts.id, names.id, 0, 0, 5, 0, '[]' from hosts, names where names.name like 'net%'`,
  );
  expect(before()).toBe(SUMS);
  expect((await admin.post("/api/1/limits/delete", { id: 1 })).status).toBe(200);
  expect(await names()).toEqual([]);
  const left = [before()];
  while (app.muster.statisticLimits.endStep()) left.push(before());
  expect(left).toEqual([SUMS, SUMS, SUMS - 500, SUMS - 1000, 0]);
  expect([count("limits"), count("limit_states")]).toEqual([0, 0]);
});
