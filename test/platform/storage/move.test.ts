import type { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { copyRows, verifyRows } from "../../../src/platform/storage/move/copy.ts";
import { pagesOf } from "../../../src/platform/storage/move/rows.repository.ts";
import { fileSource, fileTarget } from "../../../src/platform/storage/move/rows.sqlite.ts";
import { movedTables } from "../../../src/platform/storage/move/tables.ts";
import { sqliteClient } from "../../../src/platform/storage/open.ts";
import { addAnyRows } from "../../support/any-rows.ts";
import { testDatabase } from "../../support/database.ts";

/** Copies a database, changes the copy, and compares it. */
function verifyAfter(change: (copy: Database) => void) {
  const source = testDatabase();
  addAnyRows(source);
  const copy = sqliteClient(testDatabase());
  const from = fileSource(sqliteClient(source));
  const steps: string[] = [];
  const step = (table: string) => steps.push(table);
  const sums = copyRows(from, fileTarget(copy), movedTables(), step);
  copy.run("PRAGMA foreign_keys = OFF");
  change(copy);
  return verifyRows(from, fileSource(copy), sums, step);
}

test("a copy is compared table by table, with every table of the schema", () => {
  const compared = verifyAfter(() => undefined);
  expect(compared.map(({ table }) => table).sort()).toEqual(
    movedTables()
      .map(({ name }) => name)
      .sort(),
  );
  expect(compared.every(({ rows }) => rows === 2)).toBe(true);
});

test("a missing row, a different value, and an id that would be reused are noticed", () => {
  const missing = "the copy of names has 1 row instead of 2";
  expect(() => verifyAfter((copy) => copy.run("delete from names where id = 10001"))).toThrow(missing);
  expect(() =>
    verifyAfter((copy) => copy.run("update history_blocks set payload = x'00' where payload = x''")),
  ).toThrow("the copy of history_blocks differs from the source");
  expect(() => verifyAfter((copy) => copy.run("update hosts set cpu = cpu + 1e-9 where id = 10001"))).toThrow(
    "the copy of hosts differs from the source",
  );
  expect(() => verifyAfter((copy) => copy.run("update users set totp_enabled = 1"))).toThrow(
    "the copy of users differs from the source",
  );
  expect(() =>
    verifyAfter((copy) => copy.run("update sqlite_sequence set seq = seq + 1 where name = 'events'")),
  ).toThrow("the copy of events would reuse ids");
});

test("tables stand after those that their rows refer to", () => {
  const names = movedTables().map(({ name }) => name);
  for (const [first, then] of [
    ["users", "pictures"],
    ["hosts", "events"],
    ["events", "alerts"],
    ["deliveries", "delivery_events"],
  ] as const)
    expect(names.indexOf(first)).toBeLessThan(names.indexOf(then));
});

test("rows are read in pages, each row once, by a key of one column or of several", () => {
  const db = testDatabase();
  db.$client.run("PRAGMA foreign_keys = OFF");
  const numbers = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 2001)";
  db.$client.run(`${numbers} insert into names (name, name_key) select 'n' || i, '' from n`);
  db.$client.run(
    `${numbers} insert into host_group_members (group_id, host_id) select i % 2, i from n where i <= 2000`,
  );
  for (const [name, sizes] of [
    ["names", [1000, 1000, 1]],
    ["host_group_members", [1000, 1000]],
    ["users", []],
  ] as const) {
    const table = movedTables().find((each) => each.name === name);
    if (!table) throw new Error(`there is no table ${name}`);
    const pages = [...pagesOf(db.$client, table)];
    expect(pages.map(({ length }) => length)).toEqual([...sizes]);
    expect(new Set(pages.flat().map((row) => row.join())).size).toBe(sizes.reduce((a, b) => a + b, 0));
  }
});
