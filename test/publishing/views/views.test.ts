import { beforeEach, describe, expect, test } from "bun:test";
import { CPU_PARTS } from "../../../src/monit/cpu-usage.ts";
import { MAX_VIEW_TOKENS } from "../../../src/publishing/views/views.service.ts";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal, stored } from "../../support/stored.ts";

const DISK = 18;
const DISKS = { name: "Disks", statistics: [DISK], hostgroup: 1, results: 5, hosts: [1, 2] };

let app: TestApp;
let admin: TestClient;
beforeEach(async () => {
  app = new TestApp();
  admin = await app.admin();
  for (const [name, percent, group] of [
    ["web-1", 40, "web"],
    ["web-2", 80, "web"],
    ["db-1", 95, "db"],
  ] as const) {
    const services = [{ name: "root", type: 0, body: filesystemXml({ percent }) }];
    await app.report({ id: name, hostname: name, services, hostGroups: [group] });
  }
});

const call = (operation: string, fields: object) => admin.post(`/api/1/views/${operation}`, { ...fields });
const walls = async () => (await admin.get("/api/1/views/tokens/list")).json.records;

describe("a view", () => {
  test("is saved by an administrator and listed for everyone by name", async () => {
    expect((await call("create", DISKS)).json).toEqual({ id: 1 });
    expect((await call("create", { name: "CPU", statistics: [1], order: "asc" })).json).toEqual({
      id: 2,
    });
    const user = await app.user();
    expect((await user.get("/api/1/views/list")).json).toEqual({
      totalRecords: 2,
      records: [
        {
          id: 2,
          name: "CPU",
          created: START,
          manage: false,
          statistics: [1],
          descriptor: "",
          hostgroup: null,
          order: "asc",
          results: 20,
          hosts: [],
          services: [],
          rankings: [],
        },
        {
          id: 1,
          ...DISKS,
          created: START,
          manage: false,
          descriptor: "",
          order: "desc",
          services: [],
          rankings: [],
        },
      ],
    });
  });

  test("of user, system and wait alone, in any order, is one of CPU usage with all its parts, but not of two of them", async () => {
    await call("create", DISKS);
    const statisticsOf = async (statistics: number[]) => {
      expect((await call("update", { id: 1, statistics })).status).toBe(200);
      return (await admin.get("/api/1/views/get", { id: 1 })).json.statistics;
    };
    for (const before of [
      [1, 2, 3],
      [2, 1, 3],
    ])
      expect(await statisticsOf(before)).toEqual([...CPU_PARTS]);
    for (const others of [
      [1, 2],
      [1, 2, 3, 100],
    ])
      expect(await statisticsOf(others)).toEqual(others);
  });
});

