/** Deleting hosts is undone with everything that belonged to them, until it is final. */
import { describe, expect, test } from "bun:test";
import { getTableName } from "drizzle-orm";
import { COMMAND_LINE } from "../../../src/accounts/audit/actor.ts";
import { tablesOwnedBy } from "../../../src/monitoring/hosts/stored-rows.repository.ts";
import { examine } from "../../../src/operations/doctor/doctor.ts";
import { hosts } from "../../../src/platform/storage/schema.ts";
import { type Populated, populated } from "../../publishing/openapi/examples.ts";
import { filesystemXml, processXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { update } from "../../support/ledger.ts";
import { notifying } from "../../support/rules.ts";
import { expectRefusal, type Stored, stored } from "../../support/stored.ts";

appOfEachTest();

const DELETE = "/api/1/admin/hosts/delete";
const LIST = "/api/1/admin/hosts/deleted/list";
const RESTORE = "/api/1/admin/hosts/deleted/restore";
const FOR_GOOD = "/api/1/admin/hosts/deleted/delete";
const DAY = 86_400;
const HOUR = 3600;

/** Sessions end while time passes. */
const deleted = async () => (await (await app.admin()).get(LIST)).json.records;
const hostIds = () => app.rows<{ id: number }>("select id from hosts order by id").map(({ id }) => id);

/** Two hosts of which rows of every table that has any are stored. */
async function everything(): Promise<Populated> {
  const world = await populated(9);
  const { app: whole, admin: chief } = world;
  const run = (sql: string) => whole.db.$client.run(sql);
  const limit = { name: "full", statistics: [18], warning: 50, filter: { hosts: [1, 2] } };
  await chief.post("/api/1/limits/create", limit);
  for (const n of [1, 2])
    for (const web of [512, 0, 0, 0, 0, 512]) {
      const services = [
        { name: "web", status: web, body: processXml() },
        { name: "disk", type: 0, body: filesystemXml({ percent: 70 }) },
        { name: "cron", status: 2 },
      ];
      whole.pass(30);
      const event = web === 0 ? null : { service: "web", collectedSec: whole.clock.now() };
      const times = { at: whole.clock.now(), incarnation: whole.clock.now() - HOUR };
      const host = { id: `agent-${n}`, hostname: `host-${n}`, serviceGroups: { frontend: ["web"] } };
      await whole.report({ ...host, hostGroups: ["rack", "own"], services, event, ...times });
    }
  const [open] = whole.rows<{ id: number }>("select id from events where active order by id desc limit 1");
  await chief.post("/api/1/problems/acknowledge", { id: open?.id ?? 0, note: "on it" });
  run(`insert into output_changes (host_id, service_id, date, "before", "after")
    select host_id, id, 5, 'a', 'b' from services`);
  run(`insert into forecasts (statistic_id, host_id, calculated_at, usage, growth, full_at, earliest)
    select st.id, s.host_id, 5, 50.5, 0.1, 9, 8 from statistics st join services s on s.id = st.service_id`);
  run(`insert into limit_sums (limit_id, host_id, name_id, month_from, counted_from, sum, at, counters)
    select 1, host_id, name_id, 1, 2, 0.5, 3, '[[4,5,6]]' from services where vanished_at is null`);
  whole.clock.step(DAY);
  whole.heartbeat.tick();
  while (whole.muster.compaction.step());
  const last = [{ name: "web" }, { name: "late", status: 512 }];
  await whole.report({
    id: "agent-1",
    hostname: "host-1",
    serviceGroups: { frontend: ["web"] },
    services: last,
  });
  return world;
}

/** Ids of sets of words are given anew, and nobody sees them. */
const WORDS = ["event_word_sets", "event_words"];

/** What is stored, with the words of events in place of the ids of their sets. */
function content(of: TestApp): Stored {
  const rows = new Map(stored(of));
  for (const name of WORDS) rows.delete(name);
  rows.set(
    "words",
    of.rows(
      `select e.id, s.words from events e left join event_word_sets s on s.id = word_set_id order by e.id`,
    ),
  );
  rows.set(
    "events",
    of.rows("select * from events order by id").map((row) => ({ ...row, word_set_id: 0 })),
  );
  rows.set("limit_sums", of.rows("select * from limit_sums order by limit_id, host_id, name_id"));
  // Ids of samples are not kept by the database, and nothing refers to them.
  rows.set("samples", of.rows('select host_id, layout_id, at, "values" from samples order by 1, 3'));
  return rows;
}

function differences(before: Stored, after: Stored): string[] {
  return [...before.keys()].filter((table) => !Bun.deepEquals(before.get(table), after.get(table)));
}

describe("a deletion that is undone", () => {
  test("leaves every row of every table as it was, but for the time without the host", async () => {
    const { app: whole } = await everything();
    const empty = tablesOwnedBy(hosts)
      .map(getTableName)
      .filter((table) => whole.rows(`select * from ${table}`).length === 0);
    expect(empty).toEqual([]);
    const before = content(whole);
    const counts = ["event_counts", "event_name_counts", "host_counts"].map(
      (table) => `select * from ${table} where n <> 0`,
    );
    while (whole.muster.groupCounts.step());
    const countsBefore = counts.map((sql) => whole.rows(sql));
    whole.deleteHosts([1, 2]);
    const left = tablesOwnedBy(hosts)
      .map(getTableName)
      .filter((table) => whole.rows(`select * from ${table}`).length > 0);
    expect(left).toEqual(["excluded_intervals", "revisions"]);
    expect(whole.rows("select distinct host_id from revisions")).toEqual([{ host_id: null }]);
    expect(whole.rows("select distinct reason from excluded_intervals")).toEqual([{ reason: "off" }]);
    whole.clock.step(2 * DAY);
    whole.restoreHosts([2]);
    whole.restoreHosts([1]);
    const after = content(whole);
    expect(differences(before, after)).toEqual(["excluded_intervals", "hosts"]);
    const excluded = after.get("excluded_intervals") ?? [];
    expect(excluded.slice(0, -2)).toEqual(before.get("excluded_intervals") ?? []);
    expect(excluded.slice(-2)).toMatchObject(
      [2, 1].map((host_id) => ({
        host_id,
        service_id: null,
        reason: "deleted",
        started_at: whole.clock.now() - 2 * DAY,
        ended_at: whole.clock.now(),
      })),
    );
    const withoutDeadline = (rows: unknown[] = []) =>
      rows.map((row) => ({ ...(row as object), deadline: 0 }));
    expect(withoutDeadline(after.get("hosts"))).toEqual(withoutDeadline(before.get("hosts")));
    while (whole.muster.groupCounts.step());
    const sorted = (rows: unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    expect(counts.map((sql) => sorted(whole.rows(sql)))).toEqual(countsBefore.map(sorted));
    expect(examine(whole.db, 0)).toEqual([]);
  });

  test("leaves no trace in any list, report, page, export or metric until then, which are the same again", async () => {
    const { app: whole } = await everything();
    // The sessions that there were have ended.
    const chief = await whole.admin();
    const paths = whole.operations.flatMap(({ kind, path }) =>
      kind === "read" && /(list|summary|export)$/.test(path) && !/audit|session/.test(path)
        ? [`/api/1${path}`]
        : [],
    );
    const told = async () => {
      const texts = new Map<string, string>();
      for (const path of [...paths, "/metrics/fleet", "/status/hosts/list", "/reports/events/list"])
        texts.set(path, (await chief.get(path)).text);
      return texts;
    };
    const before = await told();
    const naming = (texts: Map<string, string>) =>
      [...texts].flatMap(([path, text]) => (/host-[12]|agent-2/.test(text) ? [path] : []));
    expect(naming(before).length).toBeGreaterThan(9);
    whole.deleteHosts([1, 2]);
    expect(naming(await told())).toEqual([LIST]);
    whole.restoreHosts([1, 2]);
    while (whole.muster.groupCounts.step());
    expect(await told()).toEqual(before);
    const page = async () => (await chief.get("/s/shelf")).text;
    expect(await page()).toContain("host-2");
    whole.deleteHosts([1, 2]);
    // A page is at most 10 seconds old.
    whole.clock.step(11);
    expect(await page()).not.toContain("host-");
  });

  test("counts the time without the host neither as uptime nor as downtime", async () => {
    const from = app.clock.now();
    await app.report({ poll: 300 });
    app.pass(10);
    app.deleteHosts([1]);
    app.pass(600);
    app.restoreHosts([1]);
    app.pass(10);
    const range = { id: 1, datefrom: from, dateto: app.clock.now(), cells: 24 };
    const { cells } = (await admin.get("/api/1/reports/uptime/bars", range)).json;
    const sum = (of: "up" | "down") =>
      cells.reduce((total: number, cell: Record<typeof of, number>) => total + cell[of], 0);
    expect([sum("up"), sum("down")]).toEqual([20, 0]);
  });

  test("gives the agent its full time to report, and its messages are those of the host", async () => {
    await app.report({ services: [{ name: "web" }] });
    app.deleteHosts([1]);
    app.clock.step(DAY);
    app.restoreHosts([1]);
    app.pass(80);
    expect(app.rows("select status, heartbeat from hosts")).toEqual([{ status: 0, heartbeat: 1 }]);
    await app.report({ services: [{ name: "web" }], at: app.clock.now() });
    expect(app.rows("select id from hosts")).toEqual([{ id: 1 }]);
    expect(app.rows("select id, host_id from services")).toEqual([{ id: 1, host_id: 1 }]);
  });

  test("leaves out what was deleted meanwhile: a group, a rule, and a limit, whose failure ends", async () => {
    await admin.post("/api/1/admin/groups/create", { name: "chosen" });
    await admin.post("/api/1/admin/channels/create", {
      name: "c",
      kind: "webhook",
      settings: { url: "https://h.test/" },
    });
    await admin.post("/api/1/admin/rules/create", { name: "r", ...notifying(1) });
    await admin.post("/api/1/limits/create", { name: "full", statistics: [18], warning: 50 });
    const disk = { name: "disk", type: 0, body: filesystemXml({ percent: 70 }) };
    await app.report({ services: [disk], hostGroups: ["agents"] });
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
    expect(app.rows("select active, limit_id from events")).toEqual([{ active: 1, limit_id: 1 }]);
    app.deleteHosts([1]);
    await admin.post("/api/1/admin/groups/delete", { id: 1 });
    await admin.post("/api/1/admin/rules/delete", { id: 1 });
    await admin.post("/api/1/limits/delete", { id: 1 });
    app.clock.step(60);
    app.restoreHosts([1]);
    expect(app.rows("select g.name from host_group_members join host_groups g on g.id = group_id")).toEqual([
      { name: "agents" },
    ]);
    expect(app.rows("select * from alerts")).toEqual([]);
    expect(app.rows("select active, state from events order by id")).toEqual([
      { active: 0, state: 1 },
      { active: 0, state: 0 },
    ]);
    expect(app.rows("select led from services")).toEqual([{ led: 2 }]);
    expect(examine(app.db, 0)).toEqual([]);
  });

  test("brings back names and groups of agents that nothing else needed, with their ids or those they have now", async () => {
    await app.report({ id: "a", hostGroups: ["one", "two"], services: [{ name: "web" }, { name: "db" }] });
    const members = () =>
      app.rows(
        `select g.name as "group" from host_group_members join host_groups g on g.id = group_id order by 1`,
      );
    const services = () =>
      app.rows("select s.id, n.name from services s join names n on n.id = name_id order by 1");
    const before = [members(), services()];
    const ids = app.rows("select * from names where name = 'db'");
    app.deleteHosts([1]);
    while (app.muster.unusedGroups.step());
    app.db.$client.run("delete from names");
    expect(app.rows("select * from host_groups")).toEqual([]);
    await app.report({ id: "b", hostGroups: ["one"], services: [{ name: "web" }] });
    app.restoreHosts([1]);
    expect(app.rows("select * from names where name = 'db'")).toEqual(ids);
    app.deleteHosts([2]);
    expect([members(), services()]).toEqual(before);
  });

  test("makes one membership of two if one group has the name of the other now", async () => {
    await app.report({ hostGroups: ["one"], services: [{ name: "web" }] });
    await admin.post("/api/1/admin/groups/create", { name: "two" });
    await admin.post("/api/1/admin/groups/add", { id: 2, hostid: 1 });
    app.deleteHosts([1]);
    while (app.muster.unusedGroups.step());
    await admin.post("/api/1/admin/groups/update", { id: 2, name: "one" });
    app.restoreHosts([1]);
    expect(app.rows("select group_id, by_hand, by_agent from host_group_members")).toEqual([
      { group_id: 2, by_hand: 1, by_agent: 1 },
    ]);
    expect((await app.report({ hostGroups: ["one"], services: [{ name: "web" }] })).status).toBe(200);
    expect(examine(app.db, 0)).toEqual([]);
  });

  test("continues after an interruption, as a deletion does", async () => {
    await app.report({ services: [{ name: "web" }], event: { service: "web" } });
    const before = content(app);
    const { deletedHosts } = app.muster;
    deletedHosts.beginDeletion([1], {}, COMMAND_LINE);
    deletedHosts.step();
    expect(await deleted()).toEqual([]);
    await expectRefusal(app, () => admin.post(RESTORE, { hosts: [1] }), 404, "object.unknown");
    while (deletedHosts.step());
    expect(hostIds()).toEqual([]);
    deletedHosts.beginRestoration([1], COMMAND_LINE);
    deletedHosts.step();
    expect(hostIds()).toEqual([1]);
    while (deletedHosts.step());
    const changed = differences(before, content(app));
    expect(changed.filter((table) => !/^(hosts|sessions|session_attributes)$/.test(table))).toEqual([]);
  });

  test("moves at most 200 revisions or excluded intervals in a step, both ways, and all of them", async () => {
    await app.report({ services: [{ name: "web" }, { name: "off", monitor: 0 }] });
    const each = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 450)";
    app.db.$client.run(`${each} insert into revisions (kind, host_id, object_id, until, content)
      select 'services', 1, 1, i, '{"monitorState":1}' from n`);
    app.db.$client.run(`${each} insert into excluded_intervals (host_id, service_id, reason, started_at, ended_at)
      select 1, 1, 'unmonitored', 10 * i, 10 * i + 5 from n`);
    const tables = ["revisions", "excluded_intervals"];
    const rows = () =>
      tables.map((table) => app.rows(`select * from ${table} where host_id = 1 order by id`));
    const before = rows();
    /** Steps until a host is moved, and the most rows of these tables that one of them moved. */
    const move = () => {
      let [steps, most] = [0, 0];
      for (let [left, more] = [rows().flat().length, true]; more; steps++) {
        more = app.muster.deletedHosts.step();
        const now = rows().flat().length;
        most = Math.max(most, Math.abs(left - now));
        left = now;
      }
      return { isInSteps: steps > 5, most };
    };
    app.muster.deletedHosts.beginDeletion([1], {}, COMMAND_LINE);
    expect(move()).toEqual({ isInSteps: true, most: 200 });
    expect(rows()).toEqual([[], []]);
    app.muster.deletedHosts.beginRestoration([1], COMMAND_LINE);
    expect(move()).toEqual({ isInSteps: true, most: 200 });
    expect(rows()).toEqual(before);
  });

  test("has its agent wait until its rows are back, and stores no error of it", async () => {
    await app.report({ services: [{ name: "web" }] });
    app.deleteHosts([1]);
    app.muster.deletedHosts.beginRestoration([1], COMMAND_LINE);
    const [waiting, other] = await Promise.all([app.report({}), app.report({ id: "other" })]);
    expect([waiting.status, other.status]).toEqual([503, 200]);
    expect(waiting.headers.get("Retry-After")).not.toBeNull();
    expect(app.logged.filter((line) => line.startsWith("error"))).toEqual([]);
    while (app.muster.deletedHosts.step());
    expect((await app.report({ services: [{ name: "web" }] })).status).toBe(200);
    expect(hostIds()).toEqual([1, 2]);
  });

  test("is not declared down until then, also if all deadlines restart", async () => {
    await app.report({ services: [{ name: "web" }] });
    app.deleteHosts([1]);
    const { deletedHosts } = app.muster;
    deletedHosts.beginRestoration([1], COMMAND_LINE);
    app.clock.step(10);
    app.heartbeat.tick();
    deletedHosts.step();
    app.pass(100);
    expect(app.rows("select status, heartbeat from hosts")).toEqual([{ status: 0, heartbeat: 1 }]);
    while (deletedHosts.step());
    app.pass(91);
    expect(app.rows("select status, heartbeat from hosts")).toEqual([{ status: 1, heartbeat: 0 }]);
  });

  test("can be changed until then", async () => {
    await app.report({ hostGroups: ["one"], services: [{ name: "web" }], event: { service: "web" } });
    await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["a"] });
    await update({ status: 2 })(app);
    app.deleteHosts([1]);
    app.clock.step(60);
    app.muster.deletedHosts.beginRestoration([1], COMMAND_LINE);
    await admin.post("/api/1/admin/groups/add", { id: 1, hostid: 1 });
    await admin.post("/api/1/admin/tags/add", { hosts: [1], tags: ["a", "b"] });
    await update({ status: 0 })(app);
    while (app.muster.deletedHosts.step());
    expect(app.rows("select group_id, by_hand from host_group_members")).toEqual([
      { group_id: 1, by_hand: 1 },
    ]);
    expect(app.rows("select name from host_tags order by name")).toEqual([{ name: "a" }, { name: "b" }]);
    expect(app.rows("select reason, ended_at from excluded_intervals where reason = 'ignored'")).toEqual([
      { reason: "ignored", ended_at: app.clock.now() },
    ]);
    expect(examine(app.db, 0)).toEqual([]);
  });

  test("has an event once that its agent sent again while its rows were moved away", async () => {
    const at = app.clock.now();
    const send = (ago: number) =>
      app.report({ at, services: [{ name: "web" }], event: { service: "web", collectedSec: at - ago } });
    for (let ago = 0; ago < 120; ago++) await send(ago);
    app.muster.deletedHosts.beginDeletion([1], {}, COMMAND_LINE);
    while (app.rows("select id from events").length === 120) app.muster.deletedHosts.step();
    for (let ago = 0; ago < 120; ago++) await send(ago);
    while (app.muster.deletedHosts.step());
    app.restoreHosts([1]);
    expect(app.rows("select id from events")).toHaveLength(120);
    expect(examine(app.db, 0)).toEqual([]);
  });

  test("that fails does not keep others from being deleted and restored", async () => {
    for (const id of ["a", "b", "c"]) await app.report({ id, services: [{ name: "web" }] });
    app.deleteHosts([1, 2]);
    const { deletedHosts } = app.muster;
    deletedHosts.beginRestoration([1], COMMAND_LINE);
    app.db.$client.run("update deleted_host_rows set payload = '' where host_id <= 2");
    expect(() => deletedHosts.step()).toThrow();
    expect((await admin.post(DELETE, { id: 3 })).json).toEqual({ deleted: 1 });
    expect((await admin.post(RESTORE, { hosts: [3] })).json).toEqual({ restored: 1 });
    expect(deletedHosts.step()).toBe(false);
    expect(hostIds()).toEqual([1, 3]);
  });

  test("of many that fail does not keep the next one from being restored", async () => {
    const ids = Array.from({ length: 31 }, (_, i) => i + 1);
    for (const id of ids) await app.report({ id: String(id) });
    app.deleteHosts(ids);
    const { deletedHosts } = app.muster;
    deletedHosts.beginRestoration(ids, COMMAND_LINE);
    app.db.$client.run("update deleted_host_rows set payload = '' where host_id <= 30");
    for (let failing = 1; failing <= 30; failing++) expect(() => deletedHosts.step()).toThrow();
    while (deletedHosts.step());
    expect(app.rows("select host_id as id from deleted_hosts where host_id > 30")).toEqual([]);
  });

  test("while a host is being restored, deleting it waits", async () => {
    await app.report({ services: [{ name: "web" }] });
    await admin.post(DELETE, { id: 1 });
    const [undone, again] = await Promise.all([
      admin.post(RESTORE, { hosts: [1] }),
      admin.post(DELETE, { id: 1 }),
    ]);
    expect([undone.status, again.status]).toEqual([200, 200]);
    expect(hostIds()).toEqual([]);
    expect((await deleted()).length).toBe(1);
  });
});

