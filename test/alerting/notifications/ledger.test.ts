import { expect, test } from "bun:test";
import type { ServiceXml } from "../../support/agent-messages.ts";
import { escalating, notifying } from "../../support/rules.ts";
import {
  Alerting,
  changes,
  dismissed,
  fails,
  type Input,
  ledger,
  notified,
  pass,
  recovers,
} from "./support.ts";

const MINUTE = 60;
const HOUR = 3600;

const [MAIL, PHONE] = [1, 2];

/**
 * A rule about everything for the channel "mail", unless the fields say otherwise. There is also a channel "phone".
 */
const rule =
  (fields: object = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    alerting.channel("phone");
    await alerting.report({ hostGroups: ["Edge"] });
    await alerting.rule({ ...notifying(MAIL), ...fields });
  };

ledger(
  "mail me when anything in group Edge stays broken for 5 minutes, once more after an hour, and tell me when it is fine",
  // An escalation to recipients who were already notified.
  rule({ filter: { hostgroups: [1] }, delay: 5, ...escalating([MAIL], 60, MAIL) }),
  [
    ["a service of the group fails", fails({}, { hostGroups: ["Edge"] }), []],
    ["not for long enough yet", pass(5 * MINUTE - 1), []],
    [
      "5 minutes, and 5 seconds for what fails along with it",
      pass(6),
      ["@305 mail problem: web on host-1: is gone"],
    ],
    ["told once", pass(HOUR - 306), []],
    [
      "an hour after it began",
      pass(11),
      ["@3605 mail escalation: Escalated after 1h: web on host-1: is gone"],
    ],
    ["and no more, however long it lasts", pass(24 * HOUR), []],
    ["it is well again", recovers({}, { hostGroups: ["Edge"] }), []],
    ["which is told", pass(10), ["@90015 mail recovery: Recovered after 1d 1h: web on host-1: is gone"]],
    ["once", pass(3 * HOUR), []],
    ["a host of no group fails", fails({}, { id: "agent-2", hostname: "host-2" }), []],
    ["which the rule does not ask for", pass(2 * HOUR), []],
  ],
  [""],
);

ledger(
  "what recovers before the delay is over is not told",
  rule({ delay: 5 }),
  [
    ["it fails", fails(), []],
    ["for four minutes", pass(4 * MINUTE), []],
    ["it is well again", recovers(), []],
    ["nothing comes", pass(HOUR), []],
    ["it fails again", fails(), []],
    ["the delay begins afresh", pass(5 * MINUTE), []],
    ["and is over", pass(5), ["@4145 mail problem: web on host-1: is gone"]],
  ],
  ["recovered before the delay", ""],
);

ledger(
  "the delay counts anew for a failure that follows at once on another one",
  rule({ delay: 30, flapcount: 0 }),
  [
    ["it fails", fails(), []],
    ["for a while", pass(29 * MINUTE), []],
    [
      "it recovers and fails again before anything else happens",
      async (alerting) => {
        await recovers()(alerting);
        alerting.app.clock.step(1);
        await fails()(alerting);
      },
      [],
    ],
    ["nothing is told of the first failure", pass(29 * MINUTE), []],
    ["the second one is, in its time", pass(2 * MINUTE), ["@3546 mail problem: web on host-1: is gone"]],
  ],
  ["recovered before anyone was notified", ""],
);

ledger("a recovery triggers no message where nobody wants it", rule({ recovery: false }), [
  ["it fails", fails(), []],
  ["it is told", pass(10), ["@5 mail problem: web on host-1: is gone"]],
  ["it is well", recovers(), []],
  ["nothing comes", pass(HOUR), []],
]);

