import { expect, test } from "bun:test";
import { agentXml, STOPPED } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { app, appOfEachTest } from "../../support/each-test.ts";
import { BOOT, eventsAfter } from "../../support/ledger.ts";

appOfEachTest();

const web = { name: "web", status: 512 };

/** Reports at the app's now from an agent whose clock is `ahead` by seconds, with an error of `age` seconds ago. */
async function fail(app: TestApp, ahead: number, age = 0): Promise<void> {
  const at = app.clock.now() + ahead;
  const event = { service: "web", collectedSec: at - age };
  await app.report({ at, incarnation: BOOT + ahead, services: [web], event });
}

const CASES: readonly [ahead: number, age: number, stored: number, why: string][] = [
  [0, 0, 0, "a right clock"],
  [0, 20, -20, "a right clock, an older event"],
  [60, 0, 0, "a minute ahead is taken as right, but no event lies in the future"],
  [60, 100, -40, "a minute ahead is taken as right"],
  [-60, 0, -60, "a minute behind is taken as right"],
  [61, 0, 0, "more than that is shifted"],
  [61, 100, -100, "and so are older events"],
  [-61, 0, 0, "behind"],
  [-86_400, 10, -10, "a day behind"],
  [7200, 10, -10, "a wrong time zone"],
];

for (const [ahead, age, stored, why] of CASES)
  test(`an event ${age} s old of a clock ${ahead} s ahead is stored at ${stored}: ${why}`, async () => {
    await fail(app, ahead, age);
    expect(eventsAfter(app, 0)).toEqual([`error 512 web @${stored}`]);
    expect(app.rows("select collected_sec as stamp from events")).toEqual([{ stamp: START + ahead - age }]);
  });

test("a shift of a second or two between messages does not move an agent's dates", async () => {
  const offsets = [];
  for (const ahead of [3600, 3602, 3598, 3605, 3606, 3600]) {
    await app.report({ at: app.clock.now() + ahead, incarnation: BOOT + ahead });
    offsets.push(app.rows<{ o: number }>("select clock_offset as o from hosts")[0]?.o);
    app.pass(30);
  }
  expect(offsets).toEqual([-3600, -3600, -3600, -3600, -3606, -3600]);
});

test("a clock that is wrong by about a minute does not move an agent's dates back and forth", async () => {
  const offsets = [];
  for (const behind of [60, 61, 60, 58, 55]) {
    await app.report({ at: app.clock.now() - behind, incarnation: BOOT - behind });
    offsets.push(app.rows<{ o: number }>("select clock_offset as o from hosts")[0]?.o);
    app.pass(30);
  }
  expect(offsets).toEqual([0, 61, 61, 61, 0]);
});

test("checks while the agent's threads hang do not move its clock: its uptime tells", async () => {
  await app.report({ at: START, incarnation: BOOT, services: [{ name: "web", collectedSec: START - 900 }] });
  expect(app.rows("select clock_offset as o from hosts")).toEqual([{ o: 0 }]);
});

test("an uptime that stands still is overruled by the newest check", async () => {
  await app.report({ incarnation: BOOT, uptime: 5, services: [{ name: "web", collectedSec: START }] });
  expect(app.rows("select clock_offset as o from hosts")).toEqual([{ o: 0 }]);
});

test("a single check that is dated in the future moves no date of the others", async () => {
  const services = [web, { name: "db", collectedSec: START + 315_360_000 }];
  await app.report({ incarnation: BOOT, services, event: { service: "web" } });
  expect(eventsAfter(app, 0)).toEqual(["error 512 web @0"]);
});

test("nor does it if the clock of the agent is off", async () => {
  await app.report({ at: START - 300, incarnation: BOOT - 300, services: [{ name: "web" }] });
  app.pass(30);
  const at = app.clock.now() - 300;
  const services = [web, { name: "db", collectedSec: START + 315_360_000 }];
  await app.report({ at, incarnation: BOOT - 300, services, event: { service: "web", collectedSec: at } });
  expect(eventsAfter(app, 0)).toEqual(["error 512 web @30"]);
});

/** Messages of an agent that has run for a day. */
const DAY_OLD = START - 86_400;

test("a message that tells no time of the agent leaves its dates as they are", async () => {
  await app.report({ incarnation: DAY_OLD, uptime: -1, services: [{ name: "web" }] });
  app.pass(30);
  const event = { service: "web", collectedSec: START - 600 };
  await app.report({ incarnation: DAY_OLD, uptime: -1, services: [{ ...web, collectedSec: 0 }], event });
  expect(eventsAfter(app, 0)).toEqual(["error 512 web @-600"]);
});

