/** Maintenance and acknowledgements apply to failures of limits as to those of agents. Mutes work like maintenance. */

import { describe } from "bun:test";
import { filesystemXml } from "../../support/agent-messages.ts";
import type { Fields } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { BOOT, type Input, ledger, pass } from "./support.ts";

const MINUTE = 60;
const HOUR = 3600;
const SPACE = 18;
const RESOURCE = 2;

/** A message with this disk usage, and an event of the agent if there is one. */
const disk =
  (percent: number, agentState?: number): Input =>
  async ({ app }) => {
    const at = app.clock.now();
    await app.report({
      at,
      incarnation: BOOT,
      poll: 86_400,
      services: [
        {
          name: "rootfs",
          type: 0,
          status: agentState === 1 ? RESOURCE : 0,
          body: filesystemXml({ percent }),
        },
      ],
      ...(agentState !== undefined && {
        event: { service: "rootfs", id: RESOURCE, state: agentState, message: "the agent's own" },
      }),
    });
  };

/** A rule with these fields, and a limit of disk space that warns above 90 % and is critical above 95 %. */
const prepare =
  (rule: Fields = {}): Input =>
  async (alerting) => {
    alerting.channel("mail");
    await alerting.rule({ ...notifying(1), flapcount: 0, ...rule });
    await alerting.call("limits/create", { name: "disk", statistics: [SPACE], warning: 90, critical: 95 });
    await disk(50)(alerting);
  };

const maintained: Input = (alerting) =>
  alerting.call("admin/maintenance/create", {
    name: "work",
    filter: { hosts: [1] },
    schedule: { kind: "once", from: START, to: START + HOUR },
  });
const activeIds = (rows: { id: number }[]) => rows.map(({ id }) => id);
const acknowledged: Input = async (alerting) => {
  const active = activeIds(alerting.app.rows("select id from events where active = true"));
  await alerting.call("problems/acknowledge", { id: active, until: "", note: "" });
};
/** Acknowledges failures of limits, not those of agents. */
const limitAcknowledged: Input = async (alerting) => {
  const active = activeIds(alerting.app.rows("select id from events where active = true and limit_id > 0"));
  await alerting.call("problems/acknowledge", { id: active, until: "", note: "" });
};
const restarted: Input = (alerting) => alerting.restart();
const deleted: Input = (alerting) => alerting.call("limits/delete", { id: 1 });

const WARNING = (percent: number) =>
  `rootfs on host-1: disk: space usage is ${percent} %, above 90 % (warning).`;
const CRITICAL = (percent: number) =>
  `rootfs on host-1: disk: space usage is ${percent} %, above 95 % (critical).`;