describe("the agent of a deleted host that reports again", () => {
  test("becomes a new host, and undo is refused by its name and id", async () => {
    await app.report({ id: "a", hostname: "web-1" });
    await admin.post(DELETE, { id: 1 });
    await app.report({ id: "a", hostname: "web-1b" });
    expect(hostIds()).toEqual([2]);
    expect(await deleted()).toMatchObject([{ id: 1, hostname: "web-1", newid: 2, newname: "web-1b" }]);
    const refused = await expectRefusal(app, () => admin.post(RESTORE, { hosts: [1] }), 409, "host.reports");
    expect(refused.json.error).toContain("web-1b (id 2)");
    await admin.post(DELETE, { id: 2 });
    await expectRefusal(app, () => admin.post(RESTORE, { hosts: [1, 2] }), 409, "host.reports");
    expect((await admin.post(RESTORE, { hosts: [1] })).json).toEqual({ restored: 1 });
    expect(hostIds()).toEqual([1]);
    expect(await deleted()).toMatchObject([{ id: 2, newid: 1 }]);
    const restored =
      "select subject_id, subject_name from audit where operation = 'admin/hosts/deleted/restore'";
    expect(app.rows(restored)).toEqual([{ subject_id: "1", subject_name: "web-1" }]);
  });
});

