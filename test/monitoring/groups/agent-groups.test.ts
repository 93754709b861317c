/** Host groups that agents name: how many there can be, and when they are deleted. */

import { describe, expect, test } from "bun:test";
import { RowsRead } from "../../platform/queries/rows-read.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";

/** As MAX_AGENT_GROUPS in src/monitoring/groups/agent-groups.repository.ts. */
const MOST = 10_000;
/** As BATCH in src/monitoring/groups/unused-groups.service.ts. */
const BATCH = 200;

const names = (app: TestApp) =>
  app.rows<{ name: string }>("select name from host_groups order by name").map(({ name }) => name);

/** Lets the background work check every group. */
function sweep(app: TestApp): void {
  while (app.muster.groupCounts.step());
  while (app.muster.unusedGroups.step());
}

/** A group that agents named and left again, with a group of an administrator. */
async function withLeftGroup() {
  const app = new TestApp();
  const admin = await app.admin();
  await admin.post("/api/1/admin/groups/create", { name: "by hand" });
  await app.report({ hostGroups: ["Oslo"], event: { service: "app" }, services: [{ name: "app" }] });
  await app.report({ hostGroups: [] });
  const id = app.rows<{ id: number }>("select id from host_groups where name = 'Oslo'")[0]?.id ?? 0;
  return { app, admin, id };
}

describe("a group that only agents named", () => {
  test("goes with its counts when it is empty, and one of an administrator stays", async () => {
    const { app } = await withLeftGroup();
    expect(names(app)).toEqual(["Oslo", "by hand"]);
    sweep(app);
    expect(names(app)).toEqual(["by hand"]);
    expect(app.rows("select * from event_counts where scope < 0")).toEqual([]);
    expect(app.rows("select * from event_name_counts")).toEqual([]);
    expect(app.rows("select * from group_count_changes")).toEqual([]);
  });

  test("stays while a host is a member of it, by its agent or by hand", async () => {
    const { app, admin, id } = await withLeftGroup();
    await admin.post("/api/1/admin/groups/add", { id, hostid: 1 });
    sweep(app);
    expect(names(app)).toContain("Oslo");
    await admin.post("/api/1/admin/groups/remove", { id, hostid: 1 });
    await app.report({ hostGroups: ["Oslo"] });
    sweep(app);
    expect(names(app)).toContain("Oslo");
    await app.report({ hostGroups: [] });
    sweep(app);
    expect(names(app)).toEqual(["by hand"]);
  });

  test("goes with the last host that was a member of it", async () => {
    const { app, admin } = await withLeftGroup();
    await app.report({ hostGroups: ["Oslo", "Bergen"] });
    expect((await admin.post("/api/1/admin/hosts/delete", { id: 1 })).status).toBe(200);
    sweep(app);
    expect(names(app)).toEqual(["by hand"]);
  });

  test("stays as one of an administrator who renames or imports it", async () => {
    const { app, admin, id } = await withLeftGroup();
    await app.report({ hostGroups: ["Bergen"] });
    await admin.post("/api/1/admin/groups/update", { id, name: "Capital" });
    const { json: whole } = await admin.get("/api/1/admin/transfer/export");
    const file = new FormData();
    file.append("file", new Blob([JSON.stringify({ ...whole, hosts: [] })]), "export.json");
    expect((await admin.upload("/api/1/admin/transfer/import", file)).status).toBe(200);
    await app.report({ hostGroups: [] });
    sweep(app);
    expect(names(app)).toEqual(["Bergen", "Capital", "by hand"]);
  });

  type Refer = (admin: TestClient, id: number) => Promise<{ status: number }>;
  const REFERENCES: [string, Refer][] = [
    ["a grant", (admin, id) => admin.post("/api/1/admin/grants/set", { uname: "user", view: id })],
    [
      "a limit",
      (admin, id) =>
        admin.post("/api/1/limits/create", {
          name: "full",
          statistics: [18],
          warning: 80,
          filter: { hostgroups: [id] },
        }),
    ],
    [
      "maintenance",
      (admin, id) =>
        admin.post("/api/1/admin/maintenance/create", {
          name: "patching",
          filter: { hostgroups: [id] },
          schedule: { kind: "weekly", days: [2], from: "03:00", minutes: 60 },
        }),
    ],
    [
      "a mute",
      (admin, id) => admin.post("/api/1/mutes/create", { minutes: 60, filter: { hostgroups: [id] } }),
    ],
    [
      "a status page",
      (admin, id) =>
        admin.post("/api/1/admin/statuspages/create", { title: "Rack", hostgroup: id, slug: "rack" }),
    ],
    [
      "a view",
      (admin, id) => admin.post("/api/1/views/create", { name: "disks", statistics: [18], hostgroup: id }),
    ],
    [
      "a saved filter",
      (admin, id) =>
        admin.post("/api/1/filters/create", {
          name: "red",
          filter: { screen: "events", hostgroupid: id },
        }),
    ],
    [
      "a level by groups of a provider",
      (admin) => admin.post("/api/1/admin/settings/update", { externallevels: "ops=Oslo:operate" }),
    ],
    [
      "a rule",
      async (admin, id) => {
        const hook = { name: "hook", kind: "webhook", settings: { url: "https://hooks.example.org/" } };
        const channel = await admin.post("/api/1/admin/channels/create", hook);
        return admin.post("/api/1/admin/rules/create", {
          name: "r",
          filter: { hostgroups: [id] },
          ...notifying(channel.json.id),
        });
      },
    ],
    [
      "a report",
      async (admin, id) => {
        const mail = {
          name: "mail",
          kind: "email",
          settings: { host: "127.0.0.1", security: "none", from: "m@example.org", to: "a@example.org" },
        };
        const channel = await admin.post("/api/1/admin/channels/create", mail);
        return admin.post("/api/1/admin/mailreports/create", {
          name: "day",
          channel: channel.json.id,
          hostgroups: [id],
          addresses: ["a@example.org"],
        });
      },
    ],
  ];

  test.each(REFERENCES)("stays while %s refers to it", async (_what, refer) => {
    const { app, admin, id } = await withLeftGroup();
    const reply = await refer(admin, id);
    expect({ status: reply.status, reply }).toMatchObject({ status: 200 });
    while (app.muster.groupCounts.step());
    const before = stored(app);
    sweep(app);
    expect(names(app)).toEqual(["Oslo", "by hand"]);
    expect(changedTables(app, before)).toEqual([]);
  });

  test("is looked for in steps of a bounded number of groups", async () => {
    const app = new TestApp();
    const groups = BATCH * 2 + 50;
    for (let i = 0; i < groups; i += 50)
      await app.report({ hostGroups: Array.from({ length: 50 }, (_, each) => `group ${i + each}`) });
    await app.report({ hostGroups: [] });
    const { unusedGroups } = app.muster;
    const left = () => names(app).length;
    expect([unusedGroups.step(), left()]).toEqual([true, groups - BATCH]);
    expect([unusedGroups.step(), left()]).toEqual([true, groups - 2 * BATCH]);
    expect([unusedGroups.step(), left()]).toEqual([false, 0]);
    expect([unusedGroups.step(), left()]).toEqual([false, 0]);
  });
});

