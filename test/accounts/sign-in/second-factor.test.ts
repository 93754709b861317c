import { describe, expect, test } from "bun:test";
import { ADMIN_PASSWORD, USER_PASSWORD } from "../../support/app.ts";
import type { Reply, TestClient } from "../../support/client.ts";
import { app, appOfEachTest, user } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { totpCode } from "../../support/totp.ts";

const TOTP = "/api/1/admin/users/totp";

appOfEachTest();

const code = (secret: string, shift = 0) => totpCode(secret, app.clock.now() + shift);
const begin = async (client = user, password = USER_PASSWORD): Promise<string> =>
  String((await client.post(`${TOTP}/begin`, { password })).json.secret);

/** Enables the user's second factor. That uses up the code of the present step. */
async function enrol(): Promise<{ secret: string; recovery: string[] }> {
  const secret = await begin();
  const reply = await user.post(`${TOTP}/confirm`, { code: code(secret) });
  expect(reply.status).toBe(200);
  return { secret, recovery: reply.json.recoverycodes };
}

function login(z_totp?: string, z_password = USER_PASSWORD, address?: string): Promise<Reply> {
  const fields = { z_username: "user", z_password, ...(z_totp !== undefined && { z_totp }) };
  return app.client(address).post("/api/1/login", fields);
}
const outcome = async (pending: Promise<Reply>) => {
  const { status, json } = await pending;
  return [status, json.code ?? "signed in"];
};

const ASKED = [401, "login.totp_required"];
const WRONG = [401, "login.totp_wrong"];
const FAILED = [401, "login.failed"];
const THROTTLED = [429, "login.throttled"];
const SIGNED_IN = [200, "signed in"];

const stateOf = (uname = "user") =>
  app.rows<{ totp_enabled: number; totp_secret: string; totp_step: number }>(
    `select totp_enabled, totp_secret, totp_step from users where uname = '${uname}'`,
  )[0];

describe("a second factor", () => {
  test("does not count until a code was shown", async () => {
    await begin();
    expect(await outcome(login())).toEqual(SIGNED_IN);
    expect(stateOf()?.totp_enabled).toBe(0);
  });

  test("is sealed, its recovery codes are hashed, and neither can be read again", async () => {
    const { secret, recovery } = await enrol();
    const raw = JSON.stringify(
      ["users", "recovery_codes", "audit"].map((table) => app.rows(`select * from ${table}`)),
    );
    for (const text of [secret, ...recovery, ...recovery.map((code) => code.replaceAll("-", ""))])
      expect(raw).not.toContain(text);
    expect(app.box.open(stateOf()?.totp_secret ?? "")).toBe(secret);
    const admin = await app.admin();
    const seen = JSON.stringify([
      (await admin.get("/api/1/admin/users/get", { uname: "user" })).json,
      (await admin.get("/api/1/admin/users/list")).json,
    ]);
    expect(seen).not.toContain(secret);
    expect(seen).not.toContain(stateOf()?.totp_secret ?? "-");
  });

  test("gives ten different recovery codes of 16 letters and digits", async () => {
    const { recovery } = await enrol();
    expect(new Set(recovery).size).toBe(10);
    for (const code of recovery) expect(code).toMatch(/^[a-z2-9]{4}(-[a-z2-9]{4}){3}$/);
  });

  test("begins with the right password alone, and anew until it is confirmed", async () => {
    await expectRefusal(
      app,
      () => app.client().post(`${TOTP}/begin`, { password: USER_PASSWORD }),
      401,
      "session.required",
    );
    expect(await outcome(user.post(`${TOTP}/begin`, { password: "wrong" }))).toEqual([403, "password.wrong"]);
    expect(stateOf()?.totp_secret).toBe("");
    const [first, second] = [await begin(), await begin()];
    expect(second).not.toBe(first);
    await expectRefusal(app, () => user.post(`${TOTP}/confirm`, { code: code(first) }), 403, "totp.wrong");
    expect((await user.post(`${TOTP}/confirm`, { code: code(second) })).status).toBe(200);
    await expectRefusal(
      app,
      () => user.post(`${TOTP}/begin`, { password: USER_PASSWORD }),
      409,
      "totp.enabled",
    );
    await expectRefusal(
      app,
      () => user.post(`${TOTP}/confirm`, { code: code(second, 30) }),
      409,
      "totp.enabled",
    );
  });

  test("cannot be confirmed before it was begun", () =>
    expectRefusal(app, () => user.post(`${TOTP}/confirm`, { code: "123456" }), 409, "totp.unbegun"));

  test("ends the user's other sessions, and no one else's", async () => {
    const [other, admin] = [await app.user(), await app.admin()];
    await enrol();
    expect((await other.get("/api/1/session/user")).status).toBe(401);
    expect((await user.get("/api/1/session/user")).status).toBe(200);
    expect((await admin.get("/api/1/session/user")).status).toBe(200);
  });
});

