/** muster move on a real PostgreSQL server. */
import { describe, expect } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { lockFolder } from "../../../src/platform/storage/lock.ts";
import { useEverything } from "../../security/everything.ts";
import { programXml } from "../../support/agent-messages.ts";
import { addAnyRows } from "../../support/any-rows.ts";
import { TestApp } from "../../support/app.ts";
import { someAddress } from "../../support/certificates.ts";
import { PostgresServer } from "../../support/postgres-server.ts";
import { migratedDatabase, newDatabase, postgresTests, server } from "../../support/postgres-tests.ts";
import { CommandFolder, rowsOf } from "./support.ts";

const { test } = postgresTests();

const INDEXES = "select indexdef from pg_indexes where schemaname = 'public' order by 1";

/** The definitions of all indexes, as the migrations make them. */
function indexesOfSchema(): string {
  return server.query(INDEXES, migratedDatabase());
}

const tablesIn = (database: string) =>
  server.query("select count(*) from pg_tables where schemaname = 'public'", database);

/** A data folder with the same key and no database. */
function otherFolder(key: string): CommandFolder {
  const other = new CommandFolder();
  mkdirSync(other.folder.path, { mode: 0o700 });
  writeFileSync(other.folder.key, readFileSync(key), { mode: 0o600 });
  return other;
}

/** All rows, and the highest id that was ever given. */
const contentOf = (folder: CommandFolder) => ({
  rows: rowsOf(folder),
  ids: folder.query("select name, seq from sqlite_sequence where seq > 0 order by name"),
});

/** The files on disk, except those that SQLite keeps beside an open database. */
const filesOf = ({ folder }: CommandFolder) =>
  Object.fromEntries(
    readdirSync(folder.path)
      .filter((name) => !/-(wal|shm)$|\.lock$/.test(name))
      .map((name) => [name, readFileSync(`${folder.path}/${name}`).toString("hex")]),
  );

describe("muster move", () => {
  test("takes every row of every table to a server and back, with the ids that were given", async () => {
    const app = new TestApp();
    for (const output of ["fine", "slow"])
      await app.report({ services: [{ name: "backup", type: 7, body: programXml({ output }) }] });
    await useEverything(app);
    addAnyRows(app.db);
    // Its id was the highest: it is not reused.
    app.db.$client.run("delete from audit where id = 10007");
    using source = new CommandFolder().fill(app);
    const [before, files] = [contentOf(source), filesOf(source)];
    expect(Object.entries(before.rows).filter(([, rows]) => rows.length === 0)).toEqual([]);
    expect(before.rows.output_changes).toMatchObject([
      { id: 1, before: "fine", after: "slow" },
      { id: 10_001 },
      { id: 10_007 },
    ]);

    const database = newDatabase();
    const url = server.url(database);
    const shown: string[] = [];
    const there = await source.run(`move --to ${url}`, undefined, {}, (line) => shown.push(line));
    expect({ code: there.code, err: there.err }).toEqual({ code: 0, err: [] });
    expect(there.out).toContain(`users: ${before.rows.users?.length} rows, compared`);
    expect(shown.at(-2)).toStartWith(`[${"#".repeat(30)}] 100%`);
    expect(shown.at(-1)).toBe("");
    expect(filesOf(source)).toEqual(files);
    expect(server.query(INDEXES, database)).toBe(indexesOfSchema());

    using target = otherFolder(source.folder.key);
    const back = await target.run(`move --from ${url}`);
    expect({ code: back.code, err: back.err }).toEqual({ code: 0, err: [] });
    expect(back.out).toContain("50%");
    expect(contentOf(target)).toEqual(before);
    expect(readdirSync(target.folder.path).filter((name) => name.includes("moving"))).toEqual([]);
  });

  test("keeps the configuration, as export shows it, and goes on with the next ids", async () => {
    const app = new TestApp();
    await useEverything(app);
    app.db.$client.run("insert into users (id, uname, password_md5) values (500, 'gone', '')");
    app.db.$client.run("delete from users where id = 500");
    using source = new CommandFolder().fill(app);
    const exported = async (env = {}) => {
      const { out } = await source.run("export --secrets", undefined, env);
      return { ...JSON.parse(out.join("\n")), exported: "some time" };
    };
    const before = await exported();
    const database = newDatabase();
    expect((await source.run(`move --to ${server.url(database)}`)).code).toBe(0);

    const env = { MUSTER_DATABASE: server.url(database) };
    expect(await exported(env)).toEqual(before);
    expect((await source.run("user add next", "password of next", env)).code).toBe(0);
    expect(server.query("select id from users where uname = 'next'", database)).toBe("501");
  });

  test("comes back to a file after the newest sample was deleted, as with the host that reported last", async () => {
    const app = new TestApp();
    addAnyRows(app.db);
    using source = new CommandFolder().fill(app);
    const database = newDatabase();
    expect((await source.run(`move --to ${server.url(database)}`)).code).toBe(0);
    server.query("delete from samples where id = (select max(id) from samples)", database);
    using target = otherFolder(source.folder.key);
    const { code, out, err } = await target.run(`move --from ${server.url(database)}`);
    expect({ code, err }).toEqual({ code: 0, err: [] });
    expect(out).toContain("samples: 1 row, compared");
  });
});

