/**
 * Muster's own health, as administrators and programs read it: findings, since when they last, and the figures behind
 * them.
 */
import { expect, test } from "bun:test";
import { mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { EVALUATION_SECONDS, Health } from "../../../src/operations/health/health.service.ts";
import { noteBackup } from "../../../src/platform/storage/last-backup.ts";
import { temporaryFolder } from "../../e2e/support.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { TestApp, type TestOptions } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { mountDisk } from "../../support/small-disk.ts";

const DAY = 86_400;

/** Evaluates as often as Muster does while time passes. */
async function evaluateFor(app: TestApp, seconds: number): Promise<void> {
  for (let passed = 0; passed < seconds; passed += EVALUATION_SECONDS) {
    app.clock.step(EVALUATION_SECONDS);
    await app.muster.health.evaluate(0);
  }
}

async function healthOf(app: TestApp) {
  const { status, json } = await (await app.admin()).get("/api/1/admin/health/get");
  expect(status).toBe(200);
  return json;
}

const stored = (app: TestApp) =>
  app.rows("select code, subject, since, opened_at, ended_at from health_findings order by id");

const refuse = (app: TestApp) => app.client("192.0.2.66").report(agentXml({}), "wrong password");

test("a new Muster is healthy", async () => {
  const health = await healthOf(new TestApp());
  expect(health).toMatchObject({ evaluated: START, state: "ok", findings: [] });
  expect(health.backup).toEqual({ possible: false, last: null, proven: null });
});

test("the disk is that of the database, to which a link in the data folder may lead", async () => {
  using there = temporaryFolder();
  const data = join(there.path, "data");
  mkdirSync(data);
  using disk = mountDisk(join(there.path, "disk"), 8192);
  if (disk === null) return;
  const app = new TestApp({ folder: data });
  writeFileSync(join(there.path, "disk", "muster.db"), "");
  symlinkSync(join(there.path, "disk", "muster.db"), join(data, "muster.db"));
  expect((await healthOf(app)).database.total).toBe(8192 * 1024);
});

test("only administrators are told", async () => {
  const app = new TestApp();
  expect((await app.client().get("/api/1/admin/health/get")).status).toBe(401);
  expect((await (await app.user()).get("/api/1/admin/health/get")).status).toBe(403);
});

test("what is found is said with what to do, and since when it lasts, also after a restart", async () => {
  const app = new TestApp();
  await refuse(app);
  expect((await healthOf(app)).findings).toEqual([
    {
      id: 1,
      acknowledged: null,
      code: "messages.refused",
      severity: "warning",
      since: START,
      subject: expect.stringContaining("password"),
      text: expect.stringContaining("Messages from 1 client are refused: "),
      advice: expect.stringContaining("Rejected messages"),
    },
  ]);
  app.clock.step(EVALUATION_SECONDS);
  const restarted = new Health({ ...app.muster, baseUrl: null });
  expect((await restarted.current()).findings).toMatchObject([{ code: "messages.refused", since: START }]);
});

test("it is evaluated once a minute, however often it is read", async () => {
  const app = new TestApp();
  await healthOf(app);
  await refuse(app);
  app.clock.step(EVALUATION_SECONDS - 1);
  expect(await healthOf(app)).toMatchObject({ evaluated: START, findings: [] });
  app.clock.step(1);
  expect(await healthOf(app)).toMatchObject({
    evaluated: START + EVALUATION_SECONDS,
    findings: [{ code: "messages.refused" }],
  });
});

test("what two evaluations find opens as a failure, and ends with the first that no longer finds it", async () => {
  const app = new TestApp();
  await refuse(app);
  await app.muster.health.evaluate(0);
  expect(stored(app)).toMatchObject([{ since: START, opened_at: null, ended_at: null }]);
  await evaluateFor(app, 60);
  expect(stored(app)).toMatchObject([{ since: START, opened_at: START + 60, ended_at: null }]);
  await evaluateFor(app, 480);
  expect(stored(app)).toMatchObject([{ since: START, opened_at: START + 60, ended_at: null }]);
  await evaluateFor(app, 60);
  expect(stored(app)).toMatchObject([{ since: START, opened_at: START + 60, ended_at: START + 600 }]);
  expect(await healthOf(app)).toMatchObject({ state: "ok", findings: [] });
});

test("what only one evaluation finds leaves nothing behind", async () => {
  const app = new TestApp();
  await refuse(app);
  await app.muster.health.evaluate(0);
  app.clock.step(600);
  await app.muster.health.evaluate(0);
  expect(stored(app)).toEqual([]);
});

test("failures that ended are kept as long as deliveries, and those that last for good", async () => {
  const app = new TestApp();
  const insert =
    "insert into health_findings (code, severity, text, advice, since, opened_at, ended_at) values";
  app.db.$client.run(`${insert} ('old', 'warning', 't', 'a', 1, 2, ${START - 90 * DAY - 1})`);
  app.db.$client.run(`${insert} ('new', 'warning', 't', 'a', 1, 2, ${START - 90 * DAY + 1})`);
  app.db.$client.run(`${insert} ('lasts', 'warning', 't', 'a', 1, 2, null)`);
  while (app.muster.retention.step());
  expect(stored(app)).toMatchObject([{ code: "new" }, { code: "lasts" }]);
});

test("the reply says how many messages come, which are refused, and which versions agents have", async () => {
  const app = new TestApp();
  await app.report({ id: "a", hostname: "a", version: "5.33.0" });
  await healthOf(app);
  app.clock.step(EVALUATION_SECONDS);
  for (let i = 0; i < 30; i++)
    await app.report({ id: "a", hostname: "a", version: "5.33.0", at: app.clock.now() });
  await app.report({ id: "b", hostname: "b", version: "5.20.0", at: app.clock.now() - 3600 });
  await app.report({ id: "c", hostname: "c", version: "5.33.0", at: app.clock.now() });
  await refuse(app);
  app.clock.step(300 - EVALUATION_SECONDS);
  await refuse(app);
  const health = await healthOf(app);
  expect(health.messages).toMatchObject({
    persecond: 32 / 300,
    waiting: 0,
    refused: [{ count: 2, clients: 1 }],
  });
  expect(health.agents).toEqual({
    hosts: 3,
    versions: [
      { version: "5.33.0", hosts: 2 },
      { version: "5.20.0", hosts: 1 },
    ],
    wrongclocks: 1,
    clocks: [{ id: expect.any(Number), name: "b", offset: expect.any(Number) }],
  });
  expect(Math.abs(health.agents.clocks[0].offset - 3600)).toBeLessThan(5);
  expect(health.findings).toMatchObject([
    { code: "messages.refused" },
    { code: "clock.hosts", text: expect.stringContaining("b (1h behind)") },
  ]);
});

test("an ignored host does not count as an agent", async () => {
  const app = new TestApp();
  await app.report({ id: "a", hostname: "a", at: START - 3600 });
  app.db.$client.run("update hosts set status = 2");
  expect((await healthOf(app)).agents).toEqual({ hosts: 0, versions: [], wrongclocks: 0, clocks: [] });
});

test("the database is measured once a day, and its growth is that over at most thirty days", async () => {
  using folder = temporaryFolder();
  const app = new TestApp({ folder: folder.path });
  expect((await healthOf(app)).database).toMatchObject({ growth: null, fulldays: null });
  const [first] = app.rows<{ day: number; bytes: number }>("select * from database_sizes");
  app.clock.step(DAY);
  const filler = "x".repeat(400_000);
  app.db.$client.run(`insert into settings (key, value) values ('filler', '${filler}')`);
  await healthOf(app);
  app.clock.step(DAY);
  const { database } = await healthOf(app);
  expect(database.growth).toBe((database.bytes - (first?.bytes ?? 0)) / 2);
  expect(database.growth).toBeGreaterThan(100_000);
  expect(database.fulldays).toBe(database.free / database.growth);
  expect(app.rows("select * from database_sizes")).toHaveLength(3);
  app.clock.step(60 * DAY);
  await healthOf(app);
  expect(app.rows("select day from database_sizes")).toEqual([{ day: Math.floor(app.clock.now() / DAY) }]);
});

test("a backup that is missing is found a week after the first start, unless the setting says otherwise", async () => {
  using folder = temporaryFolder();
  const app = new TestApp({ folder: folder.path });
  const codes = async () => (await healthOf(app)).findings.map(({ code }: { code: string }) => code);
  const ofBackups = (codes: string[]) => codes.filter((code) => code.startsWith("backup"));
  expect(ofBackups(await codes())).toEqual([]);
  app.clock.step(7 * DAY);
  expect(ofBackups(await codes())).toEqual(["backup.missing"]);
  noteBackup(folder.path, app.clock.now());
  app.clock.step(EVALUATION_SECONDS);
  expect(ofBackups(await codes())).toEqual([]);
  expect((await healthOf(app)).backup).toEqual({ possible: true, last: START + 7 * DAY, proven: null });
  app.clock.step(8 * DAY);
  expect(ofBackups(await codes())).toEqual(["backup.missing"]);
  await (await app.admin()).post("/api/1/admin/settings/update", { backupdays: 0 });
  app.clock.step(EVALUATION_SECONDS);
  expect(ofBackups(await codes())).toEqual([]);
});

test("without any backup, one is missed after as many days as the setting says, also after more than a month", async () => {
  using folder = temporaryFolder();
  const app = new TestApp({ folder: folder.path });
  await (await app.admin()).post("/api/1/admin/settings/update", { backupdays: 45 });
  const codes = async () => (await healthOf(app)).findings.map(({ code }: { code: string }) => code);
  expect(await codes()).not.toContain("backup.missing");
  app.clock.step(44 * DAY);
  expect(await codes()).not.toContain("backup.missing");
  app.clock.step(DAY);
  expect(await codes()).toContain("backup.missing");
});

test("expected hosts that do not come are a finding that names them", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const add = (hostname: string) => admin.post("/api/1/admin/expected/create", { hostname });
  const ofExpected = async () =>
    (await healthOf(app)).findings.flatMap(({ code, text }: { code: string; text: string }) =>
      code === "hosts.expected" ? [text] : [],
    );
  for (const hostname of ["web1", "web2", "web3", "web4", "web5"]) await add(hostname);
  await app.report({ id: "a", hostname: "web2" });
  app.clock.step(2 * DAY - 1);
  await add("late");
  expect(await ofExpected()).toEqual([]);
  app.clock.step(300);
  expect(await ofExpected()).toEqual([
    "Expected hosts have not reported: web1, web3, web4 and 1 other host.",
  ]);
  await app.report({ id: "b", hostname: "web1" });
  app.clock.step(300);
  expect(await ofExpected()).toEqual(["Expected hosts have not reported: web3, web4, web5."]);
  await (await app.admin()).post("/api/1/admin/settings/update", { expecteddays: 0 });
  app.clock.step(300);
  expect(await ofExpected()).toEqual([]);
});