describe("references to groups", () => {
  const MANY = 450;
  const limitsOf = (app: TestApp, count: number) =>
    app.db.$client.run(
      `with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
       insert into limits (name, statistics, filter, critical) select 'limit ' || i, '[18]', '{}', 1 from n`,
    );

  test("is read in steps of a bounded number of rows", async () => {
    const counter = new RowsRead();
    counter.start();
    try {
      const { app } = await withLeftGroup();
      limitsOf(app, MANY);
      while (app.muster.groupCounts.step());
      const rows: number[] = [];
      for (let more = true; more; rows.push(counter.rows)) {
        counter.reset();
        more = app.muster.unusedGroups.step();
      }
      expect(names(app)).toEqual(["by hand"]);
      expect(rows.length).toBeGreaterThan(MANY / BATCH);
      expect(Math.max(...rows)).toBeLessThan(BATCH + 50);
    } finally {
      counter.stop();
    }
  });

  test("counts from the moment on at which it begins to refer", async () => {
    const { app, admin, id } = await withLeftGroup();
    limitsOf(app, MANY);
    while (app.muster.groupCounts.step());
    expect(app.muster.unusedGroups.step()).toBe(true);
    // This one was read already.
    const change = { id: 1, filter: { hostgroups: [id] } };
    expect((await admin.post("/api/1/limits/update", change)).status).toBe(200);
    sweep(app);
    expect(names(app)).toEqual(["Oslo", "by hand"]);
    expect((await admin.post("/api/1/limits/update", { id: 1, filter: {} })).status).toBe(200);
    sweep(app);
    expect(names(app)).toEqual(["by hand"]);
  });
});

describe("more groups than agents may name", () => {
  function withMost(): TestApp {
    const app = new TestApp();
    app.db.$client.run(
      `with recursive numbers (n) as (select 1 union all select n + 1 from numbers where n < ${MOST - 1})
       insert into host_groups (name, name_key, named_by_hand) select 'old ' || n, 'old', 0 from numbers`,
    );
    return app;
  }
  const notice = async (client: TestClient) => {
    const { host } = (await client.get("/api/1/status/hosts/get", { id: 1 })).json.records;
    return { leftOut: host.groupsleftout, groups: host.groups.map(({ name }: { name: string }) => name) };
  };

  test("are left out, the message is stored, and the host says so to administrators", async () => {
    const app = withMost();
    const [admin, user] = [await app.admin(), await app.user()];
    await admin.post("/api/1/admin/groups/create", { name: "Web" });
    const message = { hostGroups: ["first", "second", "third", "Web", "old 7"], services: [{ name: "app" }] };
    const reply = await app.report({ ...message, event: { service: "app" } });
    expect(reply.status).toBe(200);
    expect(await notice(admin)).toEqual({ leftOut: 2, groups: ["first", "old 7", "Web"] });
    expect((await notice(user)).leftOut).toBe(0);
    expect(app.rows("select count(*) as n from host_groups")).toEqual([{ n: MOST + 1 }]);
    expect(app.rows("select message from events")).toHaveLength(1);
    // A message that repeats the last one gets the same answer.
    await app.report(message);
    expect(await notice(admin)).toMatchObject({ leftOut: 2 });
  });

  test("are created once there is room, by the next message of the same words", async () => {
    const app = withMost();
    const admin = await app.admin();
    const message = { hostGroups: ["first", "second"] };
    await app.report(message);
    await app.report(message);
    expect(await notice(admin)).toMatchObject({ leftOut: 1 });
    // To sweep them all takes seconds; more are left than one step checks.
    app.db.$client.run(`delete from host_groups where name_key = 'old' and id > ${2 * BATCH}`);
    sweep(app);
    expect(names(app)).toEqual(["first"]);
    await app.report(message);
    expect(await notice(admin)).toEqual({ leftOut: 0, groups: ["first", "second"] });
  });

  test("can be named by administrators all the same", async () => {
    const app = withMost();
    const admin = await app.admin();
    await app.report({ hostGroups: ["first"] });
    expect((await admin.post("/api/1/admin/groups/create", { name: "by hand" })).status).toBe(200);
    await app.report({ hostGroups: ["first", "by hand"] });
    expect(await notice(admin)).toEqual({ leftOut: 0, groups: ["by hand", "first"] });
  });
});
