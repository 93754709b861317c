/** A migration with a statement that takes longer than a lease lasts, and than Muster waits for any other statement. */
import { expect } from "bun:test";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { postgresTests, server } from "../../support/postgres-tests.ts";
import { laterMigrations, WaitingNode } from "./waiting-node.ts";

const { test } = postgresTests();

test("a migration with a statement of 10 s is waited for, and no standby takes the lease, which is over meanwhile", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  server.query("create database slow");
  const url = server.url("slow");
  const sql = (text: string) => server.query(text, "slow");
  const first = new WaitingNode({ name: "alpha", cwd, url });
  await first.setUp();
  const applied = Number(sql("select count(*) from muster_migrations"));
  for (const name of ["beta", "gamma"]) first.lendKey(cwd, name);
  await first[Symbol.asyncDispose]();

  const migrations = laterMigrations(cwd, [
    "create table later (id int)",
    // It then lasts until the test has seen what it checks in between.
    `do $$ begin
       perform pg_sleep(10);
       while not exists (select from pg_class where relname = 'go_on') loop perform pg_sleep(0.05); end loop;
     end $$`,
    // Later statements may lock tables that a standby reads.
    "alter table settings add column later int",
  ]);
  await using newer = new WaitingNode({ name: "beta", cwd, url, migrations });
  await eventually("it is being migrated", () => newer.output.includes('statement="2 of 3"'));
  await using standby = new WaitingNode({ name: "gamma", cwd, url, migrations });
  await eventually("the other one is a standby", () => standby.output.includes("this one is a standby"));
  const lease = () => sql("select node, epoch, until < clock_timestamp() from muster_lease");
  // This thread does other work in between.
  expect(await (await newer.answer()).json()).toMatchObject({ code: "upgrade" });
  await eventually("the lease is over", () => lease() === "beta|2|t");
  const passes = () => Number(sql("select seen_at from muster_nodes where name = 'gamma'"));
  const before = passes();
  await eventually("the standby has looked again since", () => passes() > before);
  sql("create table go_on (id int)");

  const { db } = await newer.active();
  await eventually("it still has the lease", () => lease() === "beta|2|f");
  expect(newer.lines.filter((line) => line.includes("statement="))).toEqual([
    expect.stringContaining('statement="1 of 3"'),
    expect.stringContaining('statement="2 of 3"'),
    expect.stringContaining('statement="3 of 3"'),
  ]);
  // It can write, like the holder of the lease.
  db.$client.run("insert into later (id) values (1)");
  expect(sql("select id from later")).toBe("1");
  expect(standby.lines).toHaveLength(1);
  expect(Number(sql("select count(*) from muster_migrations"))).toBe(applied + 1);
});
