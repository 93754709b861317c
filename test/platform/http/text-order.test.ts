/** Lists of names are ordered without regard to case, in any alphabet; the order is that of the bytes of the keys. */
import { describe, expect, test } from "bun:test";
import { inNameOrder, sortKey } from "../../../src/platform/sort-key.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";

/** In the order in which they are first heard of. É is one code point in the first place and two in the second. */
const HEARD = [
  "web2",
  "Web10",
  "WEB1",
  "web1",
  "\u{1f600}",
  "\uff57",
  "zoo",
  "\u00e9mile",
  "E\u0301clair",
  "\u00c4rger",
  "\u00e4rger",
  "_x",
  "stra\u00dfe",
  "ALFA",
];
/** Names with the same key are in the order of their ids, which is that of hearing of them. */
const ORDERED = [
  "_x",
  "ALFA",
  "stra\u00dfe",
  "WEB1",
  "web1",
  "Web10",
  "web2",
  "zoo",
  "\u00c4rger",
  "\u00e4rger",
  // U+FF57 comes before U+1F600, as their bytes do, though not the units of UTF-16.
  "E\u0301clair",
  "\u00e9mile",
  "\uff57",
  "\u{1f600}",
];
/** Descending, hosts with the same key are still in the order of their ids. */
const HOSTS_DESCENDING = [
  "\u{1f600}",
  "\uff57",
  "\u00e9mile",
  "E\u0301clair",
  "\u00c4rger",
  "\u00e4rger",
  "zoo",
  "web2",
  "Web10",
  "WEB1",
  "web1",
  "stra\u00dfe",
  "ALFA",
  "_x",
];

async function filled(): Promise<{ app: TestApp; admin: TestClient }> {
  const app = new TestApp();
  for (const [i, name] of HEARD.entries()) {
    await app.report({
      id: `agent-${i}`,
      hostname: name,
      services: HEARD.map((service) => ({ name: service })),
      serviceGroups: { [name]: [name] },
      hostGroups: [name],
      event: { service: name, message: name },
    });
    app.clock.step(1);
  }
  return { app, admin: await app.admin() };
}
const { app, admin } = await filled();

const list = async (path: string, field: string, query = {}) => {
  const { json } = await admin.get(`/api/1${path}`, query);
  const records = json.records ?? json.items ?? json;
  return records.map((record: Record<string, unknown>) => record[field]);
};

