/** The effects of a limit beyond its failure: in events, status, rules, maintenance, acknowledgements and uptime. */

import { expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { filesystemXml, portXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";

const SPACE = 18;
const LIMIT = {
  name: "Disk",
  statistics: [SPACE],
  warning: 80.5,
  critical: 90,
  note: "Look for old logs.",
  runbook: "https://runbooks.example.org/disk",
};

/** An app with a limit, and a way to report this disk usage. */
async function limited(limit: object = {}) {
  const app = new TestApp();
  const admin = await app.admin();
  expect((await admin.post("/api/1/limits/create", { ...LIMIT, ...limit })).json).toEqual({ id: 1 });
  const disk = async (percent: number) => {
    app.pass(30);
    const services = [{ name: "rootfs", type: 0, body: filesystemXml({ percent }) }];
    const reply = await app.report({ at: app.clock.now(), incarnation: START - 3600, services });
    expect(reply.status).toBe(200);
  };
  return { app, admin, disk };
}

test("a limit that is exceeded shows in events and on the host, marked as Muster's own, with note and runbook", async () => {
  const { admin, disk } = await limited();
  await disk(85);
  await disk(95);
  await disk(50);
  const { records } = (await admin.get("/api/1/reports/events/list", { dir: "asc" })).json;
  const shown = records.map((event: Record<string, unknown>) => [
    event.eventtype,
    event.limitid,
    event.severity,
    event.event,
  ]);
  const help = " Look for old logs. Runbook: https://runbooks.example.org/disk";
  expect(shown).toEqual([
    [1, 1, 1, `Disk: space usage is 85 %, above 80.5 % (warning).${help}`],
    [1, 1, 2, `Disk: space usage is 95 %, above 90 % (critical).${help}`],
    [0, 1, 0, "Disk: space usage is 50 %, no longer above 80.5 %"],
  ]);
  const event = (await admin.get("/api/1/reports/events/get", { id: 1 })).json;
  expect(event).toMatchObject({ event: "Resource", action: "Alert", servicetype: "Filesystem", limitid: 1 });
});

test("a service is orange with a warning and red when critical, and the limit counts both", async () => {
  const { admin, disk } = await limited();
  const stateNow = async () => {
    const { host } = (await admin.get("/api/1/status/hosts/get", { id: 1 })).json.records;
    const { warnings, criticals } = (await admin.get("/api/1/limits/get", { id: 1 })).json;
    const [service] = host.services;
    return [host.led, service.led, service.status, warnings, criticals];
  };
  await disk(50);
  expect(await stateNow()).toEqual([2, 2, "Ok", 0, 0]);
  await disk(85);
  expect(await stateNow()).toEqual([1, 1, "Limit exceeded: warning", 1, 0]);
  await disk(95);
  expect(await stateNow()).toEqual([0, 0, "Limit exceeded: critical", 0, 1]);
});

const alerts = (app: TestApp) =>
  app.rows(
    "select name, event_id as event, closed_at is not null as closed from alerts join rules on rules.id = rule_id order by name",
  );

test("rules match what limits find, by severity too", async () => {
  const { app, admin, disk } = await limited();
  const channel = { name: "hook", kind: "webhook", settings: { url: "http://127.0.0.1:9/" } };
  await admin.post("/api/1/admin/channels/create", channel);
  const rule = (name: string, filter = {}) =>
    admin.post("/api/1/admin/rules/create", {
      name,
      delay: 60,
      filter: { eventtypes: 2, ...filter },
      ...notifying(1),
    });
  await rule("agents", { severities: [0], states: [1] });
  await rule("all");
  await rule("critical", { severities: [2] });
  await disk(85);
  expect(alerts(app)).toEqual([{ name: "all", event: 1, closed: 0 }]);
  await disk(95);
  expect(alerts(app)).toEqual([
    { name: "all", event: 1, closed: 0 },
    { name: "critical", event: 2, closed: 0 },
  ]);
  await disk(50);
  while (app.muster.dispatcher.step());
  expect(alerts(app)).toEqual([
    { name: "all", event: 1, closed: 1 },
    { name: "critical", event: 2, closed: 1 },
  ]);
  expect(app.rows("select * from deliveries")).toEqual([]);
});

test("a failure of a limit is acknowledged and dismissed like any other, and a worse event of it inherits both", async () => {
  const { app, admin, disk } = await limited();
  await disk(85);
  expect((await admin.post("/api/1/problems/acknowledge", { id: 1, note: "on it" })).status).toBe(200);
  expect((await admin.post("/api/1/reports/events/dismiss", { id: 1 })).status).toBe(200);
  await disk(95);
  const { json } = await admin.get("/api/1/reports/events/get", { id: 2 });
  expect(json).toMatchObject({ active: 1, dismissed: 1, acknowledged: { uname: "admin" } });
  await disk(50);
  expect(app.rows("select event_id, ended_at is null as open from acknowledgements")).toEqual([
    { event_id: 2, open: 0 },
  ]);
});

test("a failure of a limit is not downtime, unless the limit says so", async () => {
  const { admin, disk } = await limited();
  await disk(95);
  await disk(95);
  const downtime = async () => {
    const { json } = await admin.get("/api/1/reports/uptime/get", { id: 1 });
    return JSON.stringify(json);
  };
  const without = await downtime();
  await admin.post("/api/1/limits/update", { id: 1, downtime: true });
  expect(await downtime()).not.toBe(without);
  await admin.post("/api/1/limits/update", { id: 1, downtime: false });
  expect(await downtime()).toBe(without);
});

test("a sum or a share by processor that is just the value of a limit does not exceed it", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const limits = [
    { name: "CPU", statistics: CPU_PARTS, warning: 90 },
    { name: "Load", statistics: [0], descriptor: "1min", perprocessor: true, warning: 0.35 },
  ];
  for (const limit of limits) await admin.post("/api/1/limits/create", limit);
  const openedBy = async (wait: number, load: number) => {
    app.pass(30);
    const body = systemXml({ user: 30.1, system: 34.2, wait, load });
    await app.report({
      at: app.clock.now(),
      incarnation: START - 3600,
      platform: { cpu: 3 },
      services: [{ name: "host-1", type: 5, body }],
    });
    return app.rows<{ message: string }>("select message from events order by id").map((row) => row.message);
  };
  // As binary fractions, 30.1 + 34.2 + 25.7 is more than 90, and 1.05 / 3 more than 0.35.
  expect(await openedBy(25.7, 1.05)).toEqual([]);
  expect(await openedBy(25.8, 1.08)).toEqual([
    "CPU: CPU usage is 90.1 %, above 90 % (warning).",
    "Load: load average (1min) per processor is 0.36, above 0.35 (warning).",
  ]);
});

test("the message says what is compared, in units and decimals that tell it from the value of the limit", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const limits = [
    { name: "Load", statistics: [0], descriptor: "1min", perprocessor: true, warning: 1.5 },
    { name: "Port", statistics: [15], warning: 0.005 },
    { name: "Disk", statistics: [19], warning: 800 },
    { name: "Memory", statistics: [4, 6], warning: 50 },
  ];
  for (const limit of limits) await admin.post("/api/1/limits/create", limit);
  await app.report({
    platform: { cpu: 8 },
    services: [
      { name: "host-1", type: 5, body: systemXml({ load: 12.03, memory: 60 }) },
      { name: "db", type: 4, body: portXml({ port: 5432, seconds: 0.0063 }) },
      { name: "rootfs", type: 0, body: filesystemXml({ percent: 80.1 }) },
    ],
  });
  expect(app.rows<{ message: string }>("select message from events order by message")).toEqual([
    { message: "Disk: space usage is 801 MiB, above 800 MiB (warning)." },
    { message: "Load: load average (1min) per processor is 1.504, above 1.5 (warning)." },
    { message: "Memory: memory usage + swap usage is 60 %, above 50 % (warning)." },
    { message: "Port: port response time is 6.3 ms, above 5 ms (warning)." },
  ]);
});