test("a first message that does not tell when its agent started dates its event by the uptime", async () => {
  const text = agentXml({ at: START, incarnation: DAY_OLD, services: [web], event: { service: "web" } });
  await app.report(text.replace(/ incarnation="\d+"/, ""));
  expect(eventsAfter(app, 0)).toEqual(["error 512 web @0"]);
});

test("an agent that tells no time is stopped by its stop", async () => {
  await app.report({ incarnation: DAY_OLD, uptime: -1, services: [{ name: "web" }] });
  app.pass(30);
  const event = { ...STOPPED, collectedSec: app.clock.now() };
  await app.report({ incarnation: DAY_OLD, uptime: -1, services: [{ name: "web", collectedSec: 0 }], event });
  expect(app.rows("select status, heartbeat, led from hosts")).toEqual([{ status: 1, heartbeat: 1, led: 3 }]);
});

test("a stop dated by a wrong clock stops the host, and its replay in the next incarnation does not", async () => {
  const day = 86_400;
  const stop = { service: "Monit", serviceType: 5, id: 65_536, state: 2, action: 3, message: "stopped" };
  await app.report({ at: START + day, incarnation: BOOT + day, event: stop });
  expect(app.rows("select status from hosts")).toEqual([{ status: 1 }]);
  app.pass(60);
  const replay = { ...stop, collectedSec: START + day + 20 };
  await app.report({ at: START + day + 60, incarnation: START + day + 50, event: replay });
  expect(app.rows("select status from hosts")).toEqual([{ status: 0 }]);
});

/** Seconds since 1970 and since 2000, in which a machine without a clock of its own starts. */
for (const since of [0, 946_684_800]) {
  const incarnation = since + 20;

  test(`an event of a clock that was not set yet, in its second ${since + 40}, is dated when it arrives`, async () => {
    const event = { service: "web", collectedSec: since + 40 };
    await app.report({ incarnation, services: [web], event });
    expect(eventsAfter(app, 0)).toEqual(["error 512 web @0"]);
    expect(app.rows("select collected_sec from events")).toEqual([{ collected_sec: since + 40 }]);
  });

  test(`a status of such a clock, in its second ${since + 40}, opens no failure of that time`, async () => {
    await app.report({ incarnation, services: [{ ...web, collectedSec: since + 40 }, { name: "db" }] });
    app.pass(30);
    await app.report({ at: app.clock.now(), incarnation, services: [web, { name: "db" }] });
    expect(eventsAfter(app, 0)).toEqual(["error 512 web @0"]);
  });
}

test("a silent recovery of an agent whose clock is off is dated on our clock", async () => {
  const ahead = 7200;
  await fail(app, ahead);
  for (let i = 0; i < 3; i++) {
    app.pass(30);
    await app.report({ at: app.clock.now() + ahead, incarnation: BOOT + ahead, services: [{ name: "web" }] });
  }
  expect(app.rows("select started_at as since, ended_at as until from downtime_intervals")).toEqual([
    { since: START, until: START + 30 },
  ]);
});

test("a silent recovery of a clock that is ahead is not in the future, where it would hide the next failure", async () => {
  const report = (state: object) =>
    app.report({ at: app.clock.now() + 55, incarnation: BOOT + 55, poll: 10, ...state });
  const ok = { services: [{ name: "web" }] };
  await report({ services: [web], event: { service: "web" } });
  for (let i = 0; i < 3; i++) {
    app.pass(10);
    await report(ok);
  }
  app.pass(10);
  await report({ services: [web], event: { service: "web" } });
  expect(app.rows("select started_at as since, ended_at as until from downtime_intervals")).toEqual([
    { since: START, until: START + 10 },
    { since: START + 40, until: null },
  ]);
});

test("a failure ends silently although the agent's clock was set back since", async () => {
  const ahead = 30 * 86_400;
  await app.report({
    at: START + ahead,
    incarnation: BOOT + ahead,
    services: [web],
    event: { service: "web" },
  });
  for (let i = 0; i < 3; i++) {
    app.pass(30);
    const at = app.clock.now();
    await app.report({
      at,
      incarnation: BOOT + ahead,
      uptime: at - BOOT - ahead,
      services: [{ name: "web" }],
    });
  }
  expect(app.rows("select started_at as since, ended_at as until from downtime_intervals")).toEqual([
    { since: START, until: START + 30 },
  ]);
});
