/** A failure that waits for the end of a mute or of maintenance which no longer covers it. */
import { expect, test } from "bun:test";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Alerting, fails, type Input, ledger, pass } from "../notifications/support.ts";

const MINUTE = 60;

const call =
  (path: string, fields: object): Input =>
  (alerting) =>
    alerting.call(path, { ...fields });
const muted = (filter: object) => call("mutes/create", { filter, minutes: 600 });

/** A rule, and a host in group 1. */
const prepare: Input = async (alerting) => {
  alerting.channel("mail");
  await alerting.rule({ flapcount: 0, ...notifying(1) });
  await alerting.report({ hostGroups: ["Edge"] });
};
const IN_EDGE = { hostGroups: ["Edge"] };
/** Of a host that leaves the mute 10 minutes after the failure. */
const WITHIN_A_MINUTE = ["@665 mail problem: web on host-1: is gone"];

ledger("is told within a minute after its host left the muted group", prepare, [
  ["", call("admin/groups/create", { name: "Staging" }), []],
  ["", call("admin/groups/add", { id: 2, hostid: 1 }), []],
  ["", muted({ hostgroups: [2] }), []],
  ["", fails({}, IN_EDGE), []],
  ["", pass(10 * MINUTE + 5), []],
  ["", call("admin/groups/remove", { id: 2, hostid: 1 }), []],
  ["", pass(MINUTE), WITHIN_A_MINUTE],
]);

ledger("is told within a minute after the agent named another group", prepare, [
  ["", muted({ hostgroups: [1] }), []],
  ["", fails({}, IN_EDGE), []],
  ["", pass(10 * MINUTE + 5), []],
  ["", fails({}, { hostGroups: ["Core"] }), []],
  ["", pass(MINUTE), WITHIN_A_MINUTE],
]);

ledger("is told within a minute after its host lost the muted tag", prepare, [
  ["", call("admin/tags/add", { tags: ["env=test"], hosts: [1] }), []],
  ["", muted({ tags: ["env=test"] }), []],
  ["", fails({}, IN_EDGE), []],
  ["", pass(10 * MINUTE + 5), []],
  ["", call("admin/tags/remove", { tags: ["env=test"], hosts: [1] }), []],
  ["", pass(MINUTE), WITHIN_A_MINUTE],
]);

ledger("is told within a minute after the group of the maintenance was deleted", prepare, [
  [
    "",
    call("admin/maintenance/create", {
      name: "Move",
      filter: { hostgroups: [1] },
      schedule: { kind: "once", from: START - 10, to: START + 36_000 },
    }),
    [],
  ],
  ["", fails({}, IN_EDGE), []],
  ["", pass(10 * MINUTE + 5), []],
  ["", call("admin/groups/delete", { id: 1 }), []],
  ["", pass(MINUTE), WITHIN_A_MINUTE],
]);

ledger("is told at the end of the mute that still covers it, to the second", prepare, [
  ["", call("mutes/create", { filter: { hostgroups: [1] }, minutes: 12 }), []],
  ["", fails({}, IN_EDGE), []],
  ["", pass(12 * MINUTE - 1), []],
  ["", pass(1), ["@720 mail problem: web on host-1: is gone"]],
]);

test("is told once its host is restored, if the mute was ended meanwhile", async () => {
  const alerting = await Alerting.create();
  await prepare(alerting);
  await muted({ hosts: [1] })(alerting);
  await fails()(alerting);
  await alerting.pass(MINUTE);
  await alerting.call("admin/hosts/delete", { id: 1 });
  await alerting.call("mutes/delete", { id: 1 });
  await alerting.pass(2 * MINUTE);
  await alerting.call("admin/hosts/deleted/restore", { hosts: [1] });
  await alerting.pass(1);
  expect(alerting.arrived.map(({ message }) => message.kind)).toEqual(["problem"]);
});
