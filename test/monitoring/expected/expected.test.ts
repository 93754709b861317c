import { beforeEach, describe, expect, test } from "bun:test";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { exported, importInto } from "../../operations/transfer/support.ts";
import { type AgentXml, agentXml } from "../../support/agent-messages.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";
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
  app.muster.grants.set({ uname: "m", view: [2], operate: [], manage: [1], restricted: true });
  manager = await app.signedIn("m", "manager secret");
});

const basic = (login: string) => ({ Authorization: `Basic ${Buffer.from(login).toString("base64")}` });

async function report(message: AgentXml, login = `monit:${COLLECTOR_PASSWORD}`): Promise<number> {
  return (await app.report({ at: app.clock.now(), ...message }, SOURCE, basic(login))).status;
}

async function expectHost(hostname: string, fields: Fields = {}, client = admin): Promise<number> {
  const reply = await client.post("/api/1/admin/expected/create", { hostname, ...fields });
  expect([reply.status, reply.text]).toEqual([200, `{"id":${reply.json.id}}`]);
  return reply.json.id;
}

const list = async (client = admin): Promise<Fields[]> =>
  (await client.get("/api/1/admin/expected/list")).json.records;
const states = async (client = admin) =>
  (await list(client)).map(({ hostname, state, hosts }) => [hostname, state, hosts]);

const settingsOf = async (id: number) => {
  const { hostname, description, skew, tags } = (await admin.get("/api/1/admin/hosts/get", { id })).json;
  const { groups } = (await admin.get("/api/1/admin/groups/list")).json;
  const joined = (groups as { name: string; hosts: number[] }[]).filter(({ hosts }) => hosts.includes(id));
  return { hostname, description, skew, tags, groups: joined.map(({ name }) => name) };
};

const SETTINGS = { hostgroups: [1, 2], tags: ["Env=prod", "edge"], description: "Front", skew: 7 };

