import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { join } from "node:path";
import { agentXml } from "../support/agent-messages.ts";
import { seeds } from "../support/random.ts";
import { killRounds } from "./kill-rounds.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

const ROUNDS = 5;

test("a SIGKILL under load loses nothing that was acknowledged and stores nothing twice", async () => {
  const [seed] = seeds(1);
  const result = await killRounds(ROUNDS, seed);
  expect(result).toMatchObject({ rounds: ROUNDS });
  expect(result.messages).toBeGreaterThan(ROUNDS * 100);
});

test("the time in which Muster itself was dead makes no host silent", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await using muster = await Muster.start({ cwd });
  const at = Math.floor(Date.now() / 1000);
  for (const id of ["web-1", "web-2", "web-3"])
    expect((await muster.report({ id, hostname: id, at, services: [{ name: "app" }] })).status).toBe(200);
  await muster.kill();

  // Everything it stored was a day ago.
  const db = new Database(join(cwd, "data", "muster.db"));
  db.run("update hosts set deadline = deadline - 86400, lastmodified = lastmodified - 86400");
  db.run("update settings set value = value - 86400 where key = 'aliveat'");
  db.close();

  await using restarted = await Muster.start({ cwd });
  const canary = { id: "canary", hostname: "canary", at, poll: 1, services: [{ name: "app" }] };
  expect((await restarted.report(canary)).status).toBe(200);
  const admin = await restarted.admin();
  // Once this one is noticed, every other host that counts as overdue was noticed, too.
  const silent = await eventually("the one agent that stopped reporting is noticed", async () => {
    const { json } = await admin.get("/api/1/reports/events/list");
    return json.records.length > 0 && json.records;
  });
  expect(silent).toMatchObject([{ hostname: "canary", servicename: "Monit", eventtype: 1 }]);
  const list = await admin.get("/api/1/status/hosts/list");
  expect(list.json.records).toMatchObject([
    { hostname: "canary", statusid: 1, heartbeat: 0, led: 0 },
    { hostname: "web-1", statusid: 0, heartbeat: 1, led: 2 },
    { hostname: "web-2", statusid: 0, heartbeat: 1, led: 2 },
    { hostname: "web-3", statusid: 0, heartbeat: 1, led: 2 },
  ]);
});

test("the same message sent twice leaves one host and one event", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const at = Math.floor(Date.now() / 1000);
  const xml = agentXml({ at, services: [{ name: "app", status: 512 }], event: { service: "app" } });
  for (const _ of [1, 2]) expect((await muster.report(xml)).status).toBe(200);
  const admin = await muster.admin();
  expect((await admin.get("/api/1/reports/events/list")).json).toMatchObject({ totalRecords: 1 });
  expect((await admin.get("/api/1/status/hosts/list")).json).toMatchObject({
    totalRecords: 1,
    records: [{ events: 1 }],
  });
});