test("a move needs no more rights than those of the owner of an empty database", async () => {
  using source = new CommandFolder().fill();
  const database = newDatabase();
  server.query(`create role owner_of_${database} login`);
  server.query(`alter database ${database} owner to owner_of_${database}`);
  const address = server.url(database).replace("postgres@", `owner_of_${database}@`);
  const { code, out, err } = await source.run(`move --to ${address}`);
  expect({ code, err }).toEqual({ code: 0, err: [] });
  expect(out.at(-1)).toContain("the file is unchanged");
  const users = String(source.query("select id from users").length);
  expect(server.query("select reltuples from pg_class where oid = 'users'::regclass", database)).toBe(users);
});

test("a parameter of the address counts more than that of the variable, which has the password", async () => {
  using source = new CommandFolder().fill();
  const address = someAddress();
  await using other = await PostgresServer.start([`listen_addresses=${address}`]);
  const hba = "local all all trust\nhost all all all scram-sha-256\n";
  writeFileSync(`${other.folder}/data/pg_hba.conf`, hba);
  other.query("select pg_reload_conf()");
  other.query("create role mover superuser login password 'geheim'");
  other.query("create database target");
  const env = { MUSTER_DATABASE: `postgres://mover:geheim@${address}/target?sslmode=disable` };
  const move = (parameters: string) =>
    source.run(`move --to postgres://mover@${address}/target${parameters}`, undefined, env);
  expect((await move("?sslmode=verify-full")).err).toEqual([
    expect.stringContaining("The server does not support SSL connections"),
  ]);
  const { code, err } = await move("");
  expect({ code, err }).toEqual({ code: 0, err: [] });
});