ledger("reminders come again and again, and end with the failure", rule({ repeat: 10 }), [
  ["it fails", fails(), []],
  ["it is told", pass(10 * MINUTE), ["@5 mail problem: web on host-1: is gone"]],
  [
    "each ten minutes",
    pass(22 * MINUTE),
    [
      "@610 mail reminder: Ongoing for 10m 10s: web on host-1: is gone",
      "@1215 mail reminder: Ongoing for 20m 15s: web on host-1: is gone",
      "@1820 mail reminder: Ongoing for 30m 20s: web on host-1: is gone",
    ],
  ],
  ["another error of it is no news", fails({ message: "is still gone", collectedUsec: 1 }), []],
  ["and makes no message of its own", pass(MINUTE), []],
  ["it is well", recovers(), []],
  ["the end, and no more", pass(HOUR), ["@1985 mail recovery: Recovered after 33m: web on host-1: is gone"]],
]);

ledger("reminders keep their distance when the clock is set back", rule({ repeat: 10 }), [
  ["it fails", fails(), []],
  ["it is told", pass(10 * MINUTE), ["@5 mail problem: web on host-1: is gone"]],
  ["and reminded of", pass(MINUTE), ["@610 mail reminder: Ongoing for 10m 10s: web on host-1: is gone"]],
  ["the clock is set back by two hours", ({ app }) => app.clock.step(-2 * HOUR), []],
  [
    "each ten minutes",
    async (alerting) => {
      const before = alerting.arrived.length;
      await alerting.pass(HOUR);
      const arrived = alerting.arrived.splice(before);
      expect(arrived.map(({ message }) => message.kind)).toEqual(Array(6).fill("reminder"));
      for (const [i, { at }] of arrived.slice(1).entries()) expect(at - (arrived[i]?.at ?? 0)).toBe(605);
    },
    [],
  ],
]);

ledger(
  "a failure that nobody ends is escalated, and those who were called hear of its end",
  rule({ ...escalating([MAIL], 30, PHONE), repeat: 20 }),
  [
    ["it fails", fails(), []],
    ["the first are told", pass(20 * MINUTE), ["@5 mail problem: web on host-1: is gone"]],
    ["reminded", pass(9 * MINUTE), ["@1210 mail reminder: Ongoing for 20m 10s: web on host-1: is gone"]],
    [
      "then others are",
      pass(2 * MINUTE),
      ["@1805 phone escalation: Escalated after 30m 5s: web on host-1: is gone"],
    ],
    [
      "from now on both are reminded",
      pass(10 * MINUTE),
      [
        "@2415 mail reminder: Ongoing for 40m 15s: web on host-1: is gone",
        "@2415 phone reminder: Ongoing for 40m 15s: web on host-1: is gone",
      ],
    ],
    ["it is well", recovers(), []],
    [
      "both hear of it",
      pass(HOUR),
      [
        "@2465 mail recovery: Recovered after 41m: web on host-1: is gone",
        "@2465 phone recovery: Recovered after 41m: web on host-1: is gone",
      ],
    ],
  ],
);

ledger("what ends before it escalates notifies nobody else", rule({ ...escalating([MAIL], 30, PHONE) }), [
  ["it fails", fails(), []],
  ["the first are told", pass(20 * MINUTE), ["@5 mail problem: web on host-1: is gone"]],
  ["it is well", recovers(), []],
  ["only they hear of it", pass(HOUR), ["@1205 mail recovery: Recovered after 20m: web on host-1: is gone"]],
]);

// 12:00 UTC is the clock's start.
const NOON_TO_TWO = { quiet: { from: "12:30", to: "14:00", timezone: "UTC" } };

