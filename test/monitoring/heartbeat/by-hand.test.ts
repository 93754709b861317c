import { expect, test } from "bun:test";
import { STARTED, STOPPED } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { BOOT, type Expected, type Line, ledger, pass, send, update } from "../../support/ledger.ts";

const services = [{ name: "web" }];
const failing = [{ name: "web", status: 512 }];
const UP: Expected = { status: 0, heartbeat: 1, led: 2, text: "All 1 services are available" };
const FIRST: Line = ["first message", send({ services }), UP];
const SILENCE: Expected = {
  status: 1,
  heartbeat: 0,
  led: 0,
  text: "No report from Monit. Last report was 2026-01-05 12:00:00 UTC",
  events: ["error 1048576 Monit @91"],
  down: ["1048576 Monit 91.."],
  active: ["1048576 Monit @91"],
};

ledger("a host set to Inactive stays so until it is set to Active, whatever its agent does", [
  FIRST,
  ["by hand", update({ status: 1 }), { status: 1, led: 3, text: "Stopped" }],
  ["its messages do not change that", send({ services }), {}],
  ["nor does time", pass(600), {}],
  ["nor an event", send({ services, event: STARTED }), { events: ["change 65536 Monit @600"] }],
  ["nor a newer incarnation", send({ incarnation: BOOT + 4000, services }), {}],
  [
    "nor a stop of the agent",
    send({ incarnation: BOOT + 4000, services, event: { ...STOPPED, collectedUsec: 7 } }),
    { events: ["change 65536 Monit @600"] },
  ],
  ["and its return", send({ incarnation: BOOT + 4100, services }), {}],
  ["Active does", update({ status: 0 }), UP],
]);

ledger("a host whose agent stopped, set to Ignored and then to Inactive by hand, is stopped by hand", [
  FIRST,
  [
    "stop",
    send({ services, event: STOPPED }),
    { status: 1, led: 3, text: "Stopped", events: ["change 65536 Monit @0"] },
  ],
  ["Ignored", update({ status: 2 }), { status: 2, text: "Ignored" }],
  ["Inactive", update({ status: 1 }), { status: 1, text: "Stopped" }],
  ["its agent is back", send({ incarnation: BOOT + 4000, services }), {}],
]);

ledger("a host set to Inactive and back to Active has its full time", [
  FIRST,
  ["80 s", pass(80), {}],
  ["Inactive", update({ status: 1 }), { status: 1, led: 3, text: "Stopped" }],
  ["Active", update({ status: 0 }), UP],
  ["90 s", pass(90), {}],
  [
    "late",
    pass(1),
    {
      ...SILENCE,
      events: ["error 1048576 Monit @171"],
      down: ["1048576 Monit 171.."],
      active: ["1048576 Monit @171"],
    },
  ],
]);

ledger("Active by hand arms the deadline of a host that is active already", [
  FIRST,
  ["80 s", pass(80), {}],
  ["Active", update({ status: 0 }), {}],
  ["90 s", pass(90), {}],
]);

ledger("settings without a status do not arm the deadline", [
  FIRST,
  ["80 s", pass(80), {}],
  ["description", update({ description: "rack 7" }), {}],
  ["late", pass(11), SILENCE],
]);

ledger("a silent host set to Active keeps its heartbeat, and does not fail a second time", [
  FIRST,
  ["silence", pass(91), SILENCE],
  ["Active", update({ status: 0 }), { status: 0 }],
  ["in time", pass(90), {}],
  ["late: no second event", pass(1), { status: 1 }],
  [
    "heard",
    send({ services }),
    { ...UP, events: ["success 1048576 Monit @182"], down: ["1048576 Monit 91..182"], active: [] },
  ],
]);

ledger("an ignored host's messages update its status and store no event", [
  FIRST,
  ["Ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["failure", send({ services: failing, event: { service: "web" } }), {}],
  ["silence is no failure", pass(600), {}],
  ["start", send({ incarnation: BOOT + 4000, services: failing, event: STARTED }), {}],
  [
    "Active shows what is known",
    update({ status: 0 }),
    { status: 0, led: 0, text: "0 out of 1 services are available" },
  ],
]);

ledger("an ignored host keeps its open errors, and events are stored again afterwards", [
  [
    "failure",
    send({ services: failing, event: { service: "web" } }),
    {
      ...UP,
      led: 0,
      text: "0 out of 1 services are available",
      events: ["error 512 web @0"],
      down: ["512 web 0.."],
      active: ["512 web @0"],
    },
  ],
  ["Ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["a minute", pass(60), {}],
  ["still failing", send({ services: failing }), {}],
  ["Active", update({ status: 0 }), { status: 0, led: 0, text: "0 out of 1 services are available" }],
  [
    "repaired",
    send({ services, event: { service: "web", state: 0 } }),
    { ...UP, events: ["success 512 web @60"], down: ["512 web 0..60"], active: [] },
  ],
]);

ledger("an ignored silent host reports again without an event", [
  FIRST,
  ["silence", pass(91), SILENCE],
  ["Ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["9 s", pass(9), {}],
  ["heard", send({ services }), { heartbeat: 1, down: ["1048576 Monit 91..100"], active: [] }],
  ["Active", update({ status: 0 }), UP],
]);

ledger("Ignored lasts over incarnations", [
  FIRST,
  ["Ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["newer incarnation", send({ incarnation: BOOT + 10, services }), {}],
  ["stop by hand instead", update({ status: 1 }), { status: 1, text: "Stopped" }],
  ["same incarnation", send({ incarnation: BOOT + 10, services }), {}],
  ["newer incarnation", send({ incarnation: BOOT + 20, services }), {}],
]);

const EXCLUDED =
  "select reason, started_at as since, ended_at as until from excluded_intervals where host_id = 1 and service_id is null";

test("time of a stopped, then ignored host is not counted, each with its reason", async () => {
  const app = new TestApp();
  const set = (status: number) => update({ status })(app);
  await app.report({ services });
  await set(1);
  app.pass(100);
  await set(2);
  app.pass(100);
  await set(2);
  app.pass(100);
  await set(0);
  app.pass(10);
  expect(app.rows(EXCLUDED)).toEqual([
    { reason: "stopped", since: START, until: START + 100 },
    { reason: "ignored", since: START + 100, until: START + 300 },
  ]);
});

test("a stopped agent's time is not counted until its next incarnation", async () => {
  const app = new TestApp();
  await app.report({ services, incarnation: BOOT, event: STOPPED });
  app.pass(50);
  await app.report({ services, incarnation: BOOT + 10 });
  expect(app.rows(EXCLUDED)).toEqual([{ reason: "stopped", since: START, until: START + 50 }]);
});
