/** What is told of a check that recovers and fails anew before the end of its earlier failure could be told. */
import { expect, test } from "bun:test";
import { arrivedAt, failing, PROBLEM, working } from "../../operations/health/support.ts";
import { filesystemXml } from "../../support/agent-messages.ts";
import { escalating, notifying } from "../../support/rules.ts";
import { Alerting, dismissed, fails, type Input, ledger, notified, pass, recovers } from "./support.ts";

const MINUTE = 60;
const [MAIL, BOSS] = [1, 2];

/** A rule for the channel "mail", unless the fields say otherwise. There is also a channel "boss". */
const rule =
  (fields: object = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    alerting.channel("boss");
    await alerting.report();
    await alerting.rule({ flapcount: 0, ...notifying(MAIL), ...fields });
  };

/** Mutes the first host. */
const muted =
  (minutes: number): Input =>
  (alerting) =>
    alerting.call("mutes/create", { filter: { hosts: [1] }, minutes });

const restarted: Input = (alerting) => alerting.restart();

const TOLD = "@5 mail problem: web on host-1: is gone";
const anew = fails({ message: "is gone anew" });

ledger(
  "a failure that began in a mute is told at its end, after the end of the one before it, with times of its own",
  rule(escalating([MAIL], 60, BOSS)),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["a mute begins", muted(20), []],
    ["it recovers", recovers(), []],
    ["and fails anew", pass(15 * MINUTE), []],
    ["with another text", anew, []],
    ["a restart changes nothing", restarted, []],
    [
      "the mute ends",
      pass(6 * MINUTE),
      [
        "@1210 mail recovery: Recovered after 10s: web on host-1: is gone",
        "@1211 mail problem: web on host-1: is gone anew",
      ],
    ],
    ["an hour after the first failure began", pass(50 * MINUTE), []],
    [
      "an hour after the second one did",
      pass(5 * MINUTE),
      ["@4515 boss escalation: Escalated after 1h: web on host-1: is gone anew"],
    ],
    ["it recovers", recovers(), []],
    [
      "which all are told who were told of this failure",
      pass(10),
      [
        "@4575 mail recovery: Recovered after 1h 1m: web on host-1: is gone anew",
        "@4575 boss recovery: Recovered after 1h 1m: web on host-1: is gone anew",
      ],
    ],
    ["and no more", pass(60 * MINUTE), []],
  ],
  ["", ""],
);

ledger(
  "of several failures in a mute, the last one is told if it lasts",
  rule({ repeat: 30 }),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["a mute begins", muted(20), []],
    ["it recovers", recovers(), []],
    ["for a minute", pass(MINUTE), []],
    ["fails", fails({ message: "is gone for a moment" }), []],
    ["for a minute", pass(MINUTE), []],
    ["recovers", recovers(), []],
    ["for a minute", pass(MINUTE), []],
    ["and fails anew", anew, []],
    [
      "the mute ends",
      pass(20 * MINUTE),
      [
        "@1210 mail recovery: Recovered after 10s: web on host-1: is gone",
        "@1211 mail problem: web on host-1: is gone anew",
      ],
    ],
    ["another error of it is no news", fails({ message: "is still gone", collectedUsec: 1 }), []],
    [
      "its reminder counts from its message",
      pass(30 * MINUTE),
      ["@3016 mail reminder: Ongoing for 47m 6s: web on host-1: is still gone"],
    ],
  ],
  ["", "muted by admin", ""],
);

ledger(
  "a failure that begins and ends in a mute is not told, but the end of the one before it is",
  rule(),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["a mute begins", muted(20), []],
    ["it recovers", recovers(), []],
    ["for a minute", pass(MINUTE), []],
    ["fails", anew, []],
    ["for a minute", pass(MINUTE), []],
    ["and recovers", recovers(), []],
    [
      "the mute ends",
      pass(20 * MINUTE),
      ["@1210 mail recovery: Recovered after 10s: web on host-1: is gone"],
    ],
    ["and no more", pass(60 * MINUTE), []],
  ],
  ["", "muted by admin"],
);

ledger(
  "without messages about recoveries, the new failure is told alone",
  rule({ recovery: false }),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["a mute begins", muted(20), []],
    ["it recovers", recovers(), []],
    ["for a minute", pass(MINUTE), []],
    ["and fails anew", anew, []],
    ["the mute ends", pass(20 * MINUTE), ["@1210 mail problem: web on host-1: is gone anew"]],
  ],
  ["", ""],
);

