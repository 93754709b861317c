import { expect, test } from "bun:test";
import { FULL_REACH } from "../../../src/platform/http/scope.ts";
import type { EventXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { BOOT, type Expected, type Input, type Line, ledger, pass, send } from "../../support/ledger.ts";

const FINE = [{ name: "web" }];
const FAILING = [{ name: "web", status: 512 }];
const GREEN: Expected = { led: 2, text: "All 1 services are available" };
const RED: Expected = { led: 0, text: "0 out of 1 services are available" };
const FIRST: Line = ["first message", send({ services: FINE }), { status: 0, heartbeat: 1, ...GREEN }];

/** An event of service web at seconds after the start, within a document of now. */
function event(at: number, state: number, failing = false, rest: EventXml = { service: "web" }): Input {
  return send({ services: failing ? FAILING : FINE, event: { ...rest, state, collectedSec: START + at } });
}

ledger("a success that overtook its error leaves no failure open", [
  FIRST,
  ["60 s", pass(60), {}],
  ["success of 50", event(50, 0), { events: ["success 512 web @50"] }],
  ["error of 20", event(20, 1), { events: ["error 512 web @20"], down: ["512 web 20..50"] }],
]);

ledger("an old pair of error and success, replayed while a newer failure is open, does not touch that one", [
  FIRST,
  ["100 s", pass(80), {}],
  [
    "error of 70",
    event(70, 1, true),
    { ...RED, events: ["error 512 web @70"], down: ["512 web 70.."], active: ["512 web @70"] },
  ],
  ["success of 40", event(40, 0, true), { events: ["success 512 web @40"] }],
  [
    "error of 10",
    event(10, 1, true),
    { events: ["error 512 web @10"], down: ["512 web 10..40", "512 web 70.."] },
  ],
]);

ledger("an older error of the same failure moves its beginning, not its newest error", [
  FIRST,
  ["80 s", pass(80), {}],
  [
    "error of 70",
    event(70, 1, true),
    { ...RED, events: ["error 512 web @70"], down: ["512 web 70.."], active: ["512 web @70"] },
  ],
  ["error of 30", event(30, 1, true), { events: ["error 512 web @30"], down: ["512 web 30.."] }],
  [
    "success of 50 parts them",
    event(50, 0, true),
    { events: ["success 512 web @50"], down: ["512 web 30..50", "512 web 70.."] },
  ],
]);

ledger("an old error replayed after its failure was over stays history", [
  FIRST,
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  ["30 s", pass(30), {}],
  [
    "success",
    event(30, 0),
    { ...GREEN, events: ["success 512 web @30"], down: ["512 web 0..30"], active: [] },
  ],
  ["30 s", pass(30), {}],
  ["a second error of 10", event(10, 1), { events: ["error 512 web @10"] }],
]);

ledger("an old error replayed after a silent recovery stays history", [
  FIRST,
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  ["30 s", pass(30), {}],
  [
    "unmonitored",
    send({ services: [{ name: "web", monitor: 0 }] }),
    { led: 3, down: ["512 web 0..30"], active: [] },
  ],
  ["30 s", pass(30), {}],
  ["an error of 20", event(20, 1), { ...GREEN, events: ["error 512 web @20"] }],
]);

ledger("the same event again changes nothing, whatever else its message says", [
  FIRST,
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  ["again", event(0, 1, true), {}],
  ["a cycle", pass(30), {}],
  ["again, with another text", event(0, 1, true, { service: "web", message: "still missing" }), {}],
  [
    "success",
    event(30, 0),
    { ...GREEN, events: ["success 512 web @30"], down: ["512 web 0..30"], active: [] },
  ],
  ["the error again, after the success", event(0, 1), {}],
]);

ledger("events that differ in one part of their stamp are different events", [
  FIRST,
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  [
    "another microsecond",
    event(0, 1, true, { service: "web", collectedUsec: 1 }),
    { events: ["error 512 web @0"] },
  ],
  [
    "another class",
    event(0, 1, true, { service: "web", id: 2 }),
    { events: ["error 2 web @0"], down: ["2 web 0..", "512 web 0.."], active: ["512 web @0", "2 web @0"] },
  ],
]);

ledger("changes neither open nor end a failure", [
  FIRST,
  ["change", event(0, 2, false, { service: "web", id: 1 }), { events: ["change 1 web @0"] }],
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  ["30 s", pass(30), {}],
  ["change", event(30, 2, true), { events: ["change 512 web @30"] }],
  [
    "'changed not' is a success",
    event(30, 3),
    { ...GREEN, events: ["success 512 web @30"], down: ["512 web 0..30"], active: [] },
  ],
  ["'init' is not stored", event(30, 4, false, { service: "web", id: 32 }), {}],
]);

ledger("a success and a new error in the same second follow each other by their microseconds", [
  FIRST,
  [
    "error",
    event(0, 1, true),
    { ...RED, events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  ["10 s", pass(10), {}],
  [
    "success",
    event(10, 0, false, { service: "web", collectedUsec: 100 }),
    { ...GREEN, events: ["success 512 web @10"], down: ["512 web 0..10"], active: [] },
  ],
  [
    "error",
    event(10, 1, true, { service: "web", collectedUsec: 200 }),
    {
      ...RED,
      events: ["error 512 web @10"],
      down: ["512 web 0..10", "512 web 10.."],
      active: ["512 web @10"],
    },
  ],
  ["10 s", pass(10), {}],
  [
    "success",
    event(20, 0),
    { ...GREEN, events: ["success 512 web @20"], down: ["512 web 0..10", "512 web 10..20"], active: [] },
  ],
]);

test("a repeated error takes the place of the first and inherits its dismissal, a new failure does not", async () => {
  const app = new TestApp();
  const active = () => app.rows("select date, dismissed from events where active = true");
  await event(0, 1, true)(app);
  const [first] = app.rows<{ id: number }>("select id from events");
  app.muster.events.dismiss([first?.id ?? 0], FULL_REACH);
  app.pass(30);
  await send({ incarnation: BOOT + 3610, services: FAILING, event: { service: "web" } })(app);
  expect(active()).toEqual([{ date: START + 30, dismissed: 1 }]);
  app.pass(30);
  await event(60, 0)(app);
  expect(active()).toEqual([]);
  app.pass(30);
  await event(90, 1, true)(app);
  expect(active()).toEqual([{ date: START + 90, dismissed: 0 }]);
});
