import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { is } from "drizzle-orm";
import { getTableConfig, SQLiteTable } from "drizzle-orm/sqlite-core";
import { migrationsFolder } from "../../../src/platform/assets.ts";
import { SecretBox } from "../../../src/platform/secrets/secret-box.ts";
import {
  type DataFolder,
  dataFolder,
  openForCommand,
  openForService,
} from "../../../src/platform/storage/data-folder.ts";
import { openDatabase, sqliteClient } from "../../../src/platform/storage/open.ts";
import * as schema from "../../../src/platform/storage/schema.ts";
import { readJournal } from "../../../src/platform/storage/schema-version.ts";
import { migrateDatabase } from "../../../src/platform/storage/sqlite-migrations.ts";
import type { UpgradeStep } from "../../../src/platform/storage/upgrade.ts";

const journal = readJournal(migrationsFolder());
const KEY = Buffer.alloc(32, 7);

function temporary() {
  const path = mkdtempSync(join(tmpdir(), "muster-upgrade-"));
  return { path, [Symbol.dispose]: () => rmSync(path, { recursive: true, force: true }) };
}

/** The migrations as they were when there were `count` of them. */
function earlierMigrations(path: string, count: number): string {
  const folder = join(path, `migrations-${count}`);
  cpSync(migrationsFolder(), folder, { recursive: true });
  const file = join(folder, "meta/_journal.json");
  const whole = JSON.parse(readFileSync(file, "utf8"));
  writeFileSync(file, JSON.stringify({ ...whole, entries: whole.entries.slice(0, count) }));
  return folder;
}

/** Tables of counts; a migration may make them anew. */
const DERIVED = new Set(["event_counts", "event_name_counts", "group_count_changes", "host_counts"]);

type Rows = Map<string, Record<string, unknown>[]>;

function rowsOf(client: Database): Rows {
  const tables = client
    .query(
      "select name from sqlite_schema where type = 'table' and name not like '\\_\\_%' escape '\\' and name not like 'sqlite_%'",
    )
    .all() as { name: string }[];
  const told = tables.filter(({ name }) => !DERIVED.has(name));
  return new Map(
    told.map(({ name }) => [name, client.query(`select * from "${name}" order by 1, 2`).all() as never]),
  );
}

/** A row in every table, whatever the tables are: parents first, so that all references hold. */
function fillEveryTable(client: Database): void {
  client.run("pragma foreign_keys = off");
  for (const name of rowsOf(client).keys()) {
    const columns = client.query(`pragma table_info("${name}")`).all() as {
      name: string;
      type: string;
    }[];
    const references = new Set(
      (client.query(`pragma foreign_key_list("${name}")`).all() as { from: string }[]).map((key) => key.from),
    );
    const parentKey = (column: string) =>
      references.has(column) && column.endsWith("_hash") ? "'t1'" : references.has(column) ? "1" : null;
    const values = columns.map(({ name: column, type }) => {
      const parent = parentKey(column);
      if (parent !== null) return parent;
      return { integer: "1", real: "1.5", blob: "x'01'" }[type.toLowerCase()] ?? "'t1'";
    });
    client.run(`insert into "${name}" values (${values.join(", ")})`);
  }
  client.run("insert into settings (key, value) values ('collectorpassword', ?)", [
    new SecretBox(KEY).seal("secret"),
  ]);
  expect(client.query("pragma foreign_key_check").all()).toEqual([]);
}

/** A data folder left by a Muster with the first `count` migrations. */
function folderOf(path: string, count: number) {
  const folder = dataFolder(join(path, `data-${count}`));
  mkdirSync(folder.path, { mode: 0o700 });
  writeFileSync(folder.key, `${KEY.toString("hex")}\n`, { mode: 0o600 });
  const db = openDatabase(folder.database);
  migrateDatabase(db, earlierMigrations(path, count));
  fillEveryTable(sqliteClient(db));
  const rows = rowsOf(sqliteClient(db));
  db.$client.close();
  return { folder, rows };
}

