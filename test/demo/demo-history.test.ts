import { beforeAll, expect, test } from "bun:test";
import { demoConfiguration } from "../../src/demo/demo-configuration.ts";
import { DemoHistory, SetClock } from "../../src/demo/demo-history.ts";
import { DEMO_FLEET, type DemoHost } from "../../src/demo/demo-hosts.ts";
import { messagesOf } from "../../src/demo/demo-messages.ts";
import { assemble } from "../../src/muster.ts";
import { itemsOf } from "../../src/operations/transfer/transfer.service.ts";
import { offlineRuntime } from "../../src/runtime.ts";
import { TestApp } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";
import { testDatabase } from "../support/database.ts";

const HOUR = 3600;
const DAY = 86_400;
const POLL = 120;
const REPLAYED = 2 * HOUR;

const machine = { group: "Oslo", load: 0.5, memory: 50, processes: ["nginx", "sshd"] };
const gone = {
  service: "nginx",
  type: 512,
  failed: "process is not running",
  succeeded: "process is running",
};
const HOSTS: readonly DemoHost[] = [
  { ...machine, name: "calm", filesystems: [["rootfs", 34]] },
  {
    ...machine,
    name: "was-down",
    filesystems: [["rootfs", 34]],
    outages: [{ from: 6 * DAY, to: 5.5 * DAY }],
  },
  {
    ...machine,
    name: "failed",
    filesystems: [["rootfs", 34]],
    incidents: [
      { ...gone, from: 5.1 * DAY, to: 5.06 * DAY },
      { ...gone, from: 4 * DAY, to: 3.5 * DAY },
      { ...gone, from: HOUR },
    ],
  },
  { ...machine, name: "silent", filesystems: [["rootfs", 34]], outages: [{ from: 1800 }] },
];

let app: TestApp;
let admin: TestClient;

beforeAll(async () => {
  const db = testDatabase();
  const { box } = new TestApp({ db });
  const clock = new SetClock(START - 10 * DAY);
  const muster = assemble({ ...offlineRuntime(db, box), clock });
  const history = new DemoHistory(
    { ...muster, clock, events: muster.eventLog, limits: muster.limitEvaluation },
    { hosts: HOSTS, end: START, poll: POLL },
  );
  const past = history.makePast(START - 10 * DAY, START - REPLAYED);
  for (const part of [past, history.replay(() => START - REPLAYED)]) while (!part.next().done);
  app = new TestApp({ db });
  admin = await app.admin();
});

async function get(path: string, fields = {}) {
  const { status, json, text } = await admin.get(`/api/1/${path}`, fields);
  if (status !== 200) throw new Error(`${path}: ${text}`);
  return json;
}

test("each host is in the state in which its history ends", async () => {
  const { records } = await get("status/hosts/list");
  const states = records.map(({ hostname, led }: { hostname: string; led: number }) => [hostname, led]);
  expect(Object.fromEntries(states)).toEqual({ calm: 2, "was-down": 2, failed: 1, silent: 0 });
});

test("failures and outages of the past are events, in pairs, at their times", async () => {
  const rows = app.rows<{ hostname: string; state: number; type: number; ago: number }>(
    `select hostname, state, event_type as type, ${START} - date as ago from events
     join hosts on hosts.id = events.host_id where state < 2 order by date`,
  );
  const [down, back, failedBefore, recoveredBefore, failed, recovered, failedAgain, silent] = rows;
  expect(rows).toHaveLength(8);
  expect(down).toMatchObject({ hostname: "was-down", state: 1, type: 1_048_576 });
  expect(6 * DAY - (down?.ago ?? 0)).toBeGreaterThanOrEqual(3 * POLL);
  expect(6 * DAY - (down?.ago ?? 0)).toBeLessThan(4 * POLL);
  expect(back).toEqual({ hostname: "was-down", state: 0, type: 1_048_576, ago: 5.5 * DAY });
  // Parts of a day that are no whole seconds in binary.
  expect(failedBefore).toEqual({ hostname: "failed", state: 1, type: 512, ago: 440_640 });
  expect(recoveredBefore).toEqual({ hostname: "failed", state: 0, type: 512, ago: 437_184 });
  expect(failed).toEqual({ hostname: "failed", state: 1, type: 512, ago: 4 * DAY });
  expect(recovered).toEqual({ hostname: "failed", state: 0, type: 512, ago: 3.5 * DAY });
  expect(failedAgain).toMatchObject({ hostname: "failed", state: 1, type: 512 });
  expect(silent).toMatchObject({ hostname: "silent", state: 1, type: 1_048_576 });
});

