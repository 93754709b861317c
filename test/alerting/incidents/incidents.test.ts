import { expect, test } from "bun:test";
import { STATISTIC } from "../../../src/monit/statistic-types.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";
import { Alerting } from "../notifications/support.ts";

const CHANGED = 2;
const PID = 262_144;
const MINUTE = 60;

interface Incident {
  id: number;
  eventid: number;
  hostname: string;
  servicename: string;
  message: string;
  since: number;
  ended: number;
  acknowledged: { uname: string; note: string; ended: number } | null;
  muted: unknown;
  notified: string[];
  change: { message: string } | null;
  events: { id: number; event: string }[];
  notes: { date: number; uname: string; message: string }[];
  notifications: {
    records: { kind: string; channel: string }[];
    heldback: { rule: string; reason: string }[];
  };
}

/** A server with two channels and a rule that notifies through them at once. */
async function setUp(): Promise<Alerting> {
  const alerting = await Alerting.create();
  alerting.channel("mail");
  alerting.channel("pager");
  await alerting.rule({ ...notifying(1, 2), flapcount: 0 });
  await alerting.report();
  return alerting;
}

const fail = (alerting: Alerting, message = "is gone", agent = {}) =>
  alerting.event({ state: 1, message, collectedSec: alerting.app.clock.now() }, agent);
const recover = (alerting: Alerting, agent = {}) =>
  alerting.event({ state: 0, message: "is back", collectedSec: alerting.app.clock.now() }, agent);

async function list({ admin }: Alerting, args = {}): Promise<Incident[]> {
  const reply = await admin.get("/api/1/incidents/list", args);
  expect(reply.status).toBe(200);
  return reply.json.records;
}

async function get({ admin }: Alerting, id: number): Promise<Incident> {
  const reply = await admin.get("/api/1/incidents/get", { id });
  expect([reply.status, reply.text]).toEqual([200, reply.text]);
  return reply.json;
}

/** The id of the event with this message. */
const eventId = ({ app }: Alerting, message: string) =>
  app.rows<{ id: number }>(`select id from events where message = '${message}' order by id desc limit 1`)[0]
    ?.id ?? -1;

test("an incident begins with an error, is acknowledged and notified of, and ends with the recovery", async () => {
  const alerting = await setUp();
  await alerting.event({ service: "cron", state: CHANGED, id: PID, message: "pid changed" });
  await alerting.pass(MINUTE);
  await fail(alerting);
  await alerting.pass(5);
  const id = eventId(alerting, "is gone");
  await alerting.call("problems/acknowledge", { id: [id], until: "", note: "on it" });

  const before = stored(alerting.app);
  const [open, ...others] = await list(alerting);
  expect(others).toEqual([]);
  expect(open).toMatchObject({
    id,
    eventid: id,
    hostname: "host-1",
    servicename: "web",
    message: "is gone",
    since: START + MINUTE,
    ended: 0,
    acknowledged: { uname: "admin", note: "on it", ended: 0 },
    muted: null,
    notified: ["mail", "pager"],
    change: { message: "pid changed" },
  });
  expect(await list(alerting, { state: "ended" })).toEqual([]);
  expect(changedTables(alerting.app, before)).toEqual([]);

  await alerting.pass(MINUTE);
  await recover(alerting);
  const at = alerting.app.clock.now();
  expect(await list(alerting)).toEqual([]);
  expect(await list(alerting, { state: "ended" })).toMatchObject([
    { id, since: START + MINUTE, ended: at, acknowledged: { uname: "admin", note: "on it", ended: at } },
  ]);
  await alerting.pass(5);
  const { events, notes, notifications } = await get(alerting, id);
  expect(notes).toEqual([{ date: START + MINUTE + 5, uname: "admin", message: "on it" }]);
  expect(events.map(({ event }) => event)).toEqual(["is back", "is gone"]);
  const sent = notifications.records.map(({ kind, channel }) => `${kind} ${channel}`);
  expect(sent.sort()).toEqual(["problem mail", "problem pager", "recovery mail", "recovery pager"]);
});

test("incidents that began in one second keep their order when one of them becomes critical, also about the moment before", async () => {
  const alerting = await setUp();
  for (const [name, critical] of [
    ["first", 95],
    ["second", null],
  ])
    await alerting.call("limits/create", {
      name,
      statistics: [STATISTIC.spacePercent.code],
      warning: 90,
      critical,
    });
  const disk = (percent: number) =>
    alerting.report({ services: [{ name: "rootfs", type: 0, body: filesystemXml({ percent }) }] });
  await disk(92);
  const at = alerting.app.clock.now();
  const ids = async (args = {}) => (await list(alerting, args)).map(({ id }) => id);
  expect(await ids()).toEqual([2, 1]);
  await alerting.pass(30);
  await disk(96);
  expect([await ids(), await ids({ at })]).toEqual([
    [2, 1],
    [2, 1],
  ]);
});

