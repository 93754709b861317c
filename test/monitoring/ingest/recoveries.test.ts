import { expect, test } from "bun:test";
import { parseAgentMessage } from "../../../src/monit/message.ts";
import { agentXml, type ServiceXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { isOnPostgres } from "../../support/database.ts";
import { BOOT, type Expected, type Input, type Line, ledger, pass, send } from "../../support/ledger.ts";

const DB = { name: "db" };
const NOTHING_OK = "0 out of 2 services are available";
const HALF = "1 out of 2 services are available";
const ALL = "All 2 services are available";

/** Web as given, beside a service that is always fine. */
function web(state: Partial<ServiceXml> = {}, message = {}): Input {
  return send({ services: [{ name: "web", ...state }, DB], ...message });
}

const FAILS: Line = [
  "failure",
  web({ status: 512 }, { event: { service: "web" } }),
  {
    status: 0,
    heartbeat: 1,
    led: 1,
    text: HALF,
    events: ["error 512 web @0"],
    down: ["512 web 0.."],
    active: ["512 web @0"],
  },
];
const GREEN: Expected = { led: 2, text: ALL };
const RED: Expected = { led: 1, text: HALF };
const WAIT: Line = ["a cycle", pass(30), {}];

ledger("a failure ends with its success event", [
  FAILS,
  WAIT,
  [
    "success",
    web({}, { event: { service: "web", state: 0 } }),
    { ...GREEN, events: ["success 512 web @30"], down: ["512 web 0..30"], active: [] },
  ],
]);

ledger("a failure ends silently when the service is unmonitored", [
  FAILS,
  WAIT,
  ["monitor 0", web({ monitor: 0 }), { down: ["512 web 0..30"], active: [] }],
  WAIT,
  ["and monitored again", web(), GREEN],
]);

ledger("a failure ends silently when the service vanishes", [
  FAILS,
  WAIT,
  [
    "gone",
    send({ services: [DB] }),
    { led: 2, text: "All 1 services are available", down: ["512 web 0..30"], active: [] },
  ],
]);

ledger("a failure ends silently when a newer incarnation monitors the service without it", [
  FAILS,
  WAIT,
  [
    "restarted agent, service fine",
    web({}, { incarnation: BOOT + 3620 }),
    { ...GREEN, down: ["512 web 0..30"], active: [] },
  ],
]);

ledger("a failure lasts into a newer incarnation that has not checked the service yet", [
  FAILS,
  WAIT,
  ["initializing", web({ monitor: 2, collectedSec: 0 }, { incarnation: BOOT + 3620 }), {}],
  WAIT,
  [
    "checked and fine",
    web({}, { incarnation: BOOT + 3620 }),
    { ...GREEN, down: ["512 web 0..60"], active: [] },
  ],
]);

ledger(
  "a failure that a newer incarnation still reports continues, and one clear report of it is not enough",
  [
    FAILS,
    WAIT,
    ["still failing", web({ status: 512 }, { incarnation: BOOT + 3620 }), {}],
    WAIT,
    ["clear for a cycle", web({}, { incarnation: BOOT + 3620 }), GREEN],
    WAIT,
    ["failing", web({ status: 512 }, { incarnation: BOOT + 3620 }), RED],
  ],
);

ledger("a repeated error after a restart of the agent is the same failure", [
  FAILS,
  WAIT,
  [
    "posted again",
    web({ status: 512 }, { incarnation: BOOT + 3620, event: { service: "web" } }),
    { events: ["error 512 web @30"], active: ["512 web @30"] },
  ],
]);

ledger("three clear reports in a row end a failure, dated at the first", [
  FAILS,
  WAIT,
  ["clear", web(), GREEN],
  WAIT,
  ["clear", web(), {}],
  WAIT,
  ["clear", web(), { down: ["512 web 0..30"], active: [] }],
  ["a further one changes nothing", web(), {}],
]);

ledger("two clear reports are not enough, and a failing one starts the count again", [
  FAILS,
  WAIT,
  ["clear", web(), GREEN],
  WAIT,
  ["clear", web(), {}],
  WAIT,
  ["failing", web({ status: 512 }), RED],
  WAIT,
  ["clear", web(), GREEN],
  WAIT,
  ["clear", web(), {}],
  WAIT,
  ["clear", web(), { down: ["512 web 0..120"], active: [] }],
]);

ledger("messages without a new check of the service do not count", [
  FAILS,
  ["clear, of the same second as the error", web({ collectedSec: BOOT + 3600 }), GREEN],
  WAIT,
  ["clear, the same check", web({ collectedSec: BOOT + 3600 }), {}],
  WAIT,
  ["clear, the same check", web({ collectedSec: BOOT + 3600 }), {}],
  WAIT,
  ["clear, a new check", web({ collectedSec: BOOT + 3690 }), {}],
  WAIT,
  ["clear, the same new check", web({ collectedSec: BOOT + 3690 }), {}],
  ["clear, the same new check", web({ collectedSec: BOOT + 3690 }), {}],
]);

ledger("a process being restarted for minutes is still failing", [
  FAILS,
  WAIT,
  ["restarting", web({ status: 512, monitor: 2, collectedSec: BOOT + 3600 }), {}],
  WAIT,
  ["restarting", web({ status: 512, monitor: 2, collectedSec: BOOT + 3600 }), {}],
]);

ledger("each class of failure of a service ends separately", [
  FAILS,
  WAIT,
  [
    "a second class",
    web({ status: 514 }, { event: { service: "web", id: 2 } }),
    { events: ["error 2 web @30"], down: ["512 web 0..", "2 web 30.."], active: ["512 web @0", "2 web @30"] },
  ],
  WAIT,
  [
    "the first is repaired",
    web({ status: 2 }, { event: { service: "web", state: 0 } }),
    { events: ["success 512 web @60"], down: ["512 web 0..60", "2 web 30.."], active: ["2 web @30"] },
  ],
  WAIT,
  ["the second silently: clear", web(), GREEN],
  WAIT,
  ["clear", web(), {}],
  WAIT,
  ["clear", web(), { down: ["512 web 0..60", "2 web 30..90"], active: [] }],
]);

ledger("a bit that merely changed does not keep a failure open", [
  FAILS,
  WAIT,
  ["changed", web({ status: 512, statusHint: 512 }), GREEN],
  WAIT,
  ["changed", web({ status: 512, statusHint: 512 }), {}],
  WAIT,
  ["changed", web({ status: 512, statusHint: 512 }), { down: ["512 web 0..30"], active: [] }],
]);

ledger("an error of a service that the document does not list is stored and over at once", [
  ["both fine", web(), { status: 0, heartbeat: 1, led: 2, text: ALL }],
  [
    "a queued error of a removed service",
    web({}, { event: { service: "old", collectedSec: BOOT + 3000 } }),
    { events: ["error 512 old @-600"], down: ["512 old -600..0"] },
  ],
]);

ledger("all services failing is red, all unmonitored is gray", [
  [
    "both fail",
    send({
      services: [
        { name: "web", status: 512 },
        { name: "db", status: 32 },
      ],
    }),
    { status: 0, heartbeat: 1, led: 0, text: NOTHING_OK },
  ],
  [
    "the monitored one fails",
    send({
      services: [
        { name: "web", status: 512 },
        { name: "db", monitor: 0 },
      ],
    }),
    {},
  ],
  ["one waits", send({ services: [{ name: "web", monitor: 4 }, DB] }), { led: 1, text: HALF }],
  ["one initializes", send({ services: [{ name: "web", monitor: 2 }, DB] }), {}],
  [
    "none is monitored",
    send({
      services: [
        { name: "web", monitor: 0 },
        { name: "db", monitor: 0 },
      ],
    }),
    { led: 3, text: NOTHING_OK },
  ],
]);

test("a failure of the heartbeat class that an agent sends does not stay open forever", async () => {
  const app = new TestApp();
  const event = { service: "Monit", serviceType: 5, id: 1_048_576 };
  await send({ services: [DB], event })(app);
  for (let i = 0; i < 4; i++) {
    app.pass(30);
    await send({ services: [DB] })(app);
  }
  expect(app.rows("select id from events where active = true")).toEqual([]);
  expect(app.rows("select id from downtime_intervals where ended_at is null")).toEqual([]);
});

// Thousands of failures, for a bound of Muster that is the same on PostgreSQL.
if (!isOnPostgres())
  test("a failure that is reported again starts its count anew, whatever another host stores in the same flush", async () => {
    const app = new TestApp();
    const everyClass = 0x3ff_ffff;
    const post = (id: string, services: number, status: number) => {
      const at = app.clock.now();
      const named = Array.from({ length: services }, (_, i) => ({ name: `s${i}`, status, collectedSec: at }));
      const text = agentXml({ id, hostname: id, at, incarnation: BOOT, services: named });
      const message = parseAgentMessage(Buffer.from(text));
      return app.queue.add({ message, receivedAt: at, source: "198.51.100.7" });
    };
    const openFailuresOf = (host: string) =>
      app.rows(
        `select event_type from downtime_intervals
       where ended_at is null and host_id = (select id from hosts where hostname = '${host}')`,
      ).length;
    for (let i = 0; i < 16; i++) {
      await post("crowd", 250, everyClass);
      await post("one", 1, 512);
      app.pass(30);
    }
    expect(openFailuresOf("crowd")).toBeGreaterThan(5000);
    for (let i = 0; i < 2; i++) {
      await post("one", 1, 0);
      app.pass(30);
    }
    // The crowd uses up what one transaction stores of such progress.
    await Promise.all([post("crowd", 250, 0), post("one", 1, 512)]);
    for (let i = 0; i < 2; i++) {
      app.pass(30);
      await post("one", 1, 0);
    }
    expect(openFailuresOf("one")).toBe(1);
    app.pass(30);
    await post("one", 1, 0);
    expect(openFailuresOf("one")).toBe(0);
  });