ledger(
  "in quiet hours nothing is told; what lasts is told when they end",
  rule({ ...NOON_TO_TWO, repeat: 60, ...escalating([MAIL], 60, PHONE) }),
  [
    ["before them it fails", fails(), []],
    ["and is told", pass(35 * MINUTE), ["@5 mail problem: web on host-1: is gone"]],
    ["in them another one does", fails({ service: "db" }), []],
    ["and a third, not for long", fails({ service: "cron" }), []],
    ["time passes", pass(10 * MINUTE), []],
    ["the third is well", recovers({ service: "cron" }), []],
    ["a change comes by", changes(), []],
    ["neither reminders nor escalations", pass(74 * MINUTE), []],
    ["the first one is well", recovers(), []],
    [
      "at their end all is told that is of use",
      pass(2 * MINUTE),
      [
        "@7200 phone problem: db on host-1: is gone",
        "@7200 mail recovery: Recovered after 1h 59m: web on host-1: is gone",
        "@7200 mail problem: db on host-1: is gone",
      ],
    ],
    ["that was all", pass(50 * MINUTE), []],
  ],
  ["", "", "quiet hours", "quiet hours"],
);

ledger(
  "in maintenance nothing is told; what outlasts it is told when it ends",
  async (alerting) => {
    await rule()(alerting);
    await alerting.call("admin/maintenance/create", {
      name: "new disks",
      filter: { servicenames: ["web", "db", "pid"] },
      schedule: { kind: "once", from: 1_767_614_400 + 60, to: 1_767_614_400 + HOUR },
    });
  },
  [
    ["maintenance begins", pass(2 * MINUTE), []],
    ["two services fail", fails(), []],
    ["of those it is about", fails({ service: "db" }), []],
    ["one that it is not about", fails({ service: "cron" }), []],
    ["and one changes", changes({ service: "pid" }), []],
    ["only that is told", pass(30 * MINUTE), ["@125 mail problem: cron on host-1: is gone"]],
    ["one is well again in time", recovers(), []],
    ["silence", pass(27 * MINUTE), []],
    ["the other one is told", pass(2 * MINUTE), ["@3600 mail problem: db on host-1: is gone"]],
    ["and its end", recovers({ service: "db" }), []],
    ["as ever", pass(10), ["@3665 mail recovery: Recovered after 59m: db on host-1: is gone"]],
  ],
  ['maintenance "new disks"', "", "", 'maintenance "new disks"'],
);

