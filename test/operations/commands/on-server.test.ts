/** Commands that look after a database, on a real PostgreSQL server. */
import { describe, expect } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync } from "node:fs";
import { md5 } from "../../../src/accounts/users/password.ts";
import { resealAll } from "../../../src/operations/key-rotation/sealed.repository.ts";
import { replaceKey } from "../../../src/platform/secrets/key-file.ts";
import { SecretBox } from "../../../src/platform/secrets/secret-box.ts";
import { withDatabase } from "../../../src/platform/storage/data-folder.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { ADMIN_PASSWORD, TestApp } from "../../support/app.ts";
import { PostgresServer } from "../../support/postgres-server.ts";
import { needing } from "../../support/programs.ts";
import { CommandFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("postgres");

let server: PostgresServer;
let moved: CommandFolder;
beforeAll(async () => {
  server = await PostgresServer.start();
  const app = new TestApp();
  const services = [{ name: "web", status: 512 }];
  await app.report({ hostname: "a.example.org", services, event: { service: "web", id: 512 } });
  moved = new CommandFolder().fill(app);
  server.query("create database moved");
  expect((await moved.run(`move --to ${server.url("moved")}`)).code).toBe(0);
});
afterAll(async () => {
  moved[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

let databases = 0;

/** A copy of a data folder whose database was moved to a server, and of that database, and how to use them. */
function onServer() {
  const folder = new CommandFolder();
  cpSync(moved.folder.path, folder.folder.path, { recursive: true });
  const database = `looked_after_${++databases}`;
  server.query(`create database ${database} template moved`);
  const env = { MUSTER_DATABASE: server.url(database) };
  return {
    folder,
    run: (command: string, typed?: string) => folder.run(command, typed, env),
    query: (sql: string) => server.query(sql, database),
    activeNode: () => server.activeNode("db-7", database),
    on: { ...folder.folder, server: server.options(database) },
    [Symbol.dispose]: () => folder[Symbol.dispose](),
  };
}

describe("muster doctor on a server", () => {
  test("finds a sound database sound, says who is active, and what it does not check", async () => {
    using copy = onServer();
    const { code, out } = await copy.run("doctor");
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        "no node is active",
        "not checked: pages and indexes, which pg_amcheck checks",
        expect.stringContaining("is sound: references, secrets, past values, downtimes"),
      ],
    });
    await using _node = await copy.activeNode();
    expect((await copy.run("doctor")).out[0]).toBe("the node db-7 is active");
  });

  test("finds counters that are wrong, and repairs them unless a node is active", async () => {
    using copy = onServer();
    copy.query("update hosts set events = 99");
    copy.query("update event_counts set n = n + 1 where scope = 0");
    copy.query("delete from downtime_intervals");
    const findings = await copy.run("doctor");
    expect(findings.code).toBe(1);
    expect(findings.out).toContain("Host a.example.org counts 99 events, but has 1.");
    expect(findings.out.at(-1)).toContain("can be repaired with muster doctor --repair");
    {
      await using _node = await copy.activeNode();
      const refused = await copy.run("doctor --repair");
      expect(refused.err[0]).toContain("another Muster is active on it (db-7)");
    }
    expect(copy.query("select events from hosts")).toBe("99");
    const repaired = await copy.run("doctor --repair");
    expect({ code: repaired.code, last: repaired.out.at(-1) }).toEqual({
      code: 0,
      last: expect.stringContaining("findings repaired, 0 left"),
    });
    expect((await copy.run("doctor")).code).toBe(0);
  });

  test("finds rows that refer to missing ones, and secrets that do not open", async () => {
    using copy = onServer();
    copy.query("alter table pictures drop constraint pictures_user_id_users_id_fk");
    copy.query("insert into pictures (name, user_id, content) values ('a.png', 77, '')");
    copy.query("update users set password_md5 = 'v1.AAAA' where uname = 'user'");
    const { code, out } = await copy.run("doctor");
    expect(code).toBe(1);
    const dangling = "1 row refers to missing rows (pictures to users). muster doctor --repair deletes it.";
    const secrets =
      'The password of the user "user" does not open with secret.key. muster doctor --repair empties it. Set it again after that.';
    expect(out).toEqual(expect.arrayContaining([dangling, secrets]));
    expect((await copy.run("doctor --repair")).out.at(-1)).toBe("2 findings repaired, 0 left");
    expect(copy.query("select count(*) from pictures where user_id = 77")).toBe("0");
  });
});

describe("muster rotate-key on a server", () => {
  const sealedOfAdmin = "select password_md5 from users where uname = 'admin'";
  const boxOf = (key: string) => new SecretBox(Buffer.from(readFileSync(key, "utf8").trim(), "hex"));

  test("makes a key that opens everything, ends all logins, and says where it has to go", async () => {
    using copy = onServer();
    const old = boxOf(copy.on.key);
    const { code, out } = await copy.run("rotate-key");
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        expect.stringContaining("secrets were encrypted with it"),
        `Copy ${copy.on.key} to the data folders of all other nodes before you start them.`,
        expect.any(String),
      ],
    });
    expect(boxOf(copy.on.key).open(copy.query(sealedOfAdmin))).toBe(md5(ADMIN_PASSWORD));
    expect(old.opens(copy.query(sealedOfAdmin))).toBe(false);
    expect(copy.query("select count(*) from sessions")).toBe("0");
    expect((await copy.run("doctor")).code).toBe(0);
  });

  test("is refused while a node is active", async () => {
    using copy = onServer();
    const before = copy.query(sealedOfAdmin);
    await using _node = await copy.activeNode();
    const { code, err } = await copy.run("rotate-key");
    expect({ code, err }).toEqual({ code: 1, err: [expect.stringContaining("is active on it (db-7)")] });
    expect(copy.query(sealedOfAdmin)).toBe(before);
    expect(existsSync(`${copy.on.key}.new`)).toBe(false);
  });

  for (const isSealed of [false, true])
    test(`that breaks off ${isSealed ? "after" : "before"} the commit leaves a key that fits`, async () => {
      using copy = onServer();
      const breakOff = () =>
        withDatabase(copy.on, ({ db, box }) =>
          replaceKey(copy.on.key, (next) => {
            if (isSealed) transaction(db, () => resealAll(db.$client, box, next));
            throw new Error("power cut");
          }),
        );
      expect(breakOff).toThrow("power cut");
      expect(existsSync(`${copy.on.key}.new`)).toBe(true);
      expect((await copy.run("doctor")).code).toBe(0);
      expect((await copy.run("rotate-key")).code).toBe(0);
      expect(existsSync(`${copy.on.key}.new`)).toBe(false);
      expect(boxOf(copy.on.key).open(copy.query(sealedOfAdmin))).toBe(md5(ADMIN_PASSWORD));
    });

  test("replaces a lost key", async () => {
    using copy = onServer();
    rmSync(copy.on.key);
    expect((await copy.run("doctor")).err[0]).toContain("secret.key is missing: copy it");
    const { code, out } = await copy.run("rotate-key --lost");
    expect({ code, said: out.at(-1) }).toEqual({ code: 0, said: expect.stringContaining("Copy ") });
    expect(copy.query(sealedOfAdmin)).toBe("");
    expect((await copy.run("user passwd admin", ADMIN_PASSWORD)).code).toBe(0);
    expect((await copy.run("doctor")).code).toBe(0);
  });
});

test("backup and restore say what to use instead", async () => {
  using copy = onServer();
  const said = async (command: string) => (await copy.run(command)).err;
  expect(await said("backup file")).toEqual([expect.stringContaining("names a server: use pg_dump instead")]);
  expect(await said("restore file")).toEqual([
    expect.stringContaining("names a server: use pg_restore instead"),
  ]);
});
