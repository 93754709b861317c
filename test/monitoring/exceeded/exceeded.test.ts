/** Numbers are marked by limits, Muster's and those of agents, and by nothing else. */
import { expect, test } from "bun:test";
import { STATISTIC as S } from "../../../src/monit/statistic-types.ts";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";

const host = "web-1";

/** Reports a host with a full disk and memory. */
async function report(app: TestApp, message: object = {}): Promise<void> {
  const services = [
    { name: host, type: 5, body: systemXml({ user: 99, memory: 99 }) },
    { name: "data", type: 0, body: filesystemXml({ percent: 96 }) },
    { name: "root", type: 0, body: filesystemXml({ percent: 95 }) },
  ];
  const at = app.clock.now();
  await app.report({
    id: "a",
    hostname: host,
    at,
    incarnation: START - 60,
    poll: 3600,
    services,
    ...message,
  });
}

async function levels(app: TestApp) {
  const user = await app.user();
  const glance = (await user.get("/api/1/status/hosts/glance", { id: 1 })).json.records[0];
  const top = async (...type: number[]) =>
    (await user.get("/api/1/reports/history/top", { type })).json.records[0].exceeded;
  return {
    glance: glance.exceeded,
    cpu: await top(S.cpuUser.code, S.cpuSystem.code),
    disk: await top(S.spacePercent.code),
  };
}

test("high numbers without a limit are not marked", async () => {
  const app = new TestApp();
  await report(app);
  expect(await levels(app)).toEqual({ glance: { cpu: 0, mem: 0, disk: 0, load: 0 }, cpu: 0, disk: 0 });
});

test("a limit marks the numbers that exceed it, as a warning or critical", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const create = (fields: Fields) => admin.post("/api/1/limits/create", fields);
  await create({ name: "disk", statistics: [S.spacePercent.code], warning: 90, minutes: 0 });
  await create({ name: "memory", statistics: [S.memoryPercent.code], critical: 90, minutes: 0 });
  await report(app);
  expect(await levels(app)).toEqual({ glance: { cpu: 0, mem: 2, disk: 1, load: 0 }, cpu: 0, disk: 1 });
  await create({ name: "cpu", statistics: [S.cpuUser.code, S.cpuSystem.code], warning: 99.5, minutes: 0 });
  expect((await admin.post("/api/1/limits/update", { id: 1, enabled: false })).status).toBe(200);
  app.clock.step(60);
  await report(app);
  expect((await levels(app)).disk).toBe(0);
});

test("so does a resource limit of the agent, of the number that its message names", async () => {
  const app = new TestApp();
  const message = "cpu user usage of 99.0% matches resource limit [cpu user usage > 90.0%]";
  await report(app, { event: { service: host, serviceType: 5, id: 2, message } });
  expect(await levels(app)).toEqual({ glance: { cpu: 2, mem: 0, disk: 0, load: 0 }, cpu: 2, disk: 0 });
  app.clock.step(60);
  const space = "space usage 95.0% matches resource limit [space usage > 90.0%]";
  await report(app, { event: { service: "root", serviceType: 0, id: 2, message: space } });
  // The fullest disk is another.
  expect((await levels(app)).glance.disk).toBe(0);
});
