/** Muster on a real PostgreSQL server, as an administrator runs it: one active, one standby. */
import { expect } from "bun:test";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { agentXml } from "../support/agent-messages.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import { needing } from "../support/programs.ts";
import { launchBrowser } from "./browser.ts";
import { EXECUTABLE, eventually, freePort, Muster, PASSWORDS, run, temporaryFolder } from "./support.ts";
import { signedInPage } from "./ui.ts";

const { afterAll, beforeAll, test } = needing("postgres");

let server: PostgresServer;
beforeAll(async () => {
  // With fsync, as in production: an answer is only worth something if the message survives a crash.
  server = await PostgresServer.start([]);
});
afterAll(() => server[Symbol.asyncDispose]());

function environment(database: string): Record<string, string> {
  server.query(`create database ${database}`);
  return { ...PASSWORDS, MUSTER_DATABASE: server.url(database) };
}

const health = async (port: number) => (await fetch(`http://127.0.0.1:${port}/healthz`)).status;

const hostsOf = async (muster: Muster) => {
  const { json } = await (await muster.admin()).get("/api/1/status/hosts/list");
  return json.records.map(({ hostname }: { hostname: string }) => hostname);
};

test("one Muster is active, another waits for its end and goes on with everything that was answered", async () => {
  using folder = temporaryFolder();
  const env = environment("takeover");
  await using first = await Muster.start({ cwd: folder.path, data: "first", env });
  expect((await first.report(agentXml({ id: "a", hostname: "alpha" } as never))).status).toBe(200);

  mkdirSync(join(folder.path, "second"), { mode: 0o700 });
  cpSync(join(folder.path, "first/secret.key"), join(folder.path, "second/secret.key"));
  const port = freePort();
  const args = ["--node", "second"];
  const second = Muster.start({ cwd: folder.path, data: "second", env, port, args });
  await eventually("the second one says that it is a standby", async () => (await health(port)) === 503);
  expect(await health(first.port)).toBe(200);
  const check = (of: number) => run(["healthcheck", "--listen", `127.0.0.1:${of}`], { cwd: folder.path });
  expect(await check(first.port)).toMatchObject({ code: 0, stdout: expect.stringContaining('"ok"') });
  expect(await check(port)).toMatchObject({ code: 0, stdout: expect.stringContaining('"code":"standby"') });

  await first.kill();
  expect((await check(first.port)).code).toBe(1);
  await using active = await second;
  expect(await hostsOf(active)).toEqual(["alpha"]);
  expect((await active.report(agentXml({ id: "b", hostname: "beta" } as never))).status).toBe(200);
  expect(await hostsOf(active)).toEqual(["alpha", "beta"]);
  // No file of the database is on the disk of a node.
  expect(existsSync(join(folder.path, "second/muster.db"))).toBe(false);
});

test("while the server does not answer, agents get 503 and the health check fails; then everything continues", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path, env: environment("away") });
  expect((await muster.report(agentXml({ id: "a", hostname: "alpha" } as never))).status).toBe(200);
  server.pause();
  try {
    expect((await muster.report(agentXml({ id: "a", hostname: "alpha" } as never))).status).toBe(503);
    expect(await health(muster.port)).toBe(503);
  } finally {
    server.resume();
  }
  await eventually("it is healthy again", async () => (await health(muster.port)) === 200);
  await server.stop();
  expect((await muster.report(agentXml({ id: "a", hostname: "alpha" } as never))).status).toBe(503);
  await server.run([]);
  await eventually(
    "messages are taken again",
    async () => (await muster.report(agentXml({ id: "b", hostname: "beta" } as never))).status === 200,
  );
  expect(await hostsOf(muster)).toEqual(["alpha", "beta"]);
  // The outage counts against no host.
  expect(server.query("select count(*) from downtime_intervals", "away")).toBe("0");
});

/** The fate of a session that waits for the synchronous standby in its COMMIT. */
const INTERRUPTIONS = [
  ["of which the server only warns that it is not replicated", "pg_cancel_backend"],
  ["whose connection is lost", "pg_terminate_backend"],
] as const;

