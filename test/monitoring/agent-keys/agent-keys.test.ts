import { beforeEach, describe, expect, test } from "bun:test";
import { GUESS_MS, MAX_GUESSES } from "../../../src/monitoring/agent-keys/guess-throttle.ts";
import { Collector } from "../../../src/monitoring/collector/collector.ts";
import { SecretBox } from "../../../src/platform/secrets/secret-box.ts";
import { exported, importInto } from "../../operations/transfer/support.ts";
import type { AgentXml } from "../../support/agent-messages.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";

const SECRET = "a-secret.of_24-characters";
const SOURCE = "198.51.100.7";

/** A user who manages group 1. */
let manager: TestClient;

appOfEachTest(async () => {
  for (const name of ["web", "db"]) await admin.post("/api/1/admin/groups/create", { name });
  app.muster.users.create({ uname: "m", password: "manager secret", fullname: "M", admin: false });
  app.muster.grants.set({ uname: "m", view: [2], operate: [], manage: [1], restricted: true });
  manager = await app.signedIn("m", "manager secret");
});

const basic = (login: string) => ({ Authorization: `Basic ${Buffer.from(login).toString("base64")}` });

/** Posts a message with a key. @returns status and error */
async function report(login: string, message: AgentXml = {}, address = SOURCE): Promise<[number, string]> {
  const response = await app.report({ at: app.clock.now(), ...message }, address, basic(login));
  const text = await response.text();
  return [response.status, text === "" ? "" : JSON.parse(text).code];
}

const withFirst = (message: AgentXml = {}) => report(`monit:${COLLECTOR_PASSWORD}`, message);

async function create(name: string, fields: Fields = {}, client = admin): Promise<number> {
  const reply = await client.post("/api/1/admin/keys/create", { name, secret: SECRET, ...fields });
  expect([reply.status, reply.text]).toEqual([200, `{"id":${reply.json.id}}`]);
  return reply.json.id;
}

const keyOf = (agentId: string) =>
  app.rows(
    `select key_id as key, next_key_id as next, key_secret as secret from hosts where agent_id = '${agentId}'`,
  )[0];

const rejected = async () =>
  (await admin.get("/api/1/admin/refusals/list")).json.records.map((record: Fields) => [
    record.reason,
    record.count,
  ]);

const groupsOf = (agentId: string) =>
  app
    .rows<{ name: string }>(
      `select g.name as name from host_group_members m join host_groups g on g.id = m.group_id
       join hosts h on h.id = m.host_id where h.agent_id = '${agentId}' order by g.name`,
    )
    .map(({ name }) => name);