describe("without regard to case, ties by id, are", () => {
  test("hosts, whatever the page", async () => {
    expect(await list("/status/hosts/list", "hostname")).toEqual(ORDERED);
    expect(await list("/admin/hosts/list", "hostname")).toEqual(ORDERED);
    expect(await list("/reports/uptime/list", "name")).toEqual(ORDERED);
    const page = { startindex: 3, results: 2 };
    expect(await list("/status/hosts/list", "hostname", page)).toEqual(["WEB1", "web1"]);
  });

  test("hosts in descending order, but for the ties", async () => {
    const query = { sort: "hostname", dir: "desc" };
    expect(await list("/status/hosts/list", "hostname", query)).toEqual(HOSTS_DESCENDING);
  });

  test("hosts that are alike in what the list is ordered by", async () => {
    for (const dir of ["asc", "desc"])
      expect(await list("/status/hosts/list", "hostname", { sort: "led", dir })).toEqual(ORDERED);
  });

  test("hosts and groups of the list of groups, and the members of a group", async () => {
    const groupId = (await admin.post("/api/1/admin/groups/create", { name: "\u00c9cole" })).json.id;
    const hostid = app.rows<{ id: number }>("select id from hosts").map(({ id }) => id);
    await admin.post("/api/1/admin/groups/add", { id: groupId, hostid });
    const { json } = await admin.get("/api/1/admin/groups/list");
    expect(json.hosts.map(({ name }: { name: string }) => name)).toEqual(ORDERED);
    const withSchool = ORDERED.flatMap((name) => (name === "\u00e9mile" ? ["\u00c9cole", name] : [name]));
    expect(json.groups.map(({ name }: { name: string }) => name)).toEqual(withSchool);
    const names = new Map<number, string>(
      json.hosts.map(({ id, name }: { id: number; name: string }) => [id, name]),
    );
    const { hosts } = json.groups.find(({ id }: { id: number }) => id === groupId);
    expect(hosts.map((id: number) => names.get(id))).toEqual(ORDERED);
  });

  test("the services of a host, and of its report", async () => {
    const { json } = await admin.get("/api/1/status/hosts/get", { id: 1 });
    expect(json.records.host.services.map(({ name }: { name: string }) => name)).toEqual(ORDERED);
    expect(await list("/reports/uptime/get", "name", { id: 1 })).toEqual(ORDERED);
  });

  test("service groups", async () => {
    expect(await list("/status/servicegroups/list", "name")).toEqual(ORDERED);
  });

  test("users and API tokens", async () => {
    for (const uname of ["bob", "Zoe", "Carl"]) {
      await admin.post("/api/1/admin/users/create", { uname, fullname: "N", password: "long enough" });
      await admin.post("/api/1/tokens/create", { name: uname, scope: "read" });
    }
    expect(await list("/admin/users/list", "uname")).toEqual(["admin", "bob", "Carl", "user", "Zoe"]);
    expect(await list("/tokens/list", "name")).toEqual(["bob", "Carl", "Zoe"]);
  });

  test("events by name of host or service, in both directions: ties follow the direction", async () => {
    // One event of each host, by its agent; those of the first two that follow tie with them.
    const reversed = ORDERED.toReversed();
    for (const sort of ["hostname", "servicename"]) {
      expect(await list("/reports/events/list", sort, { sort, dir: "asc" })).toEqual(ORDERED);
      expect(await list("/reports/events/list", sort, { sort, dir: "desc" })).toEqual(reversed);
    }
  });
});

describe("a host is found", () => {
  test("by a part of its name in any case and in either form of an accent", async () => {
    for (const hostpattern of ["\u00c9", "E\u0301", "e\u0301"])
      expect(await list("/status/hosts/list", "hostname", { hostpattern })).toEqual([
        "E\u0301clair",
        "\u00e9mile",
      ]);
    expect(await list("/status/hosts/list", "hostname", { hostpattern: "%" })).toEqual([]);
    expect(await list("/status/hosts/list", "hostname", { hostpattern: "_" })).toEqual(["_x"]);
  });

  test("at its new place once its agent, or an administrator, names it otherwise", async () => {
    const { app, admin } = await filled();
    await app.report({ id: "agent-0", hostname: "Aaron", at: app.clock.now() });
    const { agentuser, agentpassword } = (await admin.get("/api/1/admin/hosts/get", { id: 2 })).json;
    const renamed = { id: 2, hostname: "Berta", agentuser, agentpassword };
    expect((await admin.post("/api/1/admin/hosts/update", renamed)).status).toBe(200);
    await admin.post("/api/1/admin/groups/update", { id: 1, name: "A first" });
    const hosts = (await admin.get("/api/1/status/hosts/list")).json.records;
    expect(hosts.slice(0, 4).map(({ hostname }: { hostname: string }) => hostname)).toEqual([
      "_x",
      "Aaron",
      "ALFA",
      "Berta",
    ]);
    const { groups } = (await admin.get("/api/1/admin/groups/list")).json;
    expect(groups.slice(0, 3).map(({ name }: { name: string }) => name)).toEqual(["_x", "A first", "ALFA"]);
  });
});

describe("the key of a name", () => {
  test("is stored beside it", () => {
    for (const [table, column, key] of [
      ["hosts", "hostname", "hostname_key"],
      ["names", "name", "name_key"],
      ["host_groups", "name", "name_key"],
    ])
      for (const row of app.rows<{ name: string; key: string }>(
        `select ${column} as name, ${key} as key from ${table}`,
      ))
        expect(row.key).toBe(sortKey(row.name));
  });

  test("leads to the same order in code as in the database", () => {
    expect(inNameOrder(HEARD, (name) => name)).toEqual(ORDERED);
  });
});
