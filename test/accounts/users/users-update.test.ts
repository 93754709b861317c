import { describe, expect, test } from "bun:test";
import { md5 } from "../../../src/accounts/users/password.ts";
import { ADMIN_PASSWORD, USER_PASSWORD } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const UPDATE = "/api/1/admin/users/update";
const OLD_MD5 = md5(USER_PASSWORD);
const SAME = { uname: "user", password: OLD_MD5, oldpassword: OLD_MD5, fullname: "A User" };

appOfEachTest();

const update = (client: TestClient, fields: Fields) => client.post(UPDATE, { ...SAME, ...fields });

interface UserRow {
  uname: string;
  admin: number;
  password_md5: string;
}

const storedUser = (uname = "user") =>
  app.rows<UserRow>("select * from users").find((row) => row.uname === uname);
const storedPassword = (uname = "user") => app.box.open(storedUser(uname)?.password_md5 ?? "");

describe("users/update refuses", () => {
  test("other users' accounts, before anything else", async () => {
    await expectRefusal(
      app,
      () => user.post(UPDATE, { uname: "admin" }, { CSRFToken: "" }),
      403,
      "role.admin",
    );
    await expectRefusal(app, () => update(user, { uname: "nobody" }), 403, "role.admin");
  });

  test("a name in the query that the body overrules with someone else's", async () => {
    await expectRefusal(
      app,
      () => user.post(`${UPDATE}?uname=user`, { ...SAME, uname: "admin" }),
      403,
      "role.admin",
    );
  });

  test("a wrong oldpassword, from the user himself and from an administrator", async () => {
    for (const oldpassword of ["wrong", md5("wrong"), md5(ADMIN_PASSWORD), ADMIN_PASSWORD]) {
      const fields = { password: "new secret", oldpassword, fullname: "Someone Else" };
      // Not even what leaves the password alone.
      const tries = [() => update(user, fields), () => update(admin, fields)];
      for (const call of [...tries, () => update(user, { ...fields, password: oldpassword })]) {
        const before = stored(app);
        const reply = await call();
        expect([reply.status, reply.json.code]).toEqual([403, "password.wrong"]);
        expect(changedTables(app, before)).toEqual(["login_failures"]);
        app.db.$client.run("delete from login_failures");
      }
    }
  });

  test("a plain user who makes himself an administrator", async () => {
    await expectRefusal(app, () => update(user, { admin: true }), 403, "role.admin");
  });

  test("to leave no administrator", async () => {
    const fields = { uname: "admin", password: ADMIN_PASSWORD, oldpassword: ADMIN_PASSWORD, admin: false };
    await expectRefusal(app, () => update(admin, { ...fields, fullname: "Was One" }), 409, "user.lastadmin");
  });
});

describe("users/update stores", () => {
  test("what a plain user read of himself, with another detail, and leaves the password as it is", async () => {
    const { json } = await user.get("/api/1/admin/users/get", { uname: "user" });
    expect(json.password).toBe("");
    const before = storedPassword();
    for (const client of [user, admin]) {
      const fields = {
        password: json.password,
        oldpassword: USER_PASSWORD,
        fullname: json.fullname,
        title: "T",
      };
      expect((await update(client, fields)).status).toBe(200);
      expect([storedUser()?.uname, storedPassword()]).toEqual(["user", before]);
    }
    expect((await user.get("/api/1/admin/users/get", { uname: "user" })).json.title).toBe("T");
    await expectRefusal(app, () => update(user, { password: "", oldpassword: "" }), 400, "argument.invalid");
    const wrong = await update(user, { password: "", oldpassword: "wrong" });
    expect([wrong.status, wrong.json.code]).toEqual([403, "password.wrong"]);
  });

  test("the details that are given, keeps the others, and touches no other user", async () => {
    const details = { title: "T", email: "e@x", phone: "1", mobile: "2", imname: "i", imtype: "irc" };
    const first = await update(user, { ...details, fullname: "New Name" });
    expect([first.status, first.json]).toEqual([200, {}]);
    expect(storedUser()).toMatchObject({ ...details, fullname: "New Name", admin: 0 });
    const before = stored(app);
    await update(admin, { fullname: "Newer Name", email: "" });
    expect(changedTables(app, before)).toEqual(["users"]);
    expect(storedUser()).toMatchObject({ ...details, fullname: "Newer Name", email: "" });
    expect(storedUser("admin")).toEqual(before.get("users")?.[0] as UserRow);
  });

  test("a role, where an administrator gives one, and keeps it otherwise", async () => {
    await update(admin, { admin: "true" });
    expect(storedUser()?.admin).toBe(1);
    await update(admin, { fullname: "Still One" });
    expect(storedUser()?.admin).toBe(1);
    await update(admin, { admin: "0" });
    expect(storedUser()?.admin).toBe(0);
  });

  test("what a plain user says of his role when it is the one he has", async () => {
    expect((await update(user, { admin: false, title: "Plain" })).status).toBe(200);
    expect(storedUser()).toMatchObject({ title: "Plain", admin: 0 });
  });

  test("that an administrator resigns while another one stays", async () => {
    await update(admin, { admin: true });
    const fields = { uname: "admin", password: ADMIN_PASSWORD, oldpassword: ADMIN_PASSWORD, admin: false };
    expect((await update(admin, { ...fields, fullname: "Was One" })).status).toBe(200);
    expect((await admin.get("/api/1/admin/users/list")).status).toBe(403);
    await expectRefusal(app, () => update(user, { admin: false }), 409, "user.lastadmin");
  });
});