ledger(
  "a reminder leaves out those who were notified within half the time between reminders",
  rule({ ...escalating([MAIL], 30, PHONE), repeat: 30 }),
  [
    ["", fails(), []],
    ["the first step", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", pass(30 * MINUTE - 1), []],
    [
      "the second step, which is not reminded along with the first",
      pass(6),
      [
        "@1805 phone escalation: Escalated after 30m 5s: web on host-1: is gone",
        "@1810 mail reminder: Ongoing for 30m 10s: web on host-1: is gone",
      ],
    ],
    [
      "but with it the next time",
      pass(30 * MINUTE + 5),
      [
        "@3615 phone reminder: Ongoing for 1h: web on host-1: is gone",
        "@3615 mail reminder: Ongoing for 1h: web on host-1: is gone",
      ],
    ],
  ],
);

ledger(
  "the end of an acknowledgement is told to everyone who was notified, however short ago",
  rule({ ...escalating([MAIL], 30, PHONE), repeat: 30 }),
  [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", pass(30 * MINUTE), ["@1805 phone escalation: Escalated after 30m 5s: web on host-1: is gone"]],
    ["", (alerting) => alerting.call("problems/acknowledge", { id: 1 }), []],
    ["", pass(10), []],
    ["", (alerting) => alerting.call("problems/unacknowledge", { id: 1 }), []],
    [
      "",
      pass(1),
      [
        "@1816 mail reminder: Ongoing for 30m 16s: web on host-1: is gone",
        "@1816 phone reminder: Ongoing for 30m 16s: web on host-1: is gone",
      ],
    ],
  ],
);

ledger(
  "dismissing a failure ends its reminders and its escalation, and not the news of its end",
  rule({ repeat: 10, ...escalating([MAIL], 30, PHONE) }),
  [
    ["it fails", fails(), []],
    ["it is told", pass(MINUTE), ["@5 mail problem: web on host-1: is gone"]],
    ["somebody takes it up", dismissed, []],
    ["no reminders, nobody is called", pass(2 * HOUR), []],
    ["not after another error either", fails({ collectedUsec: 1 }), []],
    ["nothing", pass(2 * HOUR), []],
    ["it is well", recovers(), []],
    ["which is told", pass(10), ["@14465 mail recovery: Recovered after 4h 1m: web on host-1: is gone"]],
  ],
);

ledger(
  "a failure that is dismissed before anyone was notified is not told",
  rule({ delay: 5 }),
  [
    ["it fails", fails(), []],
    ["somebody is quicker", dismissed, []],
    ["nothing", pass(HOUR), []],
    ["it is well", recovers(), []],
    ["nothing", pass(HOUR), []],
  ],
  ["dismissed before anyone was notified"],
);

ledger(
  "a change is told once, also by a rule with a delay, and a success only where a rule asks for it",
  rule({ delay: 5, repeat: 5 }),
  [
    ["a pid changes", changes(), []],
    ["it is told", pass(HOUR), ["@5 mail change: web on host-1: has another pid"]],
    ["a success out of the blue", recovers(), []],
    ["is not", pass(HOUR), []],
  ],
);

ledger("a rule may ask for successes", rule({ filter: { states: [0] } }), [
  ["it fails", fails(), []],
  ["which is not asked for", pass(MINUTE), []],
  ["it is well", recovers(), []],
  ["which is told like a change", pass(HOUR), ["@65 mail change: web on host-1: is back"]],
]);

ledger("what recovers only for a moment continues", rule(), [
  ["it fails", fails(), []],
  ["it is told", pass(MINUTE), ["@5 mail problem: web on host-1: is gone"]],
  ["it is well", recovers(), []],
  ["for two seconds", pass(2), []],
  ["it fails again", fails({ collectedUsec: 1 }), []],
  ["nobody hears of that", pass(HOUR), []],
  ["it is well for good", recovers(), []],
  ["which is told", pass(10), ["@3667 mail recovery: Recovered after 1h 1m: web on host-1: is gone"]],
]);

/** Ignores the host (2), or stops ignoring it (0). */
const hostStatus =
  (status: number): Input =>
  (alerting) =>
    alerting.call("admin/hosts/update", {
      id: 1,
      hostname: "host-1",
      agentuser: "admin",
      agentpassword: "monit",
      status,
    });

ledger(
  "an ignored host makes nobody's phone ring, until it is no longer ignored",
  rule({ delay: 1, repeat: 10 }),
  [
    ["it fails", fails(), []],
    ["its host is ignored", hostStatus(2), []],
    ["nothing", pass(20 * MINUTE), []],
    ["it is ignored no longer", hostStatus(0), []],
    ["what lasts is told", pass(MINUTE), ["@1205 mail problem: web on host-1: is gone"]],
  ],
);

ledger(
  "whoever heard of a failure hears of its end, though a reminder fell into a time in which the host was ignored",
  rule({ repeat: 10 }),
  [
    ["it fails", fails(), []],
    ["it is told", pass(MINUTE), ["@5 mail problem: web on host-1: is gone"]],
    ["its host is ignored", hostStatus(2), []],
    ["no reminder", pass(20 * MINUTE), []],
    ["it is ignored no longer", hostStatus(0), []],
    [
      "the reminder follows",
      pass(MINUTE),
      ["@1270 mail reminder: Ongoing for 21m 10s: web on host-1: is gone"],
    ],
    ["it is well", recovers(), []],
    ["which is told", pass(MINUTE), ["@1325 mail recovery: Recovered after 22m: web on host-1: is gone"]],
  ],
);

/** "web" is gone for `down` seconds of each `down + up`, so many times. */
const flapping =
  (times: number, down: number, up: number): Input =>
  async (alerting) => {
    for (let i = 0; i < times; i++) {
      await fails()(alerting);
      await alerting.pass(down);
      await recovers()(alerting);
      await alerting.pass(up);
    }
  };

ledger(
  "failures too short to be told one by one are told once as flapping, and so is their end",
  rule({ flapcount: 3, flapwindow: 10 }),
  [
    ["twice down 4 s, up 1 s: each is over before anybody is told", flapping(2, 4, 1), []],
    [
      "a third time within 10 minutes",
      flapping(1, 4, 1),
      ["@15 mail flapping: Flapping: web on host-1: is gone"],
    ],
    ["and on for 20 minutes: nothing more", flapping(240, 4, 1), []],
    ["10 minutes after the last one began, but for the seconds", pass(594), []],
    ["it is steady", pass(6), ["@1815 mail steady: No longer flapping after 20m 4s: web on host-1: is gone"]],
    ["and told once", pass(HOUR), []],
    ["what is over in 4 seconds is still told by nobody", flapping(1, 4, 1), []],
  ],
  [
    "recovered before anyone was notified",
    "recovered before anyone was notified",
    "",
    "recovered before anyone was notified",
  ],
);

const reports =
  (...services: ServiceXml[]): Input =>
  async (alerting) => {
    await alerting.report({ services });
  };

ledger(
  "a service that is no longer monitored, or removed from the control file, is not said to have recovered",
  rule({ flapcount: 4 }),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), ["@5 mail problem: web on host-1: is gone"]],
    ["the agent gives up", reports({ name: "web", monitor: 0 }), []],
    ["which is told", pass(10), ["@15 mail recovery: No longer monitored after 10s: web on host-1: is gone"]],
    ["it is monitored again", reports({ name: "web" }), []],
    ["and fails again", fails(), []],
    ["which is told", pass(10), ["@25 mail problem: web on host-1: is gone"]],
    ["its check is removed", reports({ name: "db" }), []],
    ["which is told", pass(10), ["@35 mail recovery: No longer monitored after 10s: web on host-1: is gone"]],
    ["it returns", reports({ name: "web" }), []],
    ["and fails a third time", fails(), []],
    ["which is told", pass(10), ["@45 mail problem: web on host-1: is gone"]],
    ["it is well again", recovers(), []],
    ["which is told", pass(10), ["@55 mail recovery: Recovered after 10s: web on host-1: is gone"]],
  ],
);