for (const [title, interrupt] of INTERRUPTIONS)
  test(`a commit ${title} is not acknowledged, and the event is stored once when it comes again`, async () => {
    using folder = temporaryFolder();
    const database = interrupt;
    await using muster = await Muster.start({ cwd: folder.path, env: environment(database) });
    const event = () =>
      muster.report(agentXml({ id: "a", services: [{ name: "app" }], event: { service: "app" } }));
    // Muster stores other things too: their commits are interrupted until it is that of the event.
    const isOfEvent = () =>
      server
        .query(
          `with waiting as materialized (select pid, exists (select 1 from pg_locks
                 where pg_locks.pid = activity.pid and relation = 'events'::regclass and mode = 'RowExclusiveLock')
                 as of_event from pg_stat_activity as activity
               where wait_event = 'SyncRep' and query = 'commit' and datname = '${database}')
             select of_event, ${interrupt}(pid) from waiting`,
          database,
        )
        .startsWith("t");
    const answers: number[] = [];
    await server.waitForStandby("nobody");
    try {
      await eventually("the commit of the event is interrupted", async () => {
        let isAnswered = false;
        const answer = event().finally(() => {
          isAnswered = true;
        });
        let isFound = false;
        while (!isFound && !isAnswered) {
          isFound = isOfEvent();
          await Bun.sleep(50);
        }
        answers.push((await answer).status);
        return isFound;
      });
    } finally {
      await server.setStandbyNames("");
    }
    expect(new Set(answers)).toEqual(new Set([503]));
    const stored = () => server.query("select count(*) from events", database);
    // It was committed anyway, which others see once its session has ended.
    await eventually("the event is stored", () => stored() === "1");
    await eventually("the event is acknowledged", async () => (await event()).status === 200);
    expect(stored()).toBe("1");
  });

test("a database that Muster cannot use is refused in one line, with exit code 1 and without the password", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const refusal = async (env: Record<string, string>, args: string[] = []) => {
    const { code, stdout, stderr } = await run(["serve", "--data", "d", "--listen", "127.0.0.1:0", ...args], {
      cwd,
      env,
    });
    const said = stderr.trim();
    expect({
      code,
      lines: said.split("\n").length,
      hasPassword: (stdout + stderr).includes("geheim"),
    }).toEqual({
      code: 1,
      lines: 1,
      hasPassword: false,
    });
    return said;
  };
  server.query("create database foreign_one");
  server.query("create table invoices (id int)", "foreign_one");
  expect(await refusal({ MUSTER_DATABASE: server.url("foreign_one") })).toContain(
    "contains something other than Muster",
  );
  expect(await refusal({ MUSTER_DATABASE: server.url("nowhere") })).toContain(
    'database "nowhere" does not exist',
  );
  expect(await refusal({}, ["--database", "postgres://u:geheim@h/d"])).toContain("MUSTER_DATABASE");

  server.query("create role poor login");
  server.query("create database poor");
  server.query("revoke create on schema public from public", "poor");
  const poor = server.url("poor").replace("postgres@", "poor@");
  expect(await refusal({ MUSTER_DATABASE: poor })).toContain("no right to create tables");

  const env = environment("other_key");
  await using first = await Muster.start({ cwd, data: "first", env });
  await first.stop();
  writeFileSync(join(cwd, "file"), server.url("other_key"), { mode: 0o600 });
  expect(await refusal({ MUSTER_DATABASE_FILE: join(cwd, "file") })).toContain(
    "secret.key is missing: copy it",
  );
  mkdirSync(join(cwd, "d"), { recursive: true, mode: 0o700 });
  writeFileSync(join(cwd, "d/secret.key"), "00".repeat(32), { mode: 0o600 });
  expect(await refusal(env)).toContain("is not the key of the database");
  expect(server.query("select message from events limit 1", "other_key")).toBe("");
});

needing("chromium", "postgres").test(
  "nodes know each other, and a standby that is older than the tables ends when a newer node has upgraded them",
  async () => {
    using folder = temporaryFolder();
    await using cleanups = new AsyncDisposableStack();
    const cwd = folder.path;
    const env = environment("rolling");
    await using first = await Muster.start({ cwd, data: "first", env, args: ["--node", "alpha"] });
    mkdirSync(join(cwd, "second"), { mode: 0o700 });
    cpSync(join(cwd, "first/secret.key"), join(cwd, "second/secret.key"));
    const port = freePort();
    const args = ["serve", "--data", "second", "--listen", `127.0.0.1:${port}`, "--node", "beta"];
    const second = run(args, { cwd, env });
    const admin = await first.admin();
    const nodes = await eventually("both nodes are listed", async () => {
      const { json } = await admin.get("/api/1/admin/nodes/list");
      return json.records.length === 2 && json.records;
    });
    expect(nodes).toMatchObject([
      { name: "alpha", active: 1 },
      { name: "beta", active: 0 },
    ]);
    await eventually("the standby has metrics of the nodes, for programs on its machine", async () => {
      const response = await fetch(`http://127.0.0.1:${port}/metrics`);
      return (
        response.status === 200 && /^muster_node_active\{node="alpha",.*\} 1$/m.test(await response.text())
      );
    });
    const browser = await launchBrowser();
    cleanups.defer(() => browser.close());
    await using open = await signedInPage(browser, first, "/about");
    const row = (name: string) => open.page.getByRole("row", { name });
    await row("alpha").getByText("Active").waitFor();
    await row("beta").getByText("Standby").waitFor();
    expect(open.trouble).toEqual([]);
    const forwarded = await fetch(`http://127.0.0.1:${port}/metrics`, { headers: { Via: "1.1 proxy" } });
    expect(forwarded.status).toBe(503);

    // Like the tables of a newer Muster. The serving node continues: it is the one they were made for.
    server.query("insert into muster_migrations values ('of a newer version', 9e15)", "rolling");
    const { code, stderr } = await second;
    expect({ code, stderr: stderr.trim() }).toEqual({
      code: 1,
      stderr: expect.stringMatching(
        /^muster: .*it was made by a newer Muster than this one, .*: use that one$/,
      ),
    });
    expect(await health(first.port)).toBe(200);
  },
);