describe("a wall", () => {
  let wall: TestClient;
  let token: string;
  beforeEach(async () => {
    await call("create", DISKS);
    token = (await call("tokens/create", { id: 1, name: "lobby" })).json.token;
    wall = app.client();
  });
  const show = () => wall.get("/api/1/wall/show");

  test("shows its view once the token is exchanged for a cookie", async () => {
    await expectRefusal(app, show, 404, "view.unknown");
    const opened = await wall.post("/api/1/wall/open", { token });
    expect([opened.status, opened.json]).toEqual([200, { name: "Disks" }]);
    const cookie = opened.headers.get("Set-Cookie") ?? "";
    expect(cookie).toMatch(/^zwall=\S+; Max-Age=34560000; Path=\/api\/1\/wall; HttpOnly; SameSite=Strict$/);
    const { status, json } = await show();
    expect(status).toBe(200);
    expect(json).toMatchObject({
      name: "Disks",
      statistics: [DISK],
      hostgroup: 1,
      version: expect.any(String),
    });
    const records = json.top.records as { hostname: string; value: number }[];
    expect(records.map(({ hostname, value }) => [hostname, value])).toEqual([
      ["web-2", 80],
      ["web-1", 40],
    ]);
  });

  test("shows the last day of what its view compares, also of hosts beyond its group", async () => {
    await call("create", { ...DISKS, name: "Compared", hosts: [3, 1] });
    const made = await call("tokens/create", { id: 2, name: "hall" });
    await wall.post("/api/1/wall/open", { token: made.json.token });
    app.clock.step(60);
    const { comparison } = (await show()).json;
    const { datefrom, dateto, series } = comparison;
    expect([datefrom, dateto]).toEqual([START + 60 - 86_400, START + 60]);
    const values = (series as { hostname: string; mean: (number | null)[] }[]).map(({ hostname, mean }) => [
      hostname,
      mean.filter((value) => value !== null),
    ]);
    expect(values).toEqual([
      ["db-1", [95]],
      ["web-1", [40]],
    ]);
    await call("create", { name: "Alone", statistics: [DISK] });
    const alone = await call("tokens/create", { id: 3, name: "door" });
    await wall.post("/api/1/wall/open", { token: alone.json.token });
    expect((await show()).json.comparison).toBeUndefined();
  });

  test("shows the further rankings of its view, and none of a view that an earlier version stored", async () => {
    await wall.post("/api/1/wall/open", { token });
    const rankings = [
      { statistics: [DISK], order: "asc" },
      { statistics: [0], descriptor: "1min" },
    ];
    expect((await call("update", { id: 1, rankings })).status).toBe(200);
    const shown = (await show()).json;
    const hosts = (top: { records: { hostname: string }[] }) => top.records.map(({ hostname }) => hostname);
    expect(hosts(shown.top)).toEqual(["web-2", "web-1"]);
    expect(shown.rankings).toMatchObject([
      { statistics: [DISK], descriptor: "", order: "asc" },
      { statistics: [0], descriptor: "1min", order: "desc" },
    ]);
    expect(hosts(shown.rankings[0].top)).toEqual(["web-1", "web-2"]);
    const many = Array.from({ length: 6 }, () => ({ statistics: [DISK] }));
    await expectRefusal(app, () => call("update", { id: 1, rankings: many }), 400, "argument.invalid");
    app.db.$client.run("update saved_views set content = ?", [
      JSON.stringify({
        statistics: [DISK],
        descriptor: "",
        hostgroup: null,
        order: "desc",
        results: 20,
        hosts: [],
        services: [],
      }),
    ]);
    expect((await show()).json.rankings).toEqual([]);
    expect((await admin.get("/api/1/views/get", { id: 1 })).json.rankings).toEqual([]);
  });

  test("agrees with its view on CPU usage, which version 1.0 stored as three of its nine parts", async () => {
    await wall.post("/api/1/wall/open", { token });
    const body = systemXml({ user: 2, system: 1 }).replace("</cpu>", "<steal>60</steal></cpu>");
    await app.report({ id: "web-1", hostname: "web-1", services: [{ name: "web-1", type: 5, body }] });
    const ranking = { statistics: [1, 2, 3], descriptor: "", order: "desc" };
    const filter = { hostgroup: null, results: 20, hosts: [1], services: [] };
    app.db.$client.run("update saved_views set content = ?", [
      JSON.stringify({ ...ranking, ...filter, rankings: [ranking] }),
    ]);
    app.clock.step(60);
    const shown = (await show()).json;
    const usageOf = ({ records }: { records: { value: number }[] }) => records.map(({ value }) => value);
    expect([usageOf(shown.top), usageOf(shown.rankings[0].top)]).toEqual([[63], [63]]);
    expect(shown.comparison.series[0].mean.filter((mean: number | null) => mean !== null)).toEqual([63]);

    const { json } = await admin.get("/api/1/views/get", { id: 1 });
    const exported = await admin.get("/api/1/admin/transfer/export");
    const view = exported.json.views[0];
    for (const { statistics } of [shown, shown.rankings[0], json, json.rankings[0], view, view.rankings[0]])
      expect(statistics).toEqual([...CPU_PARTS]);
  });

  test("says until when a host is muted, but not by whom and why", async () => {
    await call("update", { id: 1, rankings: [{ statistics: [DISK] }] });
    await admin.post("/api/1/mutes/create", {
      filter: { hosts: [1] },
      minutes: 30,
      note: "ask Ann for the key",
    });
    await wall.post("/api/1/wall/open", { token });
    const { json, text } = await show();
    const muted = { until: START + 1800, uname: "", note: "" };
    for (const { records } of [json.top, json.rankings[0].top])
      expect((records as { muted: unknown }[]).map((record) => record.muted)).toEqual([null, muted]);
    expect(text).not.toMatch(/admin|Ann/);
  });

  test("can do nothing else", async () => {
    await wall.post("/api/1/wall/open", { token });
    for (const path of ["/status/hosts/list", "/views/list", "/session/user", "/views/tokens/list"])
      expect([path, (await wall.get(`/api/1${path}`)).status]).toEqual([path, 401]);
    const bearer = { Authorization: `Bearer ${token}` };
    const reply = await app.client().get("/api/1/status/hosts/list", {}, bearer);
    expect(reply.status).toBe(401);
  });

  test("stops when its token is revoked, when its view is deleted, and not before", async () => {
    await wall.post("/api/1/wall/open", { token });
    app.clock.step(60 * 86_400);
    expect((await show()).status).toBe(200);
    admin = await app.admin();
    expect(await walls()).toEqual([
      { id: 1, viewid: 1, viewname: "Disks", name: "lobby", created: START, lastused: START + 60 * 86_400 },
    ]);
    await call("tokens/delete", { id: 1 });
    await expectRefusal(app, show, 404, "view.unknown");
    await expectRefusal(app, () => call("tokens/delete", { id: 1 }), 404, "object.unknown");
    const { token: other } = (await call("tokens/create", { id: 1, name: "lobby" })).json;
    expect((await wall.post("/api/1/wall/open", { token: other })).status).toBe(200);
    await call("delete", { id: 1 });
    await expectRefusal(app, show, 404, "view.unknown");
    expect(await walls()).toEqual([]);
  });

  test("shows the hosts of its view whatever its maker sees later, and only administrators make or revoke one", async () => {
    await admin.post("/api/1/admin/users/create", {
      uname: "second",
      fullname: "Second",
      password: "long enough",
      admin: true,
    });
    const second = await app.signedIn("second", "long enough");
    const made = await second.post("/api/1/views/tokens/create", { id: 1, name: "lobby" });
    const other = app.client();
    await other.post("/api/1/wall/open", { token: made.json.token });
    const shown = async () => (await other.get("/api/1/wall/show")).json.top.records;
    const before = await shown();
    expect(before).toHaveLength(2);

    app.db.$client.run("update users set admin = 0 where uname = 'second'");
    await admin.post("/api/1/admin/grants/set", { uname: "second", manage: 2 });
    const manager = await app.signedIn("second", "long enough");
    expect((await manager.get("/api/1/status/hosts/list")).json.totalRecords).toBe(1);
    expect(await shown()).toEqual(before);
    expect((await manager.get("/api/1/views/tokens/list")).status).toBe(403);
    for (const path of ["create", "delete", "tokens/create", "tokens/delete"])
      expect([path, (await manager.post(`/api/1/views/${path}`, { id: 1 })).status]).toEqual([path, 403]);
    expect(await shown()).toEqual(before);
  });

  test("has a token of which only a hash is stored, one of at most 200", async () => {
    expect(JSON.stringify(stored(app))).not.toContain(token);
    const insert = "insert into view_tokens (view_id, name, token_hash, created_at) values (1, 'x', ?, 0)";
    for (let i = 2; i <= MAX_VIEW_TOKENS; i++) app.db.$client.run(insert, [`hash ${i}`]);
    const more = () => call("tokens/create", { id: 1, name: "more" });
    await expectRefusal(app, more, 400, "request.invalid");
  });
});
