/** What a token imports about its own user, whose account it does not manage. */
import { describe, expect, test } from "bun:test";
import { md5 } from "../../src/accounts/users/password.ts";
import type { TransferQueryList } from "../../src/operations/transfer/transfer.queries.ts";
import { inlineQueries } from "../../src/platform/queries/queries.ts";
import { type Document, exported } from "../operations/transfer/support.ts";
import { TestApp } from "../support/app.ts";
import type { Reply, TestClient } from "../support/client.ts";
import { admin, app, appOfEachTest } from "../support/each-test.ts";
import { expectRefusal } from "../support/stored.ts";

appOfEachTest();

const NEW_PASSWORD = md5("chosen by a thief");

type ImportByToken = (document: object) => Promise<Reply>;

/** Imports with a token of the administrator, used before, so that its last use does not show as a change. */
async function importByToken(app: TestApp, owner: TestClient): Promise<ImportByToken> {
  const { token } = (await owner.post("/api/1/tokens/create", { name: "t", scope: "full" })).json;
  const headers = { Authorization: `Bearer ${token}` };
  const client = app.client();
  await client.get("/api/1/session/user", {}, headers);
  return (document) => {
    const form = new FormData();
    form.set("file", new Blob([JSON.stringify(document)]));
    return client.upload("/api/1/admin/transfer/import", form, headers);
  };
}

/** The document, with changes of one of its users. */
function changed(document: Document, uname: string, changes: object): Document {
  const users = document.users as { uname: string }[];
  return { ...document, users: users.map((user) => (user.uname === uname ? { ...user, ...changes } : user)) };
}

describe("a token that imports its own user", () => {
  const CHANGES: Readonly<Record<string, object>> = {
    password: { password: NEW_PASSWORD },
    role: { admin: false },
    name: { fullname: "Someone else" },
    address: { email: "thief@example.org" },
    level: { restricted: true, levels: [{ group: "racks", level: "view" }] },
  };
  for (const [what, changes] of Object.entries(CHANGES))
    test(`with another ${what} is refused as by admin/users/update, and nothing of the file is written`, async () => {
      // Another administrator, so that one remains.
      await admin.post("/api/1/admin/users/create", {
        ...{ uname: "second", password: "second secret", fullname: "", admin: true },
        ...{ title: "", email: "", phone: "", mobile: "", imname: "", imtype: "" },
      });
      const document = changed(await exported(admin, true), "admin", changes);
      const imported = await importByToken(app, admin);
      app.db.$client.run("delete from audit");
      const call = () => imported({ ...document, groups: [{ name: "racks" }] });
      const { json } = await expectRefusal(app, call, 403, "token.session");
      expect(json.error).toBe("An API token may not do this: sign in");
      expect(app.rows("select operation from audit")).toEqual([]);
    });

  test("with a password and nothing else in the file is refused", async () => {
    const [user] = (await exported(admin)).users as object[];
    const imported = await importByToken(app, admin);
    const call = () => imported({ muster: 1, users: [{ ...user, password: NEW_PASSWORD }] });
    await expectRefusal(app, call, 403, "token.session");
  });

  test("as it is stored imports it as the same, and everything else", async () => {
    const document = await exported(admin, true);
    const imported = await importByToken(app, admin);
    const { status, json } = await imported({ ...document, groups: [{ name: "racks" }] });
    expect([status, json.users]).toEqual([200, { created: 0, updated: 0, same: 2, incomplete: [] }]);
    expect(json.groups.created).toBe(1);
  });

  test("without the fields that a file may lack changes nothing of it", async () => {
    const [{ restricted, levels, password, ...user } = {}] = (await exported(admin, true)).users as Record<
      string,
      unknown
    >[];
    expect([user.uname, restricted, levels, password]).toEqual(["admin", false, [], expect.any(String)]);
    const before = await exported(admin, true);
    const imported = await importByToken(app, admin);
    expect((await imported({ muster: 1, users: [user] })).status).toBe(200);
    expect((await exported(admin, true)).users).toEqual(before.users);
  });

  test("is refused before the step that would write it, if the user was changed after the rehearsal", async () => {
    const runTransfers = (queries: TransferQueryList) =>
      inlineQueries({
        ...queries,
        transferWrites: (from: number) => {
          app.db.$client.run("update users set fullname = 'Changed meanwhile' where uname = 'admin'");
          return queries.transferWrites(from);
        },
      });
    const app: TestApp = new TestApp({ runTransfers });
    const admin = await app.admin();
    const imported = await importByToken(app, admin);
    // An item without a field that is stored is written, even if that changes nothing.
    const [{ levels, ...partial } = {}] = (await exported(admin)).users as Record<string, unknown>[];
    expect(levels).toEqual([]);
    const { status, json } = await imported({ muster: 1, users: [partial] });
    expect([status, json.code]).toEqual([403, "token.session"]);
    expect(app.rows("select fullname from users where uname = 'admin'")).toEqual([
      { fullname: "Changed meanwhile" },
    ]);
  });
});

test("a token imports changes of others, as it may change them directly", async () => {
  const document = changed(await exported(admin, true), "user", { password: NEW_PASSWORD, admin: true });
  const imported = await importByToken(app, admin);
  const { status, json } = await imported(document);
  expect([status, json.users.updated]).toEqual([200, 1]);
  expect(app.rows("select uname from users where admin = true order by uname")).toEqual([
    { uname: "admin" },
    { uname: "user" },
  ]);
});