describe("a failure of a limit", () => {
  ledger("triggers a message, reminders, and a message about its recovery", prepare({ repeat: 10 }), [
    ["it is passed", disk(92), []],
    ["", pass(5), [`@5 mail problem: ${WARNING(92)}`]],
    ["a higher value is no news", disk(93), []],
    ["", pass(10 * MINUTE + 5), [`@610 mail reminder: Ongoing for 10m 10s: ${WARNING(92)}`]],
    ["it is kept again", disk(50), []],
    ["", pass(5), [`@615 mail recovery: Recovered after 10m 10s: ${WARNING(92)}`]],
  ]);

  ledger(
    "in maintenance triggers a message at its end if it lasts, and then one for its recovery",
    prepare(),
    [
      ["", maintained, []],
      ["it is passed", disk(92), []],
      ["", pass(HOUR - 1), []],
      ["its end", pass(1), [`@3600 mail problem: ${WARNING(92)}`]],
      ["it is kept again", disk(50), []],
      ["", pass(5), [`@3605 mail recovery: Recovered after 1h: ${WARNING(92)}`]],
    ],
  );

  ledger(
    "that was acknowledged reminds nobody, and its recovery triggers a message",
    prepare({ repeat: 10 }),
    [
      ["it is passed", disk(92), []],
      ["", pass(5), [`@5 mail problem: ${WARNING(92)}`]],
      ["somebody takes it", acknowledged, []],
      ["", pass(HOUR), []],
      ["a restart changes nothing", restarted, []],
      ["it becomes critical, which is the same failure", disk(97), []],
      ["", pass(HOUR), []],
      ["it is kept again", disk(50), []],
      ["", pass(5), [`@7210 mail recovery: Recovered after 2h: ${WARNING(92)}`]],
      ["a new one does not inherit it", disk(92), []],
      ["", pass(5), [`@7215 mail problem: ${WARNING(92)}`]],
      ["", pass(10 * MINUTE + 5), [`@7820 mail reminder: Ongoing for 10m 10s: ${WARNING(92)}`]],
    ],
  );

  ledger(
    "that was acknowledged leaves the agent's own failure of the same class alone",
    prepare({ repeat: 10 }),
    [
      ["both fail", disk(92, 1), []],
      ["", pass(5), ["@5 mail problem: 2 problems: rootfs on host-1, rootfs on host-1"]],
      ["that of the limit is taken", limitAcknowledged, []],
      [
        "",
        pass(10 * MINUTE + 5),
        ["@610 mail reminder: Ongoing for 10m 10s: rootfs on host-1: the agent's own"],
      ],
      ["the agent's ends", disk(92, 0), []],
      ["", pass(5), ["@615 mail recovery: Recovered after 10m 10s: rootfs on host-1: the agent's own"]],
      ["that of the limit stays acknowledged", pass(HOUR), []],
      ["and ends", disk(50), []],
      ["", pass(5), [`@4220 mail recovery: Recovered after 1h 10m: ${WARNING(92)}`]],
    ],
  );

  ledger(
    "that becomes critical is reminded of with the text of the critical error",
    prepare({ repeat: 10, delay: 5 }),
    [
      ["it is passed", disk(92), []],
      ["it becomes critical before anyone was notified", pass(2 * MINUTE), []],
      ["", disk(97), []],
      ["", pass(3 * MINUTE + 5), [`@305 mail problem: ${CRITICAL(97)}`]],
      ["it is a warning again", disk(94), []],
      ["", pass(5 * MINUTE), []],
      ["and critical again", disk(98), []],
      ["", pass(5 * MINUTE + 5), [`@910 mail reminder: Ongoing for 15m 10s: ${CRITICAL(98)}`]],
      ["it is kept again", disk(50), []],
      ["", pass(5), [`@915 mail recovery: Recovered after 15m 10s: ${WARNING(92)}`]],
    ],
  );

  ledger("ends with its limit, which is notified", prepare(), [
    ["it is passed", disk(92), []],
    ["", pass(5), [`@5 mail problem: ${WARNING(92)}`]],
    ["the limit is deleted", deleted, []],
    ["", pass(5), [`@10 mail recovery: Recovered after 5s: ${WARNING(92)}`]],
  ]);

  ledger(
    "and its end are nothing to a rule of what agents report",
    prepare({ filter: { severities: [0] } }),
    [
      ["it is passed", disk(97), []],
      ["", pass(5), []],
      ["it is kept again", disk(50), []],
      ["an agent's own failure is", disk(50, 1), []],
      ["", pass(5), ["@10 mail problem: rootfs on host-1: the agent's own"]],
      ["and its recovery", disk(50, 0), []],
      ["", pass(5), ["@15 mail recovery: Recovered after 5s: rootfs on host-1: the agent's own"]],
    ],
  );

  ledger(
    "and its end both trigger messages of a rule for critical ones",
    prepare({ filter: { severities: [2] } }),
    [
      ["a warning is none", disk(92), []],
      ["", pass(5), []],
      ["it is kept again", disk(50), []],
      ["it is critical", disk(97), []],
      [
        "",
        pass(5),
        ["@10 mail problem: rootfs on host-1: disk: space usage is 97 %, above 95 % (critical)."],
      ],
      ["it eases to a warning, which is the same failure", disk(92), []],
      ["it is kept again", disk(50), []],
      [
        "",
        pass(5),
        [
          "@15 mail recovery: Recovered after 5s: rootfs on host-1: disk: space usage is 97 %, above 95 % (critical).",
        ],
      ],
    ],
  );
});