test("each failure of a check is an incident of its own, the last to end first", async () => {
  const alerting = await setUp();
  for (const message of ["first", "second", "third"]) {
    await fail(alerting, message);
    alerting.app.clock.step(10);
    await recover(alerting);
    alerting.app.clock.step(10);
  }
  const ended = await list(alerting, { state: "ended" });
  expect(ended.map(({ message }) => message)).toEqual(["third", "second", "first"]);
  const page = await alerting.admin.get("/api/1/incidents/list", {
    state: "ended",
    results: 1,
    startindex: 1,
  });
  expect(page.json).toMatchObject({ recordsReturned: 1, pageSize: 1, startIndex: 1, more: true });
  expect(page.json.records[0].message).toBe("second");
  const last = await alerting.admin.get("/api/1/incidents/list", {
    state: "ended",
    results: 1,
    startindex: 2,
  });
  expect(last.json.more).toBe(false);
});

test("an error that a restarted agent repeats belongs to the same incident, whose address stays", async () => {
  const alerting = await setUp();
  await fail(alerting, "is gone");
  const first = eventId(alerting, "is gone");
  alerting.app.clock.step(MINUTE);
  await fail(alerting, "is still gone");
  const repeated = eventId(alerting, "is still gone");
  expect(await list(alerting)).toMatchObject([
    { id: first, eventid: repeated, since: START, message: "is still gone" },
  ]);
  expect((await get(alerting, repeated)).id).toBe(first);
});

test("the repeated error and the recovery of a failure show who was notified of it, and what its rule waits for", async () => {
  const alerting = await setUp();
  await alerting.rule({ name: "slow", ...notifying(1), delay: 60, flapcount: 0 });
  const waiting = {
    rule: "slow",
    reason: "waiting for the rule's delay, or to be grouped with other events",
  };
  const notifications = async (id: number) => {
    const { status, json } = await alerting.admin.get("/api/1/reports/events/alerts", { id });
    expect(status).toBe(200);
    const { records, heldback } = json as Incident["notifications"];
    return [records.map(({ kind, channel }) => `${kind} ${channel}`).sort(), heldback];
  };
  await fail(alerting, "is gone");
  await alerting.pass(5);
  await fail(alerting, "is still gone");
  await alerting.pass(5);
  const repeated = eventId(alerting, "is still gone");
  const ofProblem = [["problem mail", "problem pager"], [waiting]];
  expect(await notifications(repeated)).toEqual(ofProblem);
  expect(await notifications(eventId(alerting, "is gone"))).toEqual(ofProblem);
  expect((await get(alerting, repeated)).notifications.heldback).toEqual([waiting]);

  await recover(alerting);
  await alerting.pass(5);
  const all = ["problem mail", "problem pager", "recovery mail", "recovery pager"];
  const recovered = [all, [{ rule: "slow", reason: "recovered before the delay" }]];
  expect(await notifications(eventId(alerting, "is back"))).toEqual(recovered);
  expect(await notifications(repeated)).toEqual(recovered);

  await alerting.pass(MINUTE);
  await fail(alerting, "is gone again");
  expect(await notifications(eventId(alerting, "is gone again"))).toEqual([
    [],
    [{ ...waiting, rule: "rule" }, waiting],
  ]);
  expect(await notifications(repeated)).toEqual(recovered);
});

test("a failure that begins in the second in which the last one ended is an incident of its own", async () => {
  const alerting = await setUp();
  const { clock } = alerting.app;
  await fail(alerting, "first");
  clock.step(10);
  const at = clock.now();
  await alerting.event({ state: 0, message: "is back", collectedSec: at, collectedUsec: 1 });
  await alerting.event({ state: 1, message: "second", collectedSec: at, collectedUsec: 2 });
  expect(await list(alerting)).toMatchObject([{ message: "second", since: at }]);
  const [ended] = await list(alerting, { state: "ended" });
  expect(ended).toMatchObject({ message: "first", since: START, ended: at });
  const { events } = await get(alerting, eventId(alerting, "first"));
  expect(events.map(({ event }) => event)).toEqual(["is back", "first"]);
});

test("an incident whose errors were deleted does not take up a place of the page, even if the next begins at its end", async () => {
  const alerting = await setUp();
  const { clock, db } = alerting.app;
  await fail(alerting, "older");
  clock.step(10);
  await recover(alerting);
  clock.step(10);
  await fail(alerting, "first");
  clock.step(10);
  const at = clock.now();
  await alerting.event({ state: 0, message: "is back", collectedSec: at, collectedUsec: 1 });
  await alerting.event({ state: 1, message: "second", collectedSec: at, collectedUsec: 2 });
  db.$client.run("delete from events where message = 'first'");
  const args = { state: "ended", results: 1 };
  expect((await list(alerting, args)).map(({ message }) => message)).toEqual(["older"]);
});

