/** Uptime of a host group against its target, and who may set one. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const BUDGET = "/api/1/reports/uptime/budget";
const SET = "/api/1/admin/groups/target";
const DAY = 86_400;
/** January 2026; the clock of tests starts on the fifth, at noon. */
const MONTH = { from: Date.parse("2026-01-01") / 1000, to: Date.parse("2026-02-01") / 1000 };

async function createGroup(admin: TestClient, name: string, hosts: number[] = []): Promise<number> {
  const { id } = (await admin.post("/api/1/admin/groups/create", { name })).json;
  if (hosts.length > 0) await admin.post("/api/1/admin/groups/add", { id, hostid: hosts });
  return id;
}

/** Two hosts of the group Oslo, the first of which was down for 200 s until now. The target is 99.9 %. */
async function inOslo() {
  const app = new TestApp();
  await app.report({ id: "a", hostname: "web", incarnation: START - 3600 });
  await app.report({ id: "b", hostname: "db", incarnation: START - 3600 });
  const admin = await app.admin();
  const oslo = await createGroup(admin, "Oslo", [1, 2]);
  await admin.post(SET, { id: oslo, target: 99.9 });
  for (let i = 0; i < 9; i++) {
    app.pass(31);
    await app.report({ id: "b", hostname: "db", incarnation: START - 3600 });
  }
  return { app, admin, oslo };
}

/** The time of a host in seconds, and what follows from it. */
const judged = (time: Fields) => ({ excluded: 0, unknown: 0, remaining: 0, ...time });

describe("the error budget of a period that is over", () => {
  test("is the part of the counted time that the target allows, of each host and of all together", async () => {
    const { app, admin, oslo } = await inOslo();
    const now = app.clock.now();
    const { json } = await admin.get(BUDGET, { hostgroupid: oslo, range: 12, datefrom: START, dateto: now });
    const [web, db] = [json.items[1], json.items[0]];
    expect(now - START).toBe(279);
    expect(web).toEqual({
      id: 1,
      active: 1,
      name: "web",
      events: 1,
      ...judged({ up: 91, down: 188 }),
      uptime: (100 * 91) / 279,
      budget: 0.279,
      left: 0.279 - 188,
      muted: null,
    });
    expect(db).toMatchObject({ name: "db", up: 279, down: 0, uptime: 100, budget: 0.279, left: 0.279 });
    expect({ ...json, items: [] }).toEqual({
      range: 12,
      datefrom: START,
      dateto: now,
      running: false,
      timezone: "UTC",
      hostgroup: { id: oslo, name: "Oslo" },
      target: 99.9,
      hosts: 2,
      ...judged({ up: 370, down: 188 }),
      uptime: (100 * 370) / 558,
      budget: 0.558,
      left: 0.558 - 188,
      items: [],
    });
  });

  test("of 99.9 % of 31 days is 44.64 minutes", async () => {
    const { app, oslo } = await inOslo();
    app.rows(`update hosts set created_at = ${MONTH.from} where id = 2`);
    app.clock.step(MONTH.to - app.clock.now());
    const admin = await app.admin();
    const period = { range: 12, datefrom: MONTH.from, dateto: MONTH.to };
    const { items } = (await admin.get(BUDGET, { hostgroupid: oslo, ...period })).json;
    expect(items[0]).toMatchObject({ name: "db", up: 31 * DAY, budget: 44.64 * 60, left: 44.64 * 60 });
    expect((await admin.get(BUDGET, { hostgroupid: oslo, range: 101 })).json.items).toEqual(items);
  });

  test("is none without counted time, and the uptime is unknown", async () => {
    const { admin, oslo } = await inOslo();
    const before = { range: 12, datefrom: START - DAY, dateto: START };
    const { json } = await admin.get(BUDGET, { hostgroupid: oslo, ...before });
    expect(json).toMatchObject({ up: 0, down: 0, unknown: 2 * DAY, uptime: null, budget: 0, left: 0 });
  });
});

