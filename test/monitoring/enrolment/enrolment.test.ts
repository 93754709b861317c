import { describe, expect, test } from "bun:test";
import { MAX_GUESSES } from "../../../src/monitoring/agent-keys/guess-throttle.ts";
import { MAX_CODES_PER_KEY } from "../../../src/monitoring/enrolment/enrolment.service.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";

const SECRET = "a-secret.of_24-characters";
const SOURCE = "198.51.100.7";
const DAY = 86_400;

/** A user who manages group 1. */
let manager: TestClient;

appOfEachTest(async () => {
  for (const name of ["web", "db"]) await admin.post("/api/1/admin/groups/create", { name });
  app.muster.users.create({ uname: "m", password: "manager secret", fullname: "M", admin: false });
  app.muster.grants.set({ uname: "m", view: [], operate: [], manage: [1], restricted: true });
  manager = await app.signedIn("m", "manager secret");
  for (const [i, name] of ["web", "db"].entries())
    await admin.post("/api/1/admin/keys/create", { name, secret: SECRET, hostgroups: [i + 1] });
  app.settings.set("enrolplain", 1);
});

async function codeOf(fields: Fields = {}, client = admin): Promise<{ id: number; code: string }> {
  const { status, json } = await client.post("/api/1/admin/keys/codes/create", { id: 1, ...fields });
  expect([status, json.error]).toEqual([200, undefined]);
  return json;
}

async function exchange(args: Fields, address = SOURCE): Promise<[number, Fields]> {
  const { status, json } = await app.client(address).post("/api/1/enrol/exchange", args);
  return [status, json];
}

async function refusal(args: Fields, address = SOURCE): Promise<[number, string]> {
  const [status, { code }] = await exchange(args, address);
  return [status, String(code)];
}

const listed = async (client = admin): Promise<Fields[]> =>
  (await client.get("/api/1/admin/keys/codes/list", { id: 1 })).json.records;

const report = (secret: string, message: Fields = {}) => {
  const login = Buffer.from(`web:${secret}`).toString("base64");
  return app.report({ at: app.clock.now(), ...message }, SOURCE, { Authorization: `Basic ${login}` });
};

async function arrival(args: Fields = {}): Promise<[number, Fields]> {
  const all = { name: "web", secret: SECRET, agentid: "agent-1", ...args };
  const { status, json } = await app.client(SOURCE).post("/api/1/enrol/arrival", all);
  return [status, json];
}

