import { describe, expect, test } from "bun:test";
import { md5 } from "../../../src/accounts/users/password.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const LIST = "/api/1/admin/users/list";
const GET = "/api/1/admin/users/get";
const CREATE = "/api/1/admin/users/create";
const DELETE = "/api/1/admin/users/delete";

appOfEachTest();

const JANE = {
  uname: "jane",
  password: "jane's secret ü",
  fullname: "Jane Doe",
  title: "Operator",
  email: "jane@example.org",
  phone: "+1 555 0100",
  mobile: "+1 555 0101",
  imname: "@jane",
  imtype: "irc",
};

describe("users/list", () => {
  test("lists users by name, without passwords, phones and roles", async () => {
    await admin.post(CREATE, JANE);
    const reply = await admin.get(LIST);
    expect(reply.status).toBe(200);
    const signIn = { origin: "local", secondfactor: false };
    const empty = { image: "", title: "", email: "", mobile: "", imname: "", imtype: "", ...signIn };
    expect(reply.json).toEqual([
      { uname: "admin", fullname: "Administrator", ...empty },
      {
        uname: "jane",
        fullname: "Jane Doe",
        image: "",
        title: "Operator",
        email: "jane@example.org",
        mobile: "+1 555 0101",
        imname: "@jane",
        imtype: "irc",
        ...signIn,
      },
      { uname: "user", fullname: "A User", ...empty },
    ]);
  });

  test("answers 304 to the tag of an unchanged list", async () => {
    const tag = (await admin.get(LIST)).headers.get("ETag") ?? "";
    expect((await admin.get(LIST, {}, { "If-None-Match": tag })).status).toBe(304);
    await admin.post(CREATE, JANE);
    expect((await admin.get(LIST, {}, { "If-None-Match": tag })).status).toBe(200);
  });
});

describe("users/get", () => {
  test("refuses a plain user everyone else, whether there is such a user or not", async () => {
    await expectRefusal(app, () => user.get(GET, { uname: "admin" }), 403, "role.admin");
    await expectRefusal(app, () => user.get(GET, { uname: "nobody" }), 403, "role.admin");
    await expectRefusal(app, () => user.get(GET, { uname: "User" }), 403, "role.admin");
    await expectRefusal(app, () => user.get(`${GET}?uname=user&uname=admin`), 403, "role.admin");
  });

  test("gives an administrator all fields, the password as its MD5 in upper case", async () => {
    await admin.post(CREATE, { ...JANE, admin: true });
    const reply = await admin.get(GET, { uname: "jane" });
    expect(reply.status).toBe(200);
    const signIn = { origin: "local", secondfactor: false };
    expect(reply.json).toEqual({
      ...JANE,
      ...signIn,
      image: "",
      admin: true,
      password: md5("jane's secret ü"),
    });
    expect(reply.json.password).toMatch(/^[0-9A-F]{32}$/);
  });

  test("gives a plain user his own details, and no password", async () => {
    const reply = await user.get(GET, { uname: "user" });
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      uname: "user",
      password: "",
      fullname: "A User",
      image: "",
      title: "",
      email: "",
      phone: "",
      mobile: "",
      imname: "",
      imtype: "",
      admin: false,
      origin: "local",
      secondfactor: false,
    });
  });
});