describe("a key", () => {
  test("gives a new host its groups and tags, and the host is bound to it", async () => {
    const id = await create("web", { hostgroups: [1, 2], tags: ["env=prod", "edge"] });
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
    expect(keyOf("agent-1")).toEqual({ key: id, next: null, secret: 1 });
    expect(groupsOf("agent-1")).toEqual(["db", "web"]);
    expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json.tags).toEqual(["edge", "env=prod"]);
  });

  test("is named on the pages of its hosts, to those who manage it alone", async () => {
    await create("web", { hostgroups: [1] });
    await create("db", { hostgroups: [2] });
    await report(`web:${SECRET}`, { id: "a", hostname: "a" });
    await report(`db:${SECRET}`, { id: "b", hostname: "b" });
    const keyOfHost = async (client: TestClient, id: number) =>
      (await client.get("/api/1/status/hosts/get", { id })).json.records.host.agentkey;
    expect(await Promise.all([1, 2].map((id) => keyOfHost(admin, id)))).toEqual([
      { id: 1, name: "web" },
      { id: 2, name: "db" },
    ]);
    // They manage the first group, and only view the other.
    expect(await Promise.all([1, 2].map((id) => keyOfHost(manager, id)))).toEqual([
      { id: 1, name: "web" },
      null,
    ]);
    await admin.post("/api/1/admin/keys/delete", { id: 1 });
    expect(await keyOfHost(admin, 1)).toBeNull();
  });

  test("that Muster made a secret for shows it to those who manage it alone, and each time is in the audit log", async () => {
    await create("web", { secret: "", hostgroups: [1] });
    await create("db", { secret: "", hostgroups: [2] });
    const shown = (await manager.post("/api/1/admin/keys/secret", { id: 1 })).json;
    expect(shown.password).toMatch(/^[\w.-]{32}$/);
    expect(shown.url).toBe(`http://web:${shown.password}@muster.test/collector`);
    expect(await report(`web:${shown.password}`)).toEqual([200, ""]);
    expect((await manager.post("/api/1/admin/keys/secret", { id: 2 })).status).toBe(404);
    const replies = await Promise.all(
      ["list", "get"].map(async (verb) => (await admin.get(`/api/1/admin/keys/${verb}`, { id: 1 })).text),
    );
    expect(replies.join()).not.toContain(shown.password);
    expect(JSON.stringify(app.rows("select * from agent_keys"))).not.toContain(shown.password);
    const entries = (await admin.get("/api/1/admin/audit/list", { operation: "admin/keys" })).json.records;
    expect(
      entries.map(({ uname, operation, subjectname }: Fields) => [uname, operation, subjectname]),
    ).toEqual([
      ["m", "admin/keys/secret", "web"],
      ["admin", "admin/keys/create", "db"],
      ["admin", "admin/keys/create", "web"],
    ]);
    expect(JSON.stringify(entries)).not.toContain(shown.password);
  });

  test("refuses what Monit would not send as it stands", async () => {
    for (const fields of [
      { name: "a b" },
      { name: "a:b" },
      { secret: "p%40ss-of-20-characters" },
      { secret: "short" },
    ]) {
      const reply = await admin.post("/api/1/admin/keys/create", { name: "x", ...fields });
      expect([reply.status, reply.json.code]).toEqual([400, "argument.invalid"]);
    }
    expect(app.rows("select * from agent_keys")).toEqual([]);
  });

  test("is refused with a wrong secret or name like any wrong password", async () => {
    await create("web");
    for (const login of [`web:${SECRET}x`, `Web:${SECRET}`, `web${SECRET}`, "web:", `:${SECRET}`])
      expect(await report(login)).toEqual([401, "collector.credential"]);
    expect(app.rows("select * from hosts")).toEqual([]);
  });

  test("with a pattern serves hosts of such names only", async () => {
    await create("web", { hostpattern: "WEB*.example" });
    expect(await report(`web:${SECRET}`, { id: "a", hostname: "db1.example" })).toEqual([403, "key.host"]);
    expect(await report(`web:${SECRET}`, { id: "b", hostname: "web1.Example" })).toEqual([200, ""]);
    expect(await report(`web:${SECRET}`, { id: "b", hostname: "db1.example" })).toEqual([403, "key.host"]);
    expect(app.rows("select agent_id, hostname from hosts")).toEqual([
      { agent_id: "b", hostname: "web1.Example" },
    ]);
  });

  test("lets agents name its groups only, and counts the others", async () => {
    const id = await create("web", { hostgroups: [1] });
    await create("any");
    await report(`web:${SECRET}`, { hostGroups: ["web", "db", "other"] });
    expect(groupsOf("agent-1")).toEqual(["web"]);
    expect(app.rows("select name from host_groups order by id")).toEqual([{ name: "web" }, { name: "db" }]);
    expect((await admin.get("/api/1/admin/keys/get", { id })).json).toMatchObject({
      hosts: 1,
      groupsignored: 2,
    });
    await report(`any:${SECRET}`, { id: "agent-2", hostGroups: ["db", "other"] });
    expect(groupsOf("agent-2")).toEqual(["db", "other"]);
    await admin.post("/api/1/admin/keys/update", { id, hostgroups: [1, 2] });
    await report(`web:${SECRET}`, { hostGroups: ["web", "db", "other"] });
    expect(groupsOf("agent-1")).toEqual(["db", "web"]);
    expect((await admin.get("/api/1/admin/keys/get", { id })).json.groupsignored).toBe(1);
  });

  test("says when it was last used, and stores that in batches, for when its hosts are gone", async () => {
    const id = await create("web");
    const lastUsed = async () => (await admin.get("/api/1/admin/keys/get", { id })).json.lastused;
    const storedUse = () => app.rows("select lastused from agent_keys");
    expect(await lastUsed()).toBeNull();
    await report(`web:${SECRET}`);
    expect([await lastUsed(), storedUse()]).toEqual([app.clock.now(), [{ lastused: null }]]);
    app.muster.keyRing.storeUse();
    expect(storedUse()).toEqual([{ lastused: app.clock.now() }]);
    app.clock.step(60);
    await report(`web:${SECRET}`);
    expect(storedUse()).toEqual([{ lastused: app.clock.now() - 60 }]);
    await admin.post("/api/1/admin/hosts/delete", { id: 1 });
    expect(await lastUsed()).toBe(app.clock.now() - 60);
  });

  test("that was deleted is refused at once, and its hosts report as they like", async () => {
    const id = await create("web");
    await report(`web:${SECRET}`);
    expect(await withFirst()).toEqual([403, "key.host"]);
    await admin.post("/api/1/admin/keys/delete", { id });
    expect(await report(`web:${SECRET}`)).toEqual([401, "collector.credential"]);
    expect(await withFirst()).toEqual([200, ""]);
    expect(keyOf("agent-1")).toEqual({ key: 0, next: null, secret: 0 });
  });

  test("whose change is rolled back works as before", async () => {
    const id = await create("web");
    // Each change fails where it is recorded.
    app.db.$client.run("alter table audit rename to audit_elsewhere");
    for (const [operation, fields] of [
      ["delete", { id }],
      ["replace", { id }],
      ["update", { id, name: "other" }],
    ] as const)
      expect((await admin.post(`/api/1/admin/keys/${operation}`, fields)).status).toBe(500);
    app.db.$client.run("alter table audit_elsewhere rename to audit");
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
  });

  test("is neither shown nor replaced for a Host header that control files cannot name", async () => {
    const id = await create("web");
    const before = stored(app);
    for (const host of ["", "a b", "muster/x", "muster:port"])
      for (const operation of ["keys/replace", "keys/secret", "keys/codes/create"]) {
        const reply = await admin.post(`/api/1/admin/${operation}`, { id }, { Host: host });
        expect([reply.status, reply.json.code]).toEqual([400, "request.invalid"]);
      }
    expect(changedTables(app, before)).toEqual([]);
    const reply = await admin.post("/api/1/admin/keys/secret", { id }, { Host: "my_muster:8080" });
    expect(reply.json.url).toBe(`http://web:${SECRET}@my_muster:8080/collector`);
  });

  test("works at the node that takes over, and so do the bindings of hosts", async () => {
    await create("web");
    const id = await create("db");
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
    const { password } = (await admin.post("/api/1/admin/keys/replace", { id, overlap: 60 })).json;
    const next = new TestApp({ db: app.db });
    const there = async (login: string, agent: string) =>
      (await next.report({ id: agent, at: next.clock.now() }, SOURCE, basic(login))).status;
    expect([await there(`web:${SECRET}`, "agent-1"), await there(`db:${SECRET}`, "agent-1")]).toEqual([
      200, 403,
    ]);
    expect([await there(`db:${SECRET}`, "new"), await there(`db:${password}`, "new")]).toEqual([200, 200]);
  });

  test("whose secret is lost with the key of the database matches nothing", async () => {
    await create("web");
    app.db.$client.run("update agent_keys set secret = ''");
    app.muster.keyRing.forget();
    expect(await report("web:")).toEqual([401, "collector.credential"]);
    app.db.$client.run("update agent_keys set secret = ?", [new SecretBox(Buffer.alloc(32, 1)).seal(SECRET)]);
    app.muster.keyRing.forget();
    expect(await report(`web:${SECRET}`)).toEqual([401, "collector.credential"]);
    expect(await withFirst()).toEqual([200, ""]);
  });
});

