import { describe, expect, test } from "bun:test";
import { readHostList } from "../../../src/monitoring/expected/list-reader.ts";
import { groupName, inventoryOf } from "../../../src/operations/inventory/inventory.ts";

const host = (id: number, hostname: string, tags: string[] = [], address?: string) => ({
  id,
  hostname,
  led: 2,
  tags,
  address,
});

test("groups and tags are groups, and each value of a tag is a group within its name's", () => {
  const hosts = [
    host(1, "web-1", ["critical", "env=prod"], "192.0.2.1"),
    host(2, "db-1", ["env=test"]),
    host(3, "lone"),
  ];
  expect<unknown>(inventoryOf(hosts, [{ name: "Rack 7", hosts: [1] }])).toEqual({
    _meta: {
      hostvars: {
        "web-1": {
          ansible_host: "192.0.2.1",
          muster_id: 1,
          muster_led: "green",
          muster_tags: { critical: [], env: ["prod"] },
          muster_groups: ["Rack 7"],
        },
        "db-1": { muster_id: 2, muster_led: "green", muster_tags: { env: ["test"] }, muster_groups: [] },
        lone: { muster_id: 3, muster_led: "green", muster_tags: {}, muster_groups: [] },
      },
    },
    all: { children: ["ungrouped", "Rack_7", "tag_critical", "tag_env"] },
    ungrouped: { hosts: ["lone"] },
    Rack_7: { hosts: ["web-1"] },
    tag_critical: { hosts: ["web-1"] },
    tag_env: { hosts: [], children: ["tag_env_prod", "tag_env_test"] },
    tag_env_prod: { hosts: ["web-1"] },
    tag_env_test: { hosts: ["db-1"] },
  });
});

test("hosts of one name have their ids added", () => {
  const { _meta } = inventoryOf([host(1, "web"), host(2, "web"), host(3, "db")], []);
  expect(Object.keys(_meta.hostvars)).toEqual(["web_1", "web_2", "db"]);
});

test("a host that calls itself what another one is called with its id takes no place from that one", () => {
  const hosts = [host(7, "web", [], "192.0.2.7"), host(8, "web"), host(9, "web_7", [], "203.0.113.9")];
  const { _meta, prod } = inventoryOf(hosts, [{ name: "prod", hosts: [7] }]) as ReturnType<
    typeof inventoryOf
  > & {
    prod: unknown;
  };
  expect(Object.keys(_meta.hostvars)).toEqual(["web_7", "web_8", "web_7_9"]);
  expect([_meta.hostvars.web_7?.ansible_host, prod]).toEqual(["192.0.2.7", { hosts: ["web_7"] }]);
});

test("what is printed can be imported as a list of expected hosts", () => {
  const hosts = [host(1, "web-1", ["critical", "env=prod"]), host(2, "db-1"), host(3, "web"), host(4, "web")];
  const groups = [
    { name: "Rack 7", hosts: [1, 2] },
    { name: "{{ x }}", hosts: [1] },
  ];
  const list = readHostList(JSON.stringify(inventoryOf(hosts, groups), null, 2), "json");
  expect(list.wrong).toEqual([]);
  const read = list.hosts.map(({ hostname, groups: joined, tags }) => [hostname, joined, tags]);
  expect(read).toEqual([
    ["web-1", ["Rack 7"], ["critical", "env=prod"]],
    ["db-1", ["Rack 7"], []],
    ["web", [], []],
    ["web", [], []],
  ]);
  expect(list.hosts.map(({ ambiguous }) => ambiguous !== "")).toEqual([false, false, true, true]);
});

describe("names that agents made up", () => {
  test("hold nothing that a shell, ssh or a template of Ansible would act on", () => {
    for (const [hostname, name] of [
      ["{{ lookup('pipe','id') }}", "___lookup__pipe___id_____"],
      ["-oProxyCommand=id", "_oProxyCommand_id"],
      ["a b;c", "a_b_c"],
      ["", "_"],
    ] as const)
      expect(Object.keys(inventoryOf([host(1, hostname)], [])._meta.hostvars)).toEqual([name]);
    for (const address of ["-oProxyCommand=id", "{{ x }}", "a b", ""])
      expect(inventoryOf([host(1, "web", [], address)], [])._meta.hostvars.web).not.toHaveProperty(
        "ansible_host",
      );
    for (const address of ["2001:db8::1", "web.example.org"])
      expect(inventoryOf([host(1, "web", [], address)], [])._meta.hostvars.web?.ansible_host).toBe(address);
  });

  test("are no groups that mean something else", () => {
    expect(["all", "7th", "a-b", "_meta", "Tromsø"].map(groupName)).toEqual([
      "_all",
      "_7th",
      "a_b",
      "__meta",
      "Tromsø",
    ]);
  });
});
