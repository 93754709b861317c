import { describe, expect, test } from "bun:test";
import { setImmediate as nextTurn } from "node:timers/promises";
import { processXml, STOPPED } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { expectRefusal, stored } from "../../support/stored.ts";

appOfEachTest();

const DELETE = "/api/1/admin/hosts/delete";
const FULL = {
  services: [
    { name: "web", status: 512, body: processXml() },
    { name: "off", monitor: 0 },
  ],
  hostGroups: ["Oslo"],
  serviceGroups: { app: ["web"] },
  event: { service: "web" },
};
/** What is shared by hosts, and so outlives them, and the rows with which a deletion is undone. */
const SHARED = new Set([
  "deleted_hosts",
  "deleted_host_rows",
  "names",
  "host_groups",
  "users",
  "sessions",
  "session_attributes",
  "settings",
  "__drizzle_migrations",
]);

function leftovers(app: TestApp): string[] {
  return [...stored(app)]
    .filter(([table, rows]) => rows.length > 0 && !SHARED.has(table))
    .map(([table]) => table);
}

/** A host of which every kind of row is stored. */
async function fullHost(app: TestApp, id = "a"): Promise<void> {
  await app.report({ id, ...FULL });
  await app.report({ id, ...FULL, services: [{ name: "web", monitor: 0 }], event: null });
  await app.report({ id, ...FULL, event: { service: "web", collectedUsec: 1 } });
}

test("deleting a host deletes all that belongs to it", async () => {
  await fullHost(app);
  await admin.post("/api/1/reports/events/note", { id: 1, message: "seen" });
  expect(leftovers(app)).toEqual([
    "downtime_intervals",
    "event_notes",
    "event_word_sets",
    "event_words",
    "events",
    "excluded_intervals",
    "host_group_members",
    "hosts",
    "revisions",
    "sample_layouts",
    "samples",
    "service_group_members",
    "service_groups",
    "services",
    "silent_recoveries",
    "statistics",
    "suspected_failures",
  ]);
  expect((await admin.post(DELETE, { id: 1 })).json).toEqual({ deleted: 1 });
  expect(leftovers(app)).toEqual([]);
  expect(app.rows("pragma foreign_key_check")).toEqual([]);
});

test("deleting a host that is down deletes the words of its open failure", async () => {
  await app.report({ id: "a" });
  app.pass(200);
  expect(app.rows("select active from events")).toEqual([{ active: 1 }]);
  await (await app.admin()).post(DELETE, { id: 1 });
  expect(leftovers(app)).toEqual([]);
});

test("deleting a host leaves the others as they are", async () => {
  await fullHost(app, "a");
  await fullHost(app, "b");
  const second = () =>
    ["services", "events", "samples", "downtime_intervals", "service_groups"].map((table) =>
      app.rows(`select * from ${table} where host_id = 2`),
    );
  const before = second();
  await admin.post(DELETE, { id: 1 });
  expect(second()).toEqual(before);
  expect(app.rows("select id from hosts")).toEqual([{ id: 2 }]);
});

test("a deleted host whose agent still reports comes back as a new host, with a new id", async () => {
  await fullHost(app);
  await admin.post(DELETE, { id: 1 });
  await app.report({ id: "a", ...FULL });
  expect(app.rows("select id, events from hosts")).toEqual([{ id: 2, events: 1 }]);
  expect(app.rows("select host_id from services")).toEqual([{ host_id: 2 }, { host_id: 2 }]);
});

describe("which hosts", () => {
  test("neither id nor inactive, or both: 400", async () => {
    await app.report({});
    await expectRefusal(app, () => admin.post(DELETE), 400, "request.invalid");
    await expectRefusal(app, () => admin.post(DELETE, { id: 1, inactive: 0 }), 400, "request.invalid");
    await expectRefusal(app, () => admin.post(DELETE, { inactive: -1 }), 400, "argument.invalid");
    await expectRefusal(app, () => admin.post(DELETE, { inactive: "all" }), 400, "argument.invalid");
    await expectRefusal(app, () => admin.post(DELETE, { id: "" }), 400, "argument.invalid");
  });

  test("in bulk: those Inactive whose last message is at least that old, stopped or silent", async () => {
    await app.report({ id: "stopped", event: STOPPED });
    await app.report({ id: "silent" });
    await app.report({ id: "ignored" });
    await admin.post("/api/1/admin/hosts/update", {
      id: 3,
      hostname: "host-1",
      agentuser: "admin",
      agentpassword: "monit",
      status: 2,
    });
    app.pass(200);
    await app.report({ id: "active" });
    await app.report({ id: "stopped lately", event: STOPPED });
    app.pass(50);
    const left = () =>
      app.rows<{ a: string }>("select agent_id as a from hosts order by id").map(({ a }) => a);
    expect((await admin.post(DELETE, { inactive: 251 })).json).toEqual({ deleted: 0 });
    expect((await admin.post(DELETE, { inactive: 250 })).json).toEqual({ deleted: 2 });
    expect(left()).toEqual(["ignored", "active", "stopped lately"]);
    expect((await admin.post(DELETE, { inactive: 0 })).json).toEqual({ deleted: 1 });
    expect(left()).toEqual(["ignored", "active"]);
  });
});

test("a host that reports again while others are deleted as inactive is kept", async () => {
  const names = Array.from({ length: 60 }, (_, i) => `agent-${i}`);
  for (const id of names) await app.report({ id });
  app.pass(200);
  const deletion = admin.post(DELETE, { inactive: 100 });
  while (app.rows("select 1 from deleted_hosts where state = 'deleted'").length === 0) await nextTurn();
  expect((await app.report({ id: "agent-59" })).status).toBe(200);
  expect((await deletion).json).toEqual({ deleted: 59 });
  expect(app.rows("select agent_id, status from hosts")).toEqual([{ agent_id: "agent-59", status: 0 }]);
});

test("agents are answered while a host with a long history is deleted", async () => {
  await fullHost(app);
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
      insert into events (host_id, name_id, service_type, date, collected_sec, collected_usec, event_type, state, action, message)
      select 1, (select min(name_id) from services), 3, i, i, 0, 2, 0, 1, 'up' from n`,
  );
  app.recount();
  const order: string[] = [];
  await Promise.all([
    admin.post(DELETE, { id: 1 }).then(({ json }) => order.push(`deleted ${json.deleted}`)),
    app.report({ id: "other" }).then(({ status }) => order.push(`answered ${status}`)),
  ]);
  expect(order).toEqual(["answered 200", "deleted 1"]);
  expect(app.rows("select id from hosts")).toEqual([{ id: 2 }]);
  expect(app.rows("select sum(n) as n from event_counts")).toEqual([{ n: null }]);
  expect(app.rows("pragma foreign_key_check")).toEqual([]);
});

test("a host that two delete at once is counted once", async () => {
  await fullHost(app);
  const replies = await Promise.all([admin.post(DELETE, { id: 1 }), admin.post(DELETE, { id: 1 })]);
  expect(replies.map(({ json }) => json.deleted).sort()).toEqual([0, 1]);
  expect(leftovers(app)).toEqual([]);
});