test("migrations are dated one after the other: the migrator passes over one that is not", () => {
  for (const [i, { tag, when }] of journal.entries())
    expect({ tag, isLater: when > (journal[i - 1]?.when ?? 0) }).toEqual({ tag, isLater: true });
});

/** Tables whose columns a migration renames; a test of its own says what becomes of their rows. */
const RESHAPED: ReadonlySet<string> = new Set(["limits"]);

describe("a database made by every earlier version", () => {
  for (let count = 1; count <= journal.length; count++)
    test(`after ${journal[count - 1]?.tag} keeps all its rows`, () => {
      using scratch = temporary();
      const { folder, rows } = folderOf(scratch.path, count);
      const steps: string[] = [];
      const { db } = openForService(folder, ({ kind }) => steps.push(kind));
      const after = rowsOf(sqliteClient(db));
      for (const [table, before] of rows)
        if (RESHAPED.has(table)) expect([table, after.get(table)?.length]).toEqual([table, before.length]);
        else expect({ table, rows: after.get(table) }).toMatchObject({ table, rows: before });
      expect(db.$client.query("pragma foreign_key_check").all()).toEqual([]);
      expect(db.$client.query("pragma foreign_keys").get()).toEqual({ foreign_keys: 1 });
      db.$client.close();
      // A copy is made only of what must be migrated.
      expect(steps).toEqual(count < journal.length ? ["copy", "migrate"] : []);
    });
});

test("groups that were there before agents' groups were told apart count as named by hand", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, 2);
  const { db } = openForService(folder, () => undefined);
  expect(db.$client.query("select named_by_hand as hand from host_groups").all()).toEqual([{ hand: 1 }]);
  db.$client.close();
});

test("limits keep their meaning when their columns get the names of the resource", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, 5);
  const before = openDatabase(folder.database);
  before.$client.run(
    `insert into limits (name, statistics, filter, below, hold, clear_after)
     values ('low', '[18]', '{"hostids":[1],"hostgroupids":[2]}', 1, 600, 120)`,
  );
  before.$client.close();
  const { db } = openForService(folder, () => undefined);
  const columns = "filter, direction, minutes, clearminutes";
  expect(db.$client.query(`select ${columns} from limits where name = 'low'`).get()).toEqual({
    filter: '{"hosts":[1],"hostgroups":[2]}',
    direction: "below",
    minutes: 10,
    clearminutes: 2,
  });
  db.$client.close();
});

test("saved views keep their meaning when their content gets the names of the resource", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, 7);
  const before = openDatabase(folder.database);
  const contents = [
    '{"type":[18],"hostgroupid":3,"order":"desc","results":5,"hostid":[1],"serviceid":[2]}',
    '{"type":[0],"descriptor":"\\"type\\":","order":"asc","results":20,"hostid":[],"serviceid":[]}',
  ];
  for (const [i, content] of contents.entries())
    before.$client.run("insert into saved_views (name, content, created_at) values (?, ?, 0)", [
      `view ${i}`,
      content,
    ]);
  before.$client.close();
  const { db } = openForService(folder, () => undefined);
  const rows = db.$client
    .query<{ content: string }, []>("select content from saved_views where name like 'view %' order by id")
    .all();
  expect(rows.map(({ content }) => JSON.parse(content))).toEqual([
    { statistics: [18], descriptor: "", hostgroup: 3, order: "desc", results: 5, hosts: [1], services: [2] },
    {
      statistics: [0],
      descriptor: '"type":',
      hostgroup: null,
      order: "asc",
      results: 20,
      hosts: [],
      services: [],
    },
  ]);
  db.$client.close();
});

