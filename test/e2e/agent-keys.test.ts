import { expect } from "bun:test";
import { join } from "node:path";
import type { TestClient } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { RealAgent } from "./real-agent.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("monit");

// The tests tell one story, in this order: each continues where the previous one ended.
const folder = temporaryFolder();
let muster: Muster;
let admin: TestClient;
let agent: RealAgent;
let keyId = 0;
/** URLs for the control file: with the first secret of the key, and with the second. */
let first = "";
let second = "";

beforeAll(async () => {
  muster = await Muster.start({ cwd: folder.path });
  admin = await muster.admin();
  keyId = (await admin.post("/api/1/admin/keys/create", { name: "site-1", tags: ["site=1"] })).json.id;
  first = (await admin.post("/api/1/admin/keys/secret", { id: keyId })).json.url;
});

afterAll(async () => {
  await agent?.kill();
  await muster?.kill();
  folder.remove();
});

/** The same agent with another line in its control file. */
function start(collectorUrl: string): void {
  const checks = "check system web-1.example.org";
  agent = new RealAgent({ folder: join(folder.path, "agent"), collectorUrl, checks });
  agent.start();
}

const key = async () => (await admin.get("/api/1/admin/keys/get", { id: keyId })).json;
const refusals = async () => (await admin.get("/api/1/admin/refusals/list")).json.records;
const host = async () => (await admin.get("/api/1/admin/keys/hosts", { id: keyId })).json.records[0];

/** Waits for another message of the host. */
async function nextReport(): Promise<void> {
  const before = (await host()).lastmodified;
  await eventually("another message", async () => (await host()).lastmodified > before);
}

test("an agent posts with the URL of a key", async () => {
  start(first);
  await eventually("the host uses the key", host);
  const { json } = await admin.get("/api/1/admin/hosts/get", { id: (await host()).id });
  expect(json.tags).toEqual(["site=1"]);
});

test("no message is lost while its secret is replaced with an overlap", async () => {
  second = (await admin.post("/api/1/admin/keys/replace", { id: keyId, overlap: 3600 })).json.url;
  await nextReport();
  expect(await key()).toMatchObject({ hosts: 1, oldsecret: 1 });
  await agent.stop();
  start(second);
  await eventually("the host uses the new secret", async () => (await key()).oldsecret === 0);
  const { records } = (await admin.get("/api/1/reports/events/list", { eventtype: 65_536 })).json;
  expect(records.map(({ event }: { event: string }) => event.replace(/^\S+ \S+ /, ""))).toEqual([
    "started",
    "stopped",
    "started",
  ]);
  expect(await refusals()).toEqual([]);
});

test("its messages are refused once the key has ended", async () => {
  await admin.post("/api/1/admin/keys/end", { id: keyId });
  const refused = async () => (await refusals())[0];
  const { reason, count } = await eventually("a message is refused", refused);
  expect(reason).toBe("The key site-1 has ended");
  const before = await host();
  await eventually("further ones are refused", async () => (await refused()).count > count);
  expect(await host()).toEqual(before);
});