describe("users/create", () => {
  test("refuses a name that is taken", async () => {
    await expectRefusal(app, () => admin.post(CREATE, { ...JANE, uname: "user" }), 409, "user.exists");
  });

  test("refuses a name with control characters", async () => {
    for (const uname of ["bob\nroot", "bob\u001b[2J"])
      await expectRefusal(app, () => admin.post(CREATE, { ...JANE, uname }), 400, "argument.invalid");
  });

  test("stores the user, the password only in sealed form, and nothing else", async () => {
    const before = stored(app);
    const reply = await admin.post(CREATE, JANE);
    expect([reply.status, reply.json]).toEqual([200, { uname: "jane" }]);
    expect(changedTables(app, before)).toEqual(["users"]);
    const rows = app.rows("select * from users");
    expect(rows.slice(0, 2)).toEqual(before.get("users") as typeof rows);
    const { password, ...details } = JANE;
    const { password_md5, ...row } = rows[2] ?? {};
    const signIn = { origin: "local", subject: null, totp_secret: "", totp_enabled: 0, totp_step: 0 };
    expect(row).toEqual({ id: 3, ...details, ...signIn, image: "", admin: 0, restricted: 0 });
    expect(String(password_md5)).not.toContain(md5(password));
    expect(app.box.open(String(password_md5))).toBe(md5(password));
  });

  test("makes an administrator only when asked to, and lets the new user in", async () => {
    await admin.post(CREATE, { uname: "chief", password: "secret word", fullname: "Chief", admin: "1" });
    await admin.post(CREATE, { uname: "clerk", password: "secret word", fullname: "Clerk", admin: "false" });
    expect(app.rows("select uname, admin from users where id > 2")).toEqual([
      { uname: "chief", admin: 1 },
      { uname: "clerk", admin: 0 },
    ]);
    const chief = await app.signedIn("chief", "secret word");
    expect((await chief.get(LIST)).status).toBe(200);
    const clerk = await app.signedIn("clerk", "secret word");
    expect((await clerk.get(LIST)).status).toBe(403);
  });
});

describe("users/delete", () => {
  test("keeps the last administrator", async () => {
    await expectRefusal(app, () => admin.post(DELETE, { uname: "admin" }), 409, "user.lastadmin");
  });

  test("lets an administrator go while another one stays", async () => {
    await admin.post(CREATE, { ...JANE, admin: true });
    expect((await admin.post(DELETE, { uname: "admin" })).json).toEqual({});
    expect((await admin.get(LIST)).status).toBe(401);
    expect(app.rows("select uname from users order by id")).toEqual([{ uname: "user" }, { uname: "jane" }]);
  });

  test("takes the user's sessions and tokens along and nothing of others", async () => {
    await admin.post("/api/1/tokens/create", { name: "mine", scope: "full" });
    const { token } = (await user.post("/api/1/tokens/create", { name: "his", scope: "full" })).json;
    await user.post("/api/1/session/put", { colour: "green" });
    const before = stored(app);
    const reply = await admin.post(DELETE, { uname: "user" });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect(changedTables(app, before)).toEqual(["api_tokens", "session_attributes", "sessions", "users"]);
    expect(app.rows("select uname from users")).toEqual([{ uname: "admin" }]);
    expect(app.rows("select user_id from sessions")).toEqual([{ user_id: 1 }]);
    expect(app.rows("select key from session_attributes")).toEqual([{ key: "CSRFToken" }]);
    expect(app.rows("select name from api_tokens")).toEqual([{ name: "mine" }]);
    expect((await user.get("/api/1/session/get")).status).toBe(401);
    const withToken = await app.client().get(GET, { uname: "user" }, { Authorization: `Bearer ${token}` });
    expect(withToken.status).toBe(401);
  });

  test("leaves the author's name on notes", async () => {
    await app.report({ event: { service: "web", message: "gone" } });
    await user.post("/api/1/reports/events/note", { id: 1, message: "looking into it" });
    expect((await admin.post(DELETE, { uname: "user" })).status).toBe(200);
    const event = await admin.get("/api/1/reports/events/get", { id: 1 });
    expect(event.json.note).toMatchObject([{ uname: "user", message: "looking into it" }]);
  });

  test("frees the name, and a new user of it inherits nothing", async () => {
    await user.post("/api/1/tokens/create", { name: "his", scope: "full" });
    await admin.post(DELETE, { uname: "user" });
    await admin.post(CREATE, { ...JANE, uname: "user" });
    const again = await app.signedIn("user", JANE.password);
    expect((await again.get("/api/1/tokens/list")).json.totalRecords).toBe(0);
    expect((await user.get("/api/1/session/get")).status).toBe(401);
  });
});
