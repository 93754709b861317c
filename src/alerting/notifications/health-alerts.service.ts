/**
 * Matches failures of Muster itself against the rules about them. The dispatcher decides later what to send, and when.
 */
import { ERROR } from "../../monit/event-types.ts";
import { holds } from "../../monitoring/places/place-filter.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { healthFindings } from "../../platform/storage/schema.ts";
import type { EventFilter } from "../rules/event-filter.ts";
import { type ActiveRule, activeRules } from "./alerts.repository.ts";
import { firstEvaluationAt, flappingEndsAt } from "./decide.ts";
import {
  closeHealthAlert,
  endHealthAlert,
  type HealthCheckKey,
  insertHealthAlert,
  type OpenHealthAlert,
  openHealthAlerts,
  SEVERITIES,
  wakeHealthAlerts,
} from "./health-alerts.repository.ts";
import { endEarlier, matchingRules, newFacts } from "./opening-alerts.ts";

type HealthFailure = Pick<typeof healthFindings.$inferSelect, "id" | "code" | "subject" | "severity"> & {
  openedAt: number;
};

/** Whether a rule is about failures of Muster itself of this severity. */
export function matchesFinding(filter: EventFilter, { severity }: Pick<HealthFailure, "severity">): boolean {
  return filter.about === "muster" && holds(filter.severities, (wanted) => wanted === SEVERITIES[severity]);
}

/**
 * When the failure of an alert ended; null if the alert is also about the present one. While a check flaps, one alert is
 * about all of its failures.
 * @param openedAt when the present failure opened
 * @param at when it was found, unix seconds
 */
function endBefore(
  openedAt: number,
  alert: OpenHealthAlert,
  rule: ActiveRule | undefined,
  at: number,
): number | null {
  if (openedAt <= (alert.followedFrom ?? alert.failureOpenedAt ?? 0)) return null;
  const starts = alert.lastOpenedAt === null ? [] : [alert.lastOpenedAt];
  const flapping = { starts, createdAt: alert.createdAt };
  const isFlapping = alert.flappingAt !== null && rule && openedAt < flappingEndsAt(flapping, rule);
  return isFlapping ? null : (alert.lastEnd ?? at);
}

/** Creates alerts about failures of Muster itself. Call it in the transaction that stores what happened. */
export class HealthAlerts {
  constructor(private readonly db: Db) {}

  /** A failure opened or got worse. A rule that follows it already gets no second alert. @param at unix seconds */
  failed(failure: HealthFailure, at: number): void {
    const { db } = this;
    const active = activeRules(db);
    if (active.length === 0) return;
    const rules = matchingRules(active, ({ filter }) => matchesFinding(filter, failure));
    const following = endEarlier({
      alerts: openHealthAlerts(db, failure),
      rules: active,
      endOf: (alert, rule) => endBefore(failure.openedAt, alert, rule, at),
      close: (id, outcome) => closeHealthAlert(db, id, outcome, at),
      end: (id, endedAt) => endHealthAlert(db, id, endedAt, at),
    });
    // This failure may be the one that makes the check flap.
    if (rules.some((rule) => following.has(rule.id) && rule.flapcount > 0)) wakeHealthAlerts(db, failure, at);
    for (const rule of rules.filter(({ id }) => !following.has(id))) {
      const dueAt = firstEvaluationAt(newFacts(ERROR, 0, at), rule);
      insertHealthAlert(db, { ruleId: rule.id, findingId: failure.id, createdAt: at, dueAt });
    }
  }

  /** A failure ended. @param at unix seconds */
  ended(check: HealthCheckKey, at: number): void {
    wakeHealthAlerts(this.db, check, at);
  }
}