describe("the password", () => {
  test("is refused with fewer than 8 characters, and nothing changes", async () => {
    await expectRefusal(
      app,
      () => update(user, { password: "seven77", title: "Dr" }),
      400,
      "argument.invalid",
    );
    expect(storedPassword()).toBe(OLD_MD5);
    expect((await update(user, { password: "eight888" })).status).toBe(200);
  });

  const lower = OLD_MD5.toLowerCase();
  const unchanged = [
    [OLD_MD5, OLD_MD5],
    [lower, lower],
    [OLD_MD5, lower],
    [lower, OLD_MD5],
    [USER_PASSWORD, USER_PASSWORD],
    [lower, USER_PASSWORD],
  ] as const;
  for (const [password, oldpassword] of unchanged) {
    test(`stays with password=${password} and oldpassword=${oldpassword}`, async () => {
      const before = stored(app);
      expect((await update(admin, { password, oldpassword, title: "changed" })).status).toBe(200);
      expect(changedTables(app, before)).toEqual(["users"]);
      expect(storedPassword()).toBe(OLD_MD5);
      expect((await user.get("/api/1/session/get")).status).toBe(200);
    });
  }

  for (const oldpassword of [OLD_MD5, lower, USER_PASSWORD]) {
    test(`changes with another one and oldpassword=${oldpassword}`, async () => {
      expect((await update(user, { password: "new secret", oldpassword })).status).toBe(200);
      expect(storedPassword()).toBe(md5("new secret"));
      expect(storedUser()?.password_md5).not.toContain(md5("new secret"));
      const old = await app.client().post("/api/1/login", { z_username: "user", z_password: USER_PASSWORD });
      expect(old.status).toBe(401);
      await app.signedIn("user", "new secret");
    });
  }

  test("changed by its user ends his other sessions, not this one, nor tokens, nor others' sessions", async () => {
    const elsewhere = await app.user();
    const { token } = (await user.post("/api/1/tokens/create", { name: "his", scope: "read" })).json;
    const before = stored(app);
    await update(user, { password: "new secret" });
    expect(changedTables(app, before)).toEqual(["session_attributes", "sessions", "users"]);
    expect((await elsewhere.get("/api/1/session/get")).status).toBe(401);
    expect((await user.get("/api/1/session/get")).status).toBe(200);
    expect((await admin.get("/api/1/session/get")).status).toBe(200);
    const bearer = { Authorization: `Bearer ${token}` };
    expect((await app.client().get("/api/1/status/hosts/list", {}, bearer)).status).toBe(200);
  });

  test("changed by an administrator ends all sessions of the user, and not his own", async () => {
    await update(admin, { password: "new secret" });
    expect((await user.get("/api/1/session/get")).status).toBe(401);
    expect((await admin.get("/api/1/session/get")).status).toBe(200);
  });
});
