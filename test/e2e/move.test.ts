/** muster move, as an administrator runs it: from a file to PostgreSQL, and back. */
import { expect } from "bun:test";
import { cpSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { agentXml, type EventXml, programXml } from "../support/agent-messages.ts";
import { postgresTests, server } from "../support/postgres-tests.ts";
import { EXECUTABLE, eventually, Muster, PASSWORDS, run, temporaryFolder } from "./support.ts";

const { test } = postgresTests();

const listed = async (muster: Muster) => {
  const admin = await muster.admin();
  const hosts = (await admin.get("/api/1/status/hosts/list")).json.records;
  const events = (await admin.get("/api/1/reports/events/list")).json.records;
  const alpha = events.find(({ hostname }: { hostname: string }) => hostname === "alpha");
  return {
    changes: (await admin.get("/api/1/reports/events/changes", { id: alpha?.id ?? 0 })).json.records,
    hosts: hosts.map(({ id, hostname }: { id: number; hostname: string }) => [id, hostname]),
    events: events.map(({ id, event }: { id: number; event: string }) => [id, event]),
  };
};

/** A host with a program that is checked. */
const reporting = (name: string, output: string, event: EventXml | null = null) =>
  agentXml({
    id: name,
    hostname: name,
    services: [{ name: "web" }, { name: "certificates", type: 7, body: programXml({ output }) }],
    event,
  });
const failing = (name: string) => reporting(name, "expired", { service: "web", message: name });

test("a served file moves to a server and back to a file, but never while it is in use", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const command = (...args: string[]) => run(args, { cwd, env: {} });
  server.query("create database moved");
  const url = server.url("moved");

  const first = await Muster.start({ cwd, env: PASSWORDS });
  expect((await first.report(reporting("alpha", "valid"))).status).toBe(200);
  for (const name of ["alpha", "beta"]) expect((await first.report(failing(name))).status).toBe(200);
  const before = await listed(first);
  expect(before.changes).toMatchObject([{ hostname: "alpha", before: "valid", after: "expired" }]);
  const busy = await command("move", "--data", "data", "--to", url);
  expect({ code: busy.code, said: busy.stderr }).toEqual({
    code: 1,
    said: expect.stringContaining("another Muster is running on the data folder"),
  });
  await first.stop();
  const there = await command("move", "--data", "data", "--to", url);
  expect({ code: there.code, stderr: there.stderr }).toEqual({ code: 0, stderr: "" });
  expect(there.stdout).toContain("hosts: 2 rows, compared");

  const second = await Muster.start({ cwd, env: { MUSTER_DATABASE: url } });
  expect(await listed(second)).toEqual(before);
  expect((await second.report(failing("gamma"))).status).toBe(200);
  const after = await listed(second);
  expect(after.hosts).toContainEqual([before.hosts.length + 1, "gamma"]);
  mkdirSync(join(cwd, "back"), { mode: 0o700 });
  cpSync(join(cwd, "data/secret.key"), join(cwd, "back/secret.key"));
  const served = await command("move", "--data", "back", "--from", url);
  expect({ code: served.code, said: served.stderr }).toEqual({
    code: 1,
    said: expect.stringContaining("Muster is active on it"),
  });
  await second.stop();
  const back = await command("move", "--data", "back", "--from", url);
  expect({ code: back.code, stderr: back.stderr }).toEqual({ code: 0, stderr: "" });

  await using third = await Muster.start({ cwd, data: "back" });
  expect(await listed(third)).toEqual(after);
  expect((await third.report(failing("alpha"))).status).toBe(200);
});

test("on a terminal, a bar shows how far a move is, and nothing of it stays", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await (await Muster.start({ cwd, env: PASSWORDS })).stop();
  server.query("create database shown");
  const move = `${EXECUTABLE} move --data data --to '${server.url("shown")}'`;
  const child = Bun.spawnSync(["script", "-qec", move, "/dev/null"], { cwd, env: {}, stdin: "ignore" });
  expect(child.exitCode).toBe(0);
  const text = child.stdout.toString().replaceAll("\u001b[K", "<end>");
  expect(text).toMatch(/\r\[#*\.+\] \d+% {2}\w+<end>/);
  expect(text).toMatch(/\r\[#+\] 100% {2}\w+<end>\r<end>\w/);
  expect(text).toContain("users: 1 row, compared");
});

test("a move that is killed leaves nothing behind on the server, and no database in the folder", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  await (await Muster.start({ cwd, env: PASSWORDS })).stop();
  server.query("create database killed");
  const url = server.url("killed");
  const start = (...args: string[]) =>
    Bun.spawn([EXECUTABLE, "move", ...args], { cwd, env: {}, stdout: "ignore", stderr: "ignore" });
  const inTransaction = (database: string) =>
    server.query(
      `select count(*) from pg_stat_activity
         where datname = '${database}' and application_name like 'muster%' and xact_start is not null`,
    ) !== "0";

  const move = start("--data", "data", "--to", url);
  await eventually("it writes", () => inTransaction("killed") || move.exitCode !== null);
  move.kill("SIGKILL");
  await move.exited;
  await eventually("its session ended", () => !inTransaction("killed"));
  const whole = server.query("select count(*) from pg_tables where schemaname = 'public'", "killed");
  // It may have been faster than this test.
  if (whole === "0") expect((await run(["move", "--data", "data", "--to", url], { cwd })).code).toBe(0);
  expect(
    (await run(["user", "list"], { cwd, env: { MUSTER_DATABASE: url, MUSTER_DATA: "data" } })).code,
  ).toBe(0);

  mkdirSync(join(cwd, "back"), { mode: 0o700 });
  cpSync(join(cwd, "data/secret.key"), join(cwd, "back/secret.key"));
  const back = start("--data", "back", "--from", url);
  await eventually("it reads", () => inTransaction("killed") || back.exitCode !== null);
  back.kill("SIGKILL");
  await back.exited;
  if (!readdirSync(join(cwd, "back")).includes("muster.db"))
    expect((await run(["move", "--data", "back", "--from", url], { cwd })).code).toBe(0);
  expect(readdirSync(join(cwd, "back")).sort()).toEqual(["muster.db", "muster.lock", "secret.key"]);
  expect((await run(["doctor", "--data", "back"], { cwd })).code).toBe(0);
});
