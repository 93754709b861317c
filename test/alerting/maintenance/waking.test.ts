/** When a mute ends early or a rule changes, what waits for it becomes due in bounded steps. */
import { expect, test } from "bun:test";
import { notifying } from "../../support/rules.ts";
import { Alerting } from "../notifications/support.ts";

const SUPPRESSED = 1050;
/** The most alerts that one step makes due. */
const MOST = 200;

const openAlerts = ({ app }: Alerting, condition: string) =>
  app.rows<{ id: number }>(`select id from alerts where closed_at is null and ${condition} order by id`);
const due = (alerting: Alerting) => openAlerts(alerting, `due_at <= ${alerting.app.clock.now()}`);
const wakes = ({ app }: Alerting) => app.rows("select reported from alert_wakes");

/** Hosts whose service fails, each suppressed by as many mutes of everything. */
async function suppressed(hosts: number, mutes: number): Promise<Alerting> {
  const alerting = await Alerting.create();
  await alerting.rule({ ...notifying(alerting.channel("mail")) });
  for (let id = 1; id <= mutes; id++)
    await alerting.call("mutes/create", { filter: { rules: [1] }, minutes: 600 * id });
  for (let i = 0; i < hosts; i++)
    await alerting.event({ message: "is gone" }, { id: `agent-${i}`, hostname: `host-${i}` });
  await alerting.pass(10);
  expect(openAlerts(alerting, "outcome <> '' and notified_at is null")).toHaveLength(hosts);
  expect(due(alerting)).toEqual([]);
  return alerting;
}

test("a mute over a thousand alerts wakes all of them in bounded steps, also after a kill between two", async () => {
  const alerting = await suppressed(SUPPRESSED, 1);
  await alerting.call("mutes/delete", { id: 1 });
  expect(due(alerting)).toEqual([]);
  const woken = new Set<number>();
  for (let step = 0; wakes(alerting).length > 0; step++) {
    const before = woken.size;
    alerting.dispatcher.step();
    // Those that were notified became due in this step or before.
    const reached = [...due(alerting), ...openAlerts(alerting, "notified_at is not null")];
    for (const { id } of reached) woken.add(id);
    expect(woken.size - before).toBeLessThanOrEqual(MOST);
    // A message is taken in between, and the server is killed.
    await alerting.report({ id: "other", hostname: `other-${step}` });
    expect(alerting.app.rows(`select id from hosts where hostname = 'other-${step}'`)).toHaveLength(1);
    alerting.restart();
  }
  expect(woken.size).toBe(SUPPRESSED);
  await alerting.work();
  const eventIds = alerting.arrived.flatMap(({ message }) => message.events.map(({ id }) => id));
  expect(alerting.arrived.every(({ message }) => message.kind === "problem")).toBe(true);
  expect([eventIds.length, new Set(eventIds).size]).toEqual([SUPPRESSED, SUPPRESSED]);
});

test("a thousand alerts of one mute still share a message", async () => {
  const alerting = await suppressed(MOST * 2, 1);
  await alerting.call("mutes/delete", { id: 1 });
  await alerting.work();
  expect(alerting.arrived.map(({ message }) => message.events.length)).toEqual([MOST * 2]);
});

test("what another mute suppresses again is woken once by a request", async () => {
  const alerting = await suppressed(MOST + 1, 2);
  await alerting.call("mutes/delete", { id: 1 });
  await alerting.work();
  expect([alerting.arrived, due(alerting), wakes(alerting)]).toEqual([[], [], []]);
  expect(alerting.dispatcher.step()).toBe(false);
  await alerting.call("mutes/delete", { id: 2 });
  await alerting.work();
  expect(alerting.arrived.map(({ message }) => message.events.length)).toEqual([MOST + 1]);
});

test("a request in the midst of another begins anew, and leaves nothing out", async () => {
  const alerting = await suppressed(MOST + 1, 2);
  await alerting.call("mutes/delete", { id: 1 });
  alerting.dispatcher.step();
  expect(wakes(alerting)).toEqual([{ reported: "events" }, { reported: "findings" }]);
  await alerting.call("mutes/delete", { id: 2 });
  await alerting.work();
  expect(alerting.arrived.flatMap(({ message }) => message.events)).toHaveLength(MOST + 1);
  expect(wakes(alerting)).toEqual([]);
});

/** Hosts whose service fails, and a rule that waits for an hour. */
async function waiting(hosts: number): Promise<Alerting> {
  const alerting = await Alerting.create();
  await alerting.rule({ delay: 60, flapcount: 0, ...notifying(alerting.channel("mail")) });
  for (let i = 0; i < hosts; i++)
    await alerting.event({ message: "is gone" }, { id: `agent-${i}`, hostname: `host-${i}` });
  await alerting.pass(10);
  return alerting;
}

test("a change of a rule reaches all that waits in bounded steps, also after a kill between two", async () => {
  const alerting = await waiting(MOST * 2 + 1);
  await alerting.rule({ name: "other", delay: 60, ...notifying(1) });
  await alerting.event({ message: "is gone", service: "db" }, { id: "agent-0", hostname: "host-0" });
  await alerting.call("admin/rules/update", { id: 1, delay: 0 });
  for (const reached of [MOST, MOST * 2, MOST * 2 + 2]) {
    alerting.dispatcher.step();
    expect([...due(alerting), ...openAlerts(alerting, "notified_at is not null")]).toHaveLength(reached);
    alerting.restart();
  }
  expect(wakes(alerting)).toEqual([]);
});

test("a rule that is disabled and enabled at once has all its alerts closed in bounded steps", async () => {
  const alerting = await waiting(MOST * 2 + 1);
  await alerting.call("admin/rules/update", { id: 1, enabled: false });
  await alerting.call("admin/rules/update", { id: 1, enabled: true });
  for (const left of [MOST + 1, 1, 0]) {
    alerting.dispatcher.step();
    expect(openAlerts(alerting, "rule_id = 1")).toHaveLength(left);
    alerting.restart();
  }
  await alerting.pass(3600);
  expect(alerting.arrived).toEqual([]);
});