ledger(
  "failures that are reported one by one also end in one message",
  rule({ flapcount: 3, flapwindow: 10 }),
  [
    [
      "down 8 s, up 8 s, six times",
      flapping(6, 8, 8),
      [
        "@5 mail problem: web on host-1: is gone",
        "@13 mail recovery: Recovered after 8s: web on host-1: is gone",
        "@21 mail problem: web on host-1: is gone",
        "@29 mail recovery: Recovered after 8s: web on host-1: is gone",
        "@37 mail flapping: Flapping: web on host-1: is gone",
      ],
    ],
    [
      "10 minutes",
      pass(10 * MINUTE),
      ["@685 mail steady: No longer flapping after 56s: web on host-1: is gone"],
    ],
  ],
);

ledger(
  "a check that stays down after it flapped is a problem like any other",
  rule({ flapcount: 2, flapwindow: 10, repeat: 15 }),
  [
    ["it flaps", flapping(2, 4, 1), ["@10 mail flapping: Flapping: web on host-1: is gone"]],
    ["it fails for good", fails(), []],
    [
      "which is told when it no longer flaps",
      pass(10 * MINUTE + 5),
      ["@615 mail problem: web on host-1: is gone"],
    ],
    [
      "and again",
      pass(15 * MINUTE + 5),
      ["@1520 mail reminder: Ongoing for 25m 15s: web on host-1: is gone"],
    ],
    ["until it is well", recovers(), []],
    ["again", pass(5), ["@1525 mail recovery: Recovered after 25m 15s: web on host-1: is gone"]],
  ],
);