test("a page of many incidents has of each what is its own", async () => {
  const alerting = await setUp();
  for (const name of ["a", "b", "c"]) {
    const agent = { id: name, hostname: name };
    await alerting.event({ service: "cron", state: CHANGED, id: PID, message: `change of ${name}` }, agent);
    alerting.app.clock.step(1);
    await fail(alerting, `${name} is gone`, agent);
  }
  await alerting.pass(5);
  for (const name of ["a", "c"])
    await alerting.call("problems/acknowledge", {
      id: [eventId(alerting, `${name} is gone`)],
      until: "",
      note: `note of ${name}`,
    });
  const of = ({ hostname, message, acknowledged, notified, change }: Incident) =>
    [hostname, message, acknowledged?.note, notified.length, change?.message].join(" | ");
  expect((await list(alerting)).map(of)).toEqual([
    "c | c is gone | note of c | 2 | change of c",
    "b | b is gone |  | 2 | change of b",
    "a | a is gone | note of a | 2 | change of a",
  ]);
});

test("a late recovery splits an incident, and each address leads to the part that holds its event", async () => {
  const alerting = await setUp();
  const { clock } = alerting.app;
  const begin = clock.now();
  await fail(alerting, "is gone");
  clock.step(100);
  await fail(alerting, "is gone again");
  const [first, second] = [eventId(alerting, "is gone"), eventId(alerting, "is gone again")];
  expect((await get(alerting, second)).id).toBe(first);
  clock.step(10);
  await alerting.event({ state: 0, message: "was back", collectedSec: begin + 50 });
  expect(await get(alerting, first)).toMatchObject({ id: first, since: begin, ended: begin + 50 });
  expect(await get(alerting, second)).toMatchObject({ id: second, since: begin + 100 });
});

test("incidents are filtered by host, host group, tag and time", async () => {
  const alerting = await setUp();
  await fail(alerting, "one", { id: "a", hostname: "a", hostGroups: ["web"] });
  alerting.app.clock.step(100);
  await fail(alerting, "two", { id: "b", hostname: "b", hostGroups: ["db"] });
  const host = (name: string) =>
    alerting.app.rows<{ id: number }>(`select id from hosts where hostname = '${name}'`)[0]?.id ?? -1;
  const group =
    alerting.app.rows<{ id: number }>("select id from host_groups where name = 'db'")[0]?.id ?? -1;
  const tagged = await alerting.admin.post("/api/1/admin/tags/add", {
    tags: ["role=web"],
    hosts: [host("a")],
  });
  expect(tagged.status).toBe(200);
  const messages = async (args: object) => (await list(alerting, args)).map(({ message }) => message);
  expect(await messages({})).toEqual(["two", "one"]);
  expect(await messages({ hostid: host("a") })).toEqual(["one"]);
  expect(await messages({ hostgroupid: group })).toEqual(["two"]);
  expect(await messages({ tag: "role=web" })).toEqual(["one"]);
  expect(await messages({ dateto: START + 50 })).toEqual(["one"]);
  expect(await messages({ datefrom: START + 50 })).toEqual(["two", "one"]);
  await recover(alerting, { id: "a", hostname: "a", hostGroups: ["web"] });
  const ended = { state: "ended", hostid: host("a") };
  expect(await messages(ended)).toEqual(["one"]);
  expect(await messages({ ...ended, datefrom: alerting.app.clock.now() + 1 })).toEqual([]);
});

test("what is no error of the caller's hosts is no incident", async () => {
  const alerting = await setUp();
  await alerting.event({ service: "cron", state: CHANGED, id: PID, message: "pid changed" });
  const read = (id: number) => () => alerting.admin.get("/api/1/incidents/get", { id });
  for (const id of [eventId(alerting, "pid changed"), 4711])
    await expectRefusal(alerting.app, read(id), 404, "object.unknown");
  await expectRefusal(
    alerting.app,
    () => alerting.admin.get("/api/1/incidents/list", { state: "new" }),
    400,
    "argument.invalid",
  );
});

test("an outage lasts as long as an incident, in events, in the notification and as downtime", async () => {
  const alerting = await setUp();
  await alerting.report({ poll: 5 });
  await alerting.pass(3 * MINUTE);
  const [open] = await list(alerting);
  const since = open?.since ?? 0;
  expect(open?.message).toStartWith(`No report from Monit for ${since - START} seconds`);
  expect(since).toBeGreaterThan(START);
  await alerting.report();
  const ended = alerting.app.clock.now();
  await alerting.pass(MINUTE);

  const lasted = `2m ${ended - since - 2 * MINUTE}s`;
  expect(await list(alerting, { state: "ended" })).toMatchObject([{ since, ended }]);
  const event = await alerting.admin.get("/api/1/reports/events/get", { id: open?.id });
  expect(event.json).toMatchObject({ since, ended });
  expect(alerting.arrived.at(-1)?.message.title).toBe(`host-1 reports again after ${lasted}`);
  const uptime = await alerting.admin.get("/api/1/reports/uptime/list", { range: 0 });
  expect(uptime.json.items).toMatchObject([{ name: "host-1", downtime: lasted }]);
});
