/** What is told of failures of a host that was deleted and is restored, in steps between which messages are decided. */
import { COMMAND_LINE } from "../../../src/accounts/audit/actor.ts";
import { notifying } from "../../support/rules.ts";
import { type Alerting, fails, type Input, ledger, pass, recovers } from "./support.ts";

const MINUTE = 60;

const prepare =
  (fields: object = {}): Input =>
  async (alerting) => {
    await alerting.report();
    await alerting.rule({ flapcount: 0, ...notifying(alerting.channel("mail")), ...fields });
  };

const deleted: Input = (alerting) => alerting.call("admin/hosts/delete", { id: 1 });

async function restored(alerting: Alerting): Promise<void> {
  const { deletedHosts } = alerting.app.muster;
  deletedHosts.beginRestoration([1], COMMAND_LINE);
  do await alerting.work();
  while (deletedHosts.step());
}

ledger("a failure that was told lasts", prepare({ repeat: 5 }), [
  ["it fails", fails(), []],
  ["which is told", pass(10), ["@5 mail problem: web on host-1: is gone"]],
  ["its host is deleted", deleted, []],
  ["for longer than between reminders", pass(10 * MINUTE), []],
  ["and restored", restored, ["@610 mail reminder: Ongoing for 10m 10s: web on host-1: is gone"]],
  ["it recovers", recovers(), []],
  ["which is told", pass(5), ["@615 mail recovery: Recovered after 10m 10s: web on host-1: is gone"]],
]);

ledger(
  "a failure that waits for the end of a mute is told then",
  prepare(),
  [
    ["a mute", (alerting) => alerting.call("mutes/create", { filter: { hosts: [1] }, minutes: 20 }), []],
    ["it fails", fails(), []],
    ["", pass(10), []],
    ["its host is deleted", deleted, []],
    ["", pass(10 * MINUTE), []],
    ["and restored", restored, []],
    ["the mute ends", pass(10 * MINUTE), ["@1200 mail problem: web on host-1: is gone"]],
  ],
  [""],
);

ledger("a failure that waits for the delay of its rule is told after it", prepare({ delay: 15 }), [
  ["it fails", fails(), []],
  ["", pass(10), []],
  ["its host is deleted", deleted, []],
  ["", pass(20 * MINUTE), []],
  ["and restored", restored, ["@1210 mail problem: web on host-1: is gone"]],
]);