test("a command for a database file says so when a server is set", async () => {
  using folder = temporaryFolder();
  const env = { MUSTER_DATABASE: server.url("any") };
  const { code, stderr } = await run(["backup", "file"], { cwd: folder.path, env });
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr:
      "muster: muster backup works on a database file, but MUSTER_DATABASE names a server: use pg_dump instead\n",
  });
});

test("the collector password of a first start is the one of the environment", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path, env: environment("first_start") });
  expect((await muster.client().report(agentXml({ id: "a" } as never), "wrong")).status).toBe(401);
  expect((await muster.client().report(agentXml({ id: "a" } as never), COLLECTOR_PASSWORD)).status).toBe(200);
});

test("accounts and the configuration are managed by commands, on the server", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const env = environment("commands");
  await using muster = await Muster.start({ cwd, env });
  expect((await muster.report(agentXml({ id: "a", hostname: "alpha" }))).status).toBe(200);
  const command = (...args: string[]) => run([...args, "--data", "data"], { cwd, env });

  expect((await command("user", "add", "ada", "--generate")).code).toBe(0);
  const listed = await command("user", "list");
  expect(listed.stdout).toContain("ada");
  const exported = await command("export", "--secrets");
  expect(JSON.parse(exported.stdout).hosts).toMatchObject([{ hostname: "alpha" }]);
  writeFileSync(join(cwd, "export.json"), exported.stdout);

  const refused = await command("import", "export.json");
  expect({ code: refused.code, said: refused.stderr.trim() }).toEqual({
    code: 1,
    said: expect.stringContaining("another Muster is running on the data folder"),
  });
  await muster.stop();
  const target = { ...env, MUSTER_DATABASE: environment("imported").MUSTER_DATABASE ?? "" };
  const into = (...args: string[]) => run([...args, "--data", "other"], { cwd, env: target });
  const first = await Muster.start({ cwd, data: "other", env: target });
  await first.stop();
  const imported = await into("import", "export.json");
  expect({ code: imported.code, stderr: imported.stderr }).toEqual({ code: 0, stderr: "" });
  expect((await into("user", "list")).stdout).toContain("ada");
  await using again = await Muster.start({ cwd, data: "other", env: target });
  expect(await hostsOf(again)).toEqual(["alpha"]);
});

test("a node that starts before the server waits for it, answers 503, and can be stopped", async () => {
  using folder = temporaryFolder();
  const env = environment("early");
  await server.stop();
  const isWaiting = async (port: number) => {
    const reply = await fetch(`http://127.0.0.1:${port}/healthz`);
    return reply.status === 503 && (await reply.json()).code === "database";
  };
  const [port, otherPort] = [freePort(), freePort()];
  const early = Muster.start({ cwd: folder.path, env, port });
  const command = ["serve", "--data", "other", "--listen", `127.0.0.1:${otherPort}`];
  const other = Bun.spawn([EXECUTABLE, ...command], {
    cwd: folder.path,
    env,
    stdout: "ignore",
    stderr: "ignore",
  });
  try {
    await eventually("both say what is missing", async () => {
      return (await isWaiting(port)) && (await isWaiting(otherPort));
    });
    const check = await run(["healthcheck", "--listen", `127.0.0.1:${port}`], { cwd: folder.path });
    expect({ code: check.code, said: check.stderr }).toEqual({
      code: 1,
      said: expect.stringContaining("The database server cannot be reached"),
    });
    other.kill("SIGTERM");
    expect(await other.exited).toBe(0);
  } finally {
    await server.run([]);
  }
  await using muster = await early;
  expect((await muster.report(agentXml({ id: "a", hostname: "alpha" } as never))).status).toBe(200);
  expect(await hostsOf(muster)).toEqual(["alpha"]);
});