describe("the error budget of a period that is still running", () => {
  test("is that of the whole period, as if hosts stay monitored that are so now", async () => {
    const { app, admin, oslo } = await inOslo();
    const now = app.clock.now();
    const rest = MONTH.to - now;
    const read = async () => (await admin.get(BUDGET, { hostgroupid: oslo, range: 100 })).json;
    const counted = 2 * (279 + rest);
    expect(await read()).toMatchObject({
      datefrom: MONTH.from,
      dateto: MONTH.to,
      running: true,
      up: 370,
      down: 188,
      unknown: 2 * (START - MONTH.from),
      remaining: 2 * rest,
      uptime: (100 * 370) / 558,
      budget: counted / 1000,
      left: counted / 1000 - 188,
    });
    const update = { id: 1, hostname: "web", agentuser: "", agentpassword: "", status: 2 };
    await admin.post("/api/1/admin/hosts/update", update);
    const ignored = await read();
    expect(ignored).toMatchObject({ excluded: rest, remaining: rest, budget: (279 * 2 + rest) / 1000 });
    expect(ignored.items[1]).toMatchObject({ active: 0, excluded: rest, remaining: 0, down: 188 });
  });

  test("ends with the day, month, quarter or year in the time zone of reports", async () => {
    const { admin, oslo } = await inOslo();
    await admin.post("/api/1/admin/settings/update", { timezone: "Europe/Oslo" });
    const spanOf = async (range: number) => {
      const { datefrom, dateto, timezone } = (await admin.get(BUDGET, { hostgroupid: oslo, range })).json;
      const hour = (at: number) => new Date(at * 1000).toISOString().slice(0, 13);
      return [hour(datefrom), hour(dateto), timezone];
    };
    expect(await spanOf(0)).toEqual(["2026-01-04T23", "2026-01-05T23", "Europe/Oslo"]);
    expect(await spanOf(100)).toEqual(["2025-12-31T23", "2026-01-31T23", "Europe/Oslo"]);
    expect(await spanOf(102)).toEqual(["2025-12-31T23", "2026-03-31T22", "Europe/Oslo"]);
    expect(await spanOf(104)).toEqual(["2025-12-31T23", "2026-12-31T23", "Europe/Oslo"]);
    expect(await spanOf(101)).toEqual(["2025-11-30T23", "2025-12-31T23", "Europe/Oslo"]);
  });
});

describe("the report", () => {
  test("is of the hosts of the group with the tags, and without a group of all hosts without a target", async () => {
    const { admin, oslo } = await inOslo();
    await admin.post("/api/1/admin/tags/add", { tags: ["role=db"], hosts: [2] });
    const tagged = (await admin.get(BUDGET, { hostgroupid: oslo, tag: "role", range: 0 })).json;
    expect(tagged).toMatchObject({ hosts: 1, down: 0, target: 99.9, items: [{ name: "db" }] });
    const { json } = await admin.get(BUDGET, { range: 0, cells: 24 });
    expect(json).toMatchObject({ hosts: 2, hostgroup: null, target: null, down: 188 });
    for (const time of [json, ...json.items]) expect(time).not.toContainAnyKeys(["budget", "left"]);
    expect(json.items[0].cells).toHaveLength(24);
  });

  test("as CSV has every second, for the group and for each host", async () => {
    const { app, admin, oslo } = await inOslo();
    const period = { range: 12, datefrom: START - 21, dateto: app.clock.now() };
    const reply = await admin.get(BUDGET, { hostgroupid: oslo, ...period, format: "csv" });
    expect(reply.headers.get("Content-Disposition")).toBe('attachment; filename="uptime.csv"');
    expect(reply.text.split("\r\n")).toEqual([
      "row,id,name,uptime percent,up seconds,down seconds,excluded seconds,unknown seconds,remaining seconds," +
        "target percent,budget seconds,budget left seconds",
      `total,${oslo},Oslo,${(100 * 370) / 558},370,188,0,42,0,99.9,0.558,${0.558 - 188}`,
      "host,2,db,100,279,0,0,21,0,99.9,0.279,0.279",
      `host,1,web,${(100 * 91) / 279},91,188,0,21,0,99.9,0.279,${0.279 - 188}`,
      "",
    ]);
    const none = await admin.get(BUDGET, { ...period, format: "csv" });
    expect(none.text).toContain("\r\ntotal,,,");
    expect(none.text).toContain("\r\nhost,2,db,100,279,0,0,21,0,,,\r\n");
  });

  test("covers only the hosts that its reader sees, and no group that they do not see", async () => {
    const { app, admin, oslo } = await inOslo();
    const mine = await createGroup(admin, "mine", [2]);
    const hidden = await createGroup(admin, "hidden", [1]);
    await admin.post("/api/1/admin/grants/set", { uname: "user", view: mine, restricted: true });
    const user = await app.user();
    const { json } = await user.get(BUDGET, { hostgroupid: oslo, range: 0 });
    expect(json).toMatchObject({ hosts: 1, target: 99.9, down: 0, items: [{ name: "db" }] });
    await expectRefusal(
      app,
      () => user.get(BUDGET, { hostgroupid: hidden, range: 0 }),
      404,
      "object.unknown",
    );
    expect((await user.get(BUDGET, { range: 0 })).json.items).toHaveLength(1);
  });
});

