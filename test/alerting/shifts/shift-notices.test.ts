/** Notices before a shift and at its handover: ledgers of who is told when, and what of. */
import { describe, expect, test } from "bun:test";
import { NO_CONTACT } from "../../../src/alerting/notifications/audience.ts";
import { ONLY_INCIDENTS, SHIFT_CHANGED } from "../../../src/alerting/shifts/shift-notices.service.ts";
import { exported, importInto } from "../../operations/transfer/support.ts";
import { ADMIN_PASSWORD } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { expectRefusal } from "../../support/stored.ts";
import { Alerting, fails, type Input, ledger, notified, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;
const WEEK = 604_800;
const [ANNA, BEN] = ["mail to anna@example.org", "mail to ben@example.org"];
/** Notices ten minutes before a shift, and at each handover. */
const BOTH = { noticeminutes: 10, handovernotice: true };

/** Anna and Ben alternate every hour from START on, Monday at noon, until five in the afternoon. Channel 1 is mail. */
const schedule =
  (fields: object, rotation: object = {}): Input =>
  async (alerting) => {
    const { app } = alerting;
    alerting.channel("mail", "email");
    for (const [uname, fullname] of Object.entries({ anna: "Anna Berg", ben: "" })) {
      const email = `${uname}@example.org`;
      app.muster.users.create({ uname, email, fullname, password: "some password", admin: false });
    }
    const turns = {
      name: "",
      users: ["anna", "ben"],
      start: "2026-01-05",
      handover: "12:00",
      unit: "hour",
      every: 1,
      hours: { days: [1], from: "12:00", to: "17:00" },
    };
    const rotations = [{ ...turns, ...rotation }];
    await alerting.call("oncall/create", { name: "Ops", timezone: "Europe/Oslo", rotations, ...fields });
  };

/** Noon in Oslo is 11:00 UTC, so that times of the rotation are an hour earlier by START, noon UTC. */
const UTC = { timezone: "UTC" };

/** Time passes, the schedules are looked at, and the administrator, whose session may be over, signs in again. */
const later =
  (seconds: number): Input =>
  async (alerting) => {
    alerting.app.clock.step(seconds);
    alerting.app.muster.shiftNotices.step();
    await alerting.work();
    await alerting.admin.signIn("admin", ADMIN_PASSWORD);
  };

/** Like a process that ends, and one that starts on the same database. */
const restarted: Input = (alerting) => alerting.restart();

const changed =
  (fields: object): Input =>
  (alerting) =>
    alerting.call("oncall/update", { id: 1, ...fields });

const overridden =
  (user: string, from: number, to: number): Input =>
  (alerting) =>
    alerting.call("oncall/override/create", { schedule: 1, user, from: START + from, to: START + to });

describe("people are told once", () => {
  ledger("before their shift, and at each handover", schedule({ ...UTC, ...BOTH }), [
    ["nobody's shift begins in ten minutes", later(49 * MINUTE), []],
    ["Ben's does", later(MINUTE), [`@3000 ${BEN} shift: On call from 13:00 UTC: Ops`]],
    ["", later(15), []],
    ["", restarted, []],
    ["also after a restart", later(15), []],
    [
      "the handover",
      later(570),
      [`@3600 ${BEN} shift: You are on call now: Ops`, `@3600 ${ANNA} shift: Handed over: Ops`],
    ],
    ["", later(15), []],
    ["the next one", later(50 * MINUTE), [`@6615 ${ANNA} shift: On call from 14:00 UTC: Ops`]],
  ]);

  ledger("of nothing unless the schedule says so", schedule(UTC), [
    ["", later(50 * MINUTE), []],
    ["", later(10 * MINUTE), []],
  ]);

  ledger("only of handovers", schedule({ ...UTC, handovernotice: true }), [
    ["", later(50 * MINUTE), []],
    [
      "",
      later(10 * MINUTE),
      [`@3600 ${BEN} shift: You are on call now: Ops`, `@3600 ${ANNA} shift: Handed over: Ops`],
    ],
  ]);

  ledger("when nobody follows, and when nobody was before", schedule({ ...UTC, ...BOTH }), [
    ["Ben alone until five", overridden("ben", 0, 5 * HOUR), []],
    [
      "at once",
      later(15),
      [`@15 ${BEN} shift: You are on call now: Ops`, `@15 ${ANNA} shift: Handed over: Ops`],
    ],
    ["", later(5 * HOUR - 16), []],
    ["", later(1), [`@18000 ${BEN} shift: Handed over: Ops`]],
  ]);

  ledger("not of a shift that follows one of their own", schedule({ ...UTC, ...BOTH }, { users: ["anna"] }), [
    ["", later(50 * MINUTE), []],
    ["", later(10 * MINUTE), []],
  ]);

  ledger("also after the clock was a week ahead", schedule({ ...UTC, handovernotice: true }), [
    [
      "ahead",
      later(WEEK + HOUR),
      [`@608400 ${BEN} shift: You are on call now: Ops`, `@608400 ${ANNA} shift: Handed over: Ops`],
    ],
    ["set back", later(-WEEK - 15), []],
    [
      "the handover",
      later(15),
      [`@3600 ${BEN} shift: You are on call now: Ops`, `@3600 ${ANNA} shift: Handed over: Ops`],
    ],
    ["", later(15), []],
  ]);

  ledger("when it comes, also if the clock was past it before", schedule({ ...UTC, handovernotice: true }), [
    [
      "ahead",
      later(HOUR + 10 * MINUTE),
      [`@4200 ${BEN} shift: You are on call now: Ops`, `@4200 ${ANNA} shift: Handed over: Ops`],
    ],
    ["set back", later(-45 * MINUTE), []],
    ["", later(34 * MINUTE), []],
    [
      "the handover",
      later(MINUTE),
      [`@3600 ${BEN} shift: You are on call now: Ops`, `@3600 ${ANNA} shift: Handed over: Ops`],
    ],
    ["set back a little", later(-MINUTE), []],
    ["the same handover", later(2 * MINUTE), []],
  ]);

  ledger("up to 15 minutes late, and then no more", schedule({ ...UTC, handovernotice: true }), [
    [
      "Muster was off",
      later(HOUR + 14 * MINUTE),
      [`@4440 ${BEN} shift: You are on call now: Ops`, `@4440 ${ANNA} shift: Handed over: Ops`],
    ],
    ["and longer", later(62 * MINUTE), []],
  ]);
});

describe("a shift that changes", () => {
  ledger("is told to who has it now", schedule({ ...UTC, ...BOTH }), [
    ["", later(50 * MINUTE), [`@3000 ${BEN} shift: On call from 13:00 UTC: Ops`]],
    ["Anna stays", overridden("anna", HOUR, 2 * HOUR), []],
    ["", later(10 * MINUTE), []],
  ]);

  ledger("is told anew when it moves", schedule({ ...UTC, noticeminutes: 10 }), [
    ["", later(50 * MINUTE), [`@3000 ${BEN} shift: On call from 13:00 UTC: Ops`]],
    ["the notice comes earlier", changed({ noticeminutes: 30 }), []],
    ["but not twice", later(MINUTE), []],
    ["Ben begins earlier", overridden("ben", 55 * MINUTE, HOUR), []],
    ["", later(MINUTE), [`@3120 ${BEN} shift: On call from 12:55 UTC: Ops`]],
  ]);

  /** Of the person who comes, then of the one who leaves. */
  const handover = (at: number, comes: string, leaves: string) => [
    `@${at} ${comes} shift: You are on call now: Ops`,
    `@${at} ${leaves} shift: Handed over: Ops`,
  ];

  ledger("is told to both if someone takes it over while it lasts", schedule({ ...UTC, ...BOTH }), [
    ["", later(30 * MINUTE), []],
    ["Ben for the whole shift", overridden("ben", 0, HOUR), []],
    ["", later(15), handover(1815, BEN, ANNA)],
    ["", restarted, []],
    ["once", later(15), []],
    ["Ben continues with his own", later(HOUR - 30 * MINUTE), []],
    ["Anna follows", later(50 * MINUTE), [`@6630 ${ANNA} shift: On call from 14:00 UTC: Ops`]],
    ["", later(10 * MINUTE), handover(7230, ANNA, BEN)],
  ]);

  ledger("is told to both if its override is deleted while it lasts", schedule({ ...UTC, ...BOTH }), [
    ["", overridden("ben", MINUTE, HOUR), []],
    ["", later(5 * MINUTE), [`@300 ${ANNA} shift: You are on call now: Ops`, ...handover(300, BEN, ANNA)]],
    ["", (alerting) => alerting.call("oncall/override/delete", { id: 1 }), []],
    ["", later(15), handover(315, ANNA, BEN)],
    ["once", later(15), []],
  ]);

  ledger("is told to both if the order of people changes while it lasts", schedule({ ...UTC, ...BOTH }), [
    ["", later(5 * MINUTE), [`@300 ${ANNA} shift: You are on call now: Ops`]],
    [
      "",
      async (alerting) => {
        const { records } = (await alerting.admin.get("/api/1/oncall/list")).json;
        await changed({ rotations: [{ ...records[0].rotations[0], users: ["ben", "anna"] }] })(alerting);
      },
      [],
    ],
    ["", later(15), handover(315, BEN, ANNA)],
    ["once", later(15), []],
  ]);

  ledger(
    "is not told again when an override of the time before is deleted",
    schedule({ ...UTC, handovernotice: true }),
    [
      ["", later(30 * MINUTE), []],
      ["Ben begins earlier", overridden("ben", 55 * MINUTE, HOUR), []],
      ["", later(25 * MINUTE), handover(3300, BEN, ANNA)],
      ["and goes on with his own", later(10 * MINUTE), []],
      ["", (alerting) => alerting.call("oncall/override/delete", { id: 1 }), []],
      ["", later(15), []],
    ],
  );

  ledger(
    "is told to who had it before, though someone takes it over at once",
    async (alerting) => {
      await schedule({ ...UTC, handovernotice: true }, { users: ["anna"] })(alerting);
      const cleo = { uname: "cleo", email: "cleo@example.org", fullname: "", password: "some password" };
      alerting.app.muster.users.create({ ...cleo, admin: false });
    },
    [
      ["Ben has an hour", overridden("ben", 0, HOUR), []],
      ["", later(15), handover(15, BEN, ANNA)],
      [
        "which is over some seconds ago",
        ({ app, admin }) => {
          app.clock.step(HOUR - 10);
          return admin.signIn("admin", ADMIN_PASSWORD);
        },
        [],
      ],
      ["Cleo follows, and not Anna", overridden("cleo", HOUR, 2 * HOUR), []],
      [
        "",
        later(15),
        [
          `@3620 ${BEN} shift: Handed over: Ops`,
          "@3620 mail to cleo@example.org shift: You are on call now: Ops",
          `@3620 ${ANNA} shift: Handed over: Ops`,
        ],
      ],
    ],
  );

  ledger("is not told of the time before it was to be told", schedule(UTC), [
    ["Ben is on call", later(HOUR + 5 * MINUTE), []],
    ["", changed({ handovernotice: true }), []],
    ["", later(15), []],
    ["Anna follows", later(55 * MINUTE - 15), handover(7200, ANNA, BEN)],
  ]);

  test("is told to both if an import puts someone else on call", async () => {
    const alerting = await Alerting.create();
    const always = { users: ["anna"], start: "2020-01-06", hours: null };
    await schedule({ ...UTC, handovernotice: true }, always)(alerting);
    await overridden("ben", 0, HOUR)(alerting);
    await alerting.call("oncall/override/delete", { id: 1 });
    await later(15)(alerting);
    alerting.arrived.length = 0;
    const { oncall } = await exported(alerting.admin);
    const [ops] = oncall as { rotations: object[] }[];
    const rotations = ops?.rotations.map((rotation) => ({ ...rotation, users: ["ben"] }));
    const reply = await importInto(alerting.admin, { muster: 1, oncall: [{ ...ops, rotations }] });
    expect([reply.status, reply.json]).toEqual([200, expect.objectContaining({ oncall: expect.anything() })]);
    await later(15)(alerting);
    expect(alerting.arrived.map(notified)).toEqual(handover(30, BEN, ANNA));
  });

  ledger("is told to nobody unless the schedule says so", schedule({ ...UTC, noticeminutes: 10 }), [
    ["", later(30 * MINUTE), []],
    ["", overridden("ben", 0, HOUR), []],
    ["", later(15), []],
  ]);

  test("says who was before, though the override began earlier", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    await later(30 * MINUTE)(alerting);
    await overridden("ben", 0, HOUR)(alerting);
    await later(15)(alerting);
    expect(alerting.arrived.map(({ message }) => message.text.split("\n").slice(0, 2))).toEqual([
      ["You are on call for Ops until 14:00 UTC.", "Before you: Anna Berg."],
      ["Your shift for Ops is over.", "ben is on call now until 14:00 UTC."],
    ]);
  });

  test("is not told to who lost it while the message waited", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    alerting.far.set("mail", () => ({ outcome: "failed", detail: "full" }));
    await later(50 * MINUTE)(alerting);
    await overridden("anna", HOUR, 2 * HOUR)(alerting);
    alerting.far.clear();
    await later(HOUR)(alerting);
    expect(alerting.app.rows("select status, answer from deliveries")).toEqual([
      { status: "failed", answer: SHIFT_CHANGED },
    ]);
  });
});

