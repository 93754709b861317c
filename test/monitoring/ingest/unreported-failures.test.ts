/** Failures whose event was lost: only the status of the agent opens them. */
import { describe, expect, test } from "bun:test";
import { type AgentXml, agentXml, type EventXml, type ServiceXml } from "../../support/agent-messages.ts";
import type { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";
import {
  BOOT,
  type Expected,
  type Input,
  type Line,
  ledger,
  pass,
  send,
  update,
} from "../../support/ledger.ts";
import { limitWith } from "../../support/limits.ts";

appOfEachTest();

const DB = { name: "db" };
const RED: Expected = { led: 1, text: "1 out of 2 services are available" };
const GREEN: Expected = { led: 2, text: "All 2 services are available" };
const NEW_RED: Expected = { status: 0, heartbeat: 1, ...RED };
const WAIT: Line = ["a cycle", pass(30), {}];

function web(state: Partial<ServiceXml> = {}, message: AgentXml = {}): Input {
  return send({ services: [{ name: "web", ...state }, DB], ...message });
}

const FAILING = { status: 512 };
const SUSPECTED: readonly Line[] = [["red without an event", web(FAILING), NEW_RED], WAIT];
/** Seen first at the start, and opened 30 s later. */
const OPENED: readonly Line[] = [
  ...SUSPECTED,
  [
    "red again",
    web(FAILING),
    { events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  WAIT,
];

ledger("the second status that reports a failure opens it, from the first one on", [
  ...OPENED,
  ["a further report changes nothing", web(FAILING), {}],
  WAIT,
  [
    "and its success ends it",
    web({}, { event: { service: "web", state: 0 } }),
    { ...GREEN, events: ["success 512 web @90"], down: ["512 web 0..90"], active: [] },
  ],
]);

/** On, and waiting for its turn: its last check still holds. */
const SCHEDULED = 5;

ledger("a service with a schedule is monitored between its checks", [
  ["red without an event", web({ ...FAILING, monitor: SCHEDULED }), NEW_RED],
  WAIT,
  [
    "red again",
    web({ ...FAILING, monitor: SCHEDULED }),
    { events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
  WAIT,
  [
    "clear in another run of the agent",
    web({ monitor: SCHEDULED }, { incarnation: BOOT + 3620 }),
    { ...GREEN, down: ["512 web 0..60"], active: [] },
  ],
]);

ledger("a failure that the status opened ends by the status too", [
  ...OPENED,
  ["clear", web(), GREEN],
  WAIT,
  ["clear", web(), {}],
  WAIT,
  ["clear", web(), { down: ["512 web 0..60"], active: [] }],
]);

ledger("a status whose check is not newer counts once the host would be down without it", [
  ["red", web({ ...FAILING, collectedSec: START - 10 }), NEW_RED],
  ["", pass(60), {}],
  ["the same check", web({ ...FAILING, collectedSec: START - 10 }), {}],
  ["", pass(29), {}],
  ["the same check", web({ ...FAILING, collectedSec: START - 10 }), {}],
  ["", pass(1), {}],
  [
    "the same check, three polls after the first report",
    web({ ...FAILING, collectedSec: START - 10 }),
    { events: ["error 512 web @-10"], down: ["512 web -10.."], active: ["512 web @-10"] },
  ],
]);

ledger("a check of an unknown date counts from the receipt of the first report", [
  ["red", web({ ...FAILING, collectedSec: 0 }), NEW_RED],
  ["", pass(60), {}],
  ["red", web({ ...FAILING, collectedSec: 0 }), {}],
  ["", pass(30), {}],
  [
    "three polls later",
    web({ ...FAILING, collectedSec: 0 }),
    { events: ["error 512 web @0"], down: ["512 web 0.."], active: ["512 web @0"] },
  ],
]);

ledger("each class opens separately, unless the agent reported it", [
  [
    "one class with an event, one without",
    web({ status: 514 }, { event: { service: "web", id: 2 } }),
    { ...NEW_RED, events: ["error 2 web @0"], down: ["2 web 0.."], active: ["2 web @0"] },
  ],
  WAIT,
  [
    "a third class",
    web({ status: 514 + 32 }),
    { events: ["error 512 web @0"], down: ["2 web 0..", "512 web 0.."], active: ["2 web @0", "512 web @0"] },
  ],
  WAIT,
  [
    "again",
    web({ status: 514 + 32 }),
    {
      events: ["error 32 web @30"],
      down: ["2 web 0..", "512 web 0..", "32 web 30.."],
      active: ["2 web @0", "512 web @0", "32 web @30"],
    },
  ],
]);

describe("the count begins again after", () => {
  const again = (name: string, ...between: readonly Line[]) =>
    ledger(name, [
      ...SUSPECTED,
      ...between,
      WAIT,
      ["red", web(FAILING), RED],
      WAIT,
      [
        "red again",
        web(FAILING),
        { events: ["error 512 web @60"], down: ["512 web 60.."], active: ["512 web @60"] },
      ],
    ]);
  again("a status that is clear", ["clear", web(), GREEN]);
  again("a mere change", ["changed", web({ ...FAILING, statusHint: 512 }), GREEN]);
  again("a status of a service that is not monitored", ["off", web({ ...FAILING, monitor: 0 }), RED]);
  again("a status of a service that is being started", ["starts", web({ ...FAILING, monitor: 2 }), RED]);
  again("a list without the service", [
    "gone",
    send({ services: [DB] }),
    { led: 2, text: "All 1 services are available" },
  ]);
});

ledger("a success of the agent restarts the count, unless it is older than the first report", [
  ...SUSPECTED,
  [
    "a success of before, and red at the same check",
    web(
      { ...FAILING, collectedSec: START },
      { event: { service: "web", state: 0, collectedSec: START - 5 } },
    ),
    { events: ["success 512 web @-5"] },
  ],
  WAIT,
  [
    "a success since then, and red again",
    web(FAILING, { event: { service: "web", state: 0, collectedSec: START + 45 } }),
    { events: ["success 512 web @45"] },
  ],
  WAIT,
  ["red", web(FAILING), { events: ["error 512 web @60"], down: ["512 web 60.."], active: ["512 web @60"] }],
]);

ledger("it does not begin before the last recovery, however old its check is", [
  [
    "it fails",
    web(FAILING, { event: { service: "web" } }),
    {
      ...NEW_RED,
      events: ["error 512 web @0"],
      down: ["512 web 0.."],
      active: ["512 web @0"],
    },
  ],
  WAIT,
  [
    "unmonitored",
    web({ ...FAILING, monitor: 0, collectedSec: START }),
    { down: ["512 web 0..30"], active: [] },
  ],
  WAIT,
  ["monitored, and not checked since", web({ ...FAILING, collectedSec: START }), {}],
  WAIT,
  [
    "checked",
    web(FAILING),
    { events: ["error 512 web @31"], down: ["512 web 0..30", "512 web 31.."], active: ["512 web @31"] },
  ],
]);

ledger("classes that are about the agent, and bits without a name, open nothing", [
  ["red", web({ status: 65_536 + 131_072 + 1_048_576 + 2_147_483_648 }), NEW_RED],
  WAIT,
  ["red", web({ status: 65_536 + 131_072 + 1_048_576 + 2_147_483_648 }), {}],
]);

ledger("nothing is opened of a host that an administrator ignores", [
  ...SUSPECTED,
  ["ignored", update({ status: 2 }), { status: 2, led: 3, text: "Ignored" }],
  ["red", web(FAILING), {}],
  WAIT,
  ["red", web(FAILING), {}],
  ["active again", update({ status: 0 }), { status: 0, ...RED }],
  WAIT,
  ["red", web(FAILING), {}],
  WAIT,
  [
    "red again",
    web(FAILING),
    { events: ["error 512 web @90"], down: ["512 web 90.."], active: ["512 web @90"] },
  ],
]);

ledger("nothing is opened of a host that is stopped", [
  ["red", web(FAILING), NEW_RED],
  ["stopped by hand", update({ status: 1 }), { status: 1, led: 3, text: "Stopped" }],
  WAIT,
  ["red", web(FAILING), {}],
  WAIT,
  ["red", web(FAILING), {}],
]);

test("a failure of a limit does not count as an error of the agent", async () => {
  app.muster.statisticLimits.create(limitWith({ name: "cpu", statistics: [8], warning: 10 }));
  const body = "<cpu><percent>50</percent><percenttotal>50</percenttotal></cpu>";
  for (let i = 0; i < 2; i++) {
    await send({ services: [{ name: "web", status: 2, body }] })(app);
    app.pass(30);
  }
  expect(app.rows("select limit_id, state, active from events order by limit_id")).toEqual([
    { limit_id: 0, state: 1, active: 1 },
    { limit_id: 1, state: 1, active: 1 },
  ]);
});

test("Muster's event says that the agent sent none, and no event of an agent is taken for it", async () => {
  await web(FAILING)(app);
  app.pass(30);
  await web(FAILING)(app);
  const columns = "service_type, date, collected_sec, collected_usec, state, action, message";
  expect(app.rows(`select ${columns} from events`)).toEqual([
    {
      service_type: 3,
      date: START,
      collected_sec: START,
      collected_usec: -1,
      state: 1,
      action: 1,
      message: "Nonexist failed: the agent reported it in its status, without an event",
    },
  ]);
  // The same second as its own, and the smallest microsecond.
  await web(FAILING, { event: { service: "web", collectedSec: START, collectedUsec: 0 } })(app);
  expect(app.rows("select collected_usec, active from events order by id")).toEqual([
    { collected_usec: -1, active: 0 },
    { collected_usec: 0, active: 1 },
  ]);
});

test("a later failure first reported by the same check is distinguished from the earlier one", async () => {
  const old = { ...FAILING, collectedSec: START };
  for (const state of [old, old, { ...old, monitor: 0 }, old, old]) {
    await web(state)(app);
    app.pass(85);
    app.clock.step(5);
  }
  expect(app.rows("select collected_sec, collected_usec, active from events order by id")).toEqual([
    { collected_sec: START, collected_usec: -1, active: 0 },
    { collected_sec: START, collected_usec: -2, active: 1 },
  ]);
});

describe("the event of the agent, if it comes after all,", () => {
  const late: EventXml = { service: "web", collectedSec: START - 20, message: "is gone" };

  ledger("becomes the open error and moves the start, though it is earlier", [
    ...OPENED,
    [
      "from the agent's queue",
      web(FAILING, { event: late }),
      { events: ["error 512 web @-20"], down: ["512 web -20.."], active: ["512 web @-20"] },
    ],
    WAIT,
    [
      "a repeated error takes its place",
      web(FAILING, { event: { service: "web" } }),
      { events: ["error 512 web @90"], active: ["512 web @90"] },
    ],
    WAIT,
    [
      "the end",
      web({}, { event: { service: "web", state: 0 } }),
      { ...GREEN, events: ["success 512 web @120"], down: ["512 web -20..120"], active: [] },
    ],
  ]);

  ledger("is of another failure if a recovery lies between", [
    ...OPENED,
    [
      "the success",
      web(FAILING, { event: { ...late, state: 0, collectedSec: START - 10 } }),
      { events: ["success 512 web @-10"] },
    ],
    [
      "the error before it",
      web(FAILING, { event: late }),
      { events: ["error 512 web @-20"], down: ["512 web -20..-10", "512 web 0.."] },
    ],
  ]);

  ledger("is of another failure as soon as a recovery between them is known", [
    ...OPENED,
    [
      "the error",
      web(FAILING, { event: late }),
      { events: ["error 512 web @-20"], down: ["512 web -20.."], active: ["512 web @-20"] },
    ],
    [
      "the success after it",
      web(FAILING, { event: { ...late, state: 0, collectedSec: START - 10 } }),
      {
        events: ["success 512 web @-10"],
        down: ["512 web -20..-10", "512 web 0.."],
        active: ["512 web @0"],
      },
    ],
  ]);

  ledger("does not keep the failure open beyond a recovery after Muster's own", [
    ...OPENED,
    [
      "the error",
      web(FAILING, { event: late }),
      { events: ["error 512 web @-20"], down: ["512 web -20.."], active: ["512 web @-20"] },
    ],
    [
      "a newer agent that finds it well at a check of before",
      web({ collectedSec: START - 5 }, { incarnation: BOOT + 10 }),
      { ...GREEN, down: ["512 web -20..1"], active: [] },
    ],
  ]);

  test("inherits acknowledgement and dismissal, and Muster's row keeps its notes", async () => {
    for (let i = 0; i < 2; i++) {
      await web(FAILING)(app);
      app.pass(30);
    }
    await admin.post("/api/1/problems/acknowledge", { id: 1, note: "mine", until: "" });
    await admin.post("/api/1/reports/events/dismiss", { id: 1 });
    await web(FAILING, { event: late })(app);
    expect(app.rows("select event_id, ended_at from acknowledgements")).toEqual([
      { event_id: 2, ended_at: null },
    ]);
    expect(app.rows("select id, active, dismissed from events order by id")).toEqual([
      { id: 1, active: 0, dismissed: 1 },
      { id: 2, active: 1, dismissed: 1 },
    ]);
    expect(app.rows("select event_id, message from event_notes")).toEqual([{ event_id: 1, message: "mine" }]);
  });
});

describe("the first report survives", () => {
  const began = (app: TestApp) => app.rows("select started_at, ended_at from downtime_intervals");
  const OPEN = [{ started_at: START, ended_at: null }];

  test("a message that could not be stored", async () => {
    await web(FAILING)(app);
    app.pass(30);
    const breaking = new Error("the disk is full");
    const { record } = app.events;
    app.events.record = () => {
      throw breaking;
    };
    const failed = await app.report(
      agentXml({ at: START + 30, incarnation: BOOT, services: [{ name: "web", ...FAILING }, DB] }),
    );
    app.events.record = record;
    expect([failed.status, began(app)]).toEqual([500, []]);
    app.pass(30);
    await web(FAILING)(app);
    expect(began(app)).toEqual(OPEN);
  });

  test("a message that has no list of services, and one whose status cannot be read", async () => {
    await web(FAILING)(app);
    app.pass(30);
    const xml = agentXml({ at: START + 30, incarnation: BOOT, services: [{ name: "web", ...FAILING }, DB] });
    await app.report(xml.replace(/<services>.*<\/services>/s, ""));
    await app.report(xml.replace("<status>512</status>", "<status>?</status>"));
    expect(began(app)).toEqual([]);
    await web(FAILING)(app);
    expect(began(app)).toEqual(OPEN);
  });

  test("the deletion of its service, of which nothing is left", async () => {
    await web(FAILING)(app);
    app.deleteHosts([1]);
    expect(app.rows("select * from suspected_failures")).toEqual([]);
  });
});

describe("many at once", () => {
  /** Of three classes each. */
  const SERVICES = Array.from({ length: 400 }, (_, i) => ({ name: `web-${i}`, status: 512 + 32 + 2 }));
  const opened = (app: TestApp) =>
    app.rows<{ n: number }>("select count(*) as n from downtime_intervals where ended_at is null")[0]?.n;

  test("are opened by 500 a transaction, and the others by the next ones", async () => {
    const counts: unknown[] = [];
    for (let i = 0; i < 5; i++) {
      await send({ services: SERVICES })(app);
      counts.push(opened(app));
      app.pass(30);
    }
    expect(counts).toEqual([0, 500, 1000, 1200, 1200]);
    expect(app.rows("select distinct started_at from downtime_intervals")).toEqual([{ started_at: START }]);
    expect(app.rows("select * from suspected_failures")).toEqual([]);
  });

  test("end by 500 a transaction, and the others with the next ones", async () => {
    for (let i = 0; i < 4; i++) {
      await send({ services: SERVICES })(app);
      app.pass(30);
    }
    const off = SERVICES.map(({ name }) => ({ name, monitor: 0 }));
    const counts: unknown[] = [];
    for (let i = 0; i < 4; i++) {
      await send({ services: off })(app);
      counts.push(opened(app));
      app.pass(30);
    }
    expect(counts).toEqual([700, 200, 0, 0]);
  });

  test("hosts share the 500 of a transaction", async () => {
    const report = (n: number) =>
      app.report(
        agentXml({
          id: `host-${n}`,
          at: app.clock.now(),
          incarnation: BOOT,
          services: SERVICES.slice(0, 100),
        }),
      );
    const counts: unknown[] = [];
    for (let i = 0; i < 3; i++) {
      await Promise.all([report(1), report(2)]);
      counts.push(opened(app));
      app.pass(30);
    }
    expect(counts).toEqual([0, 500, 600]);
  });
});