test("failing channels and waiting notifications are findings", async () => {
  const app = new TestApp();
  const admin = await app.admin();
  const channel = (name: string) =>
    admin.post("/api/1/admin/channels/create", {
      name,
      kind: "webhook",
      settings: { url: "http://127.0.0.1:1/" },
    });
  for (const name of ["works", "fails", "is off"]) expect((await channel(name)).status).toBe(200);
  app.db.$client.run("update channels set failures = 3, last_answer = 'gone' where name <> 'works'");
  app.db.$client.run("update channels set enabled = 0 where name = 'is off'");
  app.db.$client.run(
    `insert into deliveries (rule_name, channel_name, kind, created_at, status, next_at)
     values ('r', 'fails', 'problem', ${START - 7200}, 'pending', ${START})`,
  );
  expect(await healthOf(app)).toMatchObject({
    channels: { failing: 1 },
    deliveries: { waiting: 1, oldest: START - 7200 },
    findings: [
      {
        code: "channel.failing",
        subject: "fails",
        severity: "critical",
        text: expect.stringContaining("gone"),
      },
      { code: "deliveries.waiting" },
    ],
  });
});

test("the certificate that Muster serves is watched", async () => {
  const options: TestOptions = { servedCertificate: { expires: START + 2 * DAY, problem: "" } };
  expect(await healthOf(new TestApp(options))).toMatchObject({
    certificates: [{ name: "Muster", expires: START + 2 * DAY, problem: "" }],
    findings: [{ code: "certificate.expiring", subject: "Muster", severity: "critical" }],
  });
});

