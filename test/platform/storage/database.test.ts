import { Database } from "bun:sqlite";
import { afterAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, readFileSync, readlinkSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { and, eq, gt, sql } from "drizzle-orm";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { copyDatabase } from "../../../src/platform/storage/backup.ts";
import {
  closeDatabase,
  openDatabase,
  sqliteClient,
  transaction,
} from "../../../src/platform/storage/open.ts";
import { names as nameRows } from "../../../src/platform/storage/schema.ts";
import { migrateDatabase } from "../../../src/platform/storage/sqlite-migrations.ts";

const folder = mkdtempSync(join(tmpdir(), "muster-db-"));
afterAll(() => rmSync(folder, { recursive: true }));

function opened(name: string) {
  const db = openDatabase(name === ":memory:" ? name : join(folder, name));
  migrateDatabase(db, migrationsFolder());
  const pragma = (text: string) => Object.values(db.$client.query(`pragma ${text}`).get() as object)[0];
  const names = () =>
    (db.$client.query("select name from names order by id").all() as { name: string }[]).map(
      ({ name }) => name,
    );
  const add = (name: string) => db.$client.run("insert into names (name) values (?)", [name]);
  return { db, pragma, names, add };
}

/** Files that this process has open, by the end of their paths. */
function openFiles(ending: string): string[] {
  return readdirSync("/proc/self/fd").flatMap((descriptor) => {
    try {
      const path = readlinkSync(`/proc/self/fd/${descriptor}`);
      return path.endsWith(ending) ? [path] : [];
    } catch {
      // That of the folder itself is closed by now.
      return [];
    }
  });
}

test("every parameter of the query builder is hidden from the planner, so that no statement is planned twice", () => {
  const { db } = opened(":memory:");
  const selected = and(eq(nameRows.name, "web"), gt(nameRows.id, sql.placeholder("after")));
  const { sql: text } = db
    .select()
    .from(nameRows)
    .where(selected)
    .limit(1)
    .offset(sql.placeholder("skipped"))
    .toSQL();
  expect(text.match(/.\?/g)).toEqual(["+?", "+?", "+?", "+?"]);
});

test("a closed database leaves no file open, though statements were compiled", () => {
  const { db, add } = opened("closed.db");
  add("kept");
  expect(db.select().from(nameRows).all()).toHaveLength(1);
  expect(db.get(sql`select count(*) from names`)).toEqual([1]);
  expect(openFiles("/closed.db")).not.toEqual([]);
  db.$client.close();
  expect(openFiles("/closed.db")).toEqual([]);
});

test("a database file waits for locks, keeps a log that survives a power cut, and gives space back", () => {
  const { db, pragma } = opened("pragmas.db");
  expect(pragma("busy_timeout")).toBe(5000);
  expect(pragma("journal_mode")).toBe("wal");
  expect(pragma("synchronous")).toBe(2);
  expect(pragma("auto_vacuum")).toBe(2);
  expect(pragma("foreign_keys")).toBe(1);
  expect(pragma("page_size")).toBe(2048);
  expect(pragma("temp_store")).toBe(2);
  expect(pragma("wal_autocheckpoint")).toBe(32_768);
  closeDatabase(db);
});

test("a file with larger pages keeps them, and as long a log; a backup of it has those of new files", () => {
  const file = join(folder, "larger.db");
  const earlier = new Database(file, { create: true });
  earlier.run("pragma page_size = 4096");
  earlier.run("pragma journal_mode = wal");
  earlier.run("create table kept (n integer)");
  earlier.close();
  const { db, pragma, add } = opened("larger.db");
  add("kept");
  copyDatabase(sqliteClient(db), join(folder, "backup.db"));
  expect(pragma("page_size")).toBe(4096);
  expect(pragma("wal_autocheckpoint")).toBe(16_384);
  closeDatabase(db);
  const backup = opened("backup.db");
  expect(backup.pragma("page_size")).toBe(2048);
  expect(backup.names()).toEqual(["kept"]);
  closeDatabase(backup.db);
});

test("a statement is compiled once, until many others were used since", () => {
  const { db } = opened(":memory:");
  const compiled = (sql: string) => db.$client.prepare(sql);
  const first = compiled("select 0");
  for (let i = 1; i < 200; i++) compiled(`select ${i}`);
  expect(compiled("select 0")).toBe(first);
  for (let i = 201; i <= 400; i++) compiled(`select ${i}`);
  const again = compiled("select 0");
  expect(again).not.toBe(first);
  expect(again.values()).toEqual([[0]]);
});

test("a statement that was compiled before a table changed gives what it holds now", () => {
  const { db, add } = opened(":memory:");
  const read = () => db.$client.prepare("select * from names").all();
  add("a");
  expect(read()).toEqual([expect.objectContaining({ name: "a" })]);
  db.$client.run("alter table names add column colour text default 'red'");
  expect(read()).toEqual([expect.objectContaining({ name: "a", colour: "red" })]);
});

test("closing writes the log back into the file", () => {
  const { db, add } = opened("close.db");
  add("kept");
  closeDatabase(db);
  expect(
    existsSync(join(folder, "close.db-wal")) && readFileSync(join(folder, "close.db-wal")).length > 0,
  ).toBe(false);
  const again = opened("close.db");
  expect(again.names()).toEqual(["kept"]);
  closeDatabase(again.db);
});

test("migrating a database that is up to date changes nothing", () => {
  const { db } = opened(":memory:");
  const schema = () => db.$client.query("select type, name, sql from sqlite_schema order by name").all();
  const before = schema();
  migrateDatabase(db, migrationsFolder());
  expect(schema()).toEqual(before);
});

test("migrations follow each other in time", () => {
  const journal = JSON.parse(readFileSync(join(migrationsFolder(), "meta/_journal.json"), "utf8")) as {
    entries: { idx: number; when: number }[];
  };
  const { entries } = journal;
  expect(entries.map(({ idx }) => idx)).toEqual(entries.map((_, i) => i));
  for (const [i, { when }] of entries.entries())
    if (i > 0) expect(when).toBeGreaterThan(entries[i - 1]?.when ?? 0);
});

describe("a transaction", () => {
  test("stores all of its work and gives its result", () => {
    const { db, add, names } = opened(":memory:");
    const result = transaction(db, () => {
      add("a");
      add("b");
      return 7;
    });
    expect([result, names()]).toEqual([7, ["a", "b"]]);
  });

  test("that throws stores nothing", () => {
    const { db, add, names } = opened(":memory:");
    const work = () => {
      add("a");
      throw new Error("no");
    };
    expect(() => transaction(db, work)).toThrow("no");
    expect(names()).toEqual([]);
    add("later");
    expect(names()).toEqual(["later"]);
  });

  test("within another is undone alone", () => {
    const { db, add, names } = opened(":memory:");
    transaction(db, () => {
      add("outer");
      expect(() =>
        transaction(db, () => {
          add("inner");
          throw new Error("no");
        }),
      ).toThrow("no");
      transaction(db, () => add("second"));
    });
    expect(names()).toEqual(["outer", "second"]);
  });
});

test("every foreign key has an index to delete by, but for those stated", () => {
  const { db } = opened(":memory:");
  const query = (sql: string) => db.$client.query(sql).all() as Record<string, string>[];
  const missing: string[] = [];
  for (const { name = "" } of query("select name from sqlite_schema where type = 'table'"))
    for (const { from = "" } of query(`pragma foreign_key_list("${name}")`)) {
      const indexes = query(`pragma index_list("${name}")`).map(
        (index) => query(`pragma index_info("${index.name}")`)[0]?.name,
      );
      const primary = query(`pragma table_info("${name}")`).find((column) => Number(column.pk) === 1)?.name;
      if (![...indexes, primary].includes(from)) missing.push(`${name}.${from}`);
    }
  // Names are never deleted, so nothing is looked up by them.
  expect(missing.filter((column) => !column.endsWith(".name_id"))).toEqual([]);
});