test("mutes of rules cover them still when their filter gets the names of the resource", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, 8);
  const before = openDatabase(folder.database);
  before.$client.run(
    `insert into maintenance_windows (filter, schedule, created_at, muted_by, note)
     values ('{"hosts":[1],"servicenames":["\\"ruleids\\":"],"ruleids":[2]}', '{}', 0, 'admin', 'of a rule')`,
  );
  before.$client.close();
  const { db } = openForService(folder, () => undefined);
  expect(db.$client.query("select filter from maintenance_windows where note = 'of a rule'").get()).toEqual({
    filter: '{"hosts":[1],"servicenames":["\\"ruleids\\":"],"rules":[2]}',
  });
  db.$client.close();
});

test("after all migrations no trigger is left: functions keep the counts", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, 1);
  const { db } = openForService(folder, () => undefined);
  expect(db.$client.query("select name from sqlite_schema where type in ('trigger', 'view')").all()).toEqual(
    [],
  );
  db.$client.close();
});

/** A data folder whose database has rows that refer to missing ones: of one, both references do. */
function danglingFolder(path: string) {
  const { folder } = folderOf(path, journal.length);
  const client = new Database(folder.database);
  client.run("pragma foreign_keys = off");
  client.run(
    "insert into api_tokens (user_id, name, token_hash, scope, created_at) values (99, 'x', 'x', 'read', 0)",
  );
  client.run("insert into dependencies (host_id, cause_host_id) values (98, 99)");
  client.close();
  return folder;
}

/** Makes references of one table break, and one more of another than `danglingFolder` has. */
const BREAKING = `ALTER TABLE settings ADD later text;
--> statement-breakpoint
DELETE FROM agent_keys;
--> statement-breakpoint
UPDATE api_tokens SET user_id = 99;`;

/** Starts, and expects that it fails. @returns the copies that were made before it */
function failedStart(folder: DataFolder, reason: RegExp): string[] {
  const copies: string[] = [];
  const note = (step: UpgradeStep) => step.kind === "copy" && copies.push(step.copy);
  expect(() => openForService(folder, note)).toThrow(reason);
  return copies;
}

const copiesIn = ({ backups }: DataFolder) =>
  readdirSync(backups)
    .filter((name) => name.endsWith(".db"))
    .sort();

test("rows that refer to missing ones before an upgrade stay as they are, and it reports how many they are", () => {
  using scratch = temporary();
  const folder = danglingFolder(scratch.path);
  // As when a table is rebuilt, its rows have other ids.
  const migrations = laterMigrations(scratch.path, "UPDATE api_tokens SET id = id + 1000;");
  const steps: UpgradeStep[] = [];
  const { db } = openForService({ ...folder, migrations }, (step) => steps.push(step));
  expect(steps.slice(2)).toEqual([
    { kind: "dangling", rows: "api_tokens to users (1), dependencies to hosts (1)" },
  ]);
  expect(db.$client.query("select user_id as user from api_tokens where id > 1000").all()).toContainEqual({
    user: 99,
  });
  db.$client.close();
});

test("an upgrade that breaks references ends every start, with the database unchanged", () => {
  using scratch = temporary();
  const folder = danglingFolder(scratch.path);
  const later = { ...folder, migrations: laterMigrations(scratch.path, BREAKING) };
  const refusal =
    /^[^\n]*muster\.db cannot be upgraded to version \S+: rows of these tables would refer to missing ones: api_tokens to users \(2\), enrolment_codes to agent_keys \(1\)\. It is unchanged, and \S+before-upgrade-\S+\.db is a copy of it$/;
  failedStart(later, refusal);
  failedStart(later, refusal);
  // The previous version opens it as before.
  expect(openForCommand(folder).db.$client.query("select * from settings limit 1").get()).not.toHaveProperty(
    "later",
  );
});

