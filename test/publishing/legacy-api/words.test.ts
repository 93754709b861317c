/** What the older dialect calls things, and that /api/1 never does. */
import { afterEach, describe, expect, test } from "bun:test";
import { METHODS } from "../../../src/platform/http/operation.ts";
import { LEGACY_MOUNTS } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { systemXml } from "../../support/agent-messages.ts";
import { ADMIN_PASSWORD, TestApp } from "../../support/app.ts";
import type { Fields } from "../../support/client.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { LegacyClient } from "./older-client.ts";

const services = [{ name: "system", type: 5, body: systemXml() }];
const running: AgentHttpd[] = [];
afterEach(async () => {
  for (const httpd of running.splice(0)) await httpd.stop();
});

async function legacyAdmin(app: TestApp): Promise<LegacyClient> {
  const client = new LegacyClient(app);
  await client.login("admin", ADMIN_PASSWORD);
  return client;
}

/** A host "web1" with a service and an event, an administrator of /api/1 and one of the older dialect. */
async function setUp() {
  const app = new TestApp();
  await app.report({ hostname: "web1", services, event: { service: "system", serviceType: 5, id: 2 } });
  return { app, admin: await app.admin(), older: await legacyAdmin(app) };
}

const LEGACY_NAMES = /"monit(user|password|id|version)?":/;
const OWN_WORDS = /"agent(user|password|id|version)?":/;

