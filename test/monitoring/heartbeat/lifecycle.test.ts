import { RELOADED, STARTED, STOPPED } from "../../support/agent-messages.ts";
import { BOOT, type Expected, type Line, ledger, pass, send, update } from "../../support/ledger.ts";

const services = [{ name: "web" }];
const UP: Expected = { status: 0, heartbeat: 1, led: 2, text: "All 1 services are available" };
const STOP: Expected = { status: 1, led: 3, text: "Stopped" };
const FIRST: Line = ["first message", send({ services }), UP];
const INSTANCE = (at: number) => [`change 65536 Monit @${at}`];

ledger("an agent that stops gracefully is inactive without an error", [
  FIRST,
  ["a cycle", pass(30), {}],
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(30) }],
  ["silence of a stopped agent is no failure", pass(600), {}],
]);

ledger("a stopped agent is active again with any message of a newer incarnation", [
  FIRST,
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(0) }],
  ["off", pass(600), {}],
  ["no start event, only a status", send((now) => ({ incarnation: now, services })), UP],
  ["watched again", pass(90), {}],
  [
    "and missed again",
    pass(1),
    {
      status: 1,
      heartbeat: 0,
      led: 0,
      text: "No report from Monit. Last report was 2026-01-05 12:10:00 UTC",
      events: ["error 1048576 Monit @691"],
      down: ["1048576 Monit 691.."],
      active: ["1048576 Monit @691"],
    },
  ],
]);

ledger("a stop and a start with their events", [
  FIRST,
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(0) }],
  ["off", pass(20), {}],
  ["start", send((now) => ({ incarnation: now, services, event: STARTED })), { ...UP, events: INSTANCE(20) }],
]);

ledger("a stop that could not be delivered arrives inside the next incarnation, and is history then", [
  FIRST,
  ["a cycle", pass(30), {}],
  [
    "restarted at 20, the stop of 15 comes now",
    send((now) => ({ incarnation: now - 10, services, event: { ...STOPPED, collectedSec: now - 15 } })),
    { events: INSTANCE(15) },
  ],
]);

ledger(
  "a stop at the beginning of an incarnation is history in its first message, and counts in a later one",
  [
    FIRST,
    ["a cycle", pass(30), {}],
    [
      "restarted within a second: the stop of the run before comes first of all",
      send((now) => ({ incarnation: now, services, event: STOPPED })),
      { events: INSTANCE(30) },
    ],
    [
      "restarted again, with its start",
      send((now) => ({
        incarnation: now + 1,
        uptime: 0,
        services,
        event: { ...STARTED, collectedSec: now + 1, collectedUsec: 5 },
      })),
      { events: ["change 65536 Monit @30"] },
    ],
    [
      "stopped in that second",
      send((now) => ({
        incarnation: now + 1,
        uptime: 0,
        services,
        event: { ...STOPPED, collectedSec: now + 1, collectedUsec: 9 },
      })),
      { ...STOP, events: ["change 65536 Monit @30"] },
    ],
  ],
);

ledger("a stop after the beginning of an incarnation counts also in its first message", [
  FIRST,
  ["a cycle", pass(30), {}],
  [
    "started 10 s ago, and stopped before anything could be sent",
    send((now) => ({ incarnation: now - 10, services, event: STOPPED })),
    { ...STOP, events: INSTANCE(30) },
  ],
]);

ledger("a stop that arrives late in the run of an agent restarted without a pause does not last", [
  FIRST,
  ["a cycle", pass(30), {}],
  ["restarted", send((now) => ({ incarnation: now, services, event: STARTED })), { events: INSTANCE(30) }],
  [
    "the stop of the run before, dated in the same second",
    send((now) => ({ incarnation: now, services, event: { ...STOPPED, collectedUsec: 1 } })),
    { ...STOP, events: INSTANCE(30) },
  ],
  ["a cycle later it reports", pass(1), {}],
  ["and so it runs", send({ incarnation: BOOT + 3630, services }), UP],
]);

