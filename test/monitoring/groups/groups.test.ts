import { describe, expect, test } from "bun:test";
import type { Fields } from "../../support/client.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const path = (operation: string) => `/api/1/admin/groups/${operation}`;

/** Hosts 1 "web", 2 "db", 3 "mail"; group 1 "linux", which the agent of mail asked for; group 2 "racks", by hand. */
appOfEachTest(async () => {
  await app.report({ id: "a-web", hostname: "web" });
  await app.report({ id: "a-db", hostname: "db" });
  await app.report({ id: "a-mail", hostname: "mail", hostGroups: ["linux"] });
  await admin.post(path("create"), { name: "racks" });
});

const call = (operation: string, fields: Fields) => admin.post(path(operation), fields);
const members = () =>
  app.rows<{ group_id: number; host_id: number; by_hand: number; by_agent: number }>(
    "select group_id, host_id, by_hand, by_agent from host_group_members order by 1, 2",
  );
const FROM_AGENT = { group_id: 1, host_id: 3, by_hand: 0, by_agent: 1 };

describe("groups/list", () => {
  test("gives all hosts and all groups by name, members in the order of the hosts", async () => {
    await call("add", { id: 1, hostid: [1, 2] });
    const before = stored(app);
    const reply = await admin.get(path("list"));
    expect(reply.status).toBe(200);
    expect(reply.json).toEqual({
      hosts: [
        { id: 2, name: "db" },
        { id: 3, name: "mail" },
        { id: 1, name: "web" },
      ],
      groups: [
        { id: 1, name: "linux", hosts: [2, 3, 1], target: null },
        { id: 2, name: "racks", hosts: [], target: null },
      ],
    });
    expect(changedTables(app, before)).toEqual([]);
  });
});

describe("groups/create", () => {
  test("refuses a name that is taken, also by an agent's group", async () => {
    await expectRefusal(app, () => call("create", { name: "racks" }), 409, "group.exists");
    await expectRefusal(app, () => call("create", { name: "linux" }), 409, "group.exists");
  });
});

describe("groups/update", () => {
  test("renames this group only", async () => {
    const before = stored(app);
    const reply = await call("update", { id: 2, name: "shelves" });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect(changedTables(app, before)).toEqual(["host_groups"]);
    expect(app.rows("select id, name from host_groups order by id")).toEqual([
      { id: 1, name: "linux" },
      { id: 2, name: "shelves" },
    ]);
  });

  test("refuses the name of another group, and takes its own", async () => {
    await expectRefusal(app, () => call("update", { id: 2, name: "linux" }), 409, "group.exists");
    const before = stored(app);
    expect((await call("update", { id: 2, name: "racks" })).status).toBe(200);
    expect(changedTables(app, before)).toEqual([]);
  });
});

describe("groups/delete", () => {
  test("deletes the group with its memberships and leaves the hosts", async () => {
    await call("add", { id: 2, hostid: [1, 3] });
    const before = stored(app);
    const reply = await call("delete", { id: 2 });
    expect([reply.status, reply.json]).toEqual([200, {}]);
    expect(changedTables(app, before)).toEqual(["host_group_members", "host_groups"]);
    expect(app.rows("select name from host_groups")).toEqual([{ name: "linux" }]);
    expect(members()).toEqual([FROM_AGENT]);
  });

  test("lets a group come back that an agent asks for", async () => {
    await call("delete", { id: 1 });
    await app.report({ id: "a-mail", hostname: "mail", hostGroups: ["linux"] });
    expect((await admin.get(path("list"))).json.groups).toEqual([
      { id: 3, name: "linux", hosts: [3], target: null },
      { id: 2, name: "racks", hosts: [], target: null },
    ]);
  });
});

describe("groups/add", () => {
  test("adds several hosts, each once, and counts the new members only", async () => {
    const before = stored(app);
    const reply = await call("add", { id: 1, hostid: [1, 3, 2, 1] });
    expect([reply.status, reply.json]).toEqual([200, { added: 2 }]);
    expect(changedTables(app, before)).toEqual(["host_group_members"]);
    expect(members()).toEqual([
      { group_id: 1, host_id: 1, by_hand: 1, by_agent: 0 },
      { group_id: 1, host_id: 2, by_hand: 1, by_agent: 0 },
      { group_id: 1, host_id: 3, by_hand: 1, by_agent: 1 },
    ]);
    expect((await call("add", { id: 1, hostid: [1, 2] })).json).toEqual({ added: 0 });
  });

  test("keeps a member by hand when its agent no longer asks", async () => {
    await call("add", { id: 1, hostid: 3 });
    await app.report({ id: "a-mail", hostname: "mail", hostGroups: [] });
    expect(members()).toEqual([{ group_id: 1, host_id: 3, by_hand: 1, by_agent: 0 }]);
  });

  test("adds nobody when one host is unknown", async () => {
    await expectRefusal(app, () => call("add", { id: 2, hostid: [1, 9, 2] }), 404, "object.unknown");
  });

  test("takes at most 10,000 hosts in a call", async () => {
    const hostid = Array.from({ length: 10_001 }, (_, i) => i + 1);
    await expectRefusal(app, () => call("add", { id: 2, hostid }), 400, "argument.invalid");
    await expectRefusal(app, () => call("add", { id: 2, hostid: hostid.slice(1) }), 404, "object.unknown");
  });
});

describe("groups/remove", () => {
  test("removes several hosts of this group and counts those that were members", async () => {
    await call("add", { id: 1, hostid: [1, 2] });
    await call("add", { id: 2, hostid: [1, 2] });
    const before = stored(app);
    const reply = await call("remove", { id: 2, hostid: [1, 2, 3] });
    expect([reply.status, reply.json]).toEqual([200, { removed: 2 }]);
    expect(changedTables(app, before)).toEqual(["host_group_members"]);
    expect(members()).toEqual([
      { group_id: 1, host_id: 1, by_hand: 1, by_agent: 0 },
      { group_id: 1, host_id: 2, by_hand: 1, by_agent: 0 },
      FROM_AGENT,
    ]);
  });

  test("leaves a member that its agent asks for, and does not count it", async () => {
    await call("add", { id: 1, hostid: [1, 3] });
    expect((await call("remove", { id: 1, hostid: [1, 3] })).json).toEqual({ removed: 1 });
    expect(members()).toEqual([FROM_AGENT]);
    await app.report({ id: "a-mail", hostname: "mail", hostGroups: [] });
    expect(members()).toEqual([]);
  });

  test("removes nobody when one host is unknown", async () => {
    await call("add", { id: 2, hostid: [1, 2] });
    await expectRefusal(app, () => call("remove", { id: 2, hostid: [1, 9] }), 404, "object.unknown");
  });
});

test("a deleted host leaves its groups", async () => {
  await call("add", { id: 2, hostid: [1, 3] });
  await admin.post("/api/1/admin/hosts/delete", { id: 3 });
  expect(members()).toEqual([{ group_id: 2, host_id: 1, by_hand: 1, by_agent: 0 }]);
});
