/** A service of the real Monit that no port leads to, restarted from Muster through what Muster prints for its host. */
import { expect } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import type { Fields, TestClient } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { RealAgent } from "./real-agent.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("monit");

// The tests tell one story, in this order: each continues where the previous one ended.
const folder = temporaryFolder();
const at = (name: string) => join(folder.path, "host", name);
let muster: Muster;
let admin: TestClient;
let agent: RealAgent;

/** The id of the process that the service consists of; null while there is none. */
function pid(): number | null {
  try {
    return Number(readFileSync(at("pid"), "utf8"));
  } catch {
    return null;
  }
}

function program(name: string, text: string): string {
  writeFileSync(at(name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return at(name);
}

/** What Muster prints for a host, with folders that a test may write to. */
const here = (text: string) =>
  text
    .replaceAll("/usr/local/sbin", at("sbin"))
    .replaceAll("/etc/muster-actions.conf", at("settings"))
    .replaceAll("/var/run/monit.sock", at("socket"));

beforeAll(async () => {
  mkdirSync(at(""), { recursive: true });
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  const { id } = (await admin.post("/api/1/admin/keys/create", { name: "site-1" })).json;
  const { url } = (await admin.post("/api/1/admin/keys/secret", { id })).json;
  const { install, control } = (await admin.post("/api/1/admin/keys/helper", { id })).json;
  const installed = Bun.spawnSync(["sh"], { stdin: Buffer.from(here(install)), stderr: "pipe" });
  expect([installed.exitCode, installed.stderr.toString()]).toEqual([0, ""]);
  const start = program("start", `sleep 600 >/dev/null 2>&1 & echo $! >'${at("pid")}'`);
  const stop = program("stop", `kill "$(cat '${at("pid")}')"; rm '${at("pid")}'`);
  const worker = [
    `check process worker with pidfile ${at("pid")}`,
    `    start program = "${start}"`,
    `    stop program = "${stop}"`,
  ];
  agent = new RealAgent({
    folder: at("agent"),
    collectorUrl: url,
    checks: ["check system web-1.example.org", ...worker, here(control)].join("\n"),
    listens: false,
  });
  writeFileSync(at("settings"), `${readFileSync(at("settings"), "utf8")}control=${agent.controlFile}\n`);
  agent.start();
});

afterAll(async () => {
  await agent?.kill();
  const last = pid();
  if (last !== null) process.kill(last);
  await muster?.kill();
  folder.remove();
});

const host = async () => (await admin.get("/api/1/admin/hosts/list")).json.records[0];
const actions = async () => (await admin.get("/api/1/admin/hosts/action/list", { id: 1 })).json;

/** Queues an action, and waits for what comes of it. */
async function act(action: string): Promise<Fields> {
  const reply = await admin.post("/api/1/admin/hosts/action/queue", { id: 1, action, service: ["worker"] });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  const [id] = reply.json.actions;
  return eventually(`the end of ${action}`, async () => {
    const { records } = await actions();
    const record = records.find((each: Fields) => each.id === id);
    return !["waiting", "fetched"].includes(record.state) && record;
  });
}

test("Monit starts the service, and asks for actions in its cycles, but Muster cannot reach it", async () => {
  await eventually("the host reports", host);
  await eventually("the service runs", () => pid() !== null);
  await eventually("the host asks for actions", async () => (await actions()).asks);
  const direct = { id: 1, action: "restart", service: ["worker"] };
  await eventually(
    "the service is known",
    async () => (await admin.post("/api/1/admin/hosts/action", direct)).status === 502,
  );
  const off = await admin.post("/api/1/admin/hosts/action/queue", direct);
  expect([off.status, off.json.code]).toEqual([409, "actions.off"]);
});

test("an action restarts the service, and says so", async () => {
  const settings = { id: 1, hostname: "web-1", agentuser: "", agentpassword: "", actionqueue: 1 };
  expect((await admin.post("/api/1/admin/hosts/update", settings)).status).toBe(200);
  const before = pid();
  expect(await act("restart")).toMatchObject({ state: "ran", code: 0, uname: "admin" });
  await eventually("another process", () => ![null, before].includes(pid()));
});

test("the service is stopped and started", async () => {
  expect(await act("stop")).toMatchObject({ state: "ran" });
  await eventually("no process", () => pid() === null);
  expect(await act("start")).toMatchObject({ state: "ran" });
  await eventually("a process", () => pid() !== null);
});

test("behind a port whose packets are dropped, Muster gives up, and an action that waits runs all the same", async () => {
  const port = freePort();
  const listening = `require("node:net").createServer().listen({ port: ${port}, host: "127.0.0.1", backlog: 1 },
    () => console.log("listening"))`;
  const wall = Bun.spawn([process.execPath, "-e", listening], { stdout: "pipe" });
  const others: Socket[] = [];
  try {
    await wall.stdout.getReader().read();
    // The system completes as many connections as wait for the stopped process, and drops the packets of more.
    wall.kill("SIGSTOP");
    for (let i = 0; i < 8; i++) others.push(connect(port, "127.0.0.1").on("error", () => undefined));
    const { hostname } = await host();
    const endpoint = { ipaddrout: "127.0.0.1", portout: port, agentuser: "", agentpassword: "" };
    await admin.post("/api/1/admin/hosts/update", { id: 1, hostname, ...endpoint });
    const direct = { id: 1, action: "restart", service: ["worker"] };
    const { status, json } = await admin.post("/api/1/admin/hosts/action", direct);
    expect([status, json.code]).toEqual([502, "agent.failed"]);
    expect(json.error).toContain("did not answer within");
    const before = pid();
    expect(await act("restart")).toMatchObject({ state: "ran" });
    await eventually("another process", () => ![null, before].includes(pid()));
  } finally {
    for (const socket of others) socket.destroy();
    wall.kill("SIGKILL");
    await wall.exited;
  }
});