ledger(
  "a failure that begins in quiet hours is told at their end, whatever was told before them",
  rule({ quiet: { days: [0, 1, 2, 3, 4, 5, 6], from: "12:10", to: "13:00", timezone: "UTC" } }),
  [
    ["it fails", fails(), []],
    ["which is told", pass(20 * MINUTE), [TOLD]],
    ["it recovers at night", recovers(), []],
    ["and fails anew", pass(35 * MINUTE), []],
    ["five minutes before the morning", anew, []],
    [
      "which begins",
      pass(10 * MINUTE),
      [
        "@3600 mail recovery: Recovered after 20m: web on host-1: is gone",
        "@3601 mail problem: web on host-1: is gone anew",
      ],
    ],
  ],
);

const statusOfHost =
  (status: number): Input =>
  ({ app }) =>
    app.db.$client.run(`update hosts set status = ${status}`);

ledger(
  "a problem is told after the recovery of the failure before it, though Muster comes to look at it earlier",
  rule(),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["it recovers", recovers(), []],
    ["and fails anew before anything else happens", ({ app }) => app.clock.step(5), []],
    ["with another text", anew, []],
    ["the host is ignored", statusOfHost(2), []],
    ["for a minute", pass(MINUTE + 2), []],
    ["it is active again", statusOfHost(0), []],
    [
      "both are told, in their order",
      pass(2 * MINUTE),
      [
        "@136 mail recovery: Recovered after 10s: web on host-1: is gone",
        "@137 mail problem: web on host-1: is gone anew",
      ],
    ],
  ],
);

ledger(
  "a recovery that lasts no longer than messages wait for others is none",
  rule(),
  [
    ["it fails", fails(), []],
    ["which is told", pass(10), [TOLD]],
    ["it recovers", recovers(), []],
    ["for four seconds", pass(4), []],
    ["and fails", anew, []],
    ["nothing is told", pass(60 * MINUTE), []],
    ["it recovers", recovers(), []],
    ["which is told", pass(5), ["@3619 mail recovery: Recovered after 1h: web on host-1: is gone"]],
  ],
  [""],
);

/** The first host reports every ten seconds for some time, or is silent. */
const reporting =
  (seconds: number): Input =>
  async (alerting) => {
    for (let passed = 0; passed < seconds; passed += 10) {
      await alerting.report({ poll: 10 });
      await alerting.pass(10);
    }
  };

test("a host that went down anew during its repair is reported when the mute ends", async () => {
  const alerting = await Alerting.create();
  await rule()(alerting);
  await reporting(10)(alerting);
  await alerting.pass(2 * MINUTE);
  await muted(20)(alerting);
  await reporting(5 * MINUTE)(alerting);
  await alerting.pass(20 * MINUTE);
  expect(alerting.arrived.map(notified)).toEqual([
    "@91 mail problem: host-1 is down",
    "@1330 mail recovery: host-1 reports again after 1m 39s",
    "@1331 mail problem: host-1 is down",
  ]);
});

/** A limit of 50 and 80 percent for the filesystem "root", and a rule. */
const limited =
  (fields: object = {}): Input =>
  async (alerting) => {
    await rule(fields)(alerting);
    const limit = { name: "disk", statistics: [18], direction: "above", warning: 50, critical: 80 };
    await alerting.call("limits/create", limit);
  };
const disk =
  (percent: number): Input =>
  (alerting) =>
    alerting.report({ services: [{ name: "root", type: 0, body: filesystemXml({ percent }) }] });

test("a limit that was exceeded before a mute and is critical at its end is reported then", async () => {
  const alerting = await Alerting.create();
  await limited()(alerting);
  for (const input of [disk(60), pass(10), muted(20), disk(10), pass(5 * MINUTE), disk(90)])
    await input(alerting);
  await alerting.pass(20 * MINUTE);
  expect(alerting.arrived.map(notified)).toEqual([
    expect.stringMatching(/^@5 mail problem: root on host-1: .*60/),
    expect.stringMatching(/^@1210 mail recovery: Recovered after 10s: root on host-1: .*60/),
    expect.stringMatching(/^@1211 mail problem: root on host-1: .*90/),
  ]);
});

test("a limit that rises from warning to critical in a mute is no second failure", async () => {
  const alerting = await Alerting.create();
  await limited()(alerting);
  for (const input of [disk(60), pass(10), muted(20), disk(90), pass(30 * MINUTE), disk(10), pass(5)])
    await input(alerting);
  expect(alerting.arrived.map(({ message, at }) => [message.kind, at])).toEqual([
    ["problem", 5],
    ["recovery", 1815],
  ]);
});