test("a limit that is made to be about another metric ends its failures, and counts the time of the new one", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const [cpu, memory] = [1, 4];
  const limit = { name: "Busy", statistics: [memory], warning: 90, minutes: 1 };
  await admin.post("/api/1/limits/create", limit);
  const report = async (values: object) => {
    app.pass(30);
    const services = [{ name: "host-1", type: 5, body: systemXml(values) }];
    await app.report({ at: app.clock.now(), incarnation: START - 3600, services });
  };
  const about = (statistic: number) => {
    app.pass(1);
    return admin.post("/api/1/limits/update", { id: 1, statistics: [statistic], warning: 80 });
  };
  const events = () =>
    app
      .rows<{ date: number; message: string }>("select date, message from events order by id")
      .map(({ date, message }) => `@${date - START} ${message}`);
  for (const percent of [95, 95, 95]) await report({ memory: percent, user: 85 });
  await about(cpu);
  for (const percent of [85, 85]) await report({ memory: 95, user: percent });
  // Pending for half a minute, until it is about memory again.
  await about(memory);
  await report({ memory: 95 });
  await report({ memory: 95 });
  expect(events()).toEqual([
    "@90 Busy: memory usage is 95 %, above 90 % for 1m (warning).",
    "@121 Busy: the limit no longer applies",
  ]);
  app.muster.statisticLimits.update({ id: 1, warning: 85 });
  app.hostCache.forgetAll();
  await report({ memory: 95 });
  expect(events().slice(2)).toEqual(["@242 Busy: memory usage is 95 %, above 85 % for 1m (warning)."]);
  expect(app.rows("select limit_id from downtime_intervals where ended_at is null")).toHaveLength(1);
});

