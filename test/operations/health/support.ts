/** A Muster of which something is wrong. */
import { type Alerting, notified } from "../../alerting/notifications/support.ts";

/** The filter of rules about Muster itself. */
export const OF_MUSTER = { about: "muster" } as const;
export const PROBLEM = "Muster: Background work is failing: retention.";

/** Minutes pass, in each of which the deletion of old data fails or does not. */
async function minutes(alerting: Alerting, count: number, fails: boolean): Promise<void> {
  const { metrics, health } = alerting.app.muster;
  for (let i = 0; i < count; i++) {
    if (fails) metrics.backgroundFailed("retention");
    await health.evaluate(0);
    await alerting.pass(61);
  }
}

export const failing = (alerting: Alerting, count = 1) => minutes(alerting, count, true);
export const working = (alerting: Alerting, count = 1) => minutes(alerting, count, false);
export const arrivedAt = ({ arrived }: Alerting) => arrived.map(notified);