test("those who were told of a failure learn of its end, though their rule does not select the next one", async () => {
  const alerting = await Alerting.create();
  await limited({ filter: { severities: [2] } })(alerting);
  for (const input of [disk(90), pass(10), muted(20), disk(10), pass(5 * MINUTE), disk(60)])
    await input(alerting);
  await alerting.pass(20 * MINUTE);
  expect(alerting.arrived.map(({ message, at }) => [message.kind, at])).toEqual([
    ["problem", 5],
    ["recovery", 1210],
  ]);
  // Its own rule takes it up once it is critical.
  await disk(95)(alerting);
  await alerting.pass(5);
  expect(alerting.arrived.slice(2).map(notified)).toEqual([
    expect.stringMatching(/^@1515 mail problem: root on host-1: .*95/),
  ]);
});

test("a rule that selects critical failures tells how long they have lasted since the warning", async () => {
  const alerting = await Alerting.create();
  await limited({ filter: { severities: [2] }, repeat: 10 })(alerting);
  for (const input of [disk(60), pass(10 * MINUTE), disk(90), pass(11 * MINUTE), disk(10), pass(5)])
    await input(alerting);
  expect(alerting.arrived.map(({ message, at }) => `@${at} ${message.title}`)).toEqual([
    expect.stringMatching(/^@605 root on host-1: /),
    expect.stringMatching(/^@1210 Ongoing for 20m 10s: root on host-1: /),
    expect.stringMatching(/^@1265 Recovered after 21m: root on host-1: /),
  ]);
});

ledger("the failure that outlasts flapping is told once, and the one after it anew", rule({ flapcount: 3 }), [
  ["it fails", fails(), []],
  ["which is told", pass(MINUTE), [TOLD]],
  ["it recovers", recovers(), []],
  ["which is told", pass(MINUTE), ["@65 mail recovery: Recovered after 1m: web on host-1: is gone"]],
  ["it fails", fails(), []],
  ["which is told", pass(MINUTE), ["@125 mail problem: web on host-1: is gone"]],
  ["it recovers", recovers(), []],
  ["which is told", pass(MINUTE), ["@185 mail recovery: Recovered after 1m: web on host-1: is gone"]],
  ["it fails", fails({ message: "is gone a third time" }), []],
  ["it flaps", pass(MINUTE), ["@245 mail flapping: Flapping: web on host-1: is gone a third time"]],
  ["it recovers", recovers(), []],
  ["and fails", pass(MINUTE), []],
  ["for long", fails({ message: "is gone for long" }), []],
  ["it no longer flaps", pass(11 * MINUTE), ["@965 mail problem: web on host-1: is gone for long"]],
  ["another error of it is no news", fails({ message: "is still gone", collectedUsec: 1 }), []],
  ["and makes no message of its own", pass(MINUTE), []],
  ["a mute begins", muted(20), []],
  ["it recovers", recovers(), []],
  ["for a minute", pass(MINUTE), []],
  ["and fails anew", anew, []],
  [
    "the mute ends",
    pass(30 * MINUTE),
    [
      "@2280 mail recovery: Recovered after 14m: web on host-1: is gone a third time",
      "@2281 mail problem: web on host-1: is gone anew",
    ],
  ],
]);

ledger("a failure that was dismissed before the next one began in a mute does not silence that one", rule(), [
  ["it fails", fails(), []],
  ["which is told", pass(10), [TOLD]],
  ["somebody dismisses it", dismissed, []],
  ["a mute begins", muted(20), []],
  ["it recovers", recovers(), []],
  ["for a minute", pass(MINUTE), []],
  ["and fails anew", anew, []],
  [
    "the mute ends",
    pass(20 * MINUTE),
    [
      "@1210 mail recovery: Recovered after 10s: web on host-1: is gone",
      "@1211 mail problem: web on host-1: is gone anew",
    ],
  ],
]);

test("the page of the new event says why nobody was notified of it, and the preview of the rule agrees", async () => {
  const alerting = await Alerting.create();
  await rule()(alerting);
  for (const input of [fails(), pass(10), muted(20), recovers(), pass(MINUTE), anew, pass(MINUTE)])
    await input(alerting);
  const last = alerting.app.rows<{ id: number }>("select max(id) as id from events")[0];
  const { json } = await alerting.admin.get(`/api/1/reports/events/alerts?id=${last?.id}`);
  expect(json).toMatchObject({ records: [], heldback: [{ rule: "rule", reason: "muted by admin" }] });
  await alerting.pass(20 * MINUTE);
  const fields = { name: "rule", flapcount: 0, ...notifying(MAIL) };
  const preview = await alerting.admin.post("/api/1/admin/rules/preview", { rule: fields, days: 1 });
  expect(preview.json.records.toReversed().map(({ title }: { title: string }) => title)).toEqual(
    alerting.arrived.map(({ message }) => message.title),
  );
});