describe("an expected host", () => {
  test("gets its settings with the first message of an agent with exactly its name", async () => {
    await expectHost("web1", SETTINGS);
    expect(await states()).toEqual([["web1", "waiting", []]]);
    await report({ id: "a", hostname: "WEB1" });
    expect(await settingsOf(1)).toEqual({ hostname: "WEB1", description: "", skew: 3, tags: [], groups: [] });
    app.pass(60);
    await report({ id: "b", hostname: "web1", poll: 30 });
    expect(await settingsOf(2)).toEqual({
      hostname: "web1",
      description: "Front",
      skew: 7,
      tags: ["edge", "env=prod"],
      groups: ["db", "web"],
    });
    expect(app.rows("select deadline - lastmodified as patience from hosts where id = 2")).toEqual([
      { patience: 7 * 30 },
    ]);
    const [arrived] = await list();
    expect(arrived).toMatchObject({ state: "arrived", arrived: app.clock.now(), hosts: [2] });
    const refused = await admin.post("/api/1/admin/expected/update", { id: 1, skew: 4 });
    expect([refused.status, refused.json.error]).toEqual([
      400,
      "It has reported already: change the host itself",
    ]);
  });

  test("keeps the groups that its agent names beside those that it was to join", async () => {
    await expectHost("web1", { hostgroups: [1] });
    await report({ id: "a", hostname: "web1", hostGroups: ["rack"] });
    expect((await settingsOf(1)).groups).toEqual(["rack", "web"]);
  });

  test("adds its groups and tags to those of the key", async () => {
    await admin.post("/api/1/admin/keys/create", {
      name: "k",
      secret: SECRET,
      hostgroups: [2],
      tags: ["key"],
      hostpattern: "web*",
    });
    for (const hostname of ["web1", "db1"]) await expectHost(hostname, { hostgroups: [1], tags: ["mine"] });
    expect(await report({ id: "a", hostname: "web1" }, `k:${SECRET}`)).toBe(200);
    expect(await settingsOf(1)).toMatchObject({ tags: ["key", "mine"], groups: ["db", "web"] });
    expect(await report({ id: "b", hostname: "db1" }, `k:${SECRET}`)).toBe(403);
    expect((await states())[0]).toEqual(["db1", "waiting", []]);
  });

  test("is ambiguous if another host has its name, and then nobody gets its settings", async () => {
    await report({ id: "a", hostname: "web1" });
    await expectHost("web1", SETTINGS);
    expect(await states()).toEqual([["web1", "ambiguous", [1]]]);
    await report({ id: "b", hostname: "web1" });
    expect(await states()).toEqual([["web1", "ambiguous", [1, 2]]]);
    expect((await settingsOf(2)).description).toBe("");
    const ids = app.rows<{ host: number | null }>("select host_id as host from expected_hosts");
    expect(ids).toEqual([{ host: null }]);
  });

  test("is listed as ambiguous when a second agent has its name", async () => {
    await expectHost("web1", SETTINGS);
    await report({ id: "a", hostname: "web1" });
    await report({ id: "b", hostname: "web1" });
    expect(await states()).toEqual([["web1", "ambiguous", [1, 2]]]);
    expect([(await settingsOf(1)).description, (await settingsOf(2)).description]).toEqual(["Front", ""]);
  });

  test("that arrived is forgotten after 7 days, or when its name is expected again", async () => {
    for (const hostname of ["web1", "web2"]) {
      await expectHost(hostname);
      await report({ id: hostname, hostname });
    }
    expect(await states()).toEqual([
      ["web1", "arrived", [1]],
      ["web2", "arrived", [2]],
    ]);
    await expectHost("web1", { skew: 9 });
    expect(await states()).toEqual([
      ["web1", "ambiguous", [1]],
      ["web2", "arrived", [2]],
    ]);
    app.pass(7 * DAY);
    while (app.muster.retention.step());
    expect(await states(await app.admin())).toEqual([["web1", "ambiguous", [1]]]);
  });

  test("whose first message is rolled back is expected still", async () => {
    await expectHost("web1", SETTINGS);
    const { ingest, hostCache } = app.muster;
    const before = stored(app);
    const message = parseAgentMessage(Buffer.from(agentXml({ id: "a", hostname: "web1" })));
    const failing = () =>
      transaction(app.db, () => {
        ingest.applyAll([{ message, receivedAt: app.clock.now(), source: SOURCE }]);
        throw new Error("the disk is full");
      });
    expect(failing).toThrow("the disk is full");
    hostCache.forgetAll();
    expect(changedTables(app, before)).toEqual([]);
    await report({ id: "a", hostname: "web1" });
    expect(app.rows("select description from hosts")).toEqual([{ description: "Front" }]);
  });

  test("gets what is expected of it when many report for the first time at once", async () => {
    const names = Array.from({ length: 300 }, (_, i) => `h${i}`);
    for (const [i, hostname] of names.entries()) if (i % 3 === 0) await expectHost(hostname, { skew: i + 4 });
    await Promise.all(names.map((hostname) => report({ id: hostname, hostname })));
    const rows = app.rows<{ hostname: string; skew: number }>("select hostname, skew from hosts order by id");
    expect(rows).toHaveLength(300);
    for (const { hostname, skew } of rows) {
      const i = Number(hostname.slice(1));
      expect([hostname, skew]).toEqual([hostname, i % 3 === 0 ? i + 4 : 3]);
    }
    expect(new Set((await states()).map(([, state]) => state))).toEqual(new Set(["arrived"]));
  });

  test("has settings that are refused by name if they are wrong", async () => {
    for (const [fields, name] of [
      [{ hostname: "" }, "hostname"],
      [{ hostname: "web 1" }, "hostname"],
      [{ skew: 0 }, "skew"],
      [{ tags: ["a b="] }, "tags[0]"],
      [{ hostgroups: [99] }, "hostgroups[0]"],
    ] as const) {
      const reply = await admin.post("/api/1/admin/expected/create", { hostname: "x", ...fields });
      expect([reply.status, reply.json.error.split(" ")[0]]).toEqual([400, name]);
    }
    expect(app.rows("select * from expected_hosts")).toEqual([]);
  });
});

