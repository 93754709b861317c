/** Matches events against rules. The dispatcher decides later what to send, and when. */

import { ERROR } from "../../monit/event-types.ts";
import type { EventSubscriber, LoggedEvent } from "../../monitoring/events/event-log.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { matches } from "../rules/event-filter.ts";
import {
  type ActiveRule,
  activeRules,
  insertAlert,
  prefetchRulesAlerted,
  rulesAlerted,
  wakeAlerts,
} from "./alerts.repository.ts";
import { type AlertFacts, firstEvaluationAt } from "./decide.ts";
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
 * Stores an alert for every rule that matches an event. Call it within the transaction of the event. If a rule
 * already has an open alert for the same check, another error makes that alert due instead of opening a second one.
 * @param at now, unix seconds
 */
function matchEvent(db: Db, event: LoggedEvent, at: number): void {
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
  const alerted = state === ERROR ? rulesAlerted(db, event) : new Set();
  // This failure may be the one that makes the check flap.
  if (matched.some((rule) => alerted.has(rule.id) && rule.flapcount > 0)) wakeAlerts(db, event, at);
  for (const rule of matched) {
    if (alerted.has(rule.id)) continue;
    const dueAt = firstEvaluationAt(newFacts(state, eventType, at), rule);
    const check = { hostId, nameId, eventType, limitId };
    insertAlert(db, { ruleId: rule.id, eventId, ...check, createdAt: at, dueAt });
  }
}

/** Creates alerts for events, and makes an alert due when its failure ends. */
export function alertSubscriber(db: Db): EventSubscriber {
  return {
    prefetch: (checks) => prefetchRulesAlerted(db, checks),
    onEvent: (event, receivedAt) => matchEvent(db, event, receivedAt),
    onFailureEnded: (check, at) => wakeAlerts(db, check, at),
  };
}