describe("an enrolment code", () => {
  test("is exchanged for its key as often as it says, and is stored as a hash", async () => {
    const { code } = await codeOf({ uses: 2 });
    expect(code).toMatch(/^enrol_[\w-]{24}$/);
    const key = { key: 1, name: "web", secret: SECRET, code: 1, counted: true };
    expect(await exchange({ code })).toEqual([200, key]);
    expect(await exchange({ code })).toEqual([200, key]);
    expect(await refusal({ code })).toEqual([410, "enrolment.over"]);
    expect(await listed()).toEqual([
      {
        id: 1,
        created: app.clock.now(),
        ends: app.clock.now() + DAY,
        uses: 2,
        left: 0,
        lastused: app.clock.now(),
      },
    ]);
    expect(JSON.stringify(app.rows("select * from enrolment_codes"))).not.toContain(code);
  });

  test("ends", async () => {
    const { code } = await codeOf({ uses: 9, lifetime: 3600 });
    app.clock.step(3599);
    expect((await exchange({ code }))[0]).toBe(200);
    app.clock.step(1);
    const before = stored(app);
    expect(await refusal({ code })).toEqual([410, "enrolment.over"]);
    expect(changedTables(app, before)).toEqual([]);
  });

  test("is not counted for a machine that has the key, also after its end, but not with another key", async () => {
    const { code } = await codeOf();
    expect((await exchange({ code }))[1].counted).toBe(true);
    app.clock.step(2 * DAY);
    const held = { name: "web", secret: SECRET };
    expect((await exchange({ code, ...held }))[1]).toMatchObject({ secret: SECRET, counted: false });
    expect(await refusal({ code, ...held, secret: `${SECRET}x` })).toEqual([410, "enrolment.over"]);
    expect(await refusal({ code, ...held, name: "db" })).toEqual([410, "enrolment.over"]);
    expect(app.rows("select used from enrolment_codes")).toEqual([{ used: 1 }]);
  });

  test("gives a machine the new secret of a key, for the previous one as long as that is accepted", async () => {
    const { code } = await codeOf();
    await admin.post("/api/1/admin/keys/replace", { id: 1, overlap: 3600 });
    const held = { name: "web", secret: SECRET };
    const [, reply] = await exchange({ code, ...held });
    expect(reply).toMatchObject({ counted: false, secret: expect.not.stringContaining(SECRET) });
    app.clock.step(3600);
    expect((await exchange({ code, ...held }))[1].counted).toBe(true);
  });

  test("is not counted for a host with a name that its key refuses", async () => {
    await admin.post("/api/1/admin/keys/update", { id: 1, hostpattern: "Web-*" });
    const { code } = await codeOf();
    const before = stored(app);
    expect(await exchange({ code, hostname: "db-1" })).toEqual([
      403,
      { code: "key.host", error: "The key web is not for hosts with a name like db-1" },
    ]);
    expect(changedTables(app, before)).toEqual([]);
    expect(await exchange({ code, hostname: "WEB-1" })).toEqual([
      200,
      expect.objectContaining({ counted: true }),
    ]);
  });

  test("gives no key that has ended", async () => {
    const { code } = await codeOf();
    await admin.post("/api/1/admin/keys/end", { id: 1 });
    expect(await refusal({ code })).toEqual([410, "enrolment.over"]);
    expect(await refusal({ code, name: "web", secret: SECRET })).toEqual([410, "enrolment.over"]);
    expect(await listed()).toMatchObject([{ left: 1 }]);
  });

  test("that is revoked, or whose key is deleted, is unknown", async () => {
    const [first, second] = [await codeOf(), await codeOf()];
    await admin.post("/api/1/admin/keys/codes/delete", { id: first.id });
    expect(await refusal({ code: first.code })).toEqual([401, "enrolment.unknown"]);
    await admin.post("/api/1/admin/keys/delete", { id: 1 });
    expect(await refusal({ code: second.code })).toEqual([401, "enrolment.unknown"]);
    expect(app.rows("select * from enrolment_codes")).toEqual([]);
  });

  test("comes from those who manage its key, who alone see and revoke it", async () => {
    const { id } = await codeOf({}, manager);
    expect(await listed(manager)).toHaveLength(1);
    const ofOther = await codeOf({ id: 2 });
    for (const [path, args] of [
      ["codes/create", { id: 2 }],
      ["codes/delete", { id: ofOther.id }],
    ] as const)
      expect((await manager.post(`/api/1/admin/keys/${path}`, args)).status).toBe(404);
    expect((await manager.get("/api/1/admin/keys/codes/list", { id: 2 })).status).toBe(404);
    expect((await manager.post("/api/1/admin/keys/codes/delete", { id })).status).toBe(200);
    expect(app.rows("select id from enrolment_codes")).toEqual([{ id: ofOther.id }]);
  });

  test("is in the audit log with each use, without its text and the secret", async () => {
    const { id, code } = await codeOf({}, manager);
    await exchange({ code });
    await manager.post("/api/1/admin/keys/codes/delete", { id });
    const { records } = (await admin.get("/api/1/admin/audit/list")).json;
    const shown = records
      .slice(0, 3)
      .map(({ uname, address, via, operation, subjectname, details }: Fields) => [
        uname,
        address,
        via,
        operation,
        subjectname,
        details,
      ]);
    expect(shown).toEqual([
      ["m", "192.0.2.10", "login", "admin/keys/codes/delete", "web", { code: 1 }],
      ["", SOURCE, "none", "enrol/exchange", "web", { code: 1, counted: true }],
      [
        "m",
        "192.0.2.10",
        "login",
        "admin/keys/codes/create",
        "web",
        { code: 1, uses: 1, ends: app.clock.now() + DAY },
      ],
    ]);
    for (const secret of [code, SECRET]) expect(JSON.stringify([records, app.logged])).not.toContain(secret);
  });

  test("is one of a limited number per key, of which those that ended long ago are deleted", async () => {
    for (let i = 0; i < MAX_CODES_PER_KEY; i++) await codeOf({ lifetime: 60 });
    const reply = await admin.post("/api/1/admin/keys/codes/create", { id: 1 });
    expect([reply.status, reply.json.error]).toEqual([
      400,
      "A key has at most 100 enrolment codes; revoke one first",
    ]);
    app.clock.step(30 * DAY + 61);
    await codeOf({}, await app.admin());
    expect(app.rows("select id from enrolment_codes")).toEqual([{ id: MAX_CODES_PER_KEY + 1 }]);
  });

  test("is refused over plain http from other machines, unless an administrator allows that", async () => {
    const { code } = await codeOf({ uses: 9 });
    expect((await exchange({ code }))[0]).toBe(200);
    app.settings.set("enrolplain", 0);
    expect(await refusal({ code })).toEqual([403, "enrolment.http"]);
    expect((await exchange({ code }, "127.0.0.1"))[0]).toBe(200);
    const proxied = await app
      .client("127.0.0.1")
      .post("/api/1/enrol/exchange", { code }, { "X-Forwarded-For": SOURCE });
    expect([proxied.status, proxied.json.code]).toEqual([403, "enrolment.http"]);
    const secure = new TestApp({ baseUrl: "https://muster.test", db: app.db });
    expect((await secure.client(SOURCE).post("/api/1/enrol/exchange", { code })).status).toBe(200);
  });

  test("is throttled where it is guessed, while right ones pass and agents are not held up", async () => {
    const { code } = await codeOf({ uses: 9 });
    for (let i = 0; i < MAX_GUESSES; i++)
      expect(await refusal({ code: "enrol_guess" })).toEqual([401, "enrolment.unknown"]);
    expect(await refusal({ code: "enrol_guess" })).toEqual([429, "enrolment.guesses"]);
    expect((await arrival({ secret: "wrong" }))[1].code).toBe("enrolment.guesses");
    expect((await exchange({ code }))[0]).toBe(200);
    expect((await arrival())[0]).toBe(200);
    expect(await refusal({ code: "enrol_guess" }, "198.51.100.8")).toEqual([401, "enrolment.unknown"]);
    const login = Buffer.from("monit:wrong").toString("base64");
    expect((await app.report({}, SOURCE, { Authorization: `Basic ${login}` })).status).toBe(401);
  });
});