test("a service that exceeds a limit before and after the limit is about another metric stays red", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const [cpu, memory] = [1, 4];
  await admin.post("/api/1/limits/create", { name: "Busy", statistics: [memory], critical: 80 });
  const report = async () => {
    app.pass(30);
    const services = [{ name: "host-1", type: 5, body: systemXml({ memory: 95, user: 95 }) }];
    await app.report({ at: app.clock.now(), incarnation: START - 3600, services });
    return app.rows("select limit_level as level, led from services");
  };
  expect(await report()).toEqual([{ level: 2, led: 0 }]);
  app.pass(1);
  await admin.post("/api/1/limits/update", { id: 1, statistics: [cpu] });
  expect(await report()).toEqual([{ level: 2, led: 0 }]);
  expect(await report()).toEqual([{ level: 2, led: 0 }]);
});

test("values that contradict each other are refused, and nothing is stored", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  for (const [fields, message] of [
    [{}, "warning is required: a value, unless critical is given"],
    [{ warning: 90, critical: 80 }, "critical must be above the value of the warning"],
    [{ warning: 10, critical: 20, direction: "below" }, "critical must be below the value of the warning"],
    [{ warning: 90, clearvalue: 95 }, "clearvalue must be at or below the value that opens a failure"],
    [
      { warning: 90, statistics: [25] },
      "statistics[0] must be the code of a statistic type that is a number",
    ],
    [
      { warning: 90, filter: { hosts: [99] } },
      "filter.hosts[0] must be the id of a host; there is no host 99",
    ],
    [
      { warning: 90, runbook: "javascript:alert(1)" },
      "runbook must be an address that begins with http:// or https://, or empty for none",
    ],
  ] as const) {
    const reply = await admin.post("/api/1/limits/create", { name: "new", statistics: [SPACE], ...fields });
    expect([reply.status, reply.json.error]).toEqual([400, message]);
  }
  expect(app.rows("select * from limits")).toEqual([]);
});

test("a limit about a group or a tag follows hosts as they join and leave", async () => {
  const { app, admin, disk } = await limited({ filter: { tags: ["env=prod"] }, name: "by tag" });
  await admin.post("/api/1/admin/groups/create", { name: "edge" });
  await admin.post("/api/1/limits/create", { ...LIMIT, name: "by group", filter: { hostgroups: [1] } });
  const open = () =>
    app
      .rows<{ id: number }>("select limit_id as id from limit_states where level > 0 order by 1")
      .map(({ id }) => id);
  await disk(85);
  expect(open()).toEqual([]);
  await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
  await disk(85);
  expect(open()).toEqual([2]);
  await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["env=prod"] });
  await disk(85);
  expect(open()).toEqual([1, 2]);
  await admin.post("/api/1/admin/groups/remove", { id: 1, hostid: 1 });
  await disk(85);
  expect(open()).toEqual([1]);
  await admin.post("/api/1/admin/tags/remove", { hosts: [1], tags: ["env=prod"] });
  await disk(85);
  expect(open()).toEqual([]);
  expect(app.rows("select message from events where state = 0 order by id")).toEqual([
    { message: "by group: the limit no longer applies" },
    { message: "by tag: the limit no longer applies" },
  ]);
});