test("while the database is unchanged, repeated starts of a failing upgrade use the same copy", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  const later = { ...folder, migrations: laterMigrations(scratch.path, BREAKING) };
  const reason = /refer to missing ones/;
  const [copy] = failedStart(later, reason);
  expect(failedStart(later, reason)).toEqual([]);
  expect(copiesIn(folder)).toEqual([basename(copy ?? "")]);

  const client = new Database(folder.database);
  client.run("update settings set value = 'changed' where key = 't1'");
  client.close();
  const [second] = failedStart(later, reason);
  expect(copiesIn(folder)).toEqual([basename(copy ?? ""), basename(second ?? "")]);
  const copied = new Database(second ?? "", { readonly: true });
  expect(copied.query("select value from settings where key = 't1'").get()).toEqual({ value: "changed" });
  copied.close();

  rmSync(second ?? "");
  expect(failedStart(later, reason)).toHaveLength(1);
});

test("an upgrade for which the disk lacks space names file and copy, and leaves no unfinished files", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  const later = { ...folder, migrations: laterMigrations(scratch.path) };
  // What a killed process left of an unfinished copy.
  mkdirSync(folder.backups);
  for (const ending of ["", "-journal"])
    writeFileSync(join(folder.backups, `before-upgrade-20200111T000000Z.db.partial${ending}`), "");
  const sql = join(later.migrations, "9999_later.sql");
  writeFileSync(
    sql,
    // More than the pages that earlier migrations left empty.
    "PRAGMA max_page_count = 1;\n--> statement-breakpoint\nCREATE TABLE `later` AS SELECT zeroblob(100000) AS `content`;",
  );
  const refusal =
    /^[^\n]*muster\.db cannot be upgraded to version \S+: the disk is full\. It is unchanged, and \S+ is a copy of it$/;
  const [copy] = failedStart(later, refusal);
  expect(readdirSync(folder.backups).sort()).toEqual([basename(copy ?? ""), "before-upgrade.unfinished"]);

  writeFileSync(sql, "CREATE TABLE `later` (`id` integer);");
  openForService(later, ({ kind }) => expect(kind).toBe("migrate")).db.$client.close();
  expect(readdirSync(folder.backups)).toEqual([basename(copy ?? "")]);
});

const ONE_COLUMN = "ALTER TABLE `settings` ADD `later` text DEFAULT 'new';";

/** The migrations as a later version has them: one more. */
function laterMigrations(path: string, sql = ONE_COLUMN): string {
  const folder = earlierMigrations(path, journal.length);
  const file = join(folder, "meta/_journal.json");
  const whole = JSON.parse(readFileSync(file, "utf8"));
  const when = (journal.at(-1)?.when ?? 0) + 1;
  const entry = { idx: journal.length, version: "6", when, tag: "9999_later", breakpoints: true };
  writeFileSync(file, JSON.stringify({ ...whole, entries: [...whole.entries, entry] }));
  writeFileSync(join(folder, "9999_later.sql"), sql);
  return folder;
}

test("before an upgrade the database is copied, and of such copies five are kept", () => {
  using scratch = temporary();
  const { folder, rows } = folderOf(scratch.path, journal.length);
  mkdirSync(folder.backups);
  for (const day of [11, 12, 13, 14, 15, 16])
    writeFileSync(join(folder.backups, `before-upgrade-202001${day}T000000Z.db`), "");
  const steps: UpgradeStep[] = [];
  const bytes = statSync(folder.database).size;
  const { db } = openForService({ ...folder, migrations: laterMigrations(scratch.path) }, (step) =>
    steps.push(step),
  );
  expect(db.$client.query("select later from settings limit 1").get()).toEqual({ later: "new" });
  db.$client.close();
  const [first] = steps;
  const path = first?.kind === "copy" ? first.copy : "";
  expect(steps).toEqual([
    { kind: "copy", copy: path, bytes },
    { kind: "migrate", copy: path },
  ]);
  const copy = new Database(path, { readonly: true });
  expect(rowsOf(copy)).toEqual(rows);
  copy.close();
  expect(readdirSync(folder.backups).length).toBe(5);
});