describe("the arrival of a host", () => {
  test("is its first message with the key and secret that it asks about", async () => {
    expect(await arrival()).toEqual([
      200,
      { arrived: false, reported: null, refused: null, hostname: null, shared: false },
    ]);
    await report(SECRET);
    const reported = app.clock.now();
    expect(await arrival()).toEqual([
      200,
      { arrived: true, reported, refused: null, hostname: "host-1", shared: false },
    ]);
    expect(await arrival({ agentid: "agent-2" })).toEqual([
      200,
      { arrived: false, reported: null, refused: null, hostname: null, shared: false },
    ]);
  });

  test("with a new secret is its first message with that", async () => {
    await report(SECRET);
    await admin.post("/api/1/admin/keys/replace", { id: 1, overlap: 3600 });
    const { password } = (await admin.post("/api/1/admin/keys/secret", { id: 1 })).json;
    expect((await arrival({ secret: password }))[1]).toMatchObject({ arrived: false });
    app.clock.step(30);
    await report(password);
    expect((await arrival({ secret: password }))[1]).toMatchObject({
      arrived: true,
      reported: app.clock.now(),
    });
  });

  test("says why messages of the host are refused", async () => {
    await report(SECRET);
    expect(await arrival({ name: "db" })).toEqual([
      200,
      {
        arrived: false,
        reported: null,
        refused: "The host agent-1 uses another key: someone has to move it to the key db",
        hostname: null,
        shared: false,
      },
    ]);
    await admin.post("/api/1/admin/keys/update", { id: 1, hostpattern: "web-*" });
    expect((await arrival({ agentid: "new" }))[1].refused).toBeNull();
    expect((await arrival({ agentid: "new", hostname: "db-1" }))[1].refused).toBe(
      "The key web is not for hosts with a name like db-1",
    );
  });

  test("without a name is judged by the name that the host reported, if that is known", async () => {
    await report(SECRET);
    await admin.post("/api/1/admin/keys/update", { id: 1, hostpattern: "web-*" });
    expect((await arrival({ hostname: "" }))[1].refused).toBe(
      "The key web is not for hosts with a name like host-1",
    );
    const settings = { id: 1, hostname: "mine", keepname: 1, agentuser: "", agentpassword: "" };
    expect((await admin.post("/api/1/admin/hosts/update", settings)).status).toBe(200);
    expect((await arrival({ hostname: "" }))[1].refused).toBeNull();
    expect((await arrival({ agentid: "new", hostname: "" }))[1].refused).toBeNull();
  });

  test("tells no other key the name of a host", async () => {
    await report(SECRET);
    await admin.post("/api/1/admin/keys/update", { id: 2, hostpattern: "db-*" });
    expect((await arrival({ name: "db", hostname: "" }))[1].refused).toBe(
      "The host agent-1 uses another key: someone has to move it to the key db",
    );
  });

  test("tells whether two agents were seen with its id, until somebody confirms the host", async () => {
    const incarnations = [1, 2, 1].map((run) => app.clock.now() - 100 * run);
    const shared: unknown[] = [];
    for (const incarnation of incarnations) {
      app.clock.step(30);
      await report(SECRET, { incarnation });
      shared.push((await arrival())[1].shared);
    }
    expect(shared).toEqual([false, false, true]);
    expect((await arrival({ name: "db" }))[1].shared).toBe(false);
    await admin.post("/api/1/admin/hosts/update", {
      id: 1,
      hostname: "host-1",
      agentuser: "",
      agentpassword: "",
    });
    expect((await arrival())[1].shared).toBe(false);
  });

  test("is told to nobody without a key that is accepted", async () => {
    for (const args of [{ secret: "wrong" }, { name: "none" }])
      expect((await arrival(args))[1]).toEqual({
        error: "The name or secret of the key is wrong",
        code: "enrolment.key",
      });
    await admin.post("/api/1/admin/keys/end", { id: 1 });
    expect((await arrival())[1]).toEqual({ error: "The key web has ended", code: "enrolment.key" });
  });
});

