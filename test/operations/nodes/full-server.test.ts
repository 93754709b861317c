/** A node whose server is there, but lacks connections or disk space: it waits, and says once why. */
import { expect } from "bun:test";
import { eventually, temporaryFolder } from "../../e2e/support.ts";
import { migratedDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { WaitingNode } from "./waiting-node.ts";

const { test } = postgresTests();

const state = async (node: WaitingNode) => (await node.answer()).json();
const linesAbout = (node: WaitingNode, text: string) => node.lines.filter((line) => line.includes(text));

test("a node that starts when its user has no connection left waits for one", async () => {
  using folder = temporaryFolder();
  server.query("create role few login connection limit 0");
  server.query("create database of_few owner few");
  const url = server.url("of_few").replace("postgres@", "few@");
  await using node = new WaitingNode({ name: "alpha", cwd: folder.path, url });
  const said = await eventually("it waits", async () => {
    const answer = await state(node);
    return answer.code === "database" && answer;
  });
  expect(said.reason).toContain("too many connections");
  server.query("alter role few connection limit -1");
  await node.active();
  expect(linesAbout(node, "waiting for the database server")).toEqual([
    expect.stringContaining("too many connections"),
  ]);
});

test("a standby that cannot store that it runs, since the disk is full, waits and says so once", async () => {
  using folder = temporaryFolder();
  const cwd = folder.path;
  const name = migratedDatabase();
  const url = server.url(name);
  const sql = (text: string) => server.query(text, name);
  await using active = new WaitingNode({ name: "alpha", cwd, url });
  await active.setUp();
  active.lendKey(cwd, "beta");
  // The sequence counts the attempts, although each is rolled back.
  sql(`create sequence attempts;
    create function refuse() returns trigger language plpgsql as $$ begin
      perform nextval('attempts');
      raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$`);
  const fill = () =>
    sql(`create trigger full_disk before insert or update on muster_nodes
      for each row when (new.name = 'beta') execute function refuse()`);
  const attempts = () => Number(sql("select last_value from attempts"));
  fill();
  await using standby = new WaitingNode({ name: "beta", cwd, url });
  const standsBy = () => linesAbout(standby, "this one is a standby");
  const waits = () => linesAbout(standby, "waiting for the database server");
  await eventually("it has tried a few times", () => attempts() > 3);
  expect(await state(standby)).toMatchObject({
    code: "database",
    reason: expect.stringContaining("No space left on device"),
  });
  expect([waits().length, standsBy().length]).toEqual([1, 0]);

  sql("drop trigger full_disk on muster_nodes");
  await eventually("it is a standby", async () => (await state(standby)).code === "standby");
  expect(standsBy()).toEqual([expect.stringContaining("active=alpha")]);

  const before = attempts();
  fill();
  await eventually("it has tried again", () => attempts() > before + 1);
  expect((await state(standby)).code).toBe("database");
  sql("drop trigger full_disk on muster_nodes");
  await eventually("it is a standby again", async () => (await state(standby)).code === "standby");
  // The active node is the same as before.
  expect([waits().length, standsBy().length]).toEqual([2, 1]);
  sql("update muster_lease set node = 'gamma'");
  await eventually("it says that another one is active", () => standsBy().length === 2);
  expect(standsBy()[1]).toContain("active=gamma");
});
