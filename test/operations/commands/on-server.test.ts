/** Commands that look after a database, on a real PostgreSQL server. */
import { describe, expect } from "bun:test";
import { existsSync, readFileSync, rmSync } from "node:fs";
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
beforeAll(async () => {
  server = await PostgresServer.start();
}, 120_000);
afterAll(() => server[Symbol.asyncDispose]());

let databases = 0;

/** A data folder whose database was moved to a server, and how to use it there. */
async function onServer() {
  const app = new TestApp();
  const services = [{ name: "web", status: 512 }];
  await app.report({ hostname: "a.example.org", services, event: { service: "web", id: 512 } });
  const folder = new CommandFolder().fill(app);
  const database = `looked_after_${++databases}`;
  server.query(`create database ${database}`);
  expect((await folder.run(`move --to ${server.url(database)}`)).code).toBe(0);
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
    using moved = await onServer();
    const { code, out } = await moved.run("doctor");
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        "no node is active",
        "not checked: pages and indexes, which are the server's to check (pg_amcheck)",
        expect.stringContaining("is sound: references, secrets, downtimes"),
      ],
    });
    await using _node = await moved.activeNode();
    expect((await moved.run("doctor")).out[0]).toBe("the node db-7 is active");
  });

  test("finds counters that are wrong, and repairs them unless a node is active", async () => {
    using moved = await onServer();
    moved.query("update hosts set events = 99");
    moved.query("update event_counts set n = n + 1 where scope = 0");
    moved.query("delete from downtime_intervals");
    const found = await moved.run("doctor");
    expect(found.code).toBe(1);
    expect(found.out).toContain("Host a.example.org counts 99 events, but 1 are stored.");
    expect(found.out.at(-1)).toContain("muster doctor --repair puts right");
    {
      await using _node = await moved.activeNode();
      const refused = await moved.run("doctor --repair");
      expect(refused.err[0]).toContain("another Muster is active on it (db-7)");
    }
    expect(moved.query("select events from hosts")).toBe("99");
    const repaired = await moved.run("doctor --repair");
    expect({ code: repaired.code, last: repaired.out.at(-1) }).toEqual({
      code: 0,
      last: expect.stringContaining("findings put right, 0 left"),
    });
    expect((await moved.run("doctor")).code).toBe(0);
  });

  test("finds rows that point nowhere, and secrets that do not open", async () => {
    using moved = await onServer();
    moved.query("alter table pictures drop constraint pictures_user_id_users_id_fk");
    moved.query("insert into pictures (name, user_id, content) values ('a.png', 77, '')");
    moved.query("update users set password_md5 = 'v1.AAAA' where uname = 'user'");
    const { code, out } = await moved.run("doctor");
    expect(code).toBe(1);
    expect(out).toContain("1 rows point nowhere (pictures to users). Restore a backup.");
    expect(out).toContain(
      "1 secrets in users.password_md5 do not open with secret.key: they have to be set anew.",
    );
  });
});

describe("muster rotate-key on a server", () => {
  const sealedOfAdmin = "select password_md5 from users where uname = 'admin'";
  const boxOf = (key: string) => new SecretBox(Buffer.from(readFileSync(key, "utf8").trim(), "hex"));

  test("makes a key that opens everything, ends all logins, and says where it has to go", async () => {
    using moved = await onServer();
    const old = boxOf(moved.on.key);
    const { code, out } = await moved.run("rotate-key");
    expect({ code, out }).toEqual({
      code: 0,
      out: [
        expect.stringContaining("secrets were sealed anew"),
        `Copy ${moved.on.key} to the data folders of all other nodes before you start them.`,
        expect.any(String),
      ],
    });
    expect(boxOf(moved.on.key).open(moved.query(sealedOfAdmin))).toBe(md5(ADMIN_PASSWORD));
    expect(old.opens(moved.query(sealedOfAdmin))).toBe(false);
    expect(moved.query("select count(*) from sessions")).toBe("0");
    expect((await moved.run("doctor")).code).toBe(0);
  });

  test("is refused while a node is active", async () => {
    using moved = await onServer();
    const before = moved.query(sealedOfAdmin);
    await using _node = await moved.activeNode();
    const { code, err } = await moved.run("rotate-key");
    expect({ code, err }).toEqual({ code: 1, err: [expect.stringContaining("is active on it (db-7)")] });
    expect(moved.query(sealedOfAdmin)).toBe(before);
    expect(existsSync(`${moved.on.key}.new`)).toBe(false);
  });

  for (const isSealed of [false, true])
    test(`that breaks off ${isSealed ? "after" : "before"} the commit leaves a key that fits`, async () => {
      using moved = await onServer();
      const breakOff = () =>
        withDatabase(moved.on, ({ db, box }) =>
          replaceKey(moved.on.key, (next) => {
            if (isSealed) transaction(db, () => resealAll(db.$client, box, next));
            throw new Error("power cut");
          }),
        );
      expect(breakOff).toThrow("power cut");
      expect(existsSync(`${moved.on.key}.new`)).toBe(true);
      expect((await moved.run("doctor")).code).toBe(0);
      expect((await moved.run("rotate-key")).code).toBe(0);
      expect(existsSync(`${moved.on.key}.new`)).toBe(false);
      expect(boxOf(moved.on.key).open(moved.query(sealedOfAdmin))).toBe(md5(ADMIN_PASSWORD));
    });

  test("replaces a lost key", async () => {
    using moved = await onServer();
    rmSync(moved.on.key);
    expect((await moved.run("doctor")).err[0]).toContain("secret.key is missing: copy it");
    const { code, out } = await moved.run("rotate-key --lost");
    expect({ code, said: out.at(-1) }).toEqual({ code: 0, said: expect.stringContaining("Copy ") });
    expect(moved.query(sealedOfAdmin)).toBe("");
    expect((await moved.run("user passwd admin", ADMIN_PASSWORD)).code).toBe(0);
    expect((await moved.run("doctor")).code).toBe(0);
  });
});

test("backup and restore say what to use instead", async () => {
  using moved = await onServer();
  const said = async (command: string) => (await moved.run(command)).err;
  expect(await said("backup file")).toEqual([expect.stringContaining("names a server: use pg_dump instead")]);
  expect(await said("restore file")).toEqual([
    expect.stringContaining("names a server: use pg_restore instead"),
  ]);
});