describe("the script", () => {
  const script = (host: string) => app.app.request("/enrol.sh", { headers: { Host: host } });

  test("names the Muster that it came from, and contains no secret", async () => {
    await codeOf();
    const response = await script("muster.test:8080");
    expect([
      response.status,
      response.headers.get("Content-Type"),
      response.headers.get("Cache-Control"),
    ]).toEqual([200, "text/x-shellscript; charset=utf-8", "no-store"]);
    const text = await response.text();
    expect(text).toContain("DEFAULT_URL='http://muster.test:8080'");
    expect(text).toContain("ALLOW_PLAIN='yes'");
    for (const part of [SECRET, "enrol_", "@MUSTER_URL@", "@ALLOW_PLAIN@"]) expect(text).not.toContain(part);
  });

  test("is not made for a host that a shell would misread", async () => {
    const response = await script("a'b;$(id)");
    expect([response.status, (await response.json()).code]).toEqual([400, "request.invalid"]);
  });

  test("with a public address names that", async () => {
    const other = new TestApp({ baseUrl: "https://muster.example" });
    const text = await (await other.app.request("/enrol.sh")).text();
    expect(text).toContain("DEFAULT_URL='https://muster.example'");
    expect(text).toContain("ALLOW_PLAIN='no'");
  });
});
