import { expect, test } from "bun:test";
import type { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { stored } from "../../support/stored.ts";

appOfEachTest();

/** From here on the database can grow by no page. */
function fillDisk(app: TestApp): void {
  app.db.$client.run("pragma incremental_vacuum");
  const [size] = app.rows<{ page_count: number }>("pragma page_count");
  app.db.$client.run(`pragma max_page_count = ${size?.page_count}`);
}

function freeDisk(app: TestApp): void {
  app.db.$client.run("pragma max_page_count = 1000000");
}

/** A message that needs new pages. */
const large = (id: string) => ({
  id,
  hostname: id,
  services: Array.from({ length: 300 }, (_, i) => ({ name: `service ${i} ${"x".repeat(100)}` })),
});

const HOSTS = "select agent_id as id, status, heartbeat, deadline from hosts order by id";
const OFF = "select reason, host_id as host, started_at as since, ended_at as until from excluded_intervals";

test("a disk that is full for longer than a host's deadline is charged to no host", async () => {
  for (const id of ["a", "b"]) await app.report({ id, hostname: id });
  app.pass(60);
  fillDisk(app);
  expect((await app.report(large("a"))).status).toBe(503);
  const before = stored(app);
  for (let i = 0; i < 20; i++) {
    app.pass(30);
    expect((await app.report(large("a"))).status).toBe(503);
  }
  expect(stored(app)).toEqual(before);
  freeDisk(app);
  app.pass(10);
  const back = START + 60 + 600 + 5;
  expect(app.rows(OFF)).toEqual([{ reason: "off", host: null, since: START + 60, until: back }]);
  expect(app.rows(HOSTS)).toEqual([
    { id: "a", status: 0, heartbeat: 1, deadline: back + 90 },
    { id: "b", status: 0, heartbeat: 1, deadline: back + 90 },
  ]);
  expect(app.rows("select id from events")).toEqual([]);
  expect(app.rows("select id from downtime_intervals")).toEqual([]);
});

test("after a full disk a host gets its full time again, but no more", async () => {
  await app.report({ id: "a" });
  fillDisk(app);
  expect((await app.report(large("a"))).status).toBe(503);
  app.pass(300);
  freeDisk(app);
  app.pass(5 + 90);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 1 }]);
  app.pass(5);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 0 }]);
});

test("occasional failed writes are one outage, in which no host is judged", async () => {
  await app.report({ id: "a" });
  for (let i = 0; i < 40; i++) {
    fillDisk(app);
    await app.report(large("b"));
    freeDisk(app);
    app.pass(4);
  }
  app.pass(10);
  expect(app.rows("select heartbeat from hosts where agent_id = 'a'")).toEqual([{ heartbeat: 1 }]);
  expect(app.rows("select count(*) as n from excluded_intervals")).toEqual([{ n: 1 }]);
});

test("healthz tells of a full disk, and recovers without a message", async () => {
  fillDisk(app);
  expect((await app.report(large("a"))).status).toBe(503);
  app.clock.step(2);
  expect((await app.client().get("/healthz")).status).toBe(503);
  freeDisk(app);
  app.clock.step(2);
  expect((await app.client().get("/healthz")).status).toBe(200);
  expect(app.logged).toEqual([
    'error the database cannot be written reason="the disk is full"',
    'warn request refused path=/collector reason="the disk is full"',
    "info the database can be written again",
  ]);
});

test("a server that starts on a full disk charges nobody for the time until the disk has space", async () => {
  await app.report({ id: "a" });
  app.pass(30);
  app.heartbeat.stop();
  app.clock.step(7200);
  app.db.$client.run("pragma query_only = on");
  app.heartbeat.start();
  app.pass(600);
  app.db.$client.run("pragma query_only = off");
  app.pass(10);
  expect(app.rows(OFF)).toEqual([
    { reason: "off", host: null, since: START + 30, until: START + 30 + 7200 + 605 },
  ]);
  expect(app.rows("select heartbeat from hosts")).toEqual([{ heartbeat: 1 }]);
});

test("a stop on a full disk ends in good order", () => {
  app.db.$client.run("pragma query_only = on");
  expect(() => app.heartbeat.stop()).not.toThrow();
});

test("the end of an outage is logged when it is stored, not before", async () => {
  const ENDED = "warn nothing could be stored for a while, deadlines restarted seconds=";
  fillDisk(app);
  expect((await app.report(large("a"))).status).toBe(503);
  freeDisk(app);
  app.db.$client.run(
    "create trigger refuse before insert on excluded_intervals begin select raise(abort, 'refused'); end",
  );
  expect(() => app.pass(10)).toThrow();
  expect(app.logged.filter((line) => line.startsWith(ENDED))).toEqual([]);
  app.db.$client.run("drop trigger refuse");
  app.pass(2);
  expect(app.logged.filter((line) => line.startsWith(ENDED))).toHaveLength(1);
});