describe("the target of a group", () => {
  const targets = async (client: TestClient) =>
    (await client.get("/api/1/status/hostgroups/list")).json.records.map(
      ({ name, target }: { name: string; target: number | null }) => [name, target],
    );

  test("is read by all who see the group, and set by those who manage it", async () => {
    const app = new TestApp();
    await app.report({ id: "a", hostname: "web" });
    const admin = await app.admin();
    const [managed, viewed] = [await createGroup(admin, "managed", [1]), await createGroup(admin, "viewed")];
    const shared = await createGroup(admin, "shared", [1]);
    const hidden = await createGroup(admin, "hidden");
    const levels = { uname: "user", manage: managed, view: viewed, restricted: true };
    expect((await admin.post("/api/1/admin/grants/set", levels)).status).toBe(200);
    const user = await app.user();
    expect((await user.post(SET, { id: managed, target: 99.999 })).json).toEqual({});
    expect((await admin.post(SET, { id: shared, target: 99.5 })).status).toBe(200);
    expect(await targets(user)).toEqual([
      ["managed", 99.999],
      ["shared", 99.5],
      ["viewed", null],
    ]);
    for (const id of [viewed, shared])
      await expectRefusal(app, () => user.post(SET, { id, target: 99 }), 403, "role.level");
    for (const id of [hidden, 999])
      await expectRefusal(app, () => user.post(SET, { id, target: 99 }), 404, "object.unknown");
    await expectRefusal(app, () => admin.post(SET, { id: 999, target: 99 }), 404, "object.unknown");
    const { groups } = (await user.get("/api/1/admin/groups/list")).json;
    expect(groups).toEqual([{ id: managed, name: "managed", hosts: [1], target: 99.999 }]);
    expect((await user.post(SET, { id: managed, target: null })).status).toBe(200);
    expect((await targets(user))[0]).toEqual(["managed", null]);
    expect(app.rows("select details from audit where operation = 'admin/groups/target' order by id")).toEqual(
      [{ target: [null, 99.999] }, { target: [null, 99.5] }, { target: [99.999, null] }].map((details) => ({
        details: JSON.stringify(details),
      })),
    );
  });

  test("is a percentage with at most three decimals", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const id = await createGroup(admin, "Oslo");
    for (const target of [-0.001, 100.001, 99.9999, "99.9", true, [99]]) {
      const refusal = await expectRefusal(
        app,
        () => admin.post(SET, { id, target } as never),
        400,
        "argument.invalid",
      );
      expect(refusal.json.error).toBe(
        "target must be a number from 0 to 100 with at most 3 decimals, or null for none",
      );
    }
    for (const fields of [{ id }, { target: 99 }])
      await expectRefusal(app, () => admin.post(SET, fields), 400, "argument.missing");
    for (const target of [0, 100, 99.999, 33.333, 0.001]) {
      expect((await admin.post(SET, { id, target })).status).toBe(200);
      expect(await targets(admin)).toEqual([["Oslo", target]]);
    }
  });

  test("is imported with the group, and removed by a file without one", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    const take = async (group: object) => {
      const file = new FormData();
      file.append("file", new Blob([JSON.stringify({ muster: 1, groups: [group] })]), "export.json");
      return admin.upload("/api/1/admin/transfer/import", file);
    };
    expect((await take({ name: "Oslo", target: 99.95 })).json.groups).toMatchObject({ created: 1 });
    expect(await targets(admin)).toEqual([["Oslo", 99.95]]);
    expect((await take({ name: "Oslo", target: 99.95 })).json.groups).toMatchObject({ same: 1, updated: 0 });
    const before = stored(app);
    const refusal = await take({ name: "Oslo", target: 99.99999 });
    expect([refusal.status, refusal.json.code]).toEqual([400, "request.invalid"]);
    expect(changedTables(app, before)).toEqual([]);
    expect((await take({ name: "Oslo" })).json.groups).toMatchObject({ updated: 1 });
    expect(await targets(admin)).toEqual([["Oslo", null]]);
  });

  test("keeps a group that only agents named", async () => {
    const app = new TestApp();
    await app.report({ hostGroups: ["Oslo", "Bergen"] });
    const admin = await app.admin();
    const { id } = app.rows<{ id: number }>("select id from host_groups where name = 'Oslo'")[0] ?? { id: 0 };
    await admin.post(SET, { id, target: 99 });
    await app.report({ hostGroups: [] });
    while (app.muster.groupCounts.step());
    while (app.muster.unusedGroups.step());
    expect(await targets(admin)).toEqual([["Oslo", 99]]);
  });
});