describe("a host", () => {
  beforeEach(async () => {
    await create("web");
    await create("db");
  });

  test("that uses a key is refused to other keys and to the first credential, and nothing of it changes", async () => {
    await report(`web:${SECRET}`, { services: [{ name: "nginx" }] });
    const before = stored(app);
    const forged: AgentXml = {
      hostname: "forged",
      hostGroups: ["web"],
      services: [{ name: "new" }],
      event: { service: "nginx" },
    };
    for (const message of [{}, forged, { event: { service: "nginx" } }]) {
      expect(await report(`db:${SECRET}`, message)).toEqual([403, "key.host"]);
      expect(await withFirst(message)).toEqual([403, "key.host"]);
    }
    expect(changedTables(app, before)).toEqual([]);
    expect(await rejected()).toContainEqual([
      "The host forged uses another key: someone has to move it to the key db",
      1,
    ]);
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
  });

  test("is refused where a repetition of its last message comes with another key", async () => {
    const message = { services: [{ name: "nginx" }] };
    for (let i = 0; i < 3; i++) {
      app.clock.step(30);
      expect(await report(`web:${SECRET}`, message)).toEqual([200, ""]);
    }
    const before = stored(app);
    expect(await report(`db:${SECRET}`, message)).toEqual([403, "key.host"]);
    expect(changedTables(app, before)).toEqual([]);
  });

  test("does not take its neighbours in a commit with it when it is refused", async () => {
    await report(`web:${SECRET}`, { id: "a" });
    const replies = await Promise.all([
      report(`web:${SECRET}`, { id: "a" }),
      report(`db:${SECRET}`, { id: "a" }),
      report(`db:${SECRET}`, { id: "b" }),
      report(`web:${SECRET}`, { id: "b" }),
      withFirst({ id: "c" }),
    ]);
    expect(replies.map(([status]) => status)).toEqual([200, 403, 200, 403, 200]);
    expect([keyOf("a"), keyOf("b"), keyOf("c")]).toMatchObject([{ key: 1 }, { key: 2 }, { key: 0 }]);
  });

  test("of the first credential is taken over by a key without groups, or one of whose groups it is in", async () => {
    await create("grouped", { hostgroups: [2] });
    for (const id of ["a", "b", "c"]) await withFirst({ id });
    expect(await report(`web:${SECRET}`, { id: "a" })).toEqual([200, ""]);
    expect(await report(`grouped:${SECRET}`, { id: "b" })).toEqual([403, "key.host"]);
    await admin.post("/api/1/admin/groups/add", { id: 2, hostid: [2] });
    expect(await report(`grouped:${SECRET}`, { id: "b" })).toEqual([200, ""]);
    expect(await withFirst({ id: "b" })).toEqual([403, "key.host"]);
    expect(await withFirst({ id: "c" })).toEqual([200, ""]);
  });

  test("with very many services is refused before any of them is stored", async () => {
    const services = Array.from({ length: 500 }, (_, i) => ({ name: `service ${i}` }));
    await report(`web:${SECRET}`);
    const before = stored(app);
    expect(await report(`db:${SECRET}`, { services })).toEqual([403, "key.host"]);
    expect(changedTables(app, before)).toEqual([]);
    expect(await report(`db:${SECRET}`, { id: "new", services })).toEqual([200, ""]);
    expect(keyOf("new")).toMatchObject({ key: 2 });
  });

  test("that was moved uses its key until it first reports with the other, and no longer", async () => {
    await report(`web:${SECRET}`);
    expect((await admin.post("/api/1/admin/keys/move", { id: 2, hosts: [1] })).json).toEqual({ moved: 1 });
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
    const hostsOf = async (id: number) => (await admin.get("/api/1/admin/keys/hosts", { id })).json.records;
    expect(await hostsOf(1)).toMatchObject([{ hostname: "host-1", bound: true, movesto: 2 }]);
    expect(await hostsOf(2)).toMatchObject([{ hostname: "host-1", bound: false, movesto: 2 }]);
    expect(await report(`db:${SECRET}`, { event: { service: "Monit" } })).toEqual([200, ""]);
    expect(await report(`web:${SECRET}`)).toEqual([403, "key.host"]);
    expect([await hostsOf(1), await hostsOf(2)]).toMatchObject([[], [{ bound: true, movesto: null }]]);
    expect((await admin.post("/api/1/admin/keys/move", { id: 0, hosts: [1] })).text).toEqual('{"moved":1}');
    expect(await withFirst()).toEqual([200, ""]);
    expect(await report(`db:${SECRET}`, {})).toEqual([200, ""]);
  });
});