ledger(
  "reminders and the escalation of a check that flaps go on, unless somebody dismisses it",
  rule({ flapcount: 2, flapwindow: 10, repeat: 5, ...escalating([MAIL], 8, PHONE) }),
  [
    ["it flaps", flapping(2, 4, 1), ["@10 mail flapping: Flapping: web on host-1: is gone"]],
    [
      "and on",
      flapping(120, 4, 1),
      [
        "@315 mail reminder: Ongoing for 5m 10s: web on host-1: is gone",
        "@490 phone escalation: Escalated after 8m 5s: web on host-1: is gone",
      ],
    ],
    ["it fails, and somebody sees to it", fails(), []],
    ["", dismissed, []],
    ["no more of it", pass(HOUR), []],
    ["until it is well", recovers(), []],
    [
      "which all are told",
      pass(6),
      [
        "@4211 mail steady: No longer flapping after 1h 10m: web on host-1: is gone",
        "@4211 phone steady: No longer flapping after 1h 10m: web on host-1: is gone",
      ],
    ],
  ],
);

ledger(
  "a restart in the middle loses nothing and repeats no message",
  rule({ flapcount: 3, flapwindow: 10 }),
  [
    ["twice", flapping(2, 4, 1), []],
    ["a restart", (alerting) => alerting.restart(), []],
    ["the third time", flapping(1, 4, 1), ["@15 mail flapping: Flapping: web on host-1: is gone"]],
    ["a restart", (alerting) => alerting.restart(), []],
    ["and on", flapping(10, 4, 1), []],
    [
      "the end",
      pass(10 * MINUTE),
      ["@665 mail steady: No longer flapping after 54s: web on host-1: is gone"],
    ],
  ],
);

ledger(
  "with maintenance or quiet hours nobody hears that it flaps, unless it still does at their end",
  rule({ flapcount: 3, flapwindow: 10, quiet: { from: "12:00", to: "12:30", timezone: "UTC" } }),
  [
    ["it flaps", flapping(3, 4, 1), []],
    ["is steady, and flaps again", pass(26 * MINUTE), []],
    ["", flapping(3, 4, 1), []],
    ["at the end", pass(4 * MINUTE), ["@1800 mail flapping: Flapping: web on host-1: is gone"]],
    ["", pass(HOUR), ["@2190 mail steady: No longer flapping after 4s: web on host-1: is gone"]],
  ],
);

ledger(
  "a rule may do without: what is told of it then is each failure by itself, and ends what flaps",
  rule({ flapcount: 0 }),
  [
    ["down 4 s, up 1 s", flapping(20, 4, 1), []],
    [
      "it flaps for the rule as it is now",
      (alerting) => alerting.call("admin/rules/update", { id: 1, flapcount: 2 }),
      [],
    ],
    ["", flapping(1, 4, 1), ["@105 mail flapping: Flapping: web on host-1: is gone"]],
    ["", (alerting) => alerting.call("admin/rules/update", { id: 1, flapcount: 0 }), []],
    ["no more", pass(1), ["@106 mail steady: No longer flapping after 4s: web on host-1: is gone"]],
  ],
);

test("what flaps is forgotten with its host, its rule and its events", async () => {
  const alerting = await Alerting.create();
  await rule({ flapcount: 2 })(alerting);
  await flapping(2, 4, 1)(alerting);
  expect(
    alerting.app.rows("select flapping_at is not null as f from alerts where closed_at is null"),
  ).toEqual([{ f: 1 }]);
  await alerting.call("admin/hosts/delete", { id: 1 });
  await alerting.pass(20 * MINUTE);
  expect(alerting.app.rows("select * from alerts")).toEqual([]);
  expect(alerting.arrived.map(notified)).toEqual(["@10 mail flapping: Flapping: web on host-1: is gone"]);
});
