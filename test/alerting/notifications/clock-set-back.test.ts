/** Muster's clock was ahead, and is set back. */
import { notifying } from "../../support/rules.ts";
import { fails, type Input, ledger, pass } from "./support.ts";

const DAY = 86_400;
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
  (alerting) => {
    alerting.app.clock.step(seconds);
    alerting.app.heartbeat.tick();
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