describe("a secret", () => {
  test("that is replaced with an overlap works beside the new one until then, and the hosts that use it are named", async () => {
    const id = await create("web");
    for (const agent of ["a", "b"]) await report(`web:${SECRET}`, { id: agent, hostname: agent });
    const shown = (await admin.post("/api/1/admin/keys/replace", { id, overlap: 600 })).json;
    expect(await report(`web:${SECRET}`, { id: "a" })).toEqual([200, ""]);
    expect(await report(`web:${shown.password}`, { id: "b", hostname: "b" })).toEqual([200, ""]);
    expect((await admin.get("/api/1/admin/keys/get", { id })).json).toMatchObject({
      hosts: 2,
      oldsecret: 1,
      previousuntil: app.clock.now() + 600,
    });
    const hosts = (await admin.get("/api/1/admin/keys/hosts", { id })).json.records;
    expect(hosts.map(({ hostname, oldsecret }: Fields) => [hostname, oldsecret])).toEqual([
      ["b", false],
      ["host-1", true],
    ]);
    app.clock.step(600);
    expect(await report(`web:${SECRET}`, { id: "a" })).toEqual([401, "key.ended"]);
    expect(await report(`web:${shown.password}`, { id: "a" })).toEqual([200, ""]);
    expect((await admin.get("/api/1/admin/keys/get", { id })).json).toMatchObject({
      oldsecret: 0,
      previousuntil: null,
    });
  });

  test("that is replaced without one is refused at once, and says why", async () => {
    const id = await create("web");
    await report(`web:${SECRET}`);
    const { password } = (await admin.post("/api/1/admin/keys/replace", { id })).json;
    expect(await report(`web:${SECRET}`)).toEqual([401, "key.ended"]);
    expect(await rejected()).toEqual([
      ["The secret of the key web was replaced: put the new one into the agent's control file", 1],
    ]);
    expect(await report(`web:${password}`)).toEqual([200, ""]);
  });

  test("of a key that ends is refused from that moment on, until the key no longer ends", async () => {
    const id = await create("web");
    const { ends } = (await admin.post("/api/1/admin/keys/end", { id, overlap: 60 })).json;
    expect(ends).toBe(app.clock.now() + 60);
    app.clock.step(59);
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
    app.clock.step(1);
    expect(await report(`web:${SECRET}`)).toEqual([401, "key.ended"]);
    expect(await withFirst()).toEqual([403, "key.host"]);
    await admin.post("/api/1/admin/keys/update", { id, ends: null });
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
  });

  test("cannot be set by an update", async () => {
    const id = await create("web");
    const reply = await admin.post("/api/1/admin/keys/update", { id, secret: `${SECRET}2` });
    expect([reply.status, reply.json.code]).toEqual([400, "argument.invalid"]);
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
  });
});

