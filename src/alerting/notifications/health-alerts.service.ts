/**
 * Matches failures of Muster itself against the rules about them. The dispatcher decides later what to send, and when.
 */
import { ERROR } from "../../monit/event-types.ts";
import { holds } from "../../monitoring/places/place-filter.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { healthFindings } from "../../platform/storage/schema.ts";
import type { EventFilter } from "../rules/event-filter.ts";
import { type ActiveRule, activeRules } from "./alerts.repository.ts";
import { firstEvaluationAt, flappingEndsAt, RECOVERED_BEFORE_MESSAGE } from "./decide.ts";
import {
  closeHealthAlert,
  endHealthAlert,
  type HealthCheckKey,
  insertHealthAlert,
  openHealthAlerts,
  SEVERITIES,
  wakeHealthAlerts,
} from "./health-alerts.repository.ts";
import { newFacts } from "./matched-alerts.service.ts";

type HealthFailure = Pick<typeof healthFindings.$inferSelect, "id" | "code" | "subject" | "severity"> & {
  openedAt: number;
};

/** Whether a rule is about failures of Muster itself of this severity. */
export function matchesFinding(filter: EventFilter, { severity }: Pick<HealthFailure, "severity">): boolean {
  return filter.about === "muster" && holds(filter.severities, (wanted) => wanted === SEVERITIES[severity]);
}

/** The rules about Muster itself that match, up to the first final one. */
function matching(rules: readonly ActiveRule[], failure: HealthFailure): ActiveRule[] {
  const matched = rules.filter(({ filter }) => matchesFinding(filter, failure));
  const final = matched.findIndex((rule) => rule.final);
  return final === -1 ? matched : matched.slice(0, final + 1);
}

/**
 * Ends the alerts about earlier failures of a check, like its namesake for events.
 * @returns the ids of the rules that follow the present failure
 */
function endEarlier(
  db: Db,
  rules: readonly ActiveRule[],
  { openedAt, ...check }: HealthFailure,
  at: number,
): Set<number> {
  const following = new Set<number>();
  for (const alert of openHealthAlerts(db, check)) {
    const { id, ruleId, notifiedAt, flappingAt, endedAt, outcome } = alert;
    if (endedAt !== null) continue;
    const followedFrom = alert.followedFrom ?? alert.failureOpenedAt ?? 0;
    const rule = rules.find((active) => active.id === ruleId);
    const flapped = {
      starts: alert.lastOpenedAt === null ? [] : [alert.lastOpenedAt],
      createdAt: alert.createdAt,
    };
    const isFlapping = flappingAt !== null && rule && openedAt < flappingEndsAt(flapped, rule);
    const isOfEarlier = !isFlapping && openedAt > followedFrom;
    if (!isOfEarlier) following.add(ruleId);
    else if (notifiedAt === null) closeHealthAlert(db, id, outcome || RECOVERED_BEFORE_MESSAGE, at);
    else endHealthAlert(db, id, alert.lastEnd ?? at, at);
  }
  return following;
}

/** Creates alerts about failures of Muster itself. Call it in the transaction that stores what happened. */
export class HealthAlerts {
  constructor(private readonly db: Db) {}

  /** A failure opened or got worse. A rule that follows it already gets no second alert. @param at unix seconds */
  failed(failure: HealthFailure, at: number): void {
    const { db } = this;
    const active = activeRules(db);
    if (active.length === 0) return;
    const rules = matching(active, failure);
    const following = endEarlier(db, active, failure, at);
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
