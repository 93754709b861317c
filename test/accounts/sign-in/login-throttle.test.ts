import { expect, test } from "bun:test";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

freshAppOfEachTest();

const MINUTE = 60;

async function login(app: TestApp, uname: string, password: string, address = "192.0.2.10", headers = {}) {
  return app.client(address).post("/api/1/login", { z_username: uname, z_password: password }, headers);
}

async function fail(app: TestApp, times: number, uname = "admin", address?: string): Promise<void> {
  for (let i = 0; i < times; i++) expect((await login(app, uname, `wrong ${i}`, address)).status).toBe(401);
}

test("after 5 failures an address may not try that account, even with the right password", async () => {
  await fail(app, 5);
  for (const password of ["wrong", ADMIN_PASSWORD]) {
    const reply = await login(app, "admin", password);
    expect([reply.status, reply.json.code]).toEqual([429, "login.throttled"]);
    expect(reply.headers.get("Set-Cookie")).toBeNull();
  }
  expect(app.rows("select user_id from sessions")).toEqual([]);
});

test("other accounts from there, and that account from elsewhere, are not held up", async () => {
  await fail(app, 5);
  expect((await login(app, "user", USER_PASSWORD)).status).toBe(200);
  expect((await login(app, "admin", ADMIN_PASSWORD, "192.0.2.11")).status).toBe(200);
});

test("nobody locks the administrator out from many addresses", async () => {
  for (let i = 0; i < 60; i++) await fail(app, 4, "admin", `198.51.100.${i}`);
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(200);
});

test("after 20 failures an address may not try any account", async () => {
  for (let i = 0; i < 5; i++) await fail(app, 4, `account-${i}`);
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(429);
  expect((await login(app, "user", USER_PASSWORD)).status).toBe(429);
  expect((await login(app, "admin", ADMIN_PASSWORD, "192.0.2.11")).status).toBe(200);
});

test("a success clears the failures of its account and address, and only those", async () => {
  await fail(app, 4, "user");
  await fail(app, 4, "admin");
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(200);
  await fail(app, 4, "admin");
  await fail(app, 1, "user");
  expect((await login(app, "user", USER_PASSWORD)).status).toBe(429);
});

test("Retry-After says when, to the second, and then it works", async () => {
  await fail(app, 1);
  app.clock.step(5 * MINUTE);
  await fail(app, 4);
  expect((await login(app, "admin", ADMIN_PASSWORD)).headers.get("Retry-After")).toBe(String(10 * MINUTE));
  app.clock.step(10 * MINUTE - 1);
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(429);
  app.clock.step(1);
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(200);
});

test("the window slides: each failure counts for 15 minutes", async () => {
  for (let i = 0; i < 20; i++) {
    await fail(app, 1);
    app.clock.step(4 * MINUTE);
  }
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(200);
});

test("refused tries do not prolong the wait", async () => {
  await fail(app, 5);
  for (let i = 0; i < 14; i++) {
    app.clock.step(MINUTE);
    expect((await login(app, "admin", "wrong")).status).toBe(429);
  }
  app.clock.step(MINUTE + 1);
  expect((await login(app, "admin", ADMIN_PASSWORD)).status).toBe(200);
});

test("failures are forgotten in the database once their window has passed", async () => {
  await fail(app, 4);
  const before = app.clock.now();
  app.clock.step(16 * MINUTE);
  await fail(app, 1, "user");
  expect(app.rows("select at from login_failures")).toEqual([{ at: before + 16 * MINUTE }]);
});

test("an address cannot make itself another one by X-Forwarded-For", async () => {
  for (let i = 0; i < 5; i++)
    await login(app, "admin", "wrong", "192.0.2.10", { "X-Forwarded-For": `203.0.113.${i}` });
  expect(
    (await login(app, "admin", ADMIN_PASSWORD, "192.0.2.10", { "X-Forwarded-For": "203.0.113.99" })).status,
  ).toBe(429);
});

test("behind a trusted proxy each client is counted by itself, by the address that the proxy saw", async () => {
  const app = new TestApp({ trustedProxy: [{ address: "192.0.2.10", bits: 32, family: "ipv4" }] });
  const from = (client: string) => ({ "X-Forwarded-For": client });
  for (let i = 0; i < 5; i++)
    await login(app, "admin", "wrong", "192.0.2.10", from(`9.9.9.${i}, 203.0.113.5`));
  expect((await login(app, "admin", ADMIN_PASSWORD, "192.0.2.10", from("203.0.113.5"))).status).toBe(429);
  expect((await login(app, "admin", ADMIN_PASSWORD, "192.0.2.10", from("203.0.113.6"))).status).toBe(200);
});