describe("the message", () => {
  const textOf = ({ arrived }: Alerting, at: number) => arrived.at(at)?.message.text.split("\n");

  test("says from when to when, who was before, and that nothing is open", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    await later(50 * MINUTE)(alerting);
    await later(10 * MINUTE)(alerting);
    expect([0, 1, 2].map((i) => textOf(alerting, i))).toEqual([
      [
        "You are on call for Ops from 13:00 UTC until 14:00 UTC.",
        "Before you: Anna Berg.",
        "",
        "Nothing is open.",
      ],
      ["You are on call for Ops until 14:00 UTC.", "Before you: Anna Berg.", "", "Nothing is open."],
      ["Your shift for Ops is over.", "ben is on call now until 14:00 UTC.", "", "Nothing is open."],
    ]);
  });

  test("says in the time zone of the schedule that nobody is before or after", async () => {
    const alerting = await Alerting.create();
    const evening = { users: ["ben"], hours: { days: [1], from: "15:00", to: "16:00" } };
    await schedule(BOTH, evening)(alerting);
    for (const seconds of [110 * MINUTE, 10 * MINUTE, HOUR]) await later(seconds)(alerting);
    expect([0, 2].map((i) => textOf(alerting, i)?.slice(0, 2))).toEqual([
      ["You are on call for Ops from 15:00 CET until 16:00 CET.", "Nobody is on call before you."],
      ["Your shift for Ops is over.", "Nobody is on call now until 2026-01-12 15:00 CET."],
    ]);
  });

  test("names what is open for the rules of the schedule alone, once, with who acknowledged it", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    const ofSchedule = { steps: [{ after: 0, schedules: [1] }] };
    await alerting.rule({ name: "all", flapcount: 0, ...ofSchedule });
    await alerting.rule({ name: "again", flapcount: 0, filter: { servicenames: ["web"] }, ...ofSchedule });
    await alerting.rule({ name: "other", steps: [{ after: 0, channels: [1] }], delay: 60 });
    await alerting.call("admin/rules/create", {
      name: "itself",
      filter: { about: "muster" },
      ...ofSchedule,
    });
    await alerting.report();
    await fails({ service: "web" })(alerting);
    alerting.app.clock.step(MINUTE);
    await fails({ service: "db", message: "is slow" })(alerting);
    await alerting.call("problems/acknowledge", { id: 1 });
    alerting.app.db.$client.run(
      `insert into health_findings (code, subject, severity, text, advice, since, opened_at)
       values ('clock.server', '', 'critical', 'The clock is wrong.', 'Set it.', ${START + 120}, ${START + 120})`,
    );
    alerting.app.db.$client.run(
      `insert into health_alerts (rule_id, finding_id, created_at) values (4, 1, ${START + 120})`,
    );
    await later(49 * MINUTE)(alerting);
    expect(textOf(alerting, -1)?.slice(3)).toEqual([
      "Open now: 3",
      "- web on host-1: is gone (since 12:00 UTC, acknowledged by admin)",
      "- db on host-1: is slow (since 12:01 UTC)",
      "- Muster: The clock is wrong. (since 12:02 UTC)",
    ]);
  });

  test("names nothing that is over, dismissed or on an ignored host, and who acknowledged a repeated error or a finding", async () => {
    const alerting = await Alerting.create();
    const { app } = alerting;
    await schedule({ ...UTC, ...BOTH })(alerting);
    const steps = [{ after: 0, schedules: [1] }];
    await alerting.rule({ name: "all", steps });
    await alerting.rule({ name: "itself", filter: { about: "muster" }, flapcount: 0, steps });
    const ignored = { id: "agent-2", hostname: "host-2" };
    for (const service of ["web", "db", "disk"]) await fails({ service })(alerting);
    await fails({ service: "cron" }, ignored)(alerting);
    await alerting.pass(10);
    await alerting.call("mutes/create", { filter: { servicenames: ["web"] }, minutes: 300 });
    await recovers({ service: "web" })(alerting);
    await alerting.call("reports/events/dismiss", { id: [2] });
    await alerting.call("admin/hosts/update", {
      ...ignored,
      id: 2,
      status: 2,
      agentuser: "",
      agentpassword: "",
    });
    await alerting.call("problems/acknowledge", { id: 3 });
    await fails({ service: "disk", collectedUsec: 1 })(alerting);
    app.db.$client.run(
      `insert into health_findings (code, subject, severity, text, advice, since, opened_at, ended_at) values
         ('clock.server', '', 'critical', 'The clock is wrong.', 'Set it.', ${START}, ${START}, null),
         ('disk.full', '', 'critical', 'The disk is full.', 'Empty it.', ${START}, ${START}, ${START + 1})`,
    );
    app.db.$client.run(
      `insert into health_alerts (rule_id, finding_id, created_at) values (2, 1, ${START}), (2, 2, ${START})`,
    );
    await alerting.call("admin/health/acknowledge", { id: 1 });
    await later(50 * MINUTE)(alerting);
    expect(textOf(alerting, -1)?.slice(3)).toEqual([
      "Open now: 2",
      "- disk on host-1: is gone (since 12:00 UTC, acknowledged by admin)",
      "- Muster: The clock is wrong. (since 12:00 UTC, acknowledged by admin)",
    ]);
  });

  test("names the ten oldest problems, and how many there are more", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    await alerting.rule({ flapcount: 0, steps: [{ after: 0, schedules: [1] }] });
    for (let i = 0; i < 12; i++) await fails({ service: `disk ${i}` })(alerting);
    await later(50 * MINUTE)(alerting);
    const lines = textOf(alerting, -1)?.slice(3) ?? [];
    expect(lines).toHaveLength(12);
    expect([lines[0], lines[1], lines.at(-1)]).toEqual([
      "Open now: 12",
      "- disk 0 on host-1: is gone (since 12:00 UTC)",
      "- and 2 more",
    ]);
  });
});