test("a finding about Muster that is back when a mute ends is told, with the times of its own", async () => {
  const alerting = await Alerting.create();
  await rule({ filter: { about: "muster" } })(alerting);
  await failing(alerting, 3);
  await alerting.call("mutes/create", { filter: { rules: [1] }, minutes: 20 });
  await working(alerting, 2);
  await failing(alerting, 20);
  await working(alerting, 2);
  expect(arrivedAt(alerting)).toEqual([
    `@66 mail problem: ${PROBLEM}`,
    `@1383 mail recovery: Recovered after 3m 3s: ${PROBLEM}`,
    `@1384 mail problem: ${PROBLEM}`,
    `@1530 mail recovery: Recovered after 20m 20s: ${PROBLEM}`,
  ]);
});

test("flapping of Muster itself is over with its last failure", async () => {
  const alerting = await Alerting.create();
  await rule({ filter: { about: "muster" }, flapcount: 2, flapwindow: 10 })(alerting);
  for (const minutes of [failing, working, failing, working, failing, working]) await minutes(alerting, 3);
  await alerting.pass(20 * MINUTE);
  expect(arrivedAt(alerting).slice(2)).toEqual([
    `@432 mail flapping: Flapping: ${PROBLEM}`,
    `@1398 mail steady: No longer flapping after 9m 9s: ${PROBLEM}`,
  ]);
});

/** Muster fails twice, and then for long, so that flapping ends with a problem. */
async function outlastingFlapping(): Promise<Alerting> {
  const alerting = await Alerting.create();
  await rule({ filter: { about: "muster" }, flapcount: 2, flapwindow: 10 })(alerting);
  for (const minutes of [failing, working, failing, working, failing]) await minutes(alerting, 3);
  await failing(alerting, 12);
  alerting.arrived.length = 0;
  return alerting;
}

test("what outlasts flapping of Muster itself ends with its last failure", async () => {
  const alerting = await outlastingFlapping();
  await working(alerting, 2);
  expect(arrivedAt(alerting)).toEqual([`@1652 mail recovery: Recovered after 21m 21s: ${PROBLEM}`]);
});

test("what outlasts flapping of Muster itself ends with its last failure, though another one follows in a mute", async () => {
  const alerting = await outlastingFlapping();
  await alerting.call("mutes/create", { filter: { rules: [1] }, minutes: 20 });
  await working(alerting, 2);
  await failing(alerting, 20);
  expect(arrivedAt(alerting)).toEqual([
    `@2847 mail recovery: Recovered after 21m 21s: ${PROBLEM}`,
    `@2848 mail problem: ${PROBLEM}`,
  ]);
});

const thirdFailure = ["@245 mail flapping: Flapping: web on host-1: is gone"];

ledger(
  "a failure that begins in a mute after flapping is over is told with times of its own",
  rule({ flapcount: 3, ...escalating([MAIL], 60, BOSS) }),
  [
    ["it fails", fails(), []],
    ["which is told", pass(MINUTE), [TOLD]],
    ["it recovers", recovers(), []],
    ["which is told", pass(MINUTE), ["@65 mail recovery: Recovered after 1m: web on host-1: is gone"]],
    ["it fails", fails(), []],
    ["which is told", pass(MINUTE), ["@125 mail problem: web on host-1: is gone"]],
    ["it recovers", recovers(), []],
    ["which is told", pass(MINUTE), ["@185 mail recovery: Recovered after 1m: web on host-1: is gone"]],
    ["it fails", fails(), []],
    ["it flaps", pass(MINUTE), thirdFailure],
    ["a mute begins", muted(120), []],
    ["it recovers", recovers(), []],
    ["and fails anew", pass(100 * MINUTE), []],
    ["with another text", anew, []],
    [
      "the mute ends",
      pass(30 * MINUTE),
      [
        "@7500 mail steady: No longer flapping after 1m: web on host-1: is gone",
        "@7501 mail problem: web on host-1: is gone anew",
      ],
    ],
    [
      "an hour after it began",
      pass(40 * MINUTE),
      ["@9905 boss escalation: Escalated after 1h: web on host-1: is gone anew"],
    ],
  ],
);
