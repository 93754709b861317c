import { expect, test } from "bun:test";
import { STOPPED, systemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";

const LIST = "/api/1/status/hosts/list";
const fine = [{ name: "web" }];
const failing = [{ name: "web", status: 512 }];

/** Seven hosts, one of each state. */
async function hostCache(): Promise<TestClient> {
  const app = new TestApp();
  await app.report({ id: "silent", hostname: "silent", services: fine });
  app.pass(91);
  const system = (user: number) => ({
    name: "s",
    type: 5,
    body: systemXml({ user, system: 0, memory: user }),
  });
  await app.report({ id: "green", hostname: "green", services: [...fine, system(30)], hostGroups: ["Oslo"] });
  await app.report({
    id: "red",
    hostname: "red",
    services: failing,
    event: { service: "web" },
    hostGroups: ["Oslo", "Web"],
  });
  await app.report({
    id: "orange",
    hostname: "orange",
    services: [...failing, system(70)],
    hostGroups: ["Web"],
  });
  await app.report({ id: "empty", hostname: "empty" });
  await app.report({ id: "stopped", hostname: "stopped", services: fine, event: STOPPED });
  await app.report({ id: "ignored", hostname: "ignored", services: failing });
  const admin = await app.admin();
  const credentials = { agentuser: "admin", agentpassword: "monit" };
  await admin.post("/api/1/admin/hosts/update", { id: 7, hostname: "ignored", ...credentials, status: 2 });
  return app.user();
}
const user = await hostCache();

const names = (json: { records: { hostname: string }[] }) =>
  json.records.map(({ hostname }) => hostname).join(" ");

test("each state shows in LED, status, heartbeat and words", async () => {
  const { json } = await user.get(LIST);
  expect(json.records).toEqual([
    {
      id: 5,
      led: 3,
      hostname: "empty",
      events: 0,
      cpu: -1,
      mem: -1,
      status: "No services",
      statusid: 0,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 0,
      servicesok: 0,
      muted: null,
      tags: [],
    },
    {
      id: 2,
      led: 2,
      hostname: "green",
      events: 0,
      cpu: 30,
      mem: 30,
      status: "All 2 services are available",
      statusid: 0,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 2,
      servicesok: 2,
      muted: null,
      tags: [],
    },
    {
      id: 7,
      led: 3,
      hostname: "ignored",
      events: 0,
      cpu: -1,
      mem: -1,
      status: "Ignored",
      statusid: 2,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 1,
      servicesok: 0,
      muted: null,
      tags: [],
    },
    {
      id: 4,
      led: 1,
      hostname: "orange",
      events: 0,
      cpu: 70,
      mem: 70,
      status: "1 out of 2 services are available",
      statusid: 0,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 2,
      servicesok: 1,
      muted: null,
      tags: [],
    },
    {
      id: 3,
      led: 0,
      hostname: "red",
      events: 1,
      cpu: -1,
      mem: -1,
      status: "0 out of 1 services are available",
      statusid: 0,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 1,
      servicesok: 0,
      muted: null,
      tags: [],
    },
    {
      id: 1,
      led: 0,
      hostname: "silent",
      events: 1,
      cpu: -1,
      mem: -1,
      status: "No report from Monit. Last report was 2026-01-05 12:00:00 UTC",
      statusid: 1,
      heartbeat: 0,
      lastmodified: START,
      services: 1,
      servicesok: 1,
      muted: null,
      tags: [],
    },
    {
      id: 6,
      led: 3,
      hostname: "stopped",
      events: 1,
      cpu: -1,
      mem: -1,
      status: "Stopped",
      statusid: 1,
      heartbeat: 1,
      lastmodified: START + 91,
      services: 1,
      servicesok: 1,
      muted: null,
      tags: [],
    },
  ]);
  expect(json.totalRecords).toBe(7);
});

const SELECTIONS: readonly [query: string, hosts: string][] = [
  ["hostid=2&hostid=3&hostid=99", "green red"],
  ["hostid=99", ""],
  ["hostgroupid=1", "green red"],
  ["hostgroupid=2", "orange red"],
  ["hostgroupid=1&hostgroupid=2", "green orange red"],
  ["hostgroupid=9", ""],
  ["led=0", "red silent"],
  ["led=1", "orange"],
  ["led=2", "green"],
  ["led=3", "empty ignored stopped"],
  ["led=0&led=2", "green red silent"],
  ["hostgroupid=1&led=0", "red"],
  ["hostid=2&hostgroupid=2", ""],
  ["hostpattern=RE", "green ignored red"],
  ["hostname=RED", "red"],
  ["hostname=re", ""],
  ["hostpattern=%25", ""],
  ["hostpattern=_", ""],
];
for (const [query, hosts] of SELECTIONS)
  test(`${query} selects "${hosts}", by GET and by POST`, async () => {
    const get = await user.get(`${LIST}?${query}`);
    expect([names(get.json), get.json.totalRecords]).toEqual([
      hosts,
      hosts.split(" ").filter(Boolean).length,
    ]);
    expect((await user.post(`${LIST}?${query}`)).json).toEqual(get.json);
  });

test("a pattern finds names in either case, letters beyond ASCII as they are written", async () => {
  const freshApp = new TestApp();
  await freshApp.report({ hostname: "BLÅBÆR" });
  const client = await freshApp.user();
  for (const hostpattern of ["BLÅ", "blÅ", "Åbær".toUpperCase()])
    expect([hostpattern, names((await client.get(LIST, { hostpattern })).json)]).toEqual([
      hostpattern,
      "BLÅBÆR",
    ]);
});

test("a pattern has no wildcards: the name contains it as it is", async () => {
  const freshApp = new TestApp();
  for (const hostname of ["10%", "100", "a_b", "a-b", "c\\d", "c%d"])
    await freshApp.report({ id: hostname, hostname });
  const client = await freshApp.user();
  const namesMatching = async (hostpattern: string) => names((await client.get(LIST, { hostpattern })).json);
  expect(await namesMatching("0%")).toBe("10%");
  expect(await namesMatching("A_B")).toBe("a_b");
  expect(await namesMatching("\\")).toBe("c\\d");
  expect(await namesMatching("%")).toBe("10% c%d");
});

const SORTS: readonly [query: string, hosts: string][] = [
  ["sort=hostname", "empty green ignored orange red silent stopped"],
  ["dir=desc", "stopped silent red orange ignored green empty"],
  ["sort=led", "red silent orange green empty ignored stopped"],
  ["sort=led&dir=desc", "empty ignored stopped green orange red silent"],
  ["sort=events&dir=desc", "red silent stopped empty green ignored orange"],
  ["sort=cpu&dir=desc&results=2", "orange green"],
  ["sort=mem&dir=desc&results=1", "orange"],
  ["sort=status", "red orange green ignored silent empty stopped"],
];
for (const [query, hosts] of SORTS)
  test(`${query} gives "${hosts}"`, async () => {
    expect(names((await user.get(`${LIST}?${query}`)).json)).toBe(hosts);
  });

test("pages of two together are the whole list, each with the exact total", async () => {
  const pages: string[] = [];
  for (let startindex = 0; startindex < 8; startindex += 2) {
    const { json } = await user.get(LIST, { results: 2, startindex });
    expect(json).toMatchObject({
      pageSize: 2,
      totalRecords: 7,
      startIndex: startindex,
      sort: "hostname",
      dir: "asc",
    });
    expect(json.recordsReturned).toBe(json.records.length);
    pages.push(names(json));
  }
  expect(pages.join(" ")).toBe("empty green ignored orange red silent stopped");
  expect((await user.get(LIST, { startindex: 100 })).json).toMatchObject({ records: [], totalRecords: 7 });
  expect((await user.get(LIST, { results: 1_000_000 })).json.pageSize).toBe(10_000);
});

test("a startindex without a page size skips, and gives all the rest", async () => {
  expect(names((await user.get(LIST, { startindex: 5 })).json)).toBe("silent stopped");
});

test("the summary counts each host once, in the contract's order", async () => {
  for (const method of ["get", "post"] as const)
    expect((await user[method]("/api/1/status/hosts/summary")).json).toEqual({
      status: [
        { label: "failed", data: 1 },
        { label: "services failed", data: 1 },
        { label: "some services failed/unmonitored", data: 1 },
        { label: "ok", data: 2 },
        { label: "inactive", data: 1 },
        { label: "ignored", data: 1 },
      ],
    });
});

test("the summary of no hosts has all six labels", async () => {
  const { json } = await (await new TestApp().user()).get("/api/1/status/hosts/summary");
  expect(json.status.map(({ data }: { data: number }) => data)).toEqual([0, 0, 0, 0, 0, 0]);
});
