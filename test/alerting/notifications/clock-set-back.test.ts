/** Muster's clock was ahead, and is set back. */
import { filesystemXml, processXml } from "../../support/agent-messages.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { fails, type Input, type Line, ledger, pass, recovers } from "./support.ts";

const DAY = 86_400;
const FAILED = { name: "web", status: 512, body: processXml() };
const MAIL = 1;

const rule =
  (fields: object = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    await alerting.report();
    await alerting.rule({ flapcount: 0, ...notifying(MAIL), ...fields });
  };

const clockSet =
  (seconds: number): Input =>
  async (alerting) => {
    alerting.app.clock.step(seconds);
    alerting.app.heartbeat.tick();
    await alerting.work();
  };

ledger("a failure that waits for the delay of its rule when Muster ends", rule({ delay: 5 }), [
  ["a day ahead", clockSet(DAY), []],
  ["fails", fails(), []],
  ["waits", pass(60), []],
  [
    "Muster starts with the right clock",
    (alerting) => {
      alerting.app.clock.step(-DAY);
      alerting.restart();
      alerting.app.heartbeat.start();
    },
    [],
  ],
  ["waits on", pass(4 * 60 + 5), []],
  ["is told", pass(1), ["@306 mail problem: web on host-1: is gone"]],
]);

/** What happens while the clock is ahead lies in the future afterwards. It must not hide what follows. */
const ahead = (lines: readonly Line[]): Line[] => [["a day ahead", clockSet(DAY), []], ...lines];
const setBack: Line = ["the clock is set back", clockSet(-DAY), []];

/** The clock of the agent was right all the time. @param seconds since the start */
const by = (seconds: number) => ({ at: START + seconds });

ledger(
  "a failure after one that ended while the clock was ahead is told, and its end",
  rule(),
  ahead([
    ["fails", fails(), []],
    ["is told", pass(5), ["@86405 mail problem: web on host-1: is gone"]],
    ["recovers", recovers(), []],
    ["is told", pass(5), ["@86410 mail recovery: Recovered after 5s: web on host-1: is gone"]],
    setBack,
    ["fails again", fails(), []],
    ["is told", pass(5), ["@15 mail problem: web on host-1: is gone"]],
    ["recovers", recovers(), []],
    ["is told", pass(5), ["@16 mail recovery: Recovered after 0s: web on host-1: is gone"]],
  ]),
);

ledger(
  "the same where the clock of the agent was right",
  rule(),
  ahead([
    ["fails", fails({}, by(0)), []],
    ["is told", pass(5), ["@86405 mail problem: web on host-1: is gone"]],
    ["recovers", recovers({}, by(5)), []],
    ["is told", pass(5), ["@86410 mail recovery: Recovered after 5s: web on host-1: is gone"]],
    setBack,
    ["fails again", fails({}, by(10)), []],
    ["is told", pass(5), ["@15 mail problem: web on host-1: is gone"]],
    ["recovers", recovers({}, by(15)), []],
    ["is told", pass(5), ["@16 mail recovery: Recovered after 0s: web on host-1: is gone"]],
  ]),
);

ledger(
  "a failure that lasts when the clock is set back ends with the next success",
  rule({ repeat: 1 }),
  ahead([
    ["fails", fails(), []],
    ["is told", pass(5), ["@86405 mail problem: web on host-1: is gone"]],
    setBack,
    ["recovers", recovers(), []],
    ["is told", pass(5), ["@6 mail recovery: Recovered after 0s: web on host-1: is gone"]],
    ["nothing follows", pass(120), []],
  ]),
);

ledger(
  "a success from before that arrives late ends no failure from the time when the clock was ahead",
  rule(),
  ahead([
    ["fails", fails({}, by(0)), []],
    ["is told", pass(5), ["@86405 mail problem: web on host-1: is gone"]],
    setBack,
    [
      "what the agent kept arrives",
      recovers({ collectedSec: START - 5 }, { ...by(5), services: [FAILED] }),
      [],
    ],
    ["nothing is told", pass(60), []],
    ["it recovers", recovers({}, by(65)), []],
    ["is told", pass(5), ["@66 mail recovery: Recovered after 0s: web on host-1: is gone"]],
  ]),
);

const reports: Input = (alerting) => alerting.report({ poll: 30 });

ledger(
  "a host that falls silent after it did so while the clock was ahead is told",
  rule(),
  ahead([
    ["reports", reports, []],
    ["is silent", pass(151), ["@86551 mail problem: host-1 is down"]],
    ["reports", reports, []],
    ["is told", pass(60), ["@86611 mail recovery: host-1 reports again after 1m"]],
    setBack,
    ["is silent again", pass(151), ["@362 mail problem: host-1 is down"]],
    ["reports", reports, []],
    ["is told", pass(1), ["@363 mail recovery: host-1 reports again after 0s"]],
    ["nothing follows", pass(60), []],
  ]),
);

/** Messages without events. @param status that of "web" in each */
const status =
  (status: number, messages: number): Input =>
  async (alerting) => {
    for (let i = 0; i < messages; i++) {
      await alerting.report({ services: [{ ...FAILED, status }] });
      await alerting.pass(30);
    }
  };

ledger(
  "a failure that only the status reports, after such a one while the clock was ahead",
  rule(),
  ahead([
    [
      "fails",
      status(512, 2),
      [
        "@86435 mail problem: web on host-1: Nonexist failed: the agent reported it in its status, without an event",
      ],
    ],
    [
      "recovers",
      status(0, 3),
      [
        "@86521 mail recovery: Recovered after 1m: web on host-1: Nonexist failed: the agent reported it in its status, without an event",
      ],
    ],
    setBack,
    [
      "fails again",
      status(512, 2),
      [
        "@185 mail problem: web on host-1: Nonexist failed: the agent reported it in its status, without an event",
      ],
    ],
    [
      "recovers",
      status(0, 3),
      [
        "@271 mail recovery: Recovered after 0s: web on host-1: Nonexist failed: the agent reported it in its status, without an event",
      ],
    ],
    ["nothing follows", pass(60), []],
  ]),
);

/** @param percent of the file system that is in use */
const disk =
  (percent: number): Input =>
  (alerting) =>
    alerting.report({ services: [{ name: "rootfs", type: 0, body: filesystemXml({ percent }) }] });

const limited: Input = async (alerting) => {
  await rule()(alerting);
  await alerting.call("limits/create", { name: "disk", statistics: [18], warning: 90 });
  await disk(50)(alerting);
};

ledger(
  "a limit that is exceeded after it was while the clock was ahead",
  limited,
  ahead([
    ["exceeded", disk(95), []],
    [
      "is told",
      pass(5),
      ["@86405 mail problem: rootfs on host-1: disk: space usage is 95 %, above 90 % (warning)."],
    ],
    ["within", disk(50), []],
    [
      "is told",
      pass(5),
      [
        "@86410 mail recovery: Recovered after 5s: rootfs on host-1: disk: space usage is 95 %, above 90 % (warning).",
      ],
    ],
    setBack,
    ["exceeded again", disk(95), []],
    [
      "is told",
      pass(5),
      ["@15 mail problem: rootfs on host-1: disk: space usage is 95 %, above 90 % (warning)."],
    ],
    ["within", disk(50), []],
    [
      "is told",
      pass(5),
      [
        "@16 mail recovery: Recovered after 0s: rootfs on host-1: disk: space usage is 95 %, above 90 % (warning).",
      ],
    ],
    ["nothing follows", pass(60), []],
  ]),
);
