/** Matches events against rules. The dispatcher decides later what to send, and when. */

import { ERROR } from "../../monit/event-types.ts";
import type { EventSubscriber, LoggedEvent } from "../../monitoring/events/event-log.service.ts";
import type { OpenFailure } from "../../monitoring/uptime/downtime.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { matches } from "../rules/event-filter.ts";
import {
  type ActiveRule,
  activeRules,
  alertsOf,
  closeAlert,
  insertAlert,
  type OpenAlert,
  prefetchAlertsOf,
  wakeAlerts,
} from "./alerts.repository.ts";
import { type AlertFacts, firstEvaluationAt, RECOVERED_BEFORE_MESSAGE } from "./decide.ts";
import { StoredSubject } from "./subject.ts";

/** The facts about a new alert. @param at unix seconds */
export function newFacts(state: number, eventType: number, at: number): AlertFacts {
  return {
    state,
    eventType,
    createdAt: at,
    endedAt: null,
    ignored: false,
    handled: null,
    wasAcknowledged: false,
    caused: null,
    notifiedAt: null,
    remindedAt: null,
    escalations: 0,
    flappingAt: null,
    starts: [],
    outcome: "",
  };
}

/**
 * Whether an alert is about a failure that ended before the present one began, without a message. It is still open if the
 * dispatcher had no turn in between. Times of its rule count anew.
 */
function isOfEarlier({ startedAt }: OpenFailure, { createdAt, notifiedAt }: OpenAlert): boolean {
  return notifiedAt === null && startedAt > createdAt;
}

/**
 * Stores an alert for every rule that matches an event. Call it within the transaction of the event. If a rule
 * already has an open alert for the same check, another error makes that alert due instead of opening a second one.
 * @param at now, unix seconds
 * @param failure that of the check which is open now
 */
function matchEvent(db: Db, event: LoggedEvent, at: number, failure: OpenFailure | null): void {
  const rules = activeRules(db);
  if (rules.length === 0) return;
  const { id: eventId, hostId, nameId, eventType, limitId, state } = event;
  const subject = new StoredSubject(db, event);
  const matched: ActiveRule[] = [];
  for (const rule of rules) {
    if (!matches(rule.filter, subject)) continue;
    matched.push(rule);
    if (rule.final) break;
  }
  if (matched.length === 0) return;
  const alerts = state === ERROR ? alertsOf(db, event) : [];
  const openOf = new Map(alerts.map((alert) => [alert.ruleId, alert]));
  const isFollowed = (open: OpenAlert | undefined) => open && !(failure && isOfEarlier(failure, open));
  // This failure may be the one that makes the check flap.
  if (matched.some(({ id, flapcount }) => flapcount > 0 && isFollowed(openOf.get(id))))
    wakeAlerts(db, event, at);
  const alerting = matched.filter(({ id }) => !isFollowed(openOf.get(id)));
  for (const rule of alerting) {
    const ended = openOf.get(rule.id);
    if (ended) closeAlert(db, { id: ended.id, hostId }, ended.outcome || RECOVERED_BEFORE_MESSAGE, at);
  }
  // Apart, as equal writes of many messages then share a statement.
  for (const rule of alerting) {
    const dueAt = firstEvaluationAt(newFacts(state, eventType, at), rule);
    const check = { hostId, nameId, eventType, limitId };
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
