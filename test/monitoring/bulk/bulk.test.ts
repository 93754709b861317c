import { describe, expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const UPDATE = "/api/1/admin/hosts/bulk/update";
const DELETE = "/api/1/admin/hosts/bulk/delete";
/** More than two steps. */
const HOSTS = 60;

/** Hosts 1 to 60, "host-1" and so on; the first 30 have the tag env=prod. Group 1 "rack". */
appOfEachTest(async () => {
  for (let n = 1; n <= HOSTS; n++) await app.report({ id: `a-${n}`, hostname: `host-${n}` });
  const hostid = Array.from({ length: HOSTS / 2 }, (_, i) => i + 1);
  await admin.post("/api/1/admin/tags/add", { tags: ["env=prod"], hosts: hostid });
  await admin.post("/api/1/admin/groups/create", { name: "rack" });
});

const update = async (fields: Fields) => {
  const { status, json } = await admin.post(UPDATE, fields);
  expect(status).toBe(200);
  return json.hosts as number;
};
const count = (sql: string) => app.rows<{ n: number }>(`select count(*) as n from ${sql}`)[0]?.n;
const entries = () =>
  app.rows<{ details: string }>(
    "select details from audit where operation like 'admin/hosts/bulk/%' order by id",
  );

test("needs a selection", async () => {
  for (const [path, more] of [
    [UPDATE, { skew: 5 }],
    [DELETE, { count: 1 }],
  ] as const) {
    const right = { hosts: [1], ...more };
    await expectRefusal(app, () => admin.post(path, more), 400, "request.invalid");
    await expectRefusal(app, () => admin.post(path, { ...right, filter: {} }), 400, "request.invalid");
    const noTag = { ...more, filter: { tag: [] } };
    await expectRefusal(app, () => admin.post(path, noTag), 400, "argument.invalid");
    await expectRefusal(app, () => admin.post(path, { ...right, hosts: [1, 99] }), 400, "argument.invalid");
  }
});

describe("an update", () => {
  test("changes tags, groups and settings of all hosts that match a filter, and of no other", async () => {
    const before = stored(app);
    const change = { addtags: ["Seen", "env=test"], removetags: ["env=prod"], addgroups: [1], skew: 9 };
    expect(await update({ filter: { tag: ["env=prod"] }, ...change })).toBe(30);
    expect(changedTables(app, before)).toEqual(["host_group_members", "host_tags", "hosts"]);
    expect(app.rows("select name, value, count(*) as n from host_tags group by 1, 2 order by 1")).toEqual([
      { name: "env", value: "test", n: 30 },
      { name: "seen", value: "", n: 30 },
    ]);
    expect([count("hosts where skew = 9"), count("host_group_members")]).toEqual([30, 30]);
    expect(count("hosts where skew = 9 and id > 30")).toBe(0);
  });

  test("changes any setting but the name", async () => {
    const change = { description: "rack 4", keepname: 1, sslverify: 0, portout: 2812, ipaddrout: "" };
    expect(await update({ hosts: [1, 2], ...change })).toBe(2);
    const columns = "description, keepname, sslverify, portout";
    expect(app.rows(`select hostname, ${columns} from hosts where portout = 2812 order by id`)).toEqual([
      { hostname: "host-1", description: "rack 4", keepname: 1, sslverify: 0, portout: 2812 },
      { hostname: "host-2", description: "rack 4", keepname: 1, sslverify: 0, portout: 2812 },
    ]);
    const named = { hosts: [1, 2], hostname: "same" };
    await expectRefusal(app, () => admin.post(UPDATE, named), 400, "argument.unknown");
  });

  test("takes every host if the filter is empty, or those that are named", async () => {
    expect(await update({ filter: {}, skew: 4 })).toBe(60);
    expect(await update({ hosts: [2, 2, 5], skew: 6 })).toBe(2);
    expect(app.rows("select id from hosts where skew = 6 order by id")).toEqual([{ id: 2 }, { id: 5 }]);
    expect(await update({ filter: { tag: ["none"] }, skew: 8 })).toBe(0);
  });

  test("ignores hosts and takes that back, and leaves those alone that are so already", async () => {
    await update({ hosts: [1, 2], ignored: true });
    expect(app.rows("select id, led from hosts where status = 2 order by id")).toEqual([
      { id: 1, led: 3 },
      { id: 2, led: 3 },
    ]);
    const before = stored(app);
    await update({ hosts: [1, 2, 3], ignored: false, addtags: ["seen"] });
    expect(count("hosts where status = 2")).toBe(0);
    expect(changedTables(app, before)).not.toContain("host_groups");
  });

  test("removes hosts from a group but those whose agents name it", async () => {
    await app.report({ id: "a-1", hostname: "host-1", hostGroups: ["rack"] });
    await update({ filter: {}, addgroups: [1] });
    await update({ filter: {}, removegroups: [1] });
    expect(app.rows("select host_id from host_group_members")).toEqual([{ host_id: 1 }]);
  });

  test("that would give a host too many tags, or names no group, changes nothing", async () => {
    const many = Array.from({ length: 50 }, (_, i) => `n=${i}`);
    const full = { filter: {}, addtags: many, skew: 9 };
    await expectRefusal(app, () => admin.post(UPDATE, full), 409, "tags.many");
    const group = { filter: {}, addgroups: [1, 9], skew: 9 };
    await expectRefusal(app, () => admin.post(UPDATE, group), 400, "argument.invalid");
  });

  test("has an audit entry for each step with its hosts, in the transaction that changed them", async () => {
    await update({ filter: {}, skew: 9 });
    const details = entries().map(({ details }) => JSON.parse(details));
    expect(details.map(({ hosts }) => hosts.length)).toEqual([25, 25, 10]);
    expect(new Set(details.flatMap(({ hosts }) => hosts)).size).toBe(60);
    expect(details[0]).toMatchObject({ skew: 9 });
  });

  test("that fails in the middle has changed whole hosts only, those that the audit log names", async () => {
    // The step that comes to this host fails.
    const forget = app.hostCache.forget.bind(app.hostCache);
    app.hostCache.forget = (id) => {
      if (id === 40) throw new Error("a fault");
      forget(id);
    };
    const failed = await admin.post(UPDATE, { filter: {}, skew: 9, addtags: ["seen"], addgroups: [1] });
    expect(failed.status).toBe(500);
    const named = entries().flatMap(({ details }) => JSON.parse(details).hosts as number[]);
    const changed = (sql: string) => app.rows<{ id: number }>(sql).map(({ id }) => id);
    expect(named.length).toBeGreaterThan(0);
    named.sort((a, b) => a - b);
    expect(changed("select id from hosts where skew = 9 order by id")).toEqual(named);
    expect(changed("select host_id as id from host_tags where name = 'seen' order by 1")).toEqual(named);
    expect(changed("select host_id as id from host_group_members order by 1")).toEqual(named);
  });
});

describe("a deletion", () => {
  test("needs the number of hosts that are meant", async () => {
    await expectRefusal(app, () => admin.post(DELETE, { filter: {}, count: 59 }), 409, "bulk.count");
    await expectRefusal(app, () => admin.post(DELETE, { filter: {} }), 400, "argument.missing");
  });

  test("deletes those that match, with everything that belongs to them, each on the audit log", async () => {
    const { json } = await admin.post(DELETE, { filter: { tag: ["env=prod"] }, count: 30 });
    expect(json).toEqual({ deleted: 30 });
    expect([count("hosts"), count("hosts where id <= 30"), count("host_tags")]).toEqual([30, 0, 0]);
    expect(count("audit where operation = 'admin/hosts/delete'")).toBe(30);
    expect(app.rows("select sum(n) as n from host_counts")).toEqual([{ n: 30 }]);
  });
});
