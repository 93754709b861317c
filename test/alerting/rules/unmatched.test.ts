/** Limits and rules that match nothing at present are listed apart from the others. */

import { describe, expect, test } from "bun:test";
import { filesystemXml, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, stored } from "../../support/stored.ts";

const LIMITS = "/api/1/limits";
const RULES = "/api/1/admin/rules";

/** Two hosts, of which the first is in a group, and a channel. */
async function site(): Promise<{ app: TestApp; admin: TestClient }> {
  const app = new TestApp();
  for (const i of [1, 2])
    await app.report({
      id: `agent-${i}`,
      hostname: `host-${i}`,
      services: [
        { name: "system", type: 5, body: systemXml() },
        ...(i === 2 ? [{ name: "data", type: 0, body: filesystemXml() }] : []),
      ],
      serviceGroups: { all: ["system"] },
    });
  const admin = await app.admin();
  const post = async (path: string, fields: Fields) => {
    const reply = await admin.post(`/api/1/admin/${path}`, fields);
    expect([path, reply.status]).toEqual([path, 200]);
  };
  await post("groups/create", { name: "first" });
  await post("groups/add", { id: 1, hostid: 1 });
  await post("groups/create", { name: "empty" });
  await post("channels/create", { name: "hook", kind: "webhook", settings: { url: "http://127.0.0.1:9/" } });
  return { app, admin };
}

/** Filters of a limit of the load, and of a rule. */
const CASES: readonly [what: string, filter: Fields, isMatched: boolean][] = [
  ["no condition", {}, true],
  ["an empty host group", { hostgroups: [2] }, false],
  ["a host group", { hostgroups: [1] }, true],
  ["a tag that no host has", { tags: ["env=prod"] }, false],
  ["a pattern of a service", { servicenames: ["sys*"] }, true],
  ["a service of another name", { servicenames: ["web"] }, false],
  ["a service of another host", { servicenames: ["data"], hosts: [1] }, false],
  ["a type of service", { servicetypes: [5] }, true],
  ["a type that no service has", { servicetypes: [4] }, false],
];

/** Creates a limit or a rule. */
async function create(client: TestClient, path: string, fields: object): Promise<void> {
  const reply = await client.post(`${path}/create`, fields as Fields);
  expect([fields, reply.status]).toEqual([fields, 200]);
}

describe("of limits and rules", () => {
  for (const [title, filter, isMatched] of CASES)
    test(`those with ${title} match ${isMatched ? "something" : "nothing"}`, async () => {
      const { app, admin } = await site();
      await create(admin, LIMITS, { name: "load", statistics: [0], warning: 5, filter });
      await create(admin, RULES, { name: "all", ...notifying(1), filter });
      const before = stored(app);
      for (const path of [LIMITS, RULES]) {
        const reply = await admin.get(`${path}/unmatched`);
        expect([path, reply.status, reply.json]).toEqual([path, 200, { ids: isMatched ? [] : [1] }]);
      }
      expect(changedTables(app, before)).toEqual([]);
    });

  test("a limit with a descriptor that no agent sends matches nothing, and so does one of another statistic", async () => {
    const { admin } = await site();
    for (const [name, fields] of [
      ["right", { statistics: [0], descriptor: "15min" }],
      ["wrong", { statistics: [0], descriptor: "15" }],
      ["swap", { statistics: [30] }],
      ["space", { statistics: [18] }],
      ["days", { statistics: [170] }],
      ["disabled", { statistics: [30], enabled: false }],
    ] as const)
      await create(admin, LIMITS, { name, warning: 5, ...fields });
    expect((await admin.get(`${LIMITS}/unmatched`)).json).toEqual({ ids: [2, 3] });
  });

  test("a rule of a service group, and one of the agent itself, match by what hosts have", async () => {
    const { admin } = await site();
    for (const [name, fields] of [
      ["group", { filter: { servicegroups: ["all"] } }],
      ["no group", { filter: { servicegroups: ["none"] } }],
      ["group of another service", { filter: { servicegroups: ["all"], servicenames: ["data"] } }],
      ["agent", { filter: { servicenames: ["Monit"] } }],
      ["disabled", { filter: { servicenames: ["none"] }, enabled: false }],
    ] as const)
      await create(admin, RULES, { name, ...notifying(1), ...fields });
    expect((await admin.get(`${RULES}/unmatched`)).json).toEqual({ ids: [2, 3] });
  });

  test("nothing is said before there is a host, nor to those who do not manage them", async () => {
    const app = new TestApp();
    const admin = await app.admin();
    await create(admin, LIMITS, { name: "load", statistics: [0], warning: 5 });
    expect((await admin.get(`${LIMITS}/unmatched`)).json).toEqual({ ids: [] });
    const full = await site();
    await create(full.admin, LIMITS, { name: "all", statistics: [30], warning: 5 });
    await create(full.admin, LIMITS, {
      name: "own",
      statistics: [30],
      warning: 5,
      filter: { hostgroups: [1] },
    });
    await full.admin.post("/api/1/admin/grants/set", { uname: "user", manage: 1 });
    const user = await full.app.user();
    expect((await user.get(`${LIMITS}/unmatched`)).json).toEqual({ ids: [2] });
    expect((await user.get(`${RULES}/unmatched`)).json).toEqual({ ids: [] });
  });
});
