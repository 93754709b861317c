import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TestClient } from "../support/client.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { CYCLE, MonitoredProcess, RealAgent, recordingProxy } from "./real-agent.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("monit");

// The tests tell one story, in this order: each continues where the previous one ended.
const HOSTNAME = "web-1.example.org";
const SKEW = 3;
const NONEXIST = 512;
const INSTANCE = 65_536;
const HEARTBEAT = 1_048_576;

const folder = temporaryFolder();
const worker = new MonitoredProcess(join(folder.path, "worker.pid"));
let muster: Muster;
let proxy: Awaited<ReturnType<typeof recordingProxy>>;
let agent: RealAgent;
let admin: TestClient;
let hostId = 0;

beforeAll(async () => {
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  proxy = await recordingProxy(muster.port);
  worker.start();
  agent = new RealAgent({
    folder: join(folder.path, "agent"),
    collectorUrl: `http://monit:${encodeURIComponent(COLLECTOR_PASSWORD)}@127.0.0.1:${proxy.port}/collector`,
    checks: `
      check system ${HOSTNAME}
      check file controls with path ${folder.path}/agent/monitrc
      check process worker with pidfile ${worker.pidFile}
        if does not exist then alert`,
  });
});

afterAll(async () => {
  await agent?.kill();
  await worker.stop();
  proxy?.stop();
  await muster?.kill();
  folder.remove();
});

async function host() {
  const { json } = await admin.get("/api/1/status/hosts/list");
  expect(json.totalRecords).toBeLessThanOrEqual(1);
  return json.records[0];
}

async function service(name: string) {
  const { json } = await admin.get("/api/1/status/hosts/get", { id: hostId });
  return json.records.host.services.find((each: { name: string }) => each.name === name);
}

/** The newest first. */
async function events(filter: Record<string, number>) {
  const { json } = await admin.get("/api/1/reports/events/list", filter);
  return json.records;
}

test("a host appears automatically once its agent reports", async () => {
  expect(await host()).toBeUndefined();
  agent.start();
  const { id } = await eventually("the host is listed", host);
  hostId = id;
  await eventually("all its services were checked", async () => (await host()).led === 2);
  expect(await host()).toMatchObject({
    hostname: HOSTNAME,
    status: "All 3 services are available",
    statusid: 0,
    heartbeat: 1,
  });
});

test("what the agent says of itself is known", async () => {
  const settings = await admin.get("/api/1/admin/hosts/get", { id: hostId });
  expect(settings.json).toMatchObject({
    hostname: HOSTNAME,
    ipaddrin: "127.0.0.1",
    portin: agent.httpPort,
    sslin: 0,
    agentid: readFileSync(join(folder.path, "agent", "monit.id"), "utf8").trim(),
    agentuser: agent.user,
    agentpassword: agent.password,
    poll: CYCLE,
    skew: SKEW,
  });
  const detail = await admin.get("/api/1/status/hosts/get", { id: hostId });
  expect(detail.json.records.host).toMatchObject({
    platform: { name: "Linux" },
    agent: { version: expect.stringMatching(/^5\.\d+/), controlfile: `${folder.path}/agent/monitrc` },
  });
  const names = detail.json.records.host.services.map(({ name }: { name: string }) => name);
  expect(names.sort()).toEqual(["controls", HOSTNAME, "worker"]);
  const system = await service(HOSTNAME);
  expect(system.statistics.map(({ type }: { type: number }) => type)).toEqual(
    expect.arrayContaining([0, 1, 2, 4, 5]),
  );
  const [started] = await events({ eventtype: INSTANCE });
  expect(started).toMatchObject({ hostname: HOSTNAME, servicename: "Monit", eventtype: 2 });
  expect(started.event).toEndWith("started");
});

test("the agent compresses its messages once it has seen whom it reports to", async () => {
  const compressed = (head: string) => /^Content-Encoding: gzip/im.test(head);
  await eventually("a compressed message", () => proxy.heads.some(compressed));
  expect(proxy.heads[0]).toStartWith("POST /collector HTTP/1.1");
  expect(compressed(proxy.heads[0] ?? "")).toBe(false);
  const sent = proxy.heads.length;
  await eventually("more messages", () => proxy.heads.length > sent);
  expect(compressed(proxy.heads.at(-1) ?? "")).toBe(true);
  const { json } = await admin.get("/api/1/admin/refusals/list");
  expect(json).toMatchObject({ records: [] });
});

test("the connection test tells whether the agent answers and takes the credentials", async () => {
  const settings = { ipaddr: "127.0.0.1", ssl: 0, agentuser: agent.user };
  const tried = async (port: number, agentpassword: string) =>
    (await admin.post("/api/1/admin/hosts/test", { ...settings, port, agentpassword })).json;
  expect(await tried(agent.httpPort, agent.password)).toMatchObject({ status: "green" });
  expect(await tried(agent.httpPort, "wrong")).toMatchObject({
    status: "red",
    description: "The agent refused the user name or password",
  });
  expect(await tried(freePort(), agent.password)).toMatchObject({
    status: "red",
    description: expect.stringContaining("cannot be reached"),
  });
  expect(await tried(muster.port, agent.password)).toMatchObject({ status: "red" });
});

