import { expect, test } from "bun:test";
import { closeSync, openSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { closeDatabase, openDatabase, PAGE_BYTES } from "../../../src/platform/storage/open.ts";
import { quickDamage } from "../../../src/platform/storage/quick-check.ts";
import { temporaryFolder } from "../../e2e/support.ts";

const MB = 1024 * 1024;

/** Writes a file whose rows take more than 20 MB. */
function fill(file: string): void {
  const db = openDatabase(file);
  db.$client.run("create table rows (id integer primary key, text blob)");
  db.$client.run(
    `insert into rows with recursive numbers(n) as (select 1 union all select n + 1 from numbers where n < 200000)
     select n, zeroblob(110) from numbers`,
  );
  closeDatabase(db);
}

/** Overwrites a page in the middle. */
function spoil(file: string): void {
  const middle = Math.floor(statSync(file).size / 2 / PAGE_BYTES) * PAGE_BYTES;
  const descriptor = openSync(file, "r+");
  writeSync(descriptor, Buffer.alloc(PAGE_BYTES, 0xaa), 0, PAGE_BYTES, middle);
  closeSync(descriptor);
}

test("a file of up to 32 MB is checked completely, with pages of any size", () => {
  using folder = temporaryFolder();
  const file = join(folder.path, "muster.db");
  fill(file);
  const { size } = statSync(file);
  expect(size).toBeGreaterThan(20 * MB);
  expect(size).toBeLessThan(32 * MB);
  spoil(file);
  const db = openDatabase(file);
  expect(quickDamage(db)).not.toBeNull();
  db.$client.close();
});
