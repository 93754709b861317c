/** Which rules take an event. What they are to tell is decided later, and by others: see the dispatcher. */

import { ERROR } from "../../monit/event-types.ts";
import type { EventSubscriber } from "../../monitoring/events/event-log.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { matches } from "../rules/event-filter.ts";
import { insertAlert, rulesAlerted, rulesToAsk, wakeAlerts } from "./alerts.repository.ts";
import { type AlertFacts, firstLookAt } from "./decide.ts";
import { type StoredEvent, StoredSubject } from "./subject.ts";

/** An alert as it begins. @param at unix seconds */
export function newFacts(state: number, eventType: number, at: number): AlertFacts {
  return {
    state,
    eventType,
    createdAt: at,
    endedAt: null,
    ignored: false,
    dismissed: false,
    notifiedAt: null,
    remindedAt: null,
    escalatedAt: null,
    flappingAt: null,
    starts: [],
    outcome: "",
  };
}

/**
 * Stores that the rules that ask for an event took it. Call it within the event's transaction: what is stored of one is
 * stored of both. Another error of a check for which a rule has an open alert makes no second
 * one, but has that one looked at.
 * @param at now, unix seconds
 */
function takeEvent(db: Db, event: StoredEvent & { id: number }, at: number): void {
  const rules = rulesToAsk(db);
  if (rules.length === 0) return;
  const { id: eventId, hostId, nameId, eventType, state } = event;
  const subject = new StoredSubject(db, event);
  let alerted: Set<number> | null = null;
  for (const rule of rules) {
    if (!matches(rule.filter, subject)) continue;
    if (state === ERROR) alerted ??= rulesAlerted(db, event);
    // It may be the failure by which a check flaps.
    if (alerted?.has(rule.id) && rule.flapCount > 0) wakeAlerts(db, event, at);
    if (!alerted?.has(rule.id)) {
      const dueAt = firstLookAt(newFacts(state, eventType, at), rule);
      insertAlert(db, { ruleId: rule.id, eventId, hostId, nameId, eventType, createdAt: at, dueAt });
    }
    if (rule.final) return;
  }
}

/** Makes alerts of what happens, and has them looked at when the failure behind them is over. */
export function alertSubscriber(db: Db): EventSubscriber {
  return {
    onEvent: (event, receivedAt) => takeEvent(db, event, receivedAt),
    onFailureEnded: (check, at) => wakeAlerts(db, check, at),
  };
}
