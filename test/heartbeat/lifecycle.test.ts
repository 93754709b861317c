import { RELOADED, STARTED, STOPPED } from "../support/agent-messages.ts";
import { BOOT, type Expected, type Line, ledger, pass, send, update } from "../support/ledger.ts";

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

ledger("a stop in the second in which its incarnation began counts", [
  FIRST,
  ["a cycle", pass(30), {}],
  [
    "started and stopped",
    send((now) => ({ incarnation: now, services, event: STOPPED })),
    { ...STOP, events: INSTANCE(30) },
  ],
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

ledger("a stop of an agent that was silent is heard: the silence is over, and it is stopped", [
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