describe("a manager of groups", () => {
  test("creates, sees and changes keys of their groups only", async () => {
    const post = async (path: string, fields: Fields) =>
      (await manager.post(`/api/1/admin/keys/${path}`, { secret: SECRET, ...fields })).status;
    expect(await post("create", { name: "all" })).toBe(403);
    expect(await post("create", { name: "seen", hostgroups: [2] })).toBe(400);
    expect(await post("create", { name: "mine", hostgroups: [1] })).toBe(200);
    await create("theirs", { hostgroups: [1, 2] });
    await create("everyone");
    const names = (await manager.get("/api/1/admin/keys/list")).json.records.map(({ name }: Fields) => name);
    expect(names).toEqual(["mine"]);
    const before = stored(app);
    for (const id of [2, 3])
      for (const [path, fields] of [
        ["update", { name: "x", secret: undefined }],
        ["delete", { secret: undefined }],
        ["end", { secret: undefined }],
        ["replace", { secret: undefined }],
        ["secret", { secret: undefined }],
        ["move", { hosts: [1], secret: undefined }],
      ] as const) {
        const { secret: _, ...args } = { id, ...fields };
        const reply = await manager.post(`/api/1/admin/keys/${path}`, args);
        expect([path, reply.status]).toEqual([path, 404]);
      }
    for (const verb of ["get", "hosts"])
      expect((await manager.get(`/api/1/admin/keys/${verb}`, { id: 2 })).status).toBe(404);
    expect((await manager.post("/api/1/admin/keys/update", { id: 1, hostgroups: [] })).status).toBe(403);
    expect(changedTables(app, before)).toEqual([]);
  });

  test("moves hosts that they manage, from keys that they manage", async () => {
    await create("mine", { hostgroups: [1] }, manager);
    await create("other", { hostgroups: [2] });
    await report(`mine:${SECRET}`, { id: "a" });
    await report(`other:${SECRET}`, { id: "b", hostname: "b" });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: [2] });
    await report(`other:${SECRET}`, { id: "c", hostname: "c" });
    const move = async (id: number, hosts: number[]) =>
      (await manager.post("/api/1/admin/keys/move", { id, hosts })).status;
    expect(await move(1, [1])).toBe(200);
    expect(await move(1, [2])).toBe(403);
    expect(await move(1, [3])).toBe(400);
    expect(await move(0, [1])).toBe(403);
    expect([keyOf("a"), keyOf("b"), keyOf("c")]).toMatchObject([
      { next: null },
      { next: null },
      { next: null },
    ]);
  });
});