describe("a login with a second factor", () => {
  test("asks for a code after a right password only", async () => {
    await enrol();
    expect(await outcome(login(undefined, "wrong"))).toEqual(FAILED);
    expect(await outcome(login("000000", "wrong"))).toEqual(FAILED);
    expect(await outcome(login())).toEqual(ASKED);
    expect(await outcome(login(""))).toEqual(ASKED);
    expect((await login()).headers.get("Set-Cookie")).toBeNull();
    expect(app.rows("select * from sessions where user_id = 2")).toHaveLength(1);
  });

  test("codes over time", async () => {
    const { secret } = await enrol();
    const now = app.clock.now();
    const at = (seconds: number) => totpCode(secret, now + seconds);
    const ledger: readonly [at: number, code: string, expected: unknown[], why: string][] = [
      [0, at(0), WRONG, "used up by the confirmation"],
      [0, at(-30), WRONG, "older than the last one"],
      [0, at(30), SIGNED_IN, "one step ahead"],
      [0, at(30), WRONG, "again"],
      [30, at(30), WRONG, "again, in its own time"],
      [31, at(60), SIGNED_IN, "the next one"],
      [120, at(60), WRONG, "two steps late"],
      [120, at(90), SIGNED_IN, "one step late"],
      [121, at(60), WRONG, "older again"],
      [121, at(120), SIGNED_IN, "in time"],
      [3600, at(3660), WRONG, "two steps ahead"],
      [3600, at(3600), SIGNED_IN, "an hour later"],
    ];
    for (const [seconds, code, expected, why] of ledger) {
      app.clock.step(now + seconds - app.clock.now());
      expect([why, await outcome(login(code))]).toEqual([why, expected]);
      // These lines are about codes; the number of wrong ones has its own tests.
      app.db.$client.run("delete from login_failures");
    }
  });

  test("takes each recovery code once, however it is written, and says how many are left in the audit log", async () => {
    const { recovery } = await enrol();
    const [first = "", second = ""] = recovery;
    expect(await outcome(login(first))).toEqual(SIGNED_IN);
    expect(await outcome(login(first))).toEqual(WRONG);
    expect(await outcome(login(` ${second.replaceAll("-", "").toUpperCase()} `))).toEqual(SIGNED_IN);
    expect(app.rows("select count(*) as n from recovery_codes")).toEqual([{ n: 8 }]);
    const [newest] = app.muster.audit.list({ operation: "login", results: 1, startindex: 0 }).records;
    expect(newest).toMatchObject({ operation: "login", uname: "user", details: { recoverycodesleft: 8 } });
  });

  test("does not take another user's code", async () => {
    const { secret, recovery } = await enrol();
    const admin = await app.admin();
    const setup = await begin(admin, ADMIN_PASSWORD);
    await admin.post(`${TOTP}/confirm`, { code: code(setup) });
    const asAdmin = (z_totp: string) =>
      app.client().post("/api/1/login", { z_username: "admin", z_password: ADMIN_PASSWORD, z_totp });
    expect(await outcome(asAdmin(code(secret, 30)))).toEqual(WRONG);
    expect(await outcome(asAdmin(recovery[0] ?? ""))).toEqual(WRONG);
    expect(await outcome(asAdmin(code(setup, 30)))).toEqual(SIGNED_IN);
  });

  test("is asked for by the older dialect's form, which takes it as z_totp", async () => {
    const { secret } = await enrol();
    const fields = { z_username: "user", z_password: USER_PASSWORD };
    const without = await app.client().post("/z_security_check", fields);
    expect([without.status, without.text.includes("z_totp")]).toEqual([401, true]);
    const wrong = await app.client().post("/z_security_check", { ...fields, z_totp: "000000" });
    expect([wrong.status, wrong.text.includes("The code is wrong")]).toEqual([401, true]);
    const right = await app.client().post("/z_security_check", { ...fields, z_totp: code(secret, 30) });
    expect([right.status, right.headers.get("Location")]).toEqual([302, "/index.csp"]);
  });

  test("is not asked of an API token", async () => {
    const { token } = (await user.post("/api/1/tokens/create", { name: "bot", scope: "read" })).json;
    await enrol();
    const reply = await app.client().get("/api/1/session/user", {}, { Authorization: `Bearer ${token}` });
    expect(reply.json.uname).toBe("user");
  });

  test("is not asked any more when its secret was lost with the key that sealed it", async () => {
    await enrol();
    app.db.$client.run("update users set totp_secret = ''");
    expect(await outcome(login())).toEqual(SIGNED_IN);
  });
});

