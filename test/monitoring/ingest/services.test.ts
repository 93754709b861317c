import { expect, test } from "bun:test";
import { processXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { snapshot } from "../../support/ledger.ts";

appOfEachTest();

const WEB = { name: "web", body: processXml() };
const DB = { name: "db", body: processXml({ pid: 12 }) };

function services(app: TestApp) {
  return app.muster.status.get(1, true, "all").records.host.services;
}

function names(app: TestApp): string[] {
  return services(app).map((service) => service.name);
}

test("a new service appears in the status with its id, and keeps it over messages", async () => {
  await app.report({ services: [WEB] });
  const before = services(app)[0]?.id;
  await app.report({ services: [DB, WEB] });
  expect(names(app)).toEqual(["db", "web"]);
  expect(services(app).find(({ name }) => name === "web")?.id).toBe(before ?? -1);
});

test("a service that vanished leaves the status, and returns with the ids it had", async () => {
  const ids = () =>
    services(app).map(({ id, nameid, statistics }) => [id, nameid, statistics.map(({ id }) => id)]);
  await app.report({ services: [WEB, DB] });
  const before = ids();
  app.pass(30);
  await app.report({ services: [DB] });
  expect(names(app)).toEqual(["db"]);
  expect(app.rows("select vanished_at as at from services order by id")).toEqual([
    { at: START + 30 },
    { at: null },
  ]);
  app.pass(30);
  await app.report({ services: [WEB, DB] });
  expect(ids()).toEqual(before);
});

test("a service replaced by another in one message is a vanished one and a new one", async () => {
  await app.report({ services: [WEB] });
  await app.report({ services: [DB] });
  expect(names(app)).toEqual(["db"]);
  expect(app.rows("select services_total as t, services_ok as ok from hosts")).toEqual([{ t: 1, ok: 1 }]);
});

test("services of the same name on two hosts share the name's id and nothing else", async () => {
  await app.report({ id: "a", services: [WEB] });
  await app.report({ id: "b", services: [DB, WEB] });
  const find = (host: number) =>
    app.muster.status.get(host, true, "all").records.host.services.find(({ name }) => name === "web");
  expect(find(1)?.nameid).toBe(find(2)?.nameid ?? -1);
  expect(find(1)?.id).not.toBe(find(2)?.id ?? -1);
});

test("every setting of a service follows the agent", async () => {
  await app.report({ services: [WEB] });
  await app.report({
    services: [
      { ...WEB, type: 2, monitor: 5, monitorMode: 2, onReboot: 1, status: 1, every: "0 4 * * *", body: "" },
    ],
  });
  expect(services(app)).toMatchObject([
    {
      name: "web",
      type: "File",
      typeid: 2,
      monitorstate: 5,
      monitormode: 2,
      onreboot: 1,
      status: "Checksum",
      led: 0,
      every: "0 4 * * *",
    },
  ]);
});

const TEXTS: readonly [state: object, led: number, text: string][] = [
  [{ monitor: 1 }, 2, "Ok"],
  [{ monitor: 0 }, 3, "Not monitored"],
  [{ monitor: 0, status: 512 }, 3, "Not monitored"],
  [{ monitor: 2 }, 1, "Initializing"],
  [{ monitor: 3 }, 1, "Initializing"],
  [{ monitor: 4 }, 1, "Waiting"],
  [{ monitor: 5 }, 2, "Ok"],
  [{ monitor: 6 }, 1, "Initializing"],
  [{ monitor: 5, status: 512 }, 0, "Nonexist"],
  [{ monitor: 2, status: 512 }, 0, "Nonexist"],
  [{ monitor: 1, status: 32 + 16_384 }, 0, "Connection, ICMP"],
  [{ monitor: 1, status: 1, statusHint: 1 }, 2, "Ok"],
  [{ monitor: 1, status: 3, statusHint: 1 }, 0, "Resource"],
  [{ monitor: 1, status: 1_073_741_824 }, 0, "Exist"],
  [{ monitor: 1, status: 0x8000_0000 }, 0, "Failed"],
];
for (const [state, led, text] of TEXTS)
  test(`a service with ${JSON.stringify(state)} reads "${text}"`, async () => {
    await app.report({ services: [{ name: "web", ...state }] });
    expect(services(app)).toMatchObject([{ led, status: text }]);
  });

test("the LED that an older version stored for a service follows the next message", async () => {
  const message = { services: [{ ...WEB, monitor: 5, every: 2 }] };
  await app.report(message);
  app.rows("update services set led = 1 returning id");
  app.hostCache.forgetAll();
  await app.report(message);
  expect(services(app)).toMatchObject([{ led: 2 }]);
  expect(app.rows("select led, services_ok as ok from hosts")).toEqual([{ led: 2, ok: 1 }]);
});

test("time of an unmonitored or vanished service is not counted", async () => {
  for (const present of [[{ ...WEB, monitor: 0 }], [WEB], [], [{ ...WEB, monitor: 0 }], [WEB]]) {
    await app.report({ services: present });
    app.pass(10);
  }
  expect(
    app.rows("select reason, started_at as since, ended_at as until from excluded_intervals order by id"),
  ).toEqual([
    { reason: "unmonitored", since: START, until: START + 10 },
    { reason: "vanished", since: START + 20, until: START + 30 },
    { reason: "unmonitored", since: START + 30, until: START + 40 },
  ]);
});

test("events are counted per host and per service, and a repetition is not", async () => {
  const event = (service: string, collectedUsec: number) => ({
    services: [WEB, DB],
    event: { service, state: 2, id: 1, collectedUsec },
  });
  for (const [service, usec] of [
    ["web", 1],
    ["web", 2],
    ["web", 2],
    ["db", 3],
    ["Monit", 4],
  ] as const)
    await app.report(event(service, usec));
  expect(app.rows("select events from hosts")).toEqual([{ events: 4 }]);
  expect(services(app).map(({ name, events }) => [name, events])).toEqual([
    ["db", 1],
    ["web", 2],
  ]);
});

test("a service's counter counts the events stored before it was listed", async () => {
  await app.report({ services: [DB], event: { service: "web", state: 2, id: 1 } });
  await app.report({ services: [DB, WEB] });
  expect(services(app).map(({ name, events }) => [name, events])).toEqual([
    ["db", 0],
    ["web", 1],
  ]);
});

test("a service's counter survives its vanishing", async () => {
  await app.report({ services: [WEB], event: { service: "web", state: 2, id: 1 } });
  await app.report({ services: [] });
  await app.report({ services: [WEB] });
  expect(services(app).map(({ events }) => events)).toEqual([1]);
});

test("a message without news writes one host row and one sample row, and reads nothing that is cached", async () => {
  await app.report({
    incarnation: START - 60,
    services: [WEB, DB],
    hostGroups: ["g"],
    serviceGroups: { s: ["web"] },
  });
  app.pass(30);
  const before = snapshot(app);
  const changes = () => app.rows<{ n: number }>("select total_changes() as n")[0]?.n ?? 0;
  const count = changes();
  await app.report({
    at: START + 30,
    incarnation: START - 60,
    services: [WEB, DB],
    hostGroups: ["g"],
    serviceGroups: { s: ["web"] },
  });
  expect(changes() - count).toBe(2);
  const after = snapshot(app);
  expect(after.samples).toHaveLength(2);
  expect(after.hosts).toMatchObject([{ lastmodified: START + 30, deadline: START + 120 }]);
  const others = ({ hosts: _hosts, samples: _samples, ...rest }: Record<string, unknown[]>) => rest;
  expect(others(after)).toEqual(others(before));
});

test("a name with a line end or a tab is one service, in whatever elements it stands", async () => {
  for (const name of ["a\nb", "a\tb", "a\r\nb"]) {
    app.clock.step(30);
    await app.report({
      services: [{ name, body: processXml() }],
      serviceGroups: { group: [name] },
      event: { service: name, collectedSec: app.clock.now() },
    });
  }
  expect(app.rows("select name from names")).toEqual([{ name: "a b" }]);
  expect(services(app)).toMatchObject([{ name: "a b", events: 3 }]);
  expect(app.rows("select count(*) as n from service_group_members")).toEqual([{ n: 1 }]);
});