describe("a manager", () => {
  const withKey = (hostgroups: number[], name = "k") =>
    admin.post("/api/1/admin/keys/create", { name, secret: SECRET, hostgroups });

  test("expects hosts of their own groups alone, and does not know of others", async () => {
    await expectHost("web1", { hostgroups: [1] });
    await expectHost("db1", { hostgroups: [1, 2] });
    await expectHost("any");
    expect(await states(manager)).toEqual([["web1", "waiting", []]]);
    for (const hostgroups of [[], [2], [1, 2]]) {
      const reply = await manager.post("/api/1/admin/expected/create", { hostname: "x", hostgroups });
      expect(reply.status).toBe(hostgroups.length === 0 ? 403 : 400);
    }
    expect((await manager.post("/api/1/admin/expected/delete", { id: 2 })).status).toBe(404);
    expect((await manager.post("/api/1/admin/expected/update", { id: 3, skew: 5 })).status).toBe(404);
    expect((await manager.post("/api/1/admin/expected/delete", { id: 1 })).status).toBe(200);
    expect(await states()).toEqual([
      ["any", "waiting", []],
      ["db1", "waiting", []],
    ]);
  });

  test("does not get a host of others into their groups by expecting its name", async () => {
    await withKey([2], "other");
    await withKey([1], "mine");
    await expectHost("web1", { hostgroups: [1] }, manager);
    await report({ id: "a", hostname: "web1" }, `other:${SECRET}`);
    expect((await settingsOf(1)).groups).toEqual(["db"]);
    expect(await states(manager)).toEqual([["web1", "waiting", []]]);
    await report({ id: "b", hostname: "web1" }, `mine:${SECRET}`);
    expect((await settingsOf(2)).groups).toEqual(["web"]);
    expect(await states(manager)).toEqual([["web1", "arrived", [2]]]);
  });

  test("does not get a host of the first credential, which nobody but administrators manages", async () => {
    await expectHost("web1", { hostgroups: [1], description: "Mine" }, manager);
    await report({ id: "a", hostname: "web1" });
    expect((await settingsOf(1)).description).toBe("");
    expect(await states(manager)).toEqual([["web1", "waiting", []]]);
    expect(await states()).toEqual([["web1", "ambiguous", [1]]]);
  });
});

test("what a manager expects is not extended to hosts of others by a change or a copy of an administrator", async () => {
  const id = await expectHost("web1", { hostgroups: [1] }, manager);
  expect((await admin.post("/api/1/admin/expected/update", { id, description: "Front" })).status).toBe(200);
  const copy = new TestApp();
  expect((await importInto(await copy.admin(), await exported(admin))).status).toBe(200);
  for (const each of [app, copy]) {
    await each.report({ id: "a", hostname: "web1" });
    expect(
      each.rows("select description, (select count(*) from host_group_members) as joined from hosts"),
    ).toEqual([{ description: "", joined: 0 }]);
  }
});