test("renewed files that cannot be used are found, and the expiry of those in use", async () => {
  const servedCertificate = { expires: START + 90 * DAY, problem: "--tls-cert: holds no certificate" };
  expect(await healthOf(new TestApp({ servedCertificate }))).toMatchObject({
    certificates: [{ name: "Muster", ...servedCertificate }],
    findings: [
      {
        code: "certificate.unusable",
        subject: "Muster",
        severity: "warning",
        text: "The renewed certificate cannot be used: --tls-cert: holds no certificate",
      },
    ],
  });
});

test("the certificate at the base URL is looked at once an hour", async () => {
  const pem = (name: string) => readFileSync(join(import.meta.dir, `../../fixtures/tls/${name}.pem`), "utf8");
  const server = createServer({ cert: pem("cert"), key: pem("key") });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  try {
    const app = new TestApp({ baseUrl: `https://127.0.0.1:${port}`, egress: { ca: pem("cert") } });
    const certificates = async () => (await app.muster.health.evaluate(0)).facts.certificates;
    // As openssl x509 -dates says.
    const expires = Date.UTC(2126, 9, 28, 3, 16, 11) / 1000;
    const fact = { name: `127.0.0.1:${port}`, expires, problem: "" };
    expect(await certificates()).toEqual([fact]);
    await new Promise<void>((resolve) => server.close(() => resolve()));
    // Nobody is there any more.
    app.clock.step(3599);
    expect(await certificates()).toEqual([fact]);
    app.clock.step(1);
    expect(await certificates()).toMatchObject([{ expires: null }]);
  } finally {
    server.close();
  }
});