describe("guesses from an address", () => {
  const guess = (address = SOURCE) => report(`monit:${crypto.randomUUID()}`, {}, address);

  async function exhaust(): Promise<void> {
    for (let i = 0; i < MAX_GUESSES; i++) expect(await guess()).toEqual([401, "collector.credential"]);
    expect(await guess()).toEqual([429, "collector.guesses"]);
  }

  test("are refused before their body is read, while right keys pass", async () => {
    await create("web");
    await exhaust();
    const long = "x".repeat(5_000_000);
    expect((await app.report(long, SOURCE, basic("monit:wrong"))).status).toBe(429);
    expect((await app.report(long, SOURCE, basic("monit:wrong"))).headers.get("Retry-After")).toBe("10");
    expect(await report(`web:${SECRET}`)).toEqual([200, ""]);
    expect(await report("web:wrong-secret-of-the-key")).toEqual([429, "collector.guesses"]);
    expect(await guess("198.51.100.8")).toEqual([401, "collector.credential"]);
  });

  test("do not hold up agents that have reported from there with the first credential", async () => {
    expect(await withFirst()).toEqual([200, ""]);
    await exhaust();
    expect(await withFirst()).toEqual([200, ""]);
  });

  test("find the first credential only as fast as they are allowed", async () => {
    await exhaust();
    expect(await withFirst()).toEqual([429, "collector.guesses"]);
    app.clock.step(GUESS_MS / 1000);
    expect(await withFirst()).toEqual([200, ""]);
  });
});

test("a key has some of the places for large messages, and leaves the others to other credentials", async () => {
  for (const name of ["flood", "other"]) await create(name);
  const hanging = Promise.withResolvers<never>();
  const collector = new Collector({
    ...app.muster,
    largeMessages: { read: () => hanging.promise },
  });
  const send = (login: string) =>
    collector
      .receive({
        authorization: basic(login).Authorization,
        contentType: "text/xml",
        contentEncoding: undefined,
        address: SOURCE,
        body: async () => new Uint8Array(100_000),
      })
      .catch((error: Error) => error.message);
  const logins = [1, 2, 3, 4].map(() => `flood:${SECRET}`);
  const read = [...logins, `other:${SECRET}`, `monit:${COLLECTOR_PASSWORD}`].map(send);
  expect(await send(`flood:${SECRET}`)).toBe("Too many large messages came at once with this key");
  hanging.reject(new Error("was being read"));
  expect(await Promise.all(read)).toEqual(read.map(() => "was being read"));
});

describe("a full queue", () => {
  test("takes messages of keys that have fewer there, in place of those of the key with most", async () => {
    const small = new TestApp({ queueLimit: 4 });
    const client = await small.admin();
    for (const name of ["flood", "other"])
      await client.post("/api/1/admin/keys/create", { name, secret: SECRET });
    const send = async (login: string, id: string) =>
      (await small.report({ id, hostname: id, at: small.clock.now() }, SOURCE, basic(login))).status;
    const flood = ["1", "2", "3", "4", "5"].map((id) => send(`flood:${SECRET}`, id));
    const others = ["6", "7"].map((id) => send(`other:${SECRET}`, id));
    const first = send(`monit:${COLLECTOR_PASSWORD}`, "8");
    expect(await Promise.all(flood)).toEqual([200, 503, 503, 503, 503]);
    expect(await Promise.all(others)).toEqual([200, 200]);
    expect(await first).toBe(200);
  });
});

test("an exported key reports at another Muster, and without its secret it is incomplete", async () => {
  await create("web", { hostgroups: [1], tags: ["edge"], hostpattern: "h*", ends: 2_000_000_000 });
  const [kept, bare] = [await exported(admin, true), await exported(admin)];
  expect(JSON.stringify(bare)).not.toContain(SECRET);
  const [second, third] = [new TestApp(), new TestApp()];
  const importTo = async (target: TestApp, file: object) =>
    (await importInto(await target.admin(), file)).json.keys;
  expect(await importTo(third, bare)).toMatchObject({ created: 1, incomplete: ["web"] });
  expect(await importTo(second, kept)).toMatchObject({ created: 1 });
  expect(await importTo(second, kept)).toMatchObject({ same: 1 });
  const post = async (target: TestApp) => (await target.report({}, SOURCE, basic(`web:${SECRET}`))).status;
  expect([await post(second), await post(third)]).toEqual([200, 401]);
  expect(await importTo(third, kept)).toMatchObject({ updated: 1 });
  expect(await post(third)).toBe(200);
});