test("a process that ends turns its service red, with an active error event", async () => {
  await worker.stop();
  await eventually("the service is red", async () => (await service("worker")).led === 0);
  expect(await service("worker")).toMatchObject({ status: "Nonexist", monitorstate: 1 });
  expect(await host()).toMatchObject({ led: 1, status: "2 out of 3 services are available" });
  const active = await eventually("an active error", async () => {
    const active = await events({ active: 1 });
    return active.length > 0 && active;
  });
  expect(active).toHaveLength(1);
  expect(active[0]).toMatchObject({ hostid: hostId, servicename: "worker", eventtype: 1 });
  const detail = await admin.get("/api/1/reports/events/get", { id: active[0].id });
  expect(detail.json).toMatchObject({
    host: HOSTNAME,
    servicetype: "Process",
    event: "Nonexist",
    eventstate: 1,
    action: "Alert",
    message: "process is not running",
  });
});

test("when the process runs again the service is green and the error no longer active", async () => {
  worker.start();
  await eventually("the host is green", async () => (await host()).led === 2);
  await eventually("no error is active", async () => (await events({ active: 1 })).length === 0);
  const history = await events({ eventtype: NONEXIST });
  expect(history.map((event: { eventtype: number }) => event.eventtype)).toEqual([0, 1]);
});

test("an agent that dies is noticed after skew times its cycle", async () => {
  await agent.kill();
  const silent = await eventually("the host is dead", async () => {
    const record = await host();
    return record.heartbeat === 0 && record;
  });
  expect(silent).toMatchObject({ led: 0, statusid: 1 });
  expect(silent.status).toStartWith("No report from Monit. Last report was ");
  const [event] = await events({ eventtype: HEARTBEAT });
  expect(event).toMatchObject({ servicename: "Monit", eventtype: 1 });
  const { json } = await admin.get("/api/1/admin/hosts/get", { id: hostId });
  const seconds = event.date - json.lastmodified;
  expect(seconds).toBeGreaterThan(SKEW * CYCLE);
  const action = { id: hostId, action: "unmonitor", service: "worker" };
  expect((await admin.post("/api/1/admin/hosts/action", action)).status).toBe(502);
});

test("when the agent is back the same host is active again, with a success event", async () => {
  agent.start();
  await eventually("the host is active", async () => (await host()).statusid === 0);
  await eventually("the host is green", async () => (await host()).led === 2);
  expect(await host()).toMatchObject({ id: hostId, heartbeat: 1 });
  const [event] = await events({ eventtype: HEARTBEAT });
  expect(event).toMatchObject({ eventtype: 0, event: "Monit status report received successfully" });
  expect(await events({ active: 1 })).toEqual([]);
});

test("an agent that stops gracefully is not a failure, however long it is away", async () => {
  const errors = await events({ state: 1 });
  await agent.stop();
  const stopped = await eventually("the host is inactive", async () => {
    const record = await host();
    return record.statusid === 1 && record;
  });
  expect(stopped).toMatchObject({ heartbeat: 1, led: 3, status: "Stopped" });
  const [event] = await events({ eventtype: INSTANCE });
  expect(event.event).toEndWith("stopped");

  const { json } = await admin.get("/api/1/admin/hosts/get", { id: hostId });
  const deadline = json.lastmodified + SKEW * CYCLE;
  await eventually("its deadline has passed", () => Date.now() / 1000 > deadline + 2);
  expect(await host()).toMatchObject({ statusid: 1, heartbeat: 1, led: 3 });
  expect(await events({ state: 1 })).toEqual(errors);
});

test("it is active again as soon as its agent is started", async () => {
  const heartbeats = await events({ eventtype: HEARTBEAT });
  agent.start();
  await eventually("the host is green", async () => (await host()).led === 2);
  expect(await host()).toMatchObject({ id: hostId, statusid: 0, heartbeat: 1 });
  expect(await events({ eventtype: HEARTBEAT })).toEqual(heartbeats);
});

// The end of the story: an agent that is killed soon afterwards forgets that a service is monitored again.
test("an action needs the CSRF token, reaches the agent, and its effect comes back", async () => {
  const unmonitor = { id: hostId, action: "unmonitor", service: "worker" };
  const withoutToken = await admin.post("/api/1/admin/hosts/action", unmonitor, { CSRFToken: "" });
  expect(withoutToken.status).toBe(403);
  const unknown = await admin.post("/api/1/admin/hosts/action", { ...unmonitor, service: "no-such" });
  expect(unknown.status).toBe(404);
  expect(await service("worker")).toMatchObject({ monitorstate: 1 });

  const { status, json } = await admin.post("/api/1/admin/hosts/action", unmonitor);
  expect({ status, json }).toEqual({ status: 200, json: { service: ["worker"], action: "unmonitor" } });
  await eventually("the service is not monitored", async () => (await service("worker")).monitorstate === 0);
  expect(await service("worker")).toMatchObject({ led: 3, status: "Not monitored" });
  expect(await service("controls")).toMatchObject({ led: 2 });

  await admin.post("/api/1/admin/hosts/action", { ...unmonitor, action: "monitor" });
  await eventually("the host is green again", async () => (await host()).led === 2);
});
