/** Matches events against rules. The dispatcher decides later what to send, and when. */

import { ERROR } from "../../monit/event-types.ts";
import type { EventSubscriber, LoggedEvent } from "../../monitoring/events/event-log.service.ts";
import { intervalBefore, type OpenFailure } from "../../monitoring/uptime/downtime.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { matches } from "../rules/event-filter.ts";
import {
  type ActiveRule,
  activeRules,
  alertsOf,
  closeAlert,
  endAlert,
  insertAlert,
  type OpenAlert,
  prefetchAlertsOf,
  wakeAlerts,
} from "./alerts.repository.ts";
import { firstEvaluationAt, flappingEndsAt, holdOf } from "./decide.ts";
import { endEarlier, matchingRules, newFacts } from "./opening-alerts.ts";
import { StoredSubject } from "./subject.ts";

/**
 * When the failure of an alert ended, if another failure has begun since; null if the alert is also about the present
 * one. An alert about an ended failure is still open if its end has yet to be reported, or if the dispatcher had no
 * turn in between. While a check flaps, one alert is about all of its failures. A reported failure continues if the
 * check recovered only for the time within which messages are grouped.
 * @param rule that of the alert; undefined if it is disabled
 */
function endBefore(
  db: Db,
  failure: OpenFailure,
  alert: OpenAlert,
  rule: ActiveRule | undefined,
): number | null {
  const { failedAt, notifiedAt, flappingAt, followedFrom } = alert;
  const { startedAt, eventType } = failure;
  if (startedAt <= (followedFrom ?? failedAt)) return null;
  // Nobody is notified of its end. Besides, a read here would keep the writes of a flush from sharing statements.
  if (notifiedAt === null) return failedAt;
  const before = intervalBefore(db, failure, startedAt - 1);
  const starts = before ? [before.startedAt] : [];
  const isFlapping =
    flappingAt !== null && rule && startedAt < flappingEndsAt({ starts, createdAt: failedAt }, rule);
  if (isFlapping) return null;
  // A failure without an interval ended within the second in which it began.
  const endedAt = Math.max(before?.endedAt ?? 0, failedAt);
  return startedAt - endedAt >= holdOf(eventType) ? endedAt : null;
}

/**
 * Stores an alert for every rule that matches an event. Call it within the transaction of the event. If a rule
 * already has an alert that follows the failure, another error makes that alert due instead of opening a second one.
 * @param at now, unix seconds
 * @param failure that of the check which is open now
 */
function matchEvent(db: Db, event: LoggedEvent, at: number, failure: OpenFailure | null): void {
  const rules = activeRules(db);
  if (rules.length === 0) return;
  const { id: eventId, hostId, nameId, eventType, limitId, state } = event;
  const check = { hostId, nameId, eventType, limitId };
  const subject = new StoredSubject(db, event);
  const matched = matchingRules(rules, ({ filter }) => matches(filter, subject));
  const following = endEarlier({
    alerts: state === ERROR ? alertsOf(db, event) : [],
    rules,
    endOf: (alert, rule) => failure && endBefore(db, failure, alert, rule),
    close: (id, outcome) => closeAlert(db, id, check, outcome, at),
    end: (id, endedAt) => endAlert(db, id, check, endedAt, at),
  });
  // This failure may be the one that makes the check flap.
  if (matched.some(({ id, flapcount }) => flapcount > 0 && following.has(id))) wakeAlerts(db, check, at);
  for (const rule of matched) {
    if (following.has(rule.id)) continue;
    const dueAt = firstEvaluationAt(newFacts(state, eventType, at), rule);
    insertAlert(db, { ruleId: rule.id, eventId, ...check, createdAt: at, dueAt });
  }
}

/** Creates alerts for events, and makes an alert due when its failure ends. */
export function alertSubscriber(db: Db): EventSubscriber {
  return {
    prefetch: (checks) => prefetchAlertsOf(db, checks),
    onEvent: (event, receivedAt, open) => matchEvent(db, event, receivedAt, open),
    onFailureEnded: (check, at) => wakeAlerts(db, check, at),
  };
}
