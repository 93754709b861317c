/** Nodes that are not active: which of them may wait for their turn, and the outcome of their first start. */
import { expect } from "bun:test";
import { existsSync, rmSync, writeFileSync } from "node:fs";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { migratedDatabase, newDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { laterMigrations, WaitingNode } from "./waiting-node.ts";

const { test } = postgresTests();

/** What the tests use of a database. @param name of a new one, which is empty */
function database(name = newDatabase()) {
  return { name, url: server.url(name), sql: (text: string) => server.query(text, name) };
}

const reasonOf = (node: WaitingNode) =>
  node.opened.then(
    () => "it started",
    (error: Error) => error.message,
  );
const standsBy = (node: WaitingNode) =>
  eventually("it is a standby", () => node.output.includes("this one is a standby"));

test("a node without the key of the database, or with another one, ends instead of standing by", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { url } = database(migratedDatabase());
  await using first = new WaitingNode({ name: "alpha", cwd, url });
  await first.setUp();
  await using bare = new WaitingNode({ name: "bare", cwd, url });
  expect(await reasonOf(bare)).toContain("secret.key is missing: copy it from a node that has this database");
  // It created none.
  expect([existsSync(bare.key), existsSync(`${bare.key}.new`)]).toEqual([false, false]);

  first.lendKey(cwd, "other");
  writeFileSync(`${cwd}/other/secret.key`, "00".repeat(32));
  await using other = new WaitingNode({ name: "other", cwd, url });
  expect(await reasonOf(other)).toContain("is not the key of the database");
  expect(other.output).toBe("");
});

test("a standby whose key is removed ends while the active node still serves", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { url } = database(migratedDatabase());
  await using first = new WaitingNode({ name: "alpha", cwd, url });
  await first.setUp();
  first.lendKey(cwd, "beta");
  await using second = new WaitingNode({ name: "beta", cwd, url });
  await standsBy(second);
  rmSync(second.key);
  expect(await reasonOf(second)).toContain("secret.key is missing");
});

test("a newer node without the key migrates nothing, even if no other node is active", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { url, sql } = database(migratedDatabase());
  {
    await using first = new WaitingNode({ name: "alpha", cwd, url });
    await first.setUp();
  }
  const before = sql("select * from muster_migrations order by hash");
  const migrations = laterMigrations(cwd, ["create table later (id int)"]);
  await using newer = new WaitingNode({ name: "beta", cwd, url, migrations });
  expect(await reasonOf(newer)).toContain("secret.key is missing");
  expect(sql("select * from muster_migrations order by hash")).toBe(before);
  expect(sql("select to_regclass('later') is null")).toBe("t");
  // The lease is as the first node gave it back.
  expect(sql("select node, epoch from muster_lease")).toBe("alpha|1");
});

test("of two nodes that start on an empty database at once, one makes the tables and the other waits", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { url, sql } = database();
  await using first = new WaitingNode({ name: "alpha", cwd, url });
  await using second = new WaitingNode({ name: "beta", cwd, url });
  const active = await Promise.race([first, second].map(async (node) => (await node.opened) && node));
  const other = active === first ? second : first;
  await standsBy(other);
  expect(sql("select node from muster_lease")).toBe(active === first ? "alpha" : "beta");
  // Each of them would have made the tables, had it been alone.
  expect(sql("select count(*) = count(distinct hash) from muster_migrations")).toBe("t");
});

test("tables that are being made when the connection ends are not there afterwards, and are made again", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { name, url, sql } = database();
  // The last statement waits until the table is there that the test makes.
  const migrations = laterMigrations(cwd, [
    "do $$ begin while not exists (select from pg_catalog.pg_class where relname = 'go_on') loop perform pg_sleep(0.05); end loop; end $$",
  ]);
  await using node = new WaitingNode({ name: "alpha", cwd, url, migrations });
  const creating = () =>
    sql(
      `select pid from pg_stat_activity where datname = '${name}' and query like 'do %' and state = 'active'`,
    );
  const pid = await eventually("it makes the tables", () => creating() || null);
  expect((await node.answer()).status).toBe(503);
  expect(await (await node.answer()).json()).toMatchObject({ code: "upgrade" });
  sql(`select pg_terminate_backend(${pid})`);
  await eventually("another connection makes them", () => !["", pid].includes(creating()));
  expect(sql("select count(*) from pg_tables where schemaname = 'public'")).toBe("0");
  sql("create table go_on (id int)");
  await node.active();
  expect(sql("select count(*) > 50 from pg_tables where schemaname = 'public'")).toBe("t");
});

test("a node that is stopped while it creates the tables leaves none", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const { name, url, sql } = database();
  const migrations = laterMigrations(cwd, ["select pg_sleep(3600)"]);
  const creating = () =>
    sql(
      `select pid from pg_stat_activity where datname = '${name}' and query like '%pg_sleep%' and pid <> pg_backend_pid()`,
    );
  {
    await using _node = new WaitingNode({ name: "alpha", cwd, url, migrations });
    await eventually("it makes the tables", () => creating() || null);
  }
  await eventually("its session is gone", () => {
    sql(`select pg_terminate_backend(${creating() || 0})`);
    return creating() === "";
  });
  expect(sql("select count(*) from pg_tables where schemaname = 'public'")).toBe("0");
});
