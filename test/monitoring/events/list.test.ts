import { describe, expect, test } from "bun:test";
import { idsOfEvents } from "../../../src/monitoring/events/event-pages.repository.ts";
import { countEvents } from "../../../src/monitoring/events/event-totals.repository.ts";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import type { EventXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";

const LIST = "/api/1/reports/events/list";

/** Events 1 to 8 of three hosts, ten seconds apart, the first at the start. */
const STORY: readonly [host: string, service: string, event: Partial<EventXml>][] = [
  ["a", "web", { serviceType: 3, id: 512, state: 1, message: "gone" }],
  ["a", "web", { serviceType: 3, id: 512, state: 0, message: "back" }],
  ["a", "db", { serviceType: 3, id: 2, state: 1, message: "cpu" }],
  ["b", "web", { serviceType: 3, id: 32, state: 1, message: "port" }],
  ["b", "disk", { serviceType: 0, id: 2, state: 2, message: "changed" }],
  ["b", "eth0", { serviceType: 8, id: 8_388_608, state: 1, message: "link down" }],
  ["c", "web", { serviceType: 3, id: 512, state: 1, message: "missing" }],
  ["a", "web", { serviceType: 3, id: 4, state: 1, message: "Timeout" }],
];
const GROUPS: Record<string, string[]> = { a: ["Oslo"], b: ["Bergen"], c: ["Oslo", "Bergen"] };

/** The bits of a service's status: what its host's events up to this one left open. */
function statusAfter(count: number, host: string, service: string): number {
  let open = 0;
  for (const [of, name, { id = 0, state = 0 }] of STORY.slice(0, count))
    if (of === host && name === service) open = state === 1 ? open | id : state === 0 ? open & ~id : open;
  return open;
}

async function story() {
  const app = new TestApp();
  for (const [i, [host, service, event]] of STORY.entries()) {
    const services = ["web", "db", "disk", "eth0"].map((name) => ({
      name,
      status: statusAfter(i + 1, host, name),
    }));
    const serviceGroups = { app: ["web"], store: ["db", "disk"] };
    await app.report({
      id: host,
      hostname: `host-${host}`,
      at: app.clock.now(),
      incarnation: START - 100,
      services,
      serviceGroups,
      hostGroups: GROUPS[host] ?? [],
      event: { service, ...event },
    });
    app.clock.step(10);
  }
  // Host c is ignored; event 3 is dismissed, event 2 has a note.
  const { agentuser, agentpassword } = app.muster.hosts.get(3, FULL_REACH);
  app.muster.hosts.update({ id: 3, hostname: "host-c", agentuser, agentpassword, status: 2 }, FULL_REACH);
  app.muster.events.dismiss([3], FULL_REACH);
  app.muster.events.addNote({ eventId: 2, uname: "user", message: "was me" }, FULL_REACH);
  return app;
}
const app = await story();
const user = await app.user();
const nameId = (name: string) =>
  app.rows<{ id: number }>(`select id from names where name = '${name}'`)[0]?.id ?? 0;
const groupId = (host: number, name: string) =>
  app.rows<{ id: number }>(`select id from service_groups where host_id = ${host} and name = '${name}'`)[0]
    ?.id ?? 0;
const web = nameId("web");

const ids = (json: { records: { id: number }[] }) => json.records.map(({ id }) => id).join(" ");

const FILTERS: readonly [query: string, found: string, why?: string][] = [
  ["", "8 7 6 5 4 3 2 1"],
  ["active=0", "8 7 6 5 4 3 2 1"],
  ["active=1", "8 6 4 3", "without the ended 1 and the ignored host's 7"],
  ["active=2", "8 6 4"],
  ["hostid=1", "8 3 2 1"],
  ["hostid=1&hostid=3", "8 7 3 2 1"],
  ["hostid=9", ""],
  ["hostgroupid=1", "8 7 3 2 1", "Oslo"],
  ["hostgroupid=2", "7 6 5 4", "Bergen"],
  ["hostgroupid=1&hostgroupid=2", "8 7 6 5 4 3 2 1"],
  ["hostgroupid=9", ""],
  [`servicenameid=${web}`, "8 7 4 2 1"],
  [`servicenameid=${nameId("db")}&servicenameid=${nameId("disk")}`, "5 3"],
  ["servicenameid=999", ""],
  [`servicegroupid=${groupId(1, "store")}`, "3", "of host a only"],
  [`servicegroupid=${groupId(2, "store")}`, "5"],
  [`servicegroupid=${groupId(1, "app")}&servicegroupid=${groupId(2, "app")}`, "8 4 2 1"],
  ["servicetype=3", "8 7 4 3 2 1"],
  ["servicetype=0", "5"],
  ["servicetype=8", "6", "beyond the contract"],
  ["servicetype=0&servicetype=8", "6 5"],
  ["eventtype=512", "7 2 1"],
  ["eventtype=2", "5 3"],
  ["eventtype=34", "5 4 3", "any of the bits"],
  ["eventtype=8388608", "6"],
  ["eventtype=1", ""],
  ["state=0", "2"],
  ["state=1", "8 7 6 4 3 1"],
  ["state=2", "5"],
  ["state=0&state=2", "5 2"],
  [`datefrom=${START + 50}`, "8 7 6", "inclusive"],
  [`dateto=${START + 10}`, "2 1", "inclusive"],
  [`datefrom=${START + 10}&dateto=${START + 30}`, "4 3 2"],
  [`datefrom=${START + 30}&dateto=${START + 10}`, "", "the wrong way round"],
  [`dateto=${START + 1_000_000}`, "8 7 6 5 4 3 2 1", "the future"],
  ["maxid=3", "3 2 1"],
  [`active=1&hostid=1&servicenameid=${web}`, "8", "three at once"],
  [
    `active=2&hostgroupid=1&eventtype=6&state=1&servicetype=3&datefrom=${START}&dateto=${START + 100}`,
    "8",
    "nearly all at once",
  ],
  [`active=1&servicegroupid=${groupId(1, "store")}`, "3"],
  ["active=1&state=0", "", "no success is an active error"],
];
for (const [query, expected, why = ""] of FILTERS)
  test(`${query || "no filter"} finds "${expected}" ${why && `(${why})`}`, async () => {
    const get = await user.get(`${LIST}?${query}`);
    expect([ids(get.json), get.json.totalRecords]).toEqual([
      expected,
      expected.split(" ").filter(Boolean).length,
    ]);
    expect((await user.post(LIST + (query && `?${query}`), {}, { CSRFToken: "" })).json).toEqual(get.json);
  });

const SORTS: readonly [query: string, order: string][] = [
  ["dir=asc", "1 2 3 4 5 6 7 8"],
  ["sort=date&dir=desc", "8 7 6 5 4 3 2 1"],
  ["sort=hostname&dir=asc", "1 2 3 8 4 5 6 7"],
  ["sort=hostname", "7 6 5 4 8 3 2 1"],
  ["sort=servicename&dir=asc", "3 5 6 1 2 4 7 8"],
  ["sort=event&dir=asc", "2 5 3 1 6 7 4 8"],
  ["sort=note", "2 8 7 6 5 4 3 1"],
  ["sort=note&dir=asc", "1 3 4 5 6 7 8 2"],
];
for (const [query, order] of SORTS)
  test(`${query} orders ${order}`, async () => {
    expect(ids((await user.get(`${LIST}?${query}`)).json)).toBe(order);
  });

test("a record has the fields of the contract, and more", async () => {
  const { json } = await user.get(LIST, { hostid: 1, state: 0 });
  expect(json).toEqual({
    recordsReturned: 1,
    pageSize: 50,
    totalRecords: 1,
    startIndex: 0,
    sort: "date",
    dir: "desc",
    records: [
      {
        id: 2,
        date: START + 10,
        hostname: "host-a",
        hostid: 1,
        servicename: "web",
        servicenameid: web,
        event: "back",
        eventtype: 0,
        note: 1,
        active: 0,
        dismissed: 0,
        serviceid: 1,
        limitid: 0,
        severity: 0,
        since: 0,
        ended: 0,
        acknowledged: null,
        muted: null,
      },
    ],
  });
});

test("events of more hosts than a statement has parameters are found, as at a moment of a large fleet", () => {
  const all = { active: 0, startindex: 0, sort: "date", dir: "desc" } as const;
  const ofMany = { ...all, hostid: Array.from({ length: 300_000 }, (_, i) => i + 1) };
  expect(countEvents(app.db, ofMany)).toBe(8);
  expect(idsOfEvents(app.db, ofMany, 50, 8)).toEqual(idsOfEvents(app.db, all, 50, 8));
});

describe("pages", () => {
  test("are cut from the whole order, each with the exact total", async () => {
    const pages: string[] = [];
    for (let startindex = 0; startindex < 9; startindex += 3) {
      const { json } = await user.get(LIST, { results: 3, startindex });
      expect(json).toMatchObject({ pageSize: 3, totalRecords: 8, startIndex: startindex });
      expect(json.recordsReturned).toBe(json.records.length);
      pages.push(ids(json));
    }
    expect(pages).toEqual(["8 7 6", "5 4 3", "2 1"]);
    expect((await user.get(LIST, { startindex: 8 })).json).toMatchObject({
      recordsReturned: 0,
      totalRecords: 8,
      records: [],
    });
  });

  test("larger than 10000 are cut, and say so", async () => {
    expect((await user.get(LIST, { results: 10_001 })).json.pageSize).toBe(10_000);
    expect((await user.get(LIST, { results: 10_000 })).json.pageSize).toBe(10_000);
  });

  test("with maxid stay as they are while events arrive", async () => {
    const scene = await story();
    const client = await scene.user();
    const first = (await client.get(LIST, { results: 3 })).json;
    const maxid = Math.max(...first.records.map(({ id }: { id: number }) => id));
    const pages = [ids(first)];
    for (let startindex = 3; startindex < 9; startindex += 3) {
      scene.clock.step(1);
      await scene.report({ id: "a", at: scene.clock.now(), event: { service: "new", state: 2 } });
      await scene.report({
        id: "b",
        at: scene.clock.now(),
        event: { service: "old", state: 2, collectedSec: START + 25 },
      });
      const { json } = await client.get(LIST, { results: 3, startindex, maxid });
      expect(json).toMatchObject({ maxid, totalRecords: 8 });
      pages.push(ids(json));
    }
    expect(pages).toEqual(["8 7 6", "5 4 3", "2 1"]);
  });
});
