import { expect, test } from "bun:test";
import { ADMIN_PASSWORD, type TestApp } from "../../support/app.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { totpCode } from "../../support/totp.ts";

freshAppOfEachTest();

const LIST = "/api/1/status/hosts/list";

function fillDisk(app: TestApp): void {
  app.db.$client.run("pragma query_only = on");
}

function freeDisk(app: TestApp): void {
  app.db.$client.run("pragma query_only = off");
}

const logIn = async (app: TestApp, z_password: string, address = "192.0.2.10") =>
  (await app.client(address).post("/api/1/login", { z_username: "admin", z_password })).status;

test("on a full disk one can sign in, look and go on looking, and nothing is stored", async () => {
  const before = stored(app);
  fillDisk(app);
  const admin = await app.admin();
  for (let minute = 0; minute < 5; minute++) {
    expect((await admin.get(LIST)).status).toBe(200);
    app.clock.step(60);
  }
  expect((await admin.post("/api/1/admin/groups/create", { name: "new" })).status).toBe(503);
  expect(changedTables(app, before)).toEqual([]);
});

test("such a session is stored once that is possible, and is worth as much as any other", async () => {
  fillDisk(app);
  const admin = await app.admin();
  freeDisk(app);
  app.clock.step(2);
  expect((await admin.get(LIST)).status).toBe(200);
  expect(app.rows("select user_id as user from sessions")).toEqual([{ user: 1 }]);
  expect((await admin.get("/api/1/session/list")).json.totalRecords).toBe(1);
  expect((await admin.post("/api/1/session/invalidate", {})).status).toBe(200);
  expect((await admin.get(LIST)).status).toBe(401);
});

test("such a session takes attributes once it is stored, and asks to try again until then", async () => {
  fillDisk(app);
  const admin = await app.admin();
  const put = () => admin.post("/api/1/session/put", { colour: "green" });
  const before = stored(app);
  expect((await put()).status).toBe(503);
  // A write that needs little space finds some before the session, which needs more, was stored.
  freeDisk(app);
  const refused = await put();
  expect([refused.status, refused.json.code]).toEqual([503, "busy"]);
  expect(refused.headers.get("Retry-After")).toBe("5");
  expect(changedTables(app, before)).toEqual([]);
  expect(app.logged.join("\n")).not.toContain("request failed");
  app.clock.step(2);
  expect((await put()).status).toBe(200);
  expect((await admin.get("/api/1/session/get")).json).toMatchObject({ colour: "green" });
});

test("such a session ends with its time and with a change of the password", async () => {
  fillDisk(app);
  const [idle, changed] = [await app.admin(), await app.user()];
  freeDisk(app);
  app.db.$client.run("update users set password_md5 = 'another' where uname = 'user'");
  expect((await changed.get(LIST)).status).toBe(401);
  app.clock.step(31 * 60);
  expect((await idle.get(LIST)).status).toBe(401);
});

test("such a session ends when its user turns on a second factor, as others do", async () => {
  const owner = await app.admin();
  fillDisk(app);
  const stolen = await app.admin();
  expect((await stolen.get(LIST)).status).toBe(200);
  freeDisk(app);
  app.clock.step(2);
  const totp = "/api/1/admin/users/totp";
  const { secret } = (await owner.post(`${totp}/begin`, { password: ADMIN_PASSWORD })).json;
  const code = totpCode(secret, app.clock.now());
  expect((await owner.post(`${totp}/confirm`, { code })).status).toBe(200);
  expect((await stolen.get(LIST)).status).toBe(401);
  expect((await owner.get(LIST)).status).toBe(200);
});

test("who was signed in before the disk was full stays so", async () => {
  const admin = await app.admin();
  fillDisk(app);
  app.clock.step(120);
  expect((await admin.get(LIST)).status).toBe(200);
});

test("on a full disk nobody can guess freely", async () => {
  fillDisk(app);
  for (let i = 0; i < 5; i++) expect(await logIn(app, "wrong")).toBe(401);
  expect(await logIn(app, ADMIN_PASSWORD)).toBe(429);
  expect(await logIn(app, ADMIN_PASSWORD, "192.0.2.11")).toBe(200);
});

test("a bounded number of people can sign in on a full disk", async () => {
  fillDisk(app);
  for (let i = 0; i < 100; i++) expect(await logIn(app, ADMIN_PASSWORD)).toBe(200);
  expect(await logIn(app, ADMIN_PASSWORD)).toBe(503);
});
