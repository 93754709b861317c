/** Databases on a server that were made by other versions. */
import { expect } from "bun:test";
import { join } from "node:path";
import { migrationsFolder } from "../../../../src/platform/assets.ts";
import { withServer } from "../../../../src/platform/storage/database-server.postgres.ts";
import { readJournal } from "../../../../src/platform/storage/schema-version.ts";
import { openedDatabase, postgresTests, server } from "../../../support/postgres-tests.ts";

const { test } = postgresTests();

const journal = readJournal(join(migrationsFolder(), "postgres"));
const last = journal.at(-1)?.when ?? 0;

/** Opens a database as a command does, after a change of what it says of its migrations. */
function openAfter(change: string): string {
  const { db, name } = openedDatabase();
  db.$client.run(change);
  db.$client.close();
  return withServer(server.options(name), migrationsFolder(), () => "opened");
}

const UNRELEASED =
  /: it was made by a build of Muster from before the first release, which \S+ does not open: start with an empty database [^\n]*$/;

test.each([
  [
    "a newer version",
    `insert into muster_migrations values ('later', ${last + 1})`,
    /: it was made by a newer Muster than this one, \S+: use that one$/,
  ],
  [
    "a build whose migrations are all gone",
    "update muster_migrations set created_at = created_at - 1e12",
    UNRELEASED,
  ],
  [
    "a build whose migrations were changed later",
    `update muster_migrations set hash = 'other' where created_at = ${journal[1]?.when}`,
    UNRELEASED,
  ],
  [
    "an earlier version",
    `delete from muster_migrations where created_at = ${last}`,
    /: it is from an earlier version: run muster serve first, which upgrades it$/,
  ],
])("a database of %s is called that", (_made, change, refusal) => {
  expect(() => openAfter(change)).toThrow(refusal);
});

test("a database of this version is opened", () => {
  expect(openAfter("select 1")).toBe("opened");
});