for (const mount of LEGACY_MOUNTS)
  describe(`below "${mount}/"`, () => {
    test("admin/hosts/list has monitversion", async () => {
      const { admin, older } = await setUp();
      const current = (await admin.get("/api/1/admin/hosts/list")).json;
      const { agentversion, ...host } = current.records[0];
      const reply = await older.get(`${mount}/admin/hosts/list`);
      expect(reply.json).toEqual({
        totalRecords: 1,
        records: [{ ...host, monitversion: agentversion }],
        inactive: 0,
      });
      expect(reply.text).not.toMatch(OWN_WORDS);
    });

    test("admin/hosts/get has monitid, monituser and monitpassword", async () => {
      const { admin, older } = await setUp();
      const current = (await admin.get("/api/1/admin/hosts/get?id=1")).json;
      const { agentid, agentuser, agentpassword, ...host } = current;
      const reply = await older.get(`${mount}/admin/hosts/get?id=1`);
      const renamed = { monitid: "agent-1", monituser: "admin", monitpassword: "monit" };
      expect(reply.json).toEqual({ ...host, ...renamed });
      expect([agentid, agentuser, agentpassword]).toEqual(Object.values(renamed));
      expect(reply.text).not.toMatch(OWN_WORDS);
    });

    test("status/hosts/get has host.monit, and all else as it is", async () => {
      const { admin, older } = await setUp();
      const current = (await admin.get("/api/1/status/hosts/get?id=1")).json;
      const { agent, ...host } = current.records.host;
      const reply = await older.get(`${mount}/status/hosts/get?id=1`);
      expect(reply.json).toEqual({ records: { is_user_admin: true, host: { ...host, monit: agent } } });
      expect(Object.keys(reply.json.records.host.monit)).toEqual([
        "id",
        "version",
        "controlfile",
        "poll",
        "startdelay",
        "uptime",
      ]);
      expect(reply.text).not.toMatch(OWN_WORDS);
    });

    test("all other replies are those of /api/1", async () => {
      const { app, admin, older } = await setUp();
      await admin.post("/api/1/admin/groups/create", { name: "web" });
      const same = app.operations.filter(
        ({ kind, path }) =>
          (kind === "read" || kind === "query") &&
          /^\/(status|admin|reports)\//.test(path) &&
          !["/admin/hosts/list", "/admin/hosts/get", "/status/hosts/get", "/reports/events/list"].includes(
            path,
          ),
      );
      expect(same.length).toBeGreaterThan(10);
      for (const { path } of same) {
        const fields = { id: 1, hostid: 1, uname: "user" };
        const current = await admin.get(`/api/1${path}`, fields);
        const reply = await older.get(mount + path, fields);
        expect([path, reply.status, reply.text]).toEqual([path, current.status, current.text]);
      }
    });

    test("a list of events without results is the whole list", async () => {
      const { app, older, admin } = await setUp();
      for (let i = 0; i < 60; i++)
        await app.report({ hostname: "web1", services, event: { service: "x", collectedUsec: i, id: 2 } });
      const whole = (await older.get(`${mount}/reports/events/list`)).json;
      expect([whole.recordsReturned, whole.pageSize, whole.totalRecords]).toEqual([61, 61, 61]);
      expect(whole.records).toHaveLength(61);
      const page = (await older.post(`${mount}/reports/events/list`, { results: 50 })).json;
      expect(page).toEqual((await admin.get("/api/1/reports/events/list")).json);
      expect([page.recordsReturned, page.pageSize, page.totalRecords]).toEqual([50, 50, 61]);
      const rest = (await older.get(`${mount}/reports/events/list?startindex=50`)).json;
      expect([rest.recordsReturned, rest.pageSize, rest.totalRecords]).toEqual([11, 61, 61]);
    });

    test("a list of hosts without results is the whole list", async () => {
      const { app, older } = await setUp();
      await app.report({ id: "b", hostname: "web2" });
      const whole = (await older.post(`${mount}/status/hosts/list`)).json;
      expect([whole.recordsReturned, whole.pageSize, whole.totalRecords]).toEqual([2, 2, 2]);
      const page = (await older.get(`${mount}/status/hosts/list?results=1&startindex=1`)).json;
      expect([page.records[0].hostname, page.pageSize, page.totalRecords]).toEqual(["web2", 1, 2]);
    });

    test("hosts/update with only id and hostname keeps the rest", async () => {
      const { app, older } = await setUp();
      const before = app.rows("select * from hosts");
      const reply = await older.post(`${mount}/admin/hosts/update`, { id: 1, hostname: "db1", unknown: "x" });
      expect([reply.status, reply.json]).toEqual([200, {}]);
      expect(app.rows("select * from hosts")).toEqual(
        before.map((row) => ({ ...row, hostname: "db1", hostname_key: "db1" })),
      );
    });

    test("hosts/update with one of the credentials keeps the other", async () => {
      const { older } = await setUp();
      await older.post(`${mount}/admin/hosts/update`, { id: 1, hostname: "web1", monituser: "me" });
      let host = (await older.get(`${mount}/admin/hosts/get?id=1`)).json;
      expect([host.monituser, host.monitpassword]).toEqual(["me", "monit"]);
      await older.post(`${mount}/admin/hosts/update`, { id: 1, hostname: "web1", monitpassword: "" });
      host = (await older.get(`${mount}/admin/hosts/get?id=1`)).json;
      expect([host.monituser, host.monitpassword]).toEqual(["me", ""]);
    });

    test("hosts/test takes monituser and monitpassword", async () => {
      const httpd = await AgentHttpd.start({});
      running.push(httpd);
      const { older } = await setUp();
      const to = { ipaddr: "127.0.0.1", port: httpd.port, ssl: 0 };
      const path = `${mount}/admin/hosts/test`;
      const good = await older.post(path, { ...to, monituser: "admin", monitpassword: "monit" });
      expect([good.status, good.json.status]).toEqual([200, "green"]);
      const wrong = await older.post(path, { ...to, monituser: "admin", monitpassword: "wrong" });
      expect(wrong.json.status).toBe("red");
      expect((await older.post(path, { ...to, monituser: "admin" })).status).toBe(400);
    });

    for (const [path, idName] of [
      ["/action/service", "hostid"],
      ["/action/service", "id"],
      ["/admin/hosts/action", "id"],
    ])
      test(`POST ${path} with ${idName} has the agent act`, async () => {
        const httpd = await AgentHttpd.start({});
        running.push(httpd);
        const app = new TestApp();
        await app.report({ httpd: { address: "127.0.0.1", port: httpd.port }, services }, "127.0.0.1");
        const older = await legacyAdmin(app);
        const fields: Fields = { [idName as string]: 1, service: "system", action: "restart" };
        const reply = await older.post(mount + path, fields);
        expect([reply.status, reply.json]).toEqual([200, { service: ["system"], action: "restart" }]);
        expect(httpd.asked.map(({ body }) => Object.fromEntries(new URLSearchParams(body)))).toEqual([
          expect.objectContaining({ service: "system", action: "restart" }),
        ]);
      });

    test("POST reports/analytics/get gives the stored history of one kind of statistic", async () => {
      const { app, older, admin } = await setUp();
      app.clock.step(1);
      const fields = { hostid: 1, range: 0 };
      const reply = await older.post(`${mount}/reports/analytics/get`, { ...fields, statisticstype: 1 });
      expect(reply.status).toBe(200);
      expect(reply.json.series.map(({ type }: { type: number }) => type)).toEqual([1]);
      expect(reply.json.series[0].mean).toEqual([2]);
      const current = await admin.get("/api/1/reports/history/get", { ...fields, type: 1 });
      expect(reply.text).toBe(current.text);
    });

    test("attributes of a session keep their names, and go with it", async () => {
      const { older } = await setUp();
      await older.post(`${mount}/session/put`, { monituser: "kept as it is", agentid: "too" });
      const { CSRFToken: _token, ...attributes } = (await older.get(`${mount}/session/get`)).json;
      expect(attributes).toEqual({ monituser: "kept as it is", agentid: "too" });
      expect((await older.post(`${mount}/session/invalidate`)).json).toEqual({});
      expect((await older.get(`${mount}/session/get`)).headers.get("Content-Type")).toBe("text/html");
    });
  });

