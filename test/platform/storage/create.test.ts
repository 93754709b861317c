/** A new database, shared with another process. */
import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { createDatabase } from "../../../src/platform/storage/create.ts";
import { openDatabase } from "../../../src/platform/storage/open.ts";
import { temporaryFolder } from "../../e2e/support.ts";

const WRITE = `
  import { Database } from "bun:sqlite";
  const db = new Database(process.argv[1]);
  db.run("update settings set value = 'other' where key = 'probe'");
  db.close();`;

test("the process that made it and another one see what each of them writes, and keep the log of the other", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "muster.db");
  createDatabase(file, migrationsFolder());
  const { $client: made } = openDatabase(file);
  made.run("insert into settings (key, value) values ('probe', 'first')");
  expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([true, true]);

  expect(Bun.spawnSync([process.execPath, "-e", WRITE, file]).stderr.toString()).toBe("");
  expect([existsSync(`${file}-wal`), existsSync(`${file}-shm`)]).toEqual([true, true]);
  expect(made.query("select value from settings where key = 'probe'").get()).toEqual({ value: "other" });
  made.run("update settings set value = 'last' where key = 'probe'");
  made.close();
  const again = new Database(file, { readonly: true });
  expect(again.query("select value from settings where key = 'probe'").get()).toEqual({ value: "last" });
  again.close();
});