describe("the list of deleted hosts", () => {
  test("says what was deleted, when, by whom, and until when it can be undone", async () => {
    await app.report({ id: "a", hostname: "web-1" });
    await app.report({ id: "b", hostname: "web-2" });
    const { json } = await admin.post("/api/1/admin/hosts/bulk/delete", { hosts: [1, 2], count: 2 });
    expect(json).toEqual({ deleted: 2 });
    const now = app.clock.now();
    const row = { deletedby: "admin", deletedat: now, until: now + 30 * DAY, newid: null, newname: null };
    expect((await admin.get(LIST, { results: 1 })).json).toEqual({
      recordsReturned: 1,
      pageSize: 1,
      totalRecords: 2,
      startIndex: 0,
      records: [{ id: 1, hostname: "web-1", agentid: "a", ...row }],
    });
  });

  test("and undo are for administrators", async () => {
    await app.report({});
    await admin.post(DELETE, { id: 1 });
    expect((await user.get(LIST)).status).toBe(403);
    await expectRefusal(app, () => user.post(RESTORE, { hosts: [1] }), 403, "role.admin");
    await expectRefusal(app, () => user.post(FOR_GOOD, { hosts: [1] }), 403, "role.admin");
  });
});

describe("a deletion becomes final", () => {
  const rest = () =>
    ["deleted_hosts", "deleted_host_rows"].flatMap((table) => app.rows(`select * from ${table}`));
  const clean = () => {
    app.clock.step(HOUR);
    for (let i = 0; i < 2; i++) while (app.muster.retention.step());
  };

  test("after 30 days, and then nothing is left", async () => {
    await app.report({ id: "a", services: [{ name: "web" }], event: { service: "web" } });
    await app.report({ id: "b" });
    await admin.post(DELETE, { id: 1 });
    app.clock.step(30 * DAY - HOUR - 1);
    clean();
    expect((await deleted()).length).toBe(1);
    app.clock.step(1);
    expect(await deleted()).toEqual([]);
    const chief = await app.admin();
    await expectRefusal(app, () => chief.post(RESTORE, { hosts: [1] }), 404, "object.unknown");
    clean();
    expect(rest()).toEqual([]);
    expect(hostIds()).toEqual([2]);
  });

  test("at once if an administrator says so, of all named hosts or none", async () => {
    for (const id of ["a", "b"]) await app.report({ id });
    await admin.post("/api/1/admin/hosts/bulk/delete", { hosts: [1, 2], count: 2 });
    await expectRefusal(app, () => admin.post(FOR_GOOD, { hosts: [1, 3] }), 404, "object.unknown");
    expect((await admin.post(FOR_GOOD, { hosts: [1] })).json).toEqual({ deleted: 1 });
    await expectRefusal(app, () => admin.post(RESTORE, { hosts: [1] }), 404, "object.unknown");
    await expectRefusal(app, () => admin.post(RESTORE, { hosts: [2, 1] }), 404, "object.unknown");
    const entries = app.rows(
      "select operation, uname, subject, subject_id, subject_name from audit order by id desc",
    );
    expect(entries[0]).toEqual({
      operation: "admin/hosts/deleted/delete",
      uname: "admin",
      subject: "host",
      subject_id: "1",
      subject_name: "host-1",
    });
    clean();
    expect(rest()).toHaveLength(1 + app.rows("select * from deleted_host_rows").length);
    expect((await deleted()).map(({ id }: { id: number }) => id)).toEqual([2]);
  });
});

test("the password of an agent is kept sealed where a new key finds it", async () => {
  await app.report({ id: "a" });
  await admin.post("/api/1/admin/hosts/update", {
    id: 1,
    hostname: "web",
    agentuser: "admin",
    agentpassword: "very secret",
  });
  const [{ agentpassword } = { agentpassword: "" }] = app.rows<{ agentpassword: string }>(
    "select * from hosts",
  );
  await admin.post(DELETE, { id: 1 });
  expect(app.rows("select agentpassword from deleted_hosts")).toEqual([{ agentpassword }]);
  for (const { payload } of app.rows<{ payload: Uint8Array }>("select payload from deleted_host_rows"))
    expect(Buffer.from(Bun.zstdDecompressSync(payload)).toString()).not.toContain(agentpassword);
  await admin.post(RESTORE, { hosts: [1] });
  expect((await admin.get("/api/1/admin/hosts/get", { id: 1 })).json.agentpassword).toBe("very secret");
});