test("a base URL that cannot be checked is reported, and is not a finding", async () => {
  const app = new TestApp({ baseUrl: "https://127.0.0.1:1" });
  expect(await healthOf(app)).toMatchObject({
    certificates: [
      { name: "127.0.0.1:1", expires: null, problem: expect.stringContaining("cannot be reached") },
    ],
    findings: [],
  });
});

test("without a database that can be written, findings last since they were first found in memory", async () => {
  const app = new TestApp();
  const health = new Health({
    ...app.muster,
    baseUrl: null,
    healthy: () => false,
    storage: { ifPossible: () => false },
  });
  await health.evaluate(0);
  app.clock.step(EVALUATION_SECONDS);
  await refuse(app);
  const { findings } = await health.evaluate(0);
  expect(findings).toMatchObject([
    { code: "storage.unwritable", since: START },
    { code: "messages.refused", since: START + EVALUATION_SECONDS },
  ]);
  expect(stored(app)).toEqual([]);
});

test("failing background work is a finding, until it has worked for a minute", async () => {
  const app = new TestApp();
  app.muster.metrics.backgroundFailed("retention");
  expect((await healthOf(app)).findings).toMatchObject([
    { code: "background.failing", subject: "retention" },
  ]);
  app.clock.step(61);
  expect((await healthOf(app)).findings).toEqual([]);
});

test("a failed dead-man ping is found while its address is set", async () => {
  const app = new TestApp();
  app.muster.metrics.countRequest("heartbeat", "failed");
  expect((await healthOf(app)).findings).toEqual([]);
  await (await app.admin()).post("/api/1/admin/settings/update", { heartbeaturl: "http://127.0.0.1:1/ping" });
  app.clock.step(EVALUATION_SECONDS);
  expect((await healthOf(app)).findings).toMatchObject([
    { code: "request.failing", subject: "dead-man ping" },
  ]);
  app.muster.metrics.countRequest("heartbeat", "ok");
  app.clock.step(EVALUATION_SECONDS);
  expect((await healthOf(app)).findings).toEqual([]);
});

test("metrics count findings by code and name nobody", async () => {
  const app = new TestApp();
  const metrics = async () => (await app.client("127.0.0.1").get("/metrics")).text.split("\n");
  expect((await metrics()).filter((line) => line.includes("muster_health"))).toEqual([]);
  await app.report({ id: "x", hostname: "hidden.example", at: START - 7200 });
  await refuse(app);
  await app.muster.health.evaluate(0);
  const lines = await metrics();
  const samples = lines.filter((line) => /^muster_(health|deliveries|channels_failing|clocks)/.test(line));
  expect(samples).toEqual([
    `muster_health_evaluated_timestamp_seconds ${START}`,
    'muster_health_findings{severity="warning"} 2',
    'muster_health_findings{severity="critical"} 0',
    'muster_health_finding{code="messages.refused",severity="warning"} 1',
    'muster_health_finding{code="clock.hosts",severity="warning"} 1',
    "muster_channels_failing 0",
    "muster_deliveries_waiting 0",
    "muster_clocks_wrong 1",
  ]);
  expect(lines.join("\n")).not.toContain("hidden");
  expect(lines.join("\n")).not.toContain("192.0.2.66");
});

/** Minutes pass, in each of which Muster evaluates its health. */
async function evaluations(app: TestApp, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    app.clock.step(EVALUATION_SECONDS);
    app.muster.health.step();
    // Joins the evaluation of the step.
    await app.muster.health.evaluate(0);
  }
}

test("all hosts are read again after an hour, or after five minutes while someone looks", async () => {
  const app = new TestApp();
  const hosts = () => app.muster.health.last?.facts.agents.total;
  await evaluations(app, 1);
  await app.report({ id: "a", hostname: "a", at: app.clock.now() });
  await evaluations(app, 6);
  expect(hosts()).toBe(0);
  expect((await healthOf(app)).agents.hosts).toBe(0);
  await evaluations(app, 1);
  expect(hosts()).toBe(1);
  await app.report({ id: "b", hostname: "b", at: app.clock.now() });
  await evaluations(app, 59);
  expect(hosts()).toBe(1);
  await evaluations(app, 1);
  expect(hosts()).toBe(2);
});

test("a step evaluates when a minute is over, and its error is that of the next step", async () => {
  const app = new TestApp();
  app.muster.health.step();
  await app.muster.health.evaluate(0);
  expect(app.muster.health.last?.facts.now).toBe(START);
  app.clock.step(EVALUATION_SECONDS - 1);
  app.muster.health.step();
  app.db.$client.run("alter table database_sizes rename to gone");
  app.clock.step(1);
  app.muster.health.step();
  await app.muster.health.evaluate(0).catch(() => undefined);
  expect(() => app.muster.health.step()).toThrow("database_sizes");
});
