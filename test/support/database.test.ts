import { expect } from "bun:test";
import { transaction } from "../../src/platform/storage/open.ts";
import { TestDatabases } from "./database.ts";
import { PostgresServer } from "./postgres-server.ts";
import { needing } from "./programs.ts";

const { test } = needing("postgres");

test("what a test leaves unfinished writes nothing into a database that a later test uses again", async () => {
  await using server = await PostgresServer.start();
  const databases = new TestDatabases(server, 1);
  const earlier = databases.take();
  const name = earlier.$client.query("select current_database() as name").get();
  const prepared = earlier.$client.prepare("insert into settings (key, value) values ('prepared', '')");
  databases.release();
  const later = databases.take();
  expect(later.$client.query("select current_database() as name").get()).toEqual(name);
  const write = () => earlier.$client.run("insert into settings (key, value) values ('left', '')");
  const writes = [write, () => prepared.run(), () => transaction(earlier, write)];
  for (const each of writes) expect(each).toThrow("this database is another test's now");
  expect(later.$client.query("select * from settings").all()).toEqual([]);
  later.$client.close();
});
