import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";

freshAppOfEachTest();

const MINUTE = 60;
const DAY = 86_400;
const ANY = "/api/1/status/hosts/summary";

async function isIn(client: TestClient): Promise<boolean> {
  const { status } = await client.get(ANY);
  expect([200, 401]).toContain(status);
  return status === 200;
}

test("a session ends after 30 minutes without a request", async () => {
  const client = await app.user();
  app.clock.step(30 * MINUTE);
  expect(await isIn(client)).toBe(true);
  app.clock.step(31 * MINUTE);
  expect(await isIn(client)).toBe(false);
  expect(app.rows("select * from sessions")).toEqual([]);
  expect(app.rows("select * from session_attributes")).toEqual([]);
});

test("each request begins the 30 minutes anew", async () => {
  const client = await app.user();
  for (let i = 0; i < 10; i++) {
    app.clock.step(29 * MINUTE);
    expect(await isIn(client)).toBe(true);
  }
});

test("a session that is used ends no earlier than it should, although not each use is stored", async () => {
  app.settings.set("sessionidle", 1);
  const client = await app.user();
  for (let i = 0; i < 5; i++) {
    app.clock.step(40);
    expect(await isIn(client)).toBe(true);
  }
  app.clock.step(59);
  const other = await app.user();
  while (app.muster.retention.step());
  expect((await other.get("/api/1/session/list")).json.totalRecords).toBe(2);
  expect(await isIn(client)).toBe(true);
});

test("a request every second is noted once a minute, and costs no idle time", async () => {
  const client = await app.user();
  const changes = () => app.rows<{ n: number }>("select total_changes() as n")[0]?.n ?? 0;
  const before = changes();
  for (let i = 0; i < 125; i++) {
    app.clock.step(1);
    await isIn(client);
  }
  expect(changes() - before).toBe(2);
  app.clock.step(30 * MINUTE);
  expect(await isIn(client)).toBe(true);
});

test("a session ends after 30 days, however much it is used", async () => {
  const client = await app.user();
  app.settings.set("sessionidle", 1440);
  for (let day = 0; day < 30; day++) {
    app.clock.step(DAY);
    expect(await isIn(client)).toBe(true);
  }
  app.clock.step(1);
  expect(await isIn(client)).toBe(false);
});

test("the idle time is a setting that takes effect at once", async () => {
  const client = await app.user();
  app.settings.set("sessionidle", 5);
  app.clock.step(6 * MINUTE);
  expect(await isIn(client)).toBe(false);
});

test("a clock set back does not end a session", async () => {
  const client = await app.user();
  app.clock.step(-DAY);
  expect(await isIn(client)).toBe(true);
});

test("a session that is used after the clock was set back ends 30 minutes after its last request", async () => {
  const client = await app.user();
  app.clock.step(-DAY);
  expect(await isIn(client)).toBe(true);
  app.clock.step(30 * MINUTE);
  expect(await isIn(client)).toBe(true);
  app.clock.step(31 * MINUTE);
  expect(await isIn(client)).toBe(false);
});

test("sessions that ended are swept away by the next login, others stay", async () => {
  await app.user();
  app.clock.step(20 * MINUTE);
  const second = await app.user();
  app.clock.step(20 * MINUTE);
  await app.admin();
  expect(app.rows("select id_hash from sessions")).toHaveLength(2);
  expect(await isIn(second)).toBe(true);
});

test("a user has at most 200 sessions: a further one ends the one used longest ago", async () => {
  const app = new TestApp();
  const [oldest, admin] = [await app.user(), await app.admin()];
  app.clock.step(1);
  const kept = await app.user();
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 198)
     insert into sessions select 'other ' || i, user_id, csrf_protection, created_at + 10, used_at + 10, address, user_agent
     from (select * from sessions where used_at = ${app.clock.now()}), n`,
  );
  app.clock.step(20);
  const ofUser = "select count(*) as n from sessions group by user_id order by n desc limit 1";
  expect(app.rows(ofUser)).toEqual([{ n: 200 }]);
  const newest = await app.user();
  expect(app.rows(ofUser)).toEqual([{ n: 200 }]);
  expect([await isIn(oldest), await isIn(kept), await isIn(newest), await isIn(admin)]).toEqual([
    false,
    true,
    true,
    true,
  ]);
});

describe("an id that Muster did not give out", () => {
  const FORGED: readonly [why: string, forge: (id: string) => string][] = [
    ["a changed signature", (id) => `${id.slice(0, -1)}${id.endsWith("0") ? "1" : "0"}`],
    ["a changed random part", (id) => `${id.startsWith("0") ? "1" : "0"}${id.slice(1)}`],
    ["no signature", (id) => id.split(".")[0] ?? ""],
    ["upper case", (id) => id.toUpperCase()],
    ["another alphabet", () => "'; drop table sessions; --"],
    ["nothing", () => ""],
    ["something longer", (id) => `${id}0`],
  ];
  for (const [why, forge] of FORGED)
    test(`is no session: ${why}`, async () => {
      const client = await app.user();
      const [name, id = ""] = client.cookie.split("=");
      client.cookie = `${name}=${forge(id)}`;
      expect(await isIn(client)).toBe(false);
    });

  test("is told by its signature alone", () => {
    const { sessions } = new TestApp().muster;
    const id = sessions.newId();
    expect(sessions.isOurs(id)).toBe(true);
    expect(sessions.isOurs(id.replace(".", ""))).toBe(false);
    expect(sessions.newId()).not.toBe(id);
  });
});

test("an id issued by Muster that signed nobody in is not a session", async () => {
  const client = app.client();
  client.cookie = `zsessionid=${app.muster.sessions.newId()}`;
  expect(await isIn(client)).toBe(false);
});

test("a cookie among others is found", async () => {
  const client = await app.user();
  client.cookie = `theme=dark; ${client.cookie}; last=1`;
  expect(await isIn(client)).toBe(true);
});

describe("invalidate", () => {
  for (const method of ["get", "post"] as const)
    test(`by ${method} ends the session with all it holds, and no other`, async () => {
      const [first, second] = [await app.user(), await app.user()];
      await first.post("/api/1/session/put", { a: "1" });
      const reply = await first[method]("/api/1/session/invalidate");
      expect([reply.status, reply.json]).toEqual([200, {}]);
      expect(await isIn(first)).toBe(false);
      expect(await isIn(second)).toBe(true);
      expect(app.rows("select key from session_attributes")).toEqual([{ key: "CSRFToken" }]);
    });
});

test("a session survives a restart of Muster", async () => {
  const client = await app.user();
  const id = client.cookie.split("=")[1] ?? "";
  const { Sessions } = await import("../../../src/accounts/sessions/sessions.service.ts");
  const { db, box, settings, clock, storage } = app;
  const restarted = new Sessions({ db, box, settings, clock, storage });
  expect(restarted.resolve(id)).toMatchObject({ uname: "user", session: { csrfToken: client.csrfToken } });
});

test("a session is worth nothing under another secret key", async () => {
  const client = await app.user();
  const id = client.cookie.split("=")[1] ?? "";
  const { Sessions } = await import("../../../src/accounts/sessions/sessions.service.ts");
  const { SecretBox } = await import("../../../src/platform/secrets/secret-box.ts");
  const { db, settings, clock, storage } = app;
  const box = new SecretBox(Buffer.alloc(32, 8));
  const other = new Sessions({ db, box, settings, clock, storage });
  expect(other.resolve(id)).toBeNull();
});
