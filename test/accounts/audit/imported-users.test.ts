/** What an import leaves in the audit log about each user. */
import { beforeEach, describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { md5 } from "../../../src/accounts/users/password.ts";
import { CommandFolder } from "../../operations/commands/support.ts";
import { type Document, exported, importInto } from "../../operations/transfer/support.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { AuditScene, entry } from "./support.ts";

const PASSWORD = md5("another secret");
const BOB = {
  ...{ uname: "bob", fullname: "Bob", title: "", email: "", phone: "", mobile: "" },
  ...{ imname: "", imtype: "", admin: false },
};
const BOB_MD5 = { ...BOB, password: PASSWORD };

const scene = new AuditScene();
beforeEach(() => scene.setUp());

type User = Record<string, unknown>;

/** The document, with changes of the plain user, and these users besides. */
function withChanges(document: Document, changes: object, others: readonly object[] = []): Document {
  const users = (document.users as User[]).map((user) =>
    user.uname === "user" ? { ...user, ...changes } : user,
  );
  return { ...document, users: [...users, ...others] };
}

/** The entries about single objects. */
const aboutOne = () => scene.entries().filter(({ subject }) => subject !== "transfer");

describe("an import records", () => {
  test("each user that it changes, with the values before and after, and of the password only that it changed", async () => {
    await scene.admin.post("/api/1/admin/groups/create", { name: "racks" });
    const document = await exported(scene.admin, true);
    const changes = {
      ...{ fullname: "The User", admin: true, password: PASSWORD },
      ...{ restricted: true, levels: [{ group: "racks", level: "operate" }] },
    };
    scene.clear();
    const reply = await importInto(scene.admin, withChanges(document, changes));
    expect([reply.status, reply.json.users.updated]).toEqual([200, 1]);
    const log = JSON.stringify(scene.app.rows("select * from audit"));
    expect(log).not.toContain(PASSWORD);
    expect(log).not.toContain("v1.");
    expect(aboutOne()).toEqual([
      entry("admin/transfer/import/update", "user", "user", "A User", {
        fullname: ["A User", "The User"],
        admin: [false, true],
        restricted: [false, true],
        grants: ["", "1 operate"],
        password: "(secret)",
      }),
    ]);
  });

  test("each user that it creates, with what is set", async () => {
    await importInto(scene.admin, { muster: 1, users: [BOB_MD5, { ...BOB, uname: "eve", fullname: "" }] });
    const created = { admin: false, restricted: false };
    expect(aboutOne()).toEqual([
      entry("admin/transfer/import/create", "user", "bob", "Bob", {
        fullname: "Bob",
        ...created,
        password: "(secret)",
      }),
      entry("admin/transfer/import/create", "user", "eve", "", created),
    ]);
  });

  test("the whole of it once, below which the log finds its users", async () => {
    await importInto(scene.admin, { muster: 1, users: [BOB], groups: [{ name: "racks" }] });
    const args = { operation: "admin/transfer/import" };
    const { records } = (await scene.admin.get("/api/1/admin/audit/list", args)).json;
    expect(
      records.map(({ operation, details }: { operation: string; details: object }) => [operation, details]),
    ).toEqual([
      ["admin/transfer/import/create", { fullname: "Bob", admin: false, restricted: false }],
      [
        "admin/transfer/import",
        {
          groups: { created: 1, updated: 0, same: 0, incomplete: 0 },
          users: { created: 1, updated: 0, same: 0, incomplete: 1 },
        },
      ],
    ]);
  });

  test("no user that stays as it was, and none of a file that is refused", async () => {
    const document = await exported(scene.admin, true);
    await importInto(scene.admin, document);
    expect(aboutOne()).toEqual([]);
    const wrong = { ...withChanges(document, { fullname: "X" }), contacts: [{ uname: "no", channels: [] }] };
    expect((await importInto(scene.admin, wrong)).status).toBe(400);
    expect(scene.entries()).toEqual([]);
  });

  test("a user in the transaction that writes them: what cannot be recorded is not done", async () => {
    const document = withChanges(await exported(scene.admin, true), { fullname: "The User" }, [BOB]);
    scene.app.db.$client.run(
      "create trigger full before insert on audit when new.subject = 'user' begin select raise(abort, 'full'); end",
    );
    const before = stored(scene.app);
    expect((await importInto(scene.admin, document)).status).toBe(500);
    expect(changedTables(scene.app, before)).toEqual([]);
  });
});

test("muster import records each user that it creates or changes, and no other", async () => {
  using folder = new CommandFolder().fill(scene.app);
  const document = withChanges(await exported(scene.admin, true), { fullname: "The User" }, [BOB_MD5]);
  const file = join(folder.path, "muster.json");
  writeFileSync(file, JSON.stringify(document));
  const importFile = () => folder.run(`import ${file}`);
  const entries = () =>
    folder.query<{ details: string }>(
      "select via, operation, subject_id, details from audit where operation like 'command/import/%' order by id",
    );
  expect((await importFile()).code).toBe(0);
  const recorded = entries();
  expect(recorded.map((row) => ({ ...row, details: JSON.parse(row.details) }))).toEqual([
    {
      ...{ via: "command", operation: "command/import/update", subject_id: "user" },
      details: { fullname: ["A User", "The User"] },
    },
    {
      ...{ via: "command", operation: "command/import/create", subject_id: "bob" },
      details: { fullname: "Bob", admin: false, restricted: false, password: "(secret)" },
    },
  ]);
  const [whole] = folder.query<{ details: string }>(
    "select details from audit where operation = 'command/import'",
  );
  expect(JSON.parse(whole?.details ?? "").users).toMatchObject({ created: 1, incomplete: 0 });
  expect((await importFile()).code).toBe(0);
  expect(entries()).toEqual(recorded);
});
