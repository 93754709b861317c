/** What a change of a rule does to failures that are open already. */
import { expect, test } from "bun:test";
import { arrivedAt, failing, OF_MUSTER, PROBLEM, working } from "../../operations/health/support.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { Alerting, fails, type Input, ledger, notified, pass, recovers } from "../notifications/support.ts";

const MINUTE = 60;
const HOUR = 3600;
const [MAIL, BOSS, CHIEF] = [1, 2, 3];

/** A rule for the channel "mail". There is also a channel "boss". */
const rule =
  (fields: object = {}): Input =>
  (alerting) => {
    alerting.channel("mail");
    alerting.channel("boss");
    return alerting.rule({ flapcount: 0, ...notifying(MAIL), ...fields });
  };
const changed =
  (fields: object): Input =>
  (alerting) =>
    alerting.call("admin/rules/update", { id: 1, ...fields });
const disabled = changed({ enabled: false });
const enabled = changed({ enabled: true });

ledger("a shorter delay counts for failures that wait", rule({ delay: 60 }), [
  ["a failure waits", fails(), []],
  ["", pass(10 * MINUTE), []],
  ["the delay is over", changed({ delay: 5 }), []],
  ["", pass(1), ["@601 mail problem: web on host-1: is gone"]],
]);

ledger("a longer delay counts for failures that wait", rule({ delay: 5 }), [
  ["a failure waits", fails(), []],
  ["", pass(4 * MINUTE), []],
  ["", changed({ delay: 10 }), []],
  ["", pass(6 * MINUTE + 4), []],
  ["", pass(1), ["@605 mail problem: web on host-1: is gone"]],
]);

ledger(
  "without quiet hours what waits for their end waits no longer",
  rule({ quiet: { from: "12:00", to: "20:00", timezone: "UTC" } }),
  [
    ["a failure waits", fails(), []],
    ["", pass(10 * MINUTE), []],
    ["", changed({ quiet: { from: "12:00", to: "12:20", timezone: "UTC" } }), []],
    ["", pass(10 * MINUTE - 1), []],
    ["", pass(1), ["@1200 mail problem: web on host-1: is gone"]],
    ["another one waits", recovers(), []],
    ["", pass(5), ["@1205 mail recovery: Recovered after 20m: web on host-1: is gone"]],
    ["", changed({ quiet: { from: "12:00", to: "20:00", timezone: "UTC" } }), []],
    ["", fails(), []],
    ["", pass(10 * MINUTE), []],
    ["", changed({ quiet: null }), []],
    ["", pass(1), ["@1806 mail problem: web on host-1: is gone"]],
  ],
);

ledger("reminders and steps that a rule gets later are sent for failures that it reported", rule(), [
  ["", fails(), []],
  ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ["", pass(10 * MINUTE), []],
  ["", changed({ repeat: 20, ...escalating([MAIL], 15, BOSS) }), []],
  ["the step", pass(5 * MINUTE), ["@905 boss escalation: Escalated after 15m 5s: web on host-1: is gone"]],
  [
    "the reminder, which leaves out the boss, who was just notified",
    pass(6 * MINUTE),
    ["@1210 mail reminder: Ongoing for 20m 10s: web on host-1: is gone"],
  ],
]);

ledger("a step that is moved forward is notified at its new time", rule(escalating([MAIL], 60, BOSS)), [
  ["", fails(), []],
  ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ["", pass(10 * MINUTE), []],
  ["to a time to come", changed(escalating([MAIL], 30, BOSS)), []],
  ["", pass(10 * MINUTE), []],
  ["to a time that is over", changed(escalating([MAIL], 12, BOSS)), []],
  ["", pass(1), ["@1206 boss escalation: Escalated after 20m 6s: web on host-1: is gone"]],
]);

/** A rule with these steps, and a third channel "chief". */
const stepping =
  (...steps: object[]): Input =>
  (alerting) => {
    for (const name of ["mail", "boss", "chief"]) alerting.channel(name);
    return alerting.rule({ flapcount: 0, steps });
  };
const [FIRST, SECOND, THIRD] = [
  { channels: [MAIL] },
  { after: 15, channels: [BOSS] },
  { after: 30, channels: [CHIEF] },
];

ledger(
  "a step after one that was notified and removed is notified at its time",
  stepping(FIRST, SECOND, THIRD),
  [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", pass(15 * MINUTE), ["@905 boss escalation: Escalated after 15m 5s: web on host-1: is gone"]],
    ["", changed({ steps: [FIRST, THIRD] }), []],
    ["", pass(15 * MINUTE), ["@1805 chief escalation: Escalated after 30m 5s: web on host-1: is gone"]],
    ["", pass(HOUR), []],
  ],
);

ledger("a step before one that was notified does not let this be notified again", stepping(FIRST, THIRD), [
  ["", fails(), []],
  ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ["", pass(30 * MINUTE), ["@1805 chief escalation: Escalated after 30m 5s: web on host-1: is gone"]],
  ["", changed({ steps: [FIRST, SECOND, THIRD, { after: 45, channels: [BOSS] }] }), []],
  ["", pass(15 * MINUTE), ["@2705 boss escalation: Escalated after 45m 5s: web on host-1: is gone"]],
  ["", pass(HOUR), []],
]);

