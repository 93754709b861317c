import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { TestClient } from "../support/client.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { RealAgent } from "./real-agent.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("monit");

const RESTARTS = 20;
const INSTANCE = 65_536;

const folder = temporaryFolder();
let muster: Muster;
let agent: RealAgent;
let admin: TestClient;

beforeAll(async () => {
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  mkdirSync(join(folder.path, "queue"));
  agent = new RealAgent({
    folder: join(folder.path, "agent"),
    collectorUrl: `http://monit:${encodeURIComponent(COLLECTOR_PASSWORD)}@127.0.0.1:${muster.port}/collector`,
    checks: `
      set eventqueue basedir ${folder.path}/queue slots 100
      check system web-1.example.org`,
    cycle: 1,
  });
});

afterAll(async () => {
  await agent?.kill();
  await muster?.kill();
  folder.remove();
});

test("an agent that is restarted without a pause, twenty times, is never taken for a stopped one", async () => {
  const host = async () => (await admin.get("/api/1/status/hosts/list")).json.records[0];
  const isRunning = async () => (await host())?.statusid === 0;
  agent.start();
  await eventually("the host is listed", isRunning);
  for (let i = 0; i < RESTARTS; i++) {
    await agent.stop();
    agent.start();
    await eventually(`it is active after restart ${i + 1}`, isRunning);
  }
  const { json } = await admin.get("/api/1/reports/events/list", { eventtype: INSTANCE, results: 100 });
  const stops = json.records.filter(({ event }: { event: string }) => event.endsWith("stopped"));
  expect(stops).toHaveLength(RESTARTS);
  expect(await host()).toMatchObject({ statusid: 0, heartbeat: 1 });
});
