/** Events that are past their time, and of which somebody is still to be told. */

import { expect, test } from "bun:test";
import type { Answer } from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { START } from "../../support/clock.ts";
import { notifying } from "../../support/rules.ts";
import { Alerting } from "./support.ts";

const DAY = 86_400;

async function ofOneDay(): Promise<Alerting> {
  const alerting = await Alerting.create();
  await alerting.rule({ ...notifying(alerting.channel("mail")) });
  alerting.app.settings.set("eventdays", 1);
  return alerting;
}

/** Deletes all that is past its time. @returns ids of the events that are left */
function clean({ app }: Alerting): number[] {
  app.clock.step(3600);
  while (app.muster.retention.step());
  return app.rows<{ id: number }>("select id from events order by id").map(({ id }) => id);
}

test("the recovery of a failure that lasts longer than events are kept is notified", async () => {
  const alerting = await ofOneDay();
  await alerting.event({ message: "is gone" });
  await alerting.pass(10);
  // The agent was restarted, and says it again: that event stands for the failure from now on.
  alerting.app.clock.step(DAY);
  await alerting.event({ message: "is still gone" });
  alerting.app.clock.step(2 * DAY);
  expect(clean(alerting)).toEqual([1, 2]);
  await alerting.event({ state: 0, message: "is back" });
  expect(clean(alerting)).toEqual([1, 2, 3]);
  const before = alerting.arrived.length;
  await alerting.work();
  expect(alerting.arrived.slice(before).map(({ message }) => message.kind)).toEqual(["recovery"]);
  expect(clean(alerting)).toEqual([2, 3]);
});

test("an event that is older than events are kept stays until its message is sent", async () => {
  const alerting = await ofOneDay();
  let answer: Answer = { outcome: "failed", detail: "503" };
  alerting.far.set("mail", () => answer);
  await alerting.event({ state: 2, id: 262_144, message: "has another pid", collectedSec: START - 2 * DAY });
  expect(clean(alerting)).toEqual([1]);
  await alerting.work();
  expect(alerting.outbox()).toEqual([["pending", 1, 3610, "503"]]);
  expect(clean(alerting)).toEqual([1]);
  answer = { outcome: "sent", detail: "taken" };
  await alerting.work();
  expect(alerting.arrived).toHaveLength(2);
  expect(alerting.outbox()).toEqual([["sent", 2, null, "taken"]]);
  expect(clean(alerting)).toEqual([]);
});