ledger("a status that was sent before the stop and arrives after it changes nothing", [
  FIRST,
  ["a cycle", pass(30), {}],
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(30) }],
  ["a status of the same second", send({ services }), {}],
  ["one of the second before", send((now) => ({ at: now - 1, services })), {}],
  ["one of the same run, but later", pass(1), {}],
  ["shows that the agent goes on", send({ services }), UP],
]);

ledger("a stopped agent whose clock was set back is active again in its next run", [
  FIRST,
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(0) }],
  ["off", pass(60), {}],
  [
    "by its clock it is an hour ago",
    send((now) => ({ at: now - 3600, incarnation: now - 3601, services })),
    UP,
  ],
]);

ledger("a stop from before the clock was set back is history", [
  FIRST,
  ["off", pass(60), {}],
  [
    "an hour ago by its clock, with the stop of before",
    send((now) => ({
      at: now - 3600,
      incarnation: now - 3620,
      services,
      event: { ...STOPPED, collectedSec: now - 30 },
    })),
    { events: ["change 65536 Monit @60"] },
  ],
]);

ledger("an agent whose clock was set back while it ran can still say that it stops", [
  FIRST,
  ["a cycle", pass(30), {}],
  ["set back by two hours: its uptime is negative", send((now) => ({ at: now - 7200, services })), {}],
  ["a cycle", pass(30), {}],
  ["stop", send((now) => ({ at: now - 7200, services, event: STOPPED })), { ...STOP, events: INSTANCE(60) }],
]);

ledger("a reload is a new incarnation and nothing stops", [
  FIRST,
  ["a cycle", pass(30), {}],
  ["reload", send((now) => ({ incarnation: now, services, event: RELOADED })), { events: INSTANCE(30) }],
  ["goes on", pass(90), {}],
]);

ledger("the same stop delivered twice changes nothing", [
  FIRST,
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(0) }],
  ["retried", send({ services, event: STOPPED }), {}],
]);

ledger("a stop of a silent agent counts as a report: the outage is over, and it is stopped", [
  FIRST,
  [
    "silence",
    pass(91),
    {
      status: 1,
      heartbeat: 0,
      led: 0,
      text: "No report from Monit. Last report was 2026-01-05 12:00:00 UTC",
      events: ["error 1048576 Monit @91"],
      down: ["1048576 Monit 91.."],
      active: ["1048576 Monit @91"],
    },
  ],
  [
    "stop",
    send({ services, event: STOPPED }),
    {
      ...STOP,
      heartbeat: 1,
      events: ["success 1048576 Monit @91", "change 65536 Monit @91"],
      down: [],
      active: [],
    },
  ],
]);

ledger("an event of a service named Monit that is no stop does not stop the host", [
  FIRST,
  [
    "an action of another kind",
    send({ services, event: { ...STOPPED, id: 131_072 } }),
    { events: ["change 131072 Monit @0"] },
  ],
  ["start", send({ services, event: STARTED }), { events: INSTANCE(0) }],
  [
    "a stop action of another service",
    send({ services, event: { ...STOPPED, service: "web" } }),
    { events: ["change 65536 web @0"] },
  ],
]);

ledger("a stop of a host set to Active by hand before the agent is back", [
  FIRST,
  ["stop", send({ services, event: STOPPED }), { ...STOP, events: INSTANCE(0) }],
  ["to Active", update({ status: 0 }), UP],
  ["in time", pass(90), {}],
  [
    "too late",
    pass(1),
    {
      status: 1,
      heartbeat: 0,
      led: 0,
      text: "No report from Monit. Last report was 2026-01-05 12:00:00 UTC",
      events: ["error 1048576 Monit @91"],
      down: ["1048576 Monit 91.."],
      active: ["1048576 Monit @91"],
    },
  ],
  [
    "return",
    send({ incarnation: BOOT + 3600, services }),
    { ...UP, events: ["success 1048576 Monit @91"], down: [], active: [] },
  ],
]);