describe("muster move refuses", () => {
  /** Expects one line, and that nothing changed on either side. */
  async function refusal(folder: CommandFolder, command: string, database: string, env = {}) {
    const before = { files: filesOf(folder), tables: tablesIn(database) };
    const { code, err } = await folder.run(command, undefined, env);
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
    expect({ files: filesOf(folder), tables: tablesIn(database) }).toEqual(before);
    return err[0] ?? "";
  }

  test("a call that names no direction, or two, or a password, or another database than the variable", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    const url = server.url(database);
    const said = (command: string, env = {}) => refusal(source, command, database, env);
    expect(await said("move")).toContain("either --to or --from");
    expect(await said(`move --to ${url} --from ${url}`)).toContain("either --to or --from");
    const secret = await said("move --to postgres://u:geheim@h/d");
    expect(secret).toContain("must not contain a password");
    expect(secret).not.toContain("geheim");
    expect(await said("move --to mysql://h/d")).toContain("--to: must be the address of a database");
    expect(await said(`move --to ${url}`, { MUSTER_DATABASE: server.url("other") })).toContain(
      "name different databases",
    );
  });

  test("a file that is served, or has another key, or was never set up", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    const command = `move --to ${server.url(database)}`;
    const lock = lockFolder(source.folder);
    expect(await refusal(source, command, database)).toContain("another Muster is running");
    lock.close();
    writeFileSync(source.folder.key, "00".repeat(32));
    expect(await refusal(source, command, database)).toContain("is not the key of the database");
    source.query("delete from settings where key = 'collectorpassword'");
    expect(await refusal(source, command, database)).toContain("was never set up");
  });

  test("a file with rows that refer to missing ones, which it names, until muster doctor has repaired it", async () => {
    using source = new CommandFolder().fill();
    source.query("insert into pictures (name, user_id, content) values ('a.png', 77, ''), ('b.png', 78, '')");
    const database = newDatabase();
    const command = `move --to ${server.url(database)}`;
    const said = await refusal(source, command, database);
    expect(said).toBe(
      `${source.folder.database} has rows that refer to missing ones: pictures to users (2). Repair the database first: muster doctor --repair`,
    );
    expect((await source.run("doctor --repair")).out).toContain("1 finding repaired, 0 left");
    expect((await source.run(command)).err).toEqual([]);
  });

  test("a server whose database holds anything", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    server.query("create table invoices (id int)", database);
    expect(await refusal(source, `move --to ${server.url(database)}`, database)).toContain("is not empty");
  });

  test("a server on which a node is active", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    await source.run(`move --to ${server.url(database)}`);
    using target = otherFolder(source.folder.key);
    const command = `move --from ${server.url(database)}`;
    {
      await using _node = await server.activeNode("db-7", database);
      expect(await refusal(target, command, database)).toContain("Muster is active on it (db-7)");
    }
    expect((await target.run(command)).code).toBe(0);
  });

  test("a folder that has a database, or another key, or none", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    await source.run(`move --to ${server.url(database)}`);
    const command = `move --from ${server.url(database)}`;
    expect(await refusal(source, command, database)).toContain("must have no database");
    using target = otherFolder(source.folder.key);
    writeFileSync(target.folder.key, "00".repeat(32));
    expect(await refusal(target, command, database)).toContain("is not the key of the database");
    rmSync(target.folder.key);
    expect(await refusal(target, command, database)).toContain("secret.key is missing: copy it");
    expect(existsSync(target.folder.database)).toBe(false);
  });
});

describe("a move that fails in the middle", () => {
  test("leaves the server as empty as it was", async () => {
    using source = new CommandFolder().fill();
    source.query("update users set totp_step = 'never' where uname = 'user'");
    const database = newDatabase();
    const { code, err } = await source.run(`move --to ${server.url(database)}`);
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
    expect(err[0]).toContain("bigint");
    expect(tablesIn(database)).toBe("0");
  });

  test("leaves the server as empty as it was even if its last step, the statistics, fails", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    // Statistics of an expression call its function.
    server.query(
      `create schema other;
       create function other.half(bigint) returns bigint language sql return $1 / 0;
       create function other.prepare() returns event_trigger language plpgsql as $$ begin
         if to_regclass('users') is not null and to_regclass('other.halves') is null then
           create sequence other.halves;
           create statistics other.half on (other.half(id)) from users;
         end if;
       end $$;
       create event trigger prepare on ddl_command_end when tag in ('CREATE TABLE') execute function other.prepare()`,
      database,
    );
    const { code, err } = await source.run(`move --to ${server.url(database)}`);
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
    expect(err[0]).toContain("division by zero");
    expect(tablesIn(database)).toBe("0");
  });

  test("leaves no database in the folder", async () => {
    using source = new CommandFolder().fill();
    const database = newDatabase();
    await source.run(`move --to ${server.url(database)}`);
    server.query("alter table pictures drop constraint pictures_user_id_users_id_fk", database);
    server.query("insert into pictures (name, user_id, content) values ('a.png', 77, '')", database);
    using target = otherFolder(source.folder.key);
    const { code, err } = await target.run(`move --from ${server.url(database)}`);
    expect({ code, lines: err.length }).toEqual({ code: 1, lines: 1 });
    expect(err[0]).toEndWith(
      "the copy has rows that refer to missing ones: pictures to users (1). Repair the database first: muster doctor --repair",
    );
    expect(readdirSync(target.folder.path).sort()).toEqual(["muster.lock", "secret.key"]);
  });
});