ledger(
  "a step that takes the place of the first one is notified of what that was notified of",
  stepping(FIRST, SECOND, THIRD),
  [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", pass(5 * MINUTE), []],
    ["", changed({ steps: [{ channels: [BOSS] }, THIRD] }), []],
    ["at once", pass(1), ["@306 boss escalation: Escalated after 5m 6s: web on host-1: is gone"]],
    ["once", changed({ steps: [{ channels: [BOSS] }, { ...THIRD, after: 20 }] }), []],
    ["", pass(15 * MINUTE), ["@1205 chief escalation: Escalated after 20m 5s: web on host-1: is gone"]],
    ["", recovers(), []],
    [
      "",
      pass(5),
      [
        "@1211 mail recovery: Recovered after 20m 6s: web on host-1: is gone",
        "@1211 boss recovery: Recovered after 20m 6s: web on host-1: is gone",
        "@1211 chief recovery: Recovered after 20m 6s: web on host-1: is gone",
      ],
    ],
  ],
);

ledger(
  "a step that takes the place of one that was notified is notified at once",
  stepping(FIRST, SECOND, THIRD),
  [
    ["", fails(), []],
    ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
    ["", pass(20 * MINUTE), ["@905 boss escalation: Escalated after 15m 5s: web on host-1: is gone"]],
    ["", changed({ steps: [FIRST, { ...THIRD, after: 15 }] }), []],
    ["", pass(1), ["@1206 chief escalation: Escalated after 20m 6s: web on host-1: is gone"]],
    ["", pass(HOUR), []],
  ],
);

ledger("other recipients of a step that was notified are not notified, too", stepping(FIRST, SECOND), [
  ["", fails(), []],
  ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ["", changed({ steps: [{ channels: [CHIEF] }, SECOND] }), []],
  ["", pass(15 * MINUTE), ["@905 boss escalation: Escalated after 15m 5s: web on host-1: is gone"]],
]);

const flappingAfter3 = changed({ steps: [{ channels: [BOSS] }], flapcount: 3 });
ledger("a step that becomes the first one of a flapping check gets one message", stepping(FIRST, SECOND), [
  ["", fails(), []],
  ["", pass(MINUTE), ["@5 mail problem: web on host-1: is gone"]],
  ["", recovers(), []],
  ["", pass(1), []],
  ["", fails(), []],
  ["", pass(1), []],
  ["", recovers(), []],
  ["", pass(1), []],
  ["", fails(), []],
  ["", flappingAfter3, []],
  ["", pass(1), ["@64 boss flapping: Flapping: web on host-1: is gone"]],
  ["", pass(MINUTE), []],
]);

ledger(
  "a rule that is disabled and enabled again at once follows nothing that failed before",
  rule({ delay: 5, repeat: 10 }),
  [
    ["one failure is told", fails(), []],
    ["", pass(5 * MINUTE + 5), ["@305 mail problem: web on host-1: is gone"]],
    ["another one waits", fails({ service: "db" }), []],
    ["", pass(MINUTE), []],
    ["", disabled, []],
    ["", enabled, []],
    ["neither a reminder nor a problem", pass(HOUR), []],
    ["nor a recovery", recovers(), []],
    ["", recovers({ service: "db" }), []],
    ["", pass(MINUTE), []],
    ["a new failure is told", fails({ message: "anew" }), []],
    ["", pass(5 * MINUTE + 5), ["@4330 mail problem: web on host-1: anew"]],
  ],
  ["the rule is disabled", "the rule is disabled", ""],
);

ledger("a rule that is disabled sends nothing that waits for its channel", rule(), [
  ["the channel fails", ({ far }) => far.set("mail", () => ({ outcome: "failed", detail: "busy" })), []],
  ["one failure", fails(), []],
  ["", pass(5), ["@5 mail problem: web on host-1: is gone"]],
  ["the rule is disabled", disabled, []],
  ["and enabled", enabled, []],
  ["the channel works", ({ far }) => far.delete("mail"), []],
  ["", pass(HOUR), []],
  [
    "the list of messages says why",
    ({ app }) =>
      expect(app.rows("select answer from deliveries")).toEqual([{ answer: "the rule is disabled" }]),
    [],
  ],
]);

test("what fails between two changes of a rule is told, though older alerts are being closed", async () => {
  const alerting = await Alerting.create();
  await rule()(alerting);
  await fails()(alerting);
  await disabled(alerting);
  await enabled(alerting);
  await fails({ service: "db" })(alerting);
  await changed({ repeat: 10 })(alerting);
  await alerting.pass(MINUTE);
  expect(alerting.arrived.map(notified)).toEqual(["@5 mail problem: db on host-1: is gone"]);
});

test("a rule that was disabled by an earlier version follows nothing that failed before it is enabled", async () => {
  const alerting = await Alerting.create();
  await rule()(alerting);
  await fails()(alerting);
  alerting.app.db.$client.run("update rules set enabled = false");
  await enabled(alerting);
  await alerting.pass(MINUTE);
  expect(alerting.arrived).toEqual([]);
});

test("changes of a rule about Muster itself count for what is wrong with it already", async () => {
  const alerting = await Alerting.create();
  await rule({ filter: OF_MUSTER, delay: 600 })(alerting);
  await failing(alerting, 10);
  expect(alerting.arrived).toEqual([]);
  await changed({ delay: 1 })(alerting);
  await alerting.work();
  expect(arrivedAt(alerting)).toEqual([expect.stringContaining(`mail problem: ${PROBLEM}`)]);
  await disabled(alerting);
  await enabled(alerting);
  await alerting.pass(1);
  await working(alerting, 3);
  expect(alerting.arrived).toHaveLength(1);
  expect(alerting.app.rows("select outcome from health_alerts")).toEqual([
    { outcome: "the rule is disabled" },
  ]);
});