describe("an import", () => {
  const post = (verb: "preview" | "import", args: Fields, client = admin) =>
    client.post(`/api/1/admin/expected/${verb}`, args);

  test("adds what its preview says, and the preview stores nothing", async () => {
    await report({ id: "a", hostname: "web2" });
    await expectHost("web3");
    const text = "[web]\nweb[1:4]\n[later]\nweb4 muster_tags=a,b muster_skew=9\n";
    const before = stored(app);
    const preview = (await post("preview", { list: text, tags: ["all"] })).json;
    expect(changedTables(app, before)).toEqual([]);
    expect(preview.form).toBe("ini");
    expect(preview.counts).toEqual({ add: 2, expected: 1, reports: 1, ambiguous: 0, wrong: 0 });
    expect(preview.unknowngroups).toEqual(["later"]);
    expect(preview.records.map(({ hostname, outcome, line }: Fields) => [hostname, outcome, line])).toEqual([
      ["web1", "add", 2],
      ["web2", "reports", 2],
      ["web3", "expected", 2],
      ["web4", "add", 2],
    ]);
    const { json } = await post("import", { list: text, tags: ["all"], creategroups: true });
    expect(json).toEqual({
      added: 2,
      skipped: 2,
      createdgroups: ["later"],
      unknowngroups: [],
      ignoredcolumns: [],
    });
    expect(await list()).toMatchObject([
      { hostname: "web1", hostgroups: [1], tags: ["all"], skew: 3 },
      { hostname: "web3", hostgroups: [] },
      { hostname: "web4", hostgroups: [1, 3], tags: ["all", "a", "b"], skew: 9 },
    ]);
    expect((await post("import", { list: text })).json).toEqual({
      added: 0,
      skipped: 4,
      createdgroups: [],
      unknowngroups: [],
      ignoredcolumns: [],
    });
  });

  test("with a wrong line adds nothing, and names the line", async () => {
    const before = stored(app);
    const reply = await post("import", { list: "hostname,skew\nweb1,3\nweb2,many\n" });
    expect([reply.status, reply.json.error]).toEqual([
      400,
      "Line 3 of the list (web2): skew must be a whole number from 1 to 1000",
    ]);
    expect(changedTables(app, before)).toEqual([]);
  });

  test("of a manager joins their own groups alone, and creates none", async () => {
    const text = "[web]\nweb1\n[db]\ndb1\nweb1";
    const preview = (await post("preview", { list: text }, manager)).json;
    expect(preview.records).toMatchObject([
      { hostname: "web1", outcome: "add", hostgroups: ["web"] },
      { hostname: "db1", outcome: "wrong", reason: "it joins none of the groups that you manage" },
    ]);
    expect(preview.unknowngroups).toEqual(["db"]);
    expect((await post("import", { list: text }, manager)).status).toBe(400);
    expect((await post("import", { list: "[web]\nweb1", creategroups: true }, manager)).status).toBe(403);
    expect((await post("import", { list: "db1", hostgroups: [2] }, manager)).status).toBe(400);
    expect((await post("import", { list: text, hostgroups: [1] }, manager)).json).toMatchObject({ added: 2 });
    expect(app.rows("select distinct within from expected_hosts")).toEqual([{ within: "[1]" }]);
  });

  test("of 10,000 names is done in steps, and one more is refused", async () => {
    const names = "web[1:10000].example";
    expect((await post("import", { list: names })).json).toEqual({
      added: 10_000,
      skipped: 0,
      createdgroups: [],
      unknowngroups: [],
      ignoredcolumns: [],
    });
    expect(app.rows("select count(*) as n from expected_hosts")).toEqual([{ n: 10_000 }]);
    const refused = await post("import", { list: "one" });
    expect([refused.status, refused.json.error]).toEqual([
      400,
      "There are at most 10000 expected hosts; delete some first",
    ]);
    const preview = (await post("preview", { list: "web[1:10001]" })).json;
    expect(preview.records).toMatchObject([{ line: 1, outcome: "wrong", reason: "it names too many hosts" }]);
  });
});

describe("the export", () => {
  let other: TestApp;
  beforeEach(() => {
    other = new TestApp();
  });

  test("contains what is expected, without what arrived, and its import expects the same", async () => {
    await expectHost("web1", SETTINGS);
    await expectHost("web2");
    await report({ id: "b", hostname: "web2" });
    const document = await exported(admin);
    expect(document.expected).toEqual([
      {
        hostname: "web1",
        hostgroups: ["web", "db"],
        tags: ["env=prod", "edge"],
        description: "Front",
        skew: 7,
      },
    ]);
    const client = await other.admin();
    expect((await importInto(client, document)).status).toBe(200);
    await other.report({ id: "a", hostname: "web1" });
    const rows = other.rows("select description, skew from hosts where agent_id = 'a'");
    expect(rows).toEqual([{ description: "Front", skew: 7 }]);
    // The host has come: another import of the same file does not expect it anew.
    expect((await importInto(client, document)).status).toBe(200);
    expect(other.rows("select count(*) as n from expected_hosts where host_id is null")).toEqual([{ n: 0 }]);
  });
});