describe("/api/1", () => {
  test("has none of the older words in any reply", async () => {
    const { app, admin } = await setUp();
    const readable = app.operations.filter(({ kind }) => METHODS[kind].includes("GET") && kind !== "change");
    const answered = new Set<string>();
    for (const { path } of readable) {
      const reply = await admin.get(`/api/1${path}`, { id: 1, hostid: 1, uname: "user" });
      expect([path, LEGACY_NAMES.test(reply.text)]).toEqual([path, false]);
      if (reply.status === 200) answered.add(path);
    }
    expect(answered).toContain("/admin/hosts/list");
    expect(answered).toContain("/admin/hosts/get");
    expect(answered).toContain("/status/hosts/get");
    expect(answered.size).toBeGreaterThan(15);
  });

  test("keeps its page of events, its required arguments and its methods", async () => {
    const { app, admin } = await setUp();
    const before = stored(app);
    expect((await admin.get("/api/1/reports/events/list")).json.pageSize).toBe(50);
    const update = await admin.post("/api/1/admin/hosts/update", { id: 1, hostname: "db1" });
    expect([update.status, update.json.error]).toEqual([
      400,
      expect.stringContaining("agentuser is required"),
    ]);
    expect((await admin.post("/api/1/admin/hosts/list")).status).toBe(405);
    for (const path of ["/action/service", "/map/id/host", "/reports/analytics/get"])
      expect((await admin.get(`/api/1${path}`)).status).toBe(404);
    expect(changedTables(app, before)).toEqual([]);
  });
});

test("a list without results has up to 100,000 events, and more are refused with what to do", async () => {
  const { app, older } = await setUp();
  /** Repeats the event of the host until there are as many in all. */
  const repeatEvent = (total: number) => {
    const [columns] = app.rows<{ names: string }>(
      "select group_concat(name) as names from pragma_table_info('events') where name not in ('id', 'collected_usec')",
    );
    app.db.$client.run(
      `insert into events (collected_usec, ${columns?.names})
       with recursive n(i) as (select count(*) + 1 from events union all select i + 1 from n where i < ${total})
       select i, ${columns?.names} from n, (select * from events limit 1)`,
    );
    app.recount();
  };
  const sizesOf = ({ recordsReturned, pageSize, totalRecords, records }: Record<string, unknown>) => [
    recordsReturned,
    pageSize,
    totalRecords,
    Array.isArray(records) && records.length,
  ];
  const LIST = "/reports/events/list";
  repeatEvent(10_001);
  for (const mount of LEGACY_MOUNTS) {
    const all = [10_001, 10_001, 10_001, 10_001];
    expect(sizesOf((await older.get(mount + LIST)).json)).toEqual(all);
    expect(sizesOf((await older.post(mount + LIST)).json)).toEqual(all);
  }
  const page = (await older.get(`${LIST}?results=20000`)).json;
  expect(sizesOf(page)).toEqual([10_000, 10_000, 10_001, 10_000]);
  repeatEvent(100_001);
  const refused = await older.get(LIST);
  expect([refused.status, refused.json.code, refused.json.error]).toEqual([
    400,
    "request.invalid",
    "That would be 100001 events, more than the 100000 of a reply: ask for pages with results and startindex, or for fewer with a filter",
  ]);
  expect((await older.get(`${LIST}?results=1&startindex=100000`)).json.recordsReturned).toBe(1);
  expect((await older.get(`${LIST}?startindex=99999`)).json.recordsReturned).toBe(2);
});

describe("an argument given under both names", () => {
  const both = { agentuser: "own", monituser: "older", agentpassword: "own", monitpassword: "older" };
  const CASES: readonly [mount: string, given: Fields, user: string, why: string][] = [
    ["/api/1", { monituser: "older", monitpassword: "older" }, "older", "the other name is understood"],
    ["/api/1", both, "own", "the mount's own name wins"],
    ["", { agentuser: "own", agentpassword: "own" }, "own", "the other name is understood"],
    ["", both, "older", "the mount's own name wins"],
    ["/api/2", both, "older", "the mount's own name wins"],
  ];
  for (const [mount, query, user, why] of CASES)
    test(`below "${mount}/", ${Object.keys(query).join(" ")}: ${why}`, async () => {
      const { app, older } = await setUp();
      const reply = await older.post(`${mount}/admin/hosts/update`, { id: 1, hostname: "web1", ...query });
      expect(reply.status).toBe(200);
      const [row] = app.rows<{ agentuser: string; agentpassword: string }>("select * from hosts");
      expect([row?.agentuser, app.box.open(row?.agentpassword ?? "")]).toEqual([user, user]);
    });
});