test("no time is left out of the uptime, and only that of outages counts as down", async () => {
  expect(app.rows("select * from excluded_intervals")).toEqual([]);
  const span = { range: 12, datefrom: START - 7 * DAY, dateto: START - 5 * DAY };
  const { items } = await get("reports/uptime/list", span);
  const down = items.map((item: { name: string; downseconds: number }) => [item.name, item.downseconds]);
  const seconds = Object.fromEntries(down);
  expect(seconds).toMatchObject({ calm: 0, failed: 0, silent: 0 });
  expect(seconds["was-down"]).toBeGreaterThan(0.5 * DAY - 4 * POLL);
  expect(seconds["was-down"]).toBeLessThanOrEqual(0.5 * DAY);
});

test("charts have numbers at every resolution, and gaps only where a host was down", async () => {
  for (const [from, points] of [
    [START - 2 * HOUR, 60],
    [START - 2 * DAY, 500],
    [START - 9 * DAY, 200],
  ]) {
    const fields = { hostid: 2, type: 1, datefrom: from, dateto: START, points };
    const { series, times } = await get("reports/history/get", fields);
    const [{ mean }] = series;
    const missing = times.filter((_: number, i: number) => mean[i] === null);
    expect(times.length).toBeGreaterThan(40);
    for (const at of missing) {
      expect(START - at).toBeLessThanOrEqual(6 * DAY + HOUR);
      expect(START - at).toBeGreaterThanOrEqual(5.5 * DAY);
    }
  }
});

test("compaction goes on from there, and changes no number that a chart shows of the past", async () => {
  const fields = { hostid: 1, type: 1, datefrom: START - 9 * DAY, dateto: START - 2 * DAY, points: 200 };
  const before = (await get("reports/history/get", fields)).series;
  while (app.muster.compaction.step());
  expect(app.muster.compaction.progress.failed).toBe(0);
  expect((await get("reports/history/get", fields)).series).toEqual(before);
});

test("a moment before the replayed part has the numbers of the five minutes around it, and no later ones", async () => {
  const at = START - 4.5 * DAY;
  expect((await get("moment/get", { at })).values).toBe("minutes");
  const { records } = await get("status/hosts/list", { at });
  const reports = records.map(({ hostname, lastmodified }: { hostname: string; lastmodified: number }) => [
    hostname,
    lastmodified,
  ]);
  expect(Object.fromEntries(reports)).toEqual({ calm: at, "was-down": at, failed: at, silent: at });
});

test("the configuration can be imported once the fleet is there", async () => {
  const db = testDatabase();
  const fleet = new TestApp({ db });
  const { ingest, transfer, hostCache } = fleet.muster;
  for (const [number, host] of DEMO_FLEET.entries())
    for (const message of messagesOf(host, number, { at: START - 90 * DAY, end: START, poll: POLL }))
      ingest.applyAll([{ message, receivedAt: START, source: "198.51.100.7" }]);
  hostCache.forgetAll();
  const outcome = transfer.import(itemsOf(demoConfiguration(START)));
  expect(outcome).toMatchObject({
    users: { created: 3 },
    rules: { created: 2 },
    limits: { created: 1 },
    oncall: { created: 1 },
    statuspages: { created: 1 },
    dependencies: { created: 1 },
  });
  const client = await fleet.admin();
  const { json } = await client.get("/api/1/admin/rules/list");
  expect(json.records).toMatchObject([{ name: "Critical machines" }, { name: "Everything else" }]);
});
