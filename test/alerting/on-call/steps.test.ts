/** Rules with steps that name channels, people and schedules: ledgers of who is notified when. */
import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openDatabase } from "../../../src/platform/storage/open.ts";
import { TestApp } from "../../support/app.ts";
import { START } from "../../support/clock.ts";
import { isOnPostgres } from "../../support/database.ts";
import { expectRefusal } from "../../support/stored.ts";
import { Alerting, fails, type Input, ledger, notified, pass, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;
const GONE = "web on host-1: is gone";

const person = ({ app }: Alerting, uname: string, email = `${uname}@example.org`) =>
  app.muster.users.create({ uname, email, fullname: uname, password: "some password", admin: false });

/** Anna and Ben alternate every hour from START on, Monday at noon. Channel 1 is mail. */
async function people(alerting: Alerting): Promise<void> {
  alerting.channel("mail", "email");
  alerting.channel("phone");
  for (const uname of ["anna", "ben", "cleo"]) person(alerting, uname);
  const turns = {
    name: "",
    users: ["anna", "ben"],
    start: "2026-01-05",
    handover: "12:00",
    unit: "hour",
    every: 1,
  };
  const rotations = [{ ...turns, hours: null }];
  await alerting.call("oncall/create", { name: "Ops", timezone: "UTC", rotations });
}

const step = (after: number, named: object) => ({ after, ...named });

const rule =
  (steps: readonly object[], fields = {}): Input =>
  async (alerting) => {
    await people(alerting);
    await alerting.rule({ flapcount: 0, ...fields, steps });
    await alerting.report();
  };

/** First the person on call, then the phone, then Cleo by name. */
const THREE = [
  step(0, { schedules: [1] }),
  step(20, { channels: [2] }),
  step(40, { users: ["cleo"], channels: [2] }),
];

describe("those who were notified", () => {
  const CLEO = [step(0, { users: ["cleo"] })];
  const CLEO_ANEW = { uname: "cleo", password: "", oldpassword: "some password", fullname: "cleo" };

  ledger(
    "and are deleted hear nothing more, and those in their place are reminded",
    rule(CLEO, { repeat: 5 }),
    [
      ["", fails(), []],
      ["", pass(5), [`@5 mail to cleo@example.org problem: ${GONE}`]],
      [
        "somebody else takes her place",
        async (alerting) => {
          const steps = [step(0, { users: ["ben"] })];
          await alerting.call("admin/rules/update", { id: 1, steps });
          await alerting.call("admin/users/delete", { uname: "cleo" });
        },
        [],
      ],
      ["", pass(5 * MINUTE + 5), [`@310 mail to ben@example.org reminder: Ongoing for 5m 10s: ${GONE}`]],
      ["", recovers(), []],
      ["", pass(5), [`@315 mail to ben@example.org recovery: Recovered after 5m 10s: ${GONE}`]],
    ],
  );

  ledger("and are deleted get nothing that waits for the channel", rule(CLEO), [
    ["", ({ far }) => far.set("mail", () => ({ outcome: "failed", detail: "busy" })), []],
    ["", fails(), []],
    ["the channel fails", pass(5), [`@5 mail to cleo@example.org problem: ${GONE}`]],
    [
      "somebody else takes her place",
      async (alerting) => {
        await alerting.call("admin/rules/update", { id: 1, steps: [step(0, { users: ["ben"] })] });
        await alerting.call("admin/users/delete", { uname: "cleo" });
      },
      [],
    ],
    ["the channel works", ({ far }) => far.delete("mail"), []],
    ["", pass(MINUTE), []],
    [
      "the list of messages says why, and the channel was not asked",
      ({ app }) => {
        const answers = app.rows("select status, attempts, answer from deliveries");
        expect(answers).toEqual([{ status: "failed", attempts: 2, answer: "the user was deleted" }]);
        expect(app.rows("select failures, last_answer from channels where name = 'mail'")).toEqual([
          { failures: 1, last_answer: "busy" },
        ]);
      },
      [],
    ],
  ]);

  ledger(
    "are reminded at the address and through the channels that they have by then",
    rule(CLEO, { repeat: 5 }),
    [
      ["", fails(), []],
      ["", pass(5), [`@5 mail to cleo@example.org problem: ${GONE}`]],
      ["", (alerting) => alerting.call("admin/users/update", { ...CLEO_ANEW, email: "new@example.org" }), []],
      ["", pass(5 * MINUTE + 5), [`@310 mail to new@example.org reminder: Ongoing for 5m 10s: ${GONE}`]],
      ["", (alerting) => alerting.call("admin/contacts/set", { uname: "cleo", channels: [2] }), []],
      ["", pass(5 * MINUTE + 5), [`@615 phone reminder: Ongoing for 10m 15s: ${GONE}`]],
    ],
  );
});

describe("those who are on call only later", () => {
  /** From one o'clock on, Anna is on call; before, nobody is. */
  const unmanned =
    (fields: object): Input =>
    async (alerting) => {
      await people(alerting);
      const turns = {
        name: "",
        users: ["anna"],
        start: "2026-01-05",
        handover: "13:00",
        unit: "week",
        every: 1,
      };
      const rotations = [{ ...turns, hours: null }];
      await alerting.call("oncall/create", { name: "Late", timezone: "UTC", rotations });
      await alerting.rule({ flapcount: 0, ...fields, steps: [step(0, { schedules: [2] })] });
      await alerting.report();
    };

  ledger("hear nothing of the end of a failure of which nobody was notified", unmanned({}), [
    ["", fails(), []],
    ["", pass(2 * HOUR), []],
    ["", recovers(), []],
    ["", pass(5), []],
  ]);

  ledger("are reminded, and then hear of its end", unmanned({ repeat: 45 }), [
    ["", fails(), []],
    ["nobody is on call", pass(HOUR), []],
    ["", pass(31 * MINUTE), [`@5415 mail to anna@example.org reminder: Ongoing for 1h 30m: ${GONE}`]],
    ["", recovers(), []],
    ["", pass(5), [`@5465 mail to anna@example.org recovery: Recovered after 1h 31m: ${GONE}`]],
  ]);
});

ledger(
  "those whom a rule names by then are reminded of a failure whose messages went to a channel that is disabled",
  rule([step(0, { channels: [2] })], { repeat: 30 }),
  [
    ["", ({ app }) => app.db.$client.run("update channels set enabled = false where id = 2"), []],
    ["", fails(), []],
    ["", pass(5), []],
    [
      "another channel takes its place",
      (alerting) => alerting.call("admin/rules/update", { id: 1, steps: [step(0, { users: ["cleo"] })] }),
      [],
    ],
    ["", pass(30 * MINUTE + 5), [`@1810 mail to cleo@example.org reminder: Ongoing for 30m 10s: ${GONE}`]],
    ["", recovers(), []],
    ["", pass(5), [`@1815 mail to cleo@example.org recovery: Recovered after 30m 10s: ${GONE}`]],
  ],
);

describe("people who share a place", () => {
  const shared =
    (steps: readonly object[]): Input =>
    async (alerting) => {
      await rule(steps)(alerting);
      for (const uname of ["anna", "ben"])
        await alerting.call("admin/contacts/set", { uname, channels: [2] });
    };

  ledger(
    "get one message in their chat, also if one of them is deleted before the recovery",
    shared([step(0, { users: ["ben", "cleo", "anna"] })]),
    [
      ["", fails(), []],
      ["", pass(5), [`@5 mail to cleo@example.org problem: ${GONE}`, `@5 phone problem: ${GONE}`]],
      [
        "",
        async (alerting) => {
          const told = alerting.app.rows("select person from deliveries order by id");
          expect(told).toEqual([{ person: "" }, { person: "cleo" }]);
          await alerting.call("admin/rules/update", { id: 1, steps: [step(0, { channels: [1] })] });
          await alerting.call("oncall/delete", { id: 1 });
          await alerting.call("admin/users/delete", { uname: "ben" });
        },
        [],
      ],
      ["", recovers(), []],
      [
        "",
        pass(5),
        [
          `@10 mail to cleo@example.org recovery: Recovered after 5s: ${GONE}`,
          `@10 phone recovery: Recovered after 5s: ${GONE}`,
        ],
      ],
    ],
  );

  ledger(
    "get one message in their chat, though they were notified in different steps",
    shared([step(0, { users: ["ben"] }), step(10, { users: ["anna"] })]),
    [
      ["", fails(), []],
      ["", pass(5), [`@5 phone problem: ${GONE}`]],
      ["", pass(10 * MINUTE), [`@605 phone escalation: Escalated after 10m 5s: ${GONE}`]],
      ["", recovers(), []],
      ["", pass(5), [`@610 phone recovery: Recovered after 10m 5s: ${GONE}`]],
    ],
  );

  ledger(
    "get one mail at an address that a channel or another user has, too",
    async (alerting) => {
      alerting.recipients.set("mail", ["Anna@example.org", "desk@example.org"]);
      await people(alerting);
      person(alerting, "dora", "ben@example.org");
      const steps = [step(0, { users: ["anna", "ben", "dora"], channels: [1] })];
      await alerting.rule({ flapcount: 0, steps });
      await alerting.report();
    },
    [
      ["", fails(), []],
      ["", pass(5), ["Anna", "desk", "ben"].map((name) => `@5 mail to ${name}@example.org problem: ${GONE}`)],
      ["", recovers(), []],
      [
        "",
        pass(5),
        ["Anna", "desk", "ben"].map(
          (name) => `@10 mail to ${name}@example.org recovery: Recovered after 5s: ${GONE}`,
        ),
      ],
    ],
  );
});

describe("an escalation of three steps", () => {
  ledger("notifies each in its time, and all of them of the recovery", rule(THREE), [
    ["", fails(), []],
    ["who is on call", pass(5), [`@5 mail to anna@example.org problem: ${GONE}`]],
    ["", pass(20 * MINUTE - 1), []],
    ["the second step", pass(1), [`@1205 phone escalation: Escalated after 20m 5s: ${GONE}`]],
    [
      "the third step",
      pass(20 * MINUTE),
      [
        `@2405 mail to cleo@example.org escalation: Escalated after 40m 5s: ${GONE}`,
        `@2405 phone escalation: Escalated after 40m 5s: ${GONE}`,
      ],
    ],
    ["Ben is on call now, who was not notified", pass(40 * MINUTE), []],
    ["", recovers(), []],
    [
      "",
      pass(5),
      [
        `@4810 mail to anna@example.org recovery: Recovered after 1h 20m: ${GONE}`,
        `@4810 phone recovery: Recovered after 1h 20m: ${GONE}`,
        `@4810 mail to cleo@example.org recovery: Recovered after 1h 20m: ${GONE}`,
      ],
    ],
  ]);

  ledger("that is overtaken by a mute notifies the steps that it missed in one message", rule(THREE), [
    ["", fails(), []],
    ["", pass(5), [`@5 mail to anna@example.org problem: ${GONE}`]],
    ["", (alerting) => alerting.call("mutes/create", { filter: { hosts: [1] }, minutes: 50 }), []],
    ["", pass(50 * MINUTE - 1), []],
    [
      "",
      pass(60),
      [
        `@3005 phone escalation: Escalated after 50m 5s: ${GONE}`,
        `@3005 mail to cleo@example.org escalation: Escalated after 50m 5s: ${GONE}`,
      ],
    ],
  ]);

  test("keeps its place across a restart and a takeover, and an acknowledgement stops its third step", async () => {
    const folder = mkdtempSync(join(tmpdir(), "muster-steps-"));
    // On PostgreSQL both have the same database, otherwise the same file.
    const file = join(folder, "muster.db");
    const app = new TestApp(isOnPostgres() ? {} : { database: file });
    const alerting = await Alerting.create(app);
    const arrivals = () => alerting.arrived.splice(0).map(notified);
    await rule(THREE)(alerting);
    await fails()(alerting);
    await alerting.pass(5);
    expect(arrivals()).toEqual([`@5 mail to anna@example.org problem: ${GONE}`]);

    await alerting.pass(10 * MINUTE);
    alerting.restart();
    await alerting.pass(10 * MINUTE);
    expect(arrivals()).toEqual([`@1205 phone escalation: Escalated after 20m 5s: ${GONE}`]);

    // Another process takes over, as it does when a node gets the lease of PostgreSQL.
    alerting.takeOver(isOnPostgres() ? app.db : openDatabase(file));
    await alerting.pass(5 * MINUTE);
    const { id } = app.rows<{ id: number }>("select id from events where active = true")[0] ?? { id: 0 };
    await alerting.call("problems/acknowledge", { id });
    await alerting.pass(2 * HOUR);
    expect(arrivals()).toEqual([]);

    alerting.restart();
    await alerting.event({ message: "is back", state: 0 });
    await alerting.pass(5);
    expect(arrivals()).toEqual([
      `@8710 mail to anna@example.org recovery: Recovered after 2h 25m: ${GONE}`,
      `@8710 phone recovery: Recovered after 2h 25m: ${GONE}`,
    ]);
    rmSync(folder, { recursive: true });
  });
});

describe("a step", () => {
  ledger(
    "names people who are reached through the channels that were chosen for them",
    async (alerting) => {
      await rule([step(0, { users: ["ben", "cleo"], channels: [2] })])(alerting);
      alerting.channel("ben's pager");
      await alerting.call("admin/contacts/set", { uname: "ben", channels: [1, 2, 3] });
    },
    [
      ["", fails(), []],
      [
        "the phone once, though Ben has it too",
        pass(5),
        [
          `@5 mail to ben@example.org problem: ${GONE}`,
          `@5 phone problem: ${GONE}`,
          `@5 ben's pager problem: ${GONE}`,
          `@5 mail to cleo@example.org problem: ${GONE}`,
        ],
      ],
    ],
  );

  ledger(
    "of people on call goes to whoever is on call when it is due, and reminders to those who know",
    rule([step(0, { schedules: [1] })], { delay: 59, repeat: 30 }),
    [
      ["", fails(), []],
      ["Anna", pass(59 * MINUTE + 5), [`@3545 mail to anna@example.org problem: ${GONE}`]],
      [
        "not Ben",
        pass(30 * MINUTE + 5),
        [`@5350 mail to anna@example.org reminder: Ongoing for 1h 29m: ${GONE}`],
      ],
    ],
  );
});

describe("steps", () => {
  test("are refused unless they are in order and name somebody who exists", async () => {
    const alerting = await Alerting.create();
    await people(alerting);
    const first = step(0, { channels: [1] });
    const wrong: readonly [steps: unknown, says: string][] = [
      ["nonsense", "steps must be a list of 1 to 20 steps"],
      [[], "steps must be a list of 1 to 20 steps"],
      [Array.from({ length: 21 }, (_, i) => step(i, { channels: [1] })), "a list of 1 to 20 steps"],
      [[step(5, { channels: [1] })], "steps[0].after must be 0"],
      [[first, step(10, { channels: [2] }), step(10, { channels: [1] })], "steps[2].after must be more"],
      [[first, step(10, {})], "steps[1] must be a step that names a channel"],
      [[step(0, {})], "steps[0] must be a step that names a channel"],
      [[step(0, { users: ["nobody"] })], "steps[0].users[0] must be the login name of a user; there is no"],
      [
        [step(0, { channels: [9] })],
        "steps[0].channels[0] must be the id of a channel; there is no channel 9",
      ],
      [[step(0, { schedules: [9] })], "there is no schedule 9"],
      [[step(0, { colour: 1 })], "steps[0].colour"],
    ];
    for (const [steps, says] of wrong) {
      const create = () => alerting.admin.post("/api/1/admin/rules/create", { name: "r", steps });
      const reply = await create();
      expect([reply.status, reply.json.error]).toEqual([400, expect.stringContaining(says)]);
    }
    expect(alerting.app.rows("select id from rules")).toEqual([]);
  });

  test("keep the people, schedules and channels that they name from being deleted", async () => {
    const alerting = await Alerting.create();
    await rule(THREE)(alerting);
    const { app, admin } = alerting;
    await alerting.call("admin/contacts/set", { uname: "ben", channels: [1] });
    const deleted = (path: string, fields: object) => () =>
      admin.post(`/api/1/${path}/delete`, { ...fields });
    await expectRefusal(app, deleted("admin/users", { uname: "cleo" }), 409, "user.used");
    await expectRefusal(app, deleted("oncall", { id: 1 }), 409, "oncall.used");
    await expectRefusal(app, deleted("admin/channels", { id: 2 }), 409, "channel.used");
    const reply = await expectRefusal(app, deleted("admin/channels", { id: 1 }), 409, "channel.used");
    expect(reply.json.error).toBe('"mail" is used by the contacts of ben');
  });
});

test("a preview names the same people as were notified, with who was on call then", async () => {
  const alerting = await Alerting.create();
  await rule(THREE)(alerting);
  await fails()(alerting);
  await alerting.pass(70 * MINUTE);
  await recovers()(alerting);
  await alerting.pass(10);
  await fails()(alerting);
  await alerting.pass(5);
  const admin = await alerting.app.admin();
  const { records } = (await admin.post("/api/1/admin/rules/preview", { id: 1, days: 1 })).json;
  const previewed = records.map(({ kind, channels, people }: Record<string, unknown>) => [
    kind,
    channels,
    people,
  ]);
  expect(previewed.reverse()).toEqual([
    ["problem", [], ["anna"]],
    ["escalation", [2], []],
    ["escalation", [2], ["cleo"]],
    ["recovery", [2], ["anna", "cleo"]],
    ["problem", [], ["ben"]],
  ]);
  const told = alerting.app.rows<{ kind: string; person: string }>(
    "select kind, person from deliveries where person <> '' order by id",
  );
  expect(told.map(({ kind, person }) => `${kind} ${person}`).sort()).toEqual(
    ["problem anna", "escalation cleo", "recovery anna", "recovery cleo", "problem ben"].sort(),
  );
});

test("a failure that outlasts flapping is reported to those who know that it flapped", async () => {
  const alerting = await Alerting.create();
  await rule([step(0, { schedules: [1] })], { flapcount: 2, flapwindow: 60 })(alerting);
  for (let i = 0; i < 2; i++) {
    await fails()(alerting);
    await alerting.pass(4);
    await recovers()(alerting);
    await alerting.pass(1);
  }
  await fails()(alerting);
  // Ben is on call by then.
  await alerting.pass(HOUR + 5);
  expect(alerting.arrived.map(notified)).toEqual([
    `@10 mail to anna@example.org flapping: Flapping: ${GONE}`,
    `@3615 mail to anna@example.org problem: ${GONE}`,
  ]);
  const admin = await alerting.app.admin();
  const { records } = (await admin.post("/api/1/admin/rules/preview", { id: 1, days: 1 })).json;
  expect(records.map(({ kind, people }: Record<string, unknown>) => [kind, people])).toEqual([
    ["problem", ["anna"]],
    ["flapping", ["anna"]],
    // The first two failures ended before anyone was notified.
    ["problem", []],
    ["problem", []],
  ]);
});

test("the log of messages, and of an event, say for whom each was", async () => {
  const alerting = await Alerting.create();
  await rule(THREE)(alerting);
  await fails()(alerting);
  await alerting.pass(5);
  const { records } = (await alerting.admin.get("/api/1/admin/deliveries/list")).json;
  expect(records).toMatchObject([{ channel: "mail", recipient: "anna@example.org", person: "anna" }]);
  const { admin, app } = alerting;
  for (const [client, recipient] of [
    [admin, "anna@example.org"],
    [await app.user(), ""],
  ] as const) {
    const event = (await client.get("/api/1/reports/events/alerts", { id: 1 })).json;
    expect(event.records).toMatchObject([{ channel: "mail", recipient, person: "anna", status: "sent" }]);
  }
});

test("who cannot be reached is named in the log of messages, and the next step is notified", async () => {
  const alerting = await Alerting.create();
  const { app } = alerting;
  await people(alerting);
  person(alerting, "dora", "no address");
  const empty = { name: "Nights", timezone: "UTC", rotations: [] };
  await alerting.call("oncall/create", empty);
  const steps = [step(0, { schedules: [2], users: ["dora"] }), step(10, { channels: [2] })];
  await alerting.rule({ flapcount: 0, steps });
  await alerting.report();
  await fails()(alerting);
  await alerting.pass(10 * MINUTE + 5);
  expect(alerting.arrived.map(notified)).toEqual([`@605 phone escalation: Escalated after 10m 5s: ${GONE}`]);
  expect(app.rows("select channel_name, person, status, answer from deliveries order by id limit 2")).toEqual(
    [
      { channel_name: "Nights", person: "", status: "failed", answer: "nobody is on call" },
      {
        channel_name: "dora",
        person: "",
        status: "failed",
        answer: expect.stringContaining("no way to reach"),
      },
    ],
  );
  expect(app.clock.now()).toBe(START + 605);
  const { status, json } = await alerting.admin.post("/api/1/admin/deliveries/retry", { id: 1 });
  expect([status, json.error]).toEqual([
    400,
    "There is no channel to send it through: it was deleted, or nobody could be reached",
  ]);
});

test("contacts are never a channel that runs a program", async () => {
  const alerting = await Alerting.create();
  await people(alerting);
  const id = alerting.channel("script", "exec");
  const call = () => alerting.admin.post("/api/1/admin/contacts/set", { uname: "ben", channels: [id] });
  await expectRefusal(alerting.app, call, 400, "argument.invalid");
  const { records } = (await alerting.admin.get("/api/1/admin/contacts/list")).json;
  expect(records.find(({ uname }: { uname: string }) => uname === "ben")).toEqual({
    uname: "ben",
    fullname: "ben",
    channels: [],
    ways: [{ channelid: 1, channel: "mail", address: "ben@example.org" }],
  });
});