test("a database of a newer version is refused in one line and left as it is", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  openForService(
    { ...folder, migrations: laterMigrations(scratch.path) },
    () => undefined,
  ).db.$client.close();
  const before = readFileSync(folder.database);
  expect(() => openForService(folder, () => undefined)).toThrow(/newer Muster than this one/);
  expect(() => openForCommand(folder)).toThrow(/newer Muster than this one/);
  expect(readFileSync(folder.database).equals(before)).toBe(true);
});

test("a database of a build from before the first release is refused in one line and left as it is", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  const client = new Database(folder.database);
  // Its migrations were others, made before those of today.
  client.run("update __drizzle_migrations set created_at = created_at - ?", [
    (journal.at(-1)?.when ?? 0) - 1,
  ]);
  client.close();
  // To look into a file, SQLite needs a log beside it.
  const others = () => readdirSync(folder.path).filter((name) => !/-(wal|shm)$/.test(name));
  const [before, files] = [readFileSync(folder.database), others()];
  const refusal =
    /^[^\n]*muster\.db was made by a build of Muster from before the first release[^\n]*an empty data folder[^\n]*$/;
  expect(() => openForService(folder, () => undefined)).toThrow(refusal);
  expect(() => openForCommand(folder)).toThrow(refusal);
  expect(readFileSync(folder.database).equals(before)).toBe(true);
  expect(others()).toEqual(files);
  expect(readFileSync(`${folder.database}-wal`)).toHaveLength(0);
});

const snakeCase = (name: string) => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

test("the tables have the columns and keys of the schema, those of the migration written by hand too", () => {
  const db = openDatabase(":memory:");
  migrateDatabase(db, migrationsFolder());
  const tables = Object.values(schema as Record<string, unknown>).filter((table) => is(table, SQLiteTable));
  expect(tables.length).toBeGreaterThan(DERIVED.size);
  for (const table of tables) {
    const { name, columns, primaryKeys } = getTableConfig(table);
    const key = new Set(primaryKeys.flatMap((primaryKey) => primaryKey.columns.map((column) => column.name)));
    const expected = columns.map((column) => ({
      name: snakeCase(column.name),
      type: column.getSQLType(),
      isRequired: column.notNull,
      isKey: column.primary || key.has(column.name),
    }));
    const stored = db.$client.query(`pragma table_info("${name}")`).all() as {
      name: string;
      type: string;
      notnull: number;
      pk: number;
    }[];
    const actual = stored.map((column) => ({
      name: column.name,
      type: column.type.toLowerCase(),
      isRequired: column.notnull === 1,
      isKey: column.pk > 0,
    }));
    const byName = (a: { name: string }, b: { name: string }) => a.name.localeCompare(b.name);
    expect({ name, columns: actual.sort(byName) }).toEqual({ name, columns: expected.sort(byName) });
  }
  db.$client.close();
});

/** Overwrites the root page of a table. */
function damageTable(file: string, table: string): void {
  const client = new Database(file);
  const { page } = client.query("select rootpage as page from sqlite_schema where name = ?").get(table) as {
    page: number;
  };
  const { page_size: size } = client.query("pragma page_size").get() as { page_size: number };
  client.close();
  const bytes = readFileSync(file);
  bytes.fill(0xff, (page - 1) * size, page * size);
  writeFileSync(file, bytes);
}

test("an upgrade of a damaged database names the database, and what to do", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  damageTable(folder.database, "samples");
  failedStart(
    { ...folder, migrations: laterMigrations(scratch.path) },
    /^[^\n]*\/muster\.db is damaged \([^\n]*\), so it cannot be copied: see muster doctor, and restore a backup\. It is unchanged$/,
  );
});

test("a command does not upgrade a database", () => {
  using scratch = temporary();
  const { folder } = folderOf(scratch.path, journal.length);
  const later = laterMigrations(scratch.path);
  expect(() => openForCommand({ ...folder, migrations: later })).toThrow(/from an earlier version/);
  expect(existsSync(folder.backups)).toBe(false);
});
