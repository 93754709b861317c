import { expect, test } from "bun:test";
import { transaction } from "../../src/platform/storage/open.ts";
import { TestDatabases, testDatabase } from "./database.ts";
import { PostgresServer } from "./postgres-server.ts";
import { needing } from "./programs.ts";
import { endTest } from "./test-end.ts";

test("databases in memory are closed after their tests, but for the last ones", () => {
  const databases = Array.from({ length: 9 }, testDatabase);
  const queries = databases.map((db) => () => db.$client.query("select 1 as one").get());
  endTest();
  expect(queries.at(0)).toThrow("closed");
  expect(queries.at(-1)?.()).toEqual({ one: 1 });
});

needing("postgres").test(
  "what a test leaves unfinished writes nothing into a database that a later test uses again",
  async () => {
    await using server = await PostgresServer.start();
    const ends: (() => void)[] = [];
    const databases = new TestDatabases(server, 1, (giveBack) => ends.push(giveBack));
    const earlier = databases.take();
    const name = earlier.$client.query("select current_database() as name").get();
    const prepared = earlier.$client.prepare("insert into settings (key, value) values ('prepared', '')");
    for (const giveBack of ends.splice(0)) giveBack();
    const later = databases.take();
    expect(later.$client.query("select current_database() as name").get()).toEqual(name);
    const write = () => earlier.$client.run("insert into settings (key, value) values ('left', '')");
    const writes = [write, () => prepared.run(), () => transaction(earlier, write)];
    for (const each of writes) expect(each).toThrow("this database is another test's now");
    expect(later.$client.query("select * from settings").all()).toEqual([]);
    later.$client.close();
  },
);
