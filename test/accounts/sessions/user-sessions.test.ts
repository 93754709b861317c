import { expect, test } from "bun:test";
import { ADMIN_PASSWORD, type TestApp, USER_PASSWORD } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

freshAppOfEachTest();

const LIST = "/api/1/session/list";
const REVOKE = "/api/1/session/revoke";

async function signedIn(app: TestApp, address: string, userAgent: string) {
  const client = app.client(address);
  const form = { z_username: "user", z_password: USER_PASSWORD };
  const reply = await client.post("/api/1/login", form, { "User-Agent": userAgent });
  client.csrfToken = reply.json.CSRFToken;
  return client;
}

test("a user sees his sessions, and which of them this is", async () => {
  await app.admin();
  const phone = await signedIn(app, "203.0.113.1", "Phone/1.0");
  app.clock.step(120);
  const desk = await signedIn(app, "203.0.113.2", "Desk/2.0");
  const { json } = await desk.get(LIST);
  expect(json).toEqual({
    totalRecords: 2,
    records: [
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        created: START + 120,
        used: START + 120,
        address: "203.0.113.2",
        useragent: "Desk/2.0",
        current: true,
      },
      {
        id: expect.stringMatching(/^[0-9a-f]{32}$/),
        created: START,
        used: START,
        address: "203.0.113.1",
        useragent: "Phone/1.0",
        current: false,
      },
    ],
  });
  app.clock.step(60);
  expect((await phone.get(LIST)).json.records[0]).toMatchObject({ used: START + 180, current: true });
});

test("the id that is shown is neither the cookie nor what is stored of it", async () => {
  const client = await app.user();
  const text = (await client.get(LIST)).text;
  const cookie = client.cookie.split("=")[1] ?? "";
  for (const part of cookie.split(".")) expect(text).not.toContain(part);
  const [row] = app.rows<{ id_hash: string }>("select id_hash from sessions");
  expect(text).not.toContain(row?.id_hash.slice(0, 16) ?? "");
  // It is no key to anything.
  const thief = app.client();
  thief.cookie = `zsessionid=${JSON.parse(text).records[0].id}`;
  expect((await thief.get(LIST)).status).toBe(401);
});

test("revoke ends that session and no other", async () => {
  const [phone, desk] = [
    await signedIn(app, "203.0.113.1", "Phone"),
    await signedIn(app, "203.0.113.2", "Desk"),
  ];
  const { records } = (await desk.get(LIST)).json;
  const { id } = records.find(({ useragent }: { useragent: string }) => useragent === "Phone");
  expect((await desk.post(REVOKE, { id })).json).toEqual({});
  expect((await phone.get(LIST)).status).toBe(401);
  expect((await desk.get(LIST)).json.totalRecords).toBe(1);
  await expectRefusal(app, () => desk.post(REVOKE, { id }), 404, "object.unknown");
});

test("revoking the current session signs out", async () => {
  const client = await app.user();
  const { id } = (await client.get(LIST)).json.records[0];
  expect((await client.post(REVOKE, { id })).status).toBe(200);
  expect((await client.get(LIST)).status).toBe(401);
});

test("nobody sees or ends the session of another user, an administrator neither", async () => {
  const [user, admin] = [await app.user(), await app.admin()];
  const { id } = (await user.get(LIST)).json.records[0];
  expect((await admin.get(LIST)).json.totalRecords).toBe(1);
  await expectRefusal(app, () => admin.post(REVOKE, { id }), 404, "object.unknown");
});

test("a session that expired is not shown, even before it is swept away", async () => {
  await signedIn(app, "203.0.113.1", "Old");
  const client = await signedIn(app, "203.0.113.1", "New");
  for (let minute = 0; minute < 31; minute += 10) {
    app.clock.step(600);
    await client.get(LIST);
  }
  expect(app.rows("select user_agent from sessions")).toHaveLength(2);
  expect((await client.get(LIST)).json.records).toMatchObject([{ useragent: "New" }]);
});

test("what a client calls itself is cut", async () => {
  const client = await signedIn(app, "203.0.113.1", "x".repeat(5000));
  expect((await client.get(LIST)).json.records[0].useragent).toBe("x".repeat(255));
});

test("a new password ends the user's other sessions", async () => {
  const [first, second] = [await app.admin(), await app.admin()];
  const fields = { uname: "admin", fullname: "A", oldpassword: ADMIN_PASSWORD, password: "another one" };
  expect((await first.post("/api/1/admin/users/update", fields)).status).toBe(200);
  expect((await first.get(LIST)).json.totalRecords).toBe(1);
  expect((await second.get(LIST)).status).toBe(401);
});