describe("guessing codes", () => {
  test("is slowed like guessing passwords, and told in the audit log", async () => {
    const { secret } = await enrol();
    for (let i = 0; i < 5; i++) expect(await outcome(login("000000"))).toEqual(WRONG);
    expect(await outcome(login(code(secret, 30)))).toEqual(THROTTLED);
    const failed = app.muster.audit.list({ operation: "login/failed", results: 10, startindex: 0 });
    expect(failed.totalRecords).toBe(5);
    expect(failed.records[0]).toMatchObject({ subjectid: "user", details: { reason: "second factor" } });
    app.clock.step(16 * 60);
    expect(await outcome(login(code(secret)))).toEqual(SIGNED_IN);
  });

  test("cannot be helped by leaving the code out in between", async () => {
    const { secret } = await enrol();
    for (let i = 0; i < 5; i++) {
      expect(await outcome(login("000000"))).toEqual(WRONG);
      if (i < 4) expect(await outcome(login())).toEqual(ASKED);
    }
    expect(await outcome(login(code(secret, 30)))).toEqual(THROTTLED);
  });

  test("from ever new addresses ends after 20, and holds up nobody who is without the password", async () => {
    const { secret } = await enrol();
    for (let i = 0; i < 20; i++)
      expect(await outcome(login("000000", USER_PASSWORD, `198.51.100.${i}`))).toEqual(WRONG);
    expect(await outcome(login(code(secret, 30), USER_PASSWORD, "203.0.113.1"))).toEqual(THROTTLED);
    expect(await outcome(login(undefined, "wrong", "203.0.113.2"))).toEqual(FAILED);
    await app.admin();
    app.clock.step(16 * 60);
    expect(await outcome(login(code(secret), USER_PASSWORD, "203.0.113.1"))).toEqual(SIGNED_IN);
  });

  test("wrong passwords from elsewhere never hold up codes", async () => {
    const { secret } = await enrol();
    for (let i = 0; i < 40; i++) await login("000000", "wrong", `198.51.100.${i}`);
    expect(await outcome(login(code(secret, 30)))).toEqual(SIGNED_IN);
  });
});

describe("switching it off", () => {
  const off = (client: TestClient, fields = {}) => client.post(`${TOTP}/disable`, fields);

  test("takes one's password or a code; a session alone is not enough", async () => {
    const { secret, recovery } = await enrol();
    await expectRefusal(app, () => off(user), 400, "argument.missing");
    expect(await outcome(off(user, { password: "wrong" }))).toEqual([403, "password.wrong"]);
    expect(await outcome(off(user, { code: code(secret) }))).toEqual([403, "totp.wrong"]);
    expect(await outcome(off(user, { uname: "user" }))).toEqual([400, "argument.missing"]);
    expect(stateOf()?.totp_enabled).toBe(1);
    expect((await off(user, { code: recovery[0] ?? "" })).status).toBe(200);
    expect(stateOf()).toEqual({ totp_enabled: 0, totp_secret: "", totp_step: 0 });
    expect(app.rows("select * from recovery_codes")).toEqual([]);
    expect(await outcome(login())).toEqual(SIGNED_IN);
  });

  test("is for administrators without either, and for nobody else", async () => {
    await enrol();
    const admin = await app.admin();
    await expectRefusal(app, () => off(user, { uname: "admin" }), 403, "role.admin");
    const before = stored(app);
    expect((await off(admin, { uname: "user" })).status).toBe(200);
    expect(changedTables(app, before).sort()).toEqual(["recovery_codes", "users"]);
    await expectRefusal(app, () => off(admin, { uname: "user" }), 409, "totp.off");
    await expectRefusal(app, () => off(admin, { uname: "nobody" }), 404, "object.unknown");
  });

  test("by an administrator of his own takes his password too", async () => {
    const admin = await app.admin();
    const secret = await begin(admin, ADMIN_PASSWORD);
    await admin.post(`${TOTP}/confirm`, { code: code(secret) });
    expect(await outcome(off(admin, { uname: "admin" }))).toEqual([400, "argument.missing"]);
    expect((await off(admin, { uname: "admin", password: ADMIN_PASSWORD })).status).toBe(200);
  });

  test("guesses of the password or a code are counted", async () => {
    await enrol();
    for (const fields of [{ password: "x" }, { code: "x" }, { password: "y" }, { code: "y" }, { code: "z" }])
      expect((await off(user, fields)).status).toBe(403);
    expect(await outcome(off(user, { password: USER_PASSWORD }))).toEqual(THROTTLED);
    expect(stateOf()?.totp_enabled).toBe(1);
  });
});

test("the lists of users say who has a second factor", async () => {
  await enrol();
  const admin = await app.admin();
  const list: { uname: string; secondfactor: boolean }[] = (await admin.get("/api/1/admin/users/list")).json;
  expect(list.map(({ uname, secondfactor }) => [uname, secondfactor])).toEqual([
    ["admin", false],
    ["user", true],
  ]);
  expect((await user.get("/api/1/admin/users/get", { uname: "user" })).json.secondfactor).toBe(true);
});