describe("someone who cannot be told", () => {
  test.each<[why: string, prepare: (alerting: Alerting) => unknown]>([
    [NO_CONTACT, ({ app }) => app.db.$client.run("update users set email = '' where uname = 'ben'")],
    [
      ONLY_INCIDENTS,
      ({ app }) =>
        app.db.$client.run("update channels set kind = 'pagerduty'; insert into contacts values (3, 1)"),
    ],
  ])("is in the list of deliveries: %s", async (answer, prepare) => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, noticeminutes: 10 })(alerting);
    const [{ id } = { id: 0 }] = alerting.app.rows<{ id: number }>(
      "select id from users where uname = 'ben'",
    );
    await prepare(alerting);
    alerting.app.db.$client.run(`update contacts set user_id = ${id}`);
    await later(50 * MINUTE)(alerting);
    await later(15)(alerting);
    const { json } = await alerting.admin.get("/api/1/admin/deliveries/list");
    expect(json.records).toMatchObject([
      { kind: "shift", status: "failed", rule: "Ops", person: "ben", answer },
    ]);
    expect(alerting.arrived).toEqual([]);
  });

  test("is nobody who was deleted with their shifts", async () => {
    const alerting = await Alerting.create();
    await schedule({ ...UTC, ...BOTH })(alerting);
    await later(50 * MINUTE)(alerting);
    await alerting.call("oncall/delete", { id: 1 });
    expect(alerting.app.rows("select * from shift_notices")).toEqual([]);
    await later(10 * MINUTE)(alerting);
    expect(alerting.arrived).toHaveLength(1);
  });
});

test.each([
  ["noticeminutes", -1],
  ["noticeminutes", 2881],
  ["noticeminutes", "soon"],
  ["handovernotice", "maybe"],
])("a schedule is refused whose %s is %p", async (field, value) => {
  const alerting = await Alerting.create();
  await schedule(UTC)(alerting);
  const refusal = await expectRefusal(
    alerting.app,
    () => alerting.admin.post("/api/1/oncall/update", { id: 1, [field]: value }),
    400,
    "argument.invalid",
  );
  expect(JSON.stringify(refusal)).toContain(field);
});
