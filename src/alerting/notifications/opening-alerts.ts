/** What a failure does to alerts, whether it is of a host or of Muster itself. */
import type { ActiveRule } from "./alerts.repository.ts";
import { type AlertFacts, RECOVERED_BEFORE_MESSAGE } from "./decide.ts";

/** The rules that match, up to the first final one. */
export function matchingRules(
  rules: readonly ActiveRule[],
  isMatch: (rule: ActiveRule) => boolean,
): ActiveRule[] {
  const matched: ActiveRule[] = [];
  for (const rule of rules) {
    if (!isMatch(rule)) continue;
    matched.push(rule);
    if (rule.final) break;
  }
  return matched;
}

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
    followedFrom: null,
    starts: [],
    earlierDueAt: null,
    outcome: "",
  };
}

/** An alert of the check, which is not closed. */
interface EarlierAlert {
  id: number;
  ruleId: number;
  notifiedAt: number | null;
  /** When the failure ended, if the alert has yet to report that; otherwise null. */
  endedAt: number | null;
  outcome: string;
}

interface EarlierAlerts<T> {
  alerts: readonly T[];
  rules: readonly ActiveRule[];
  /**
   * When the failure of an alert ended; null if the alert is also about the present one.
   * @param rule that of the alert; undefined if it is disabled
   */
  endOf: (alert: T, rule: ActiveRule | undefined) => number | null;
  close: (id: number, outcome: string) => void;
  end: (id: number, endedAt: number) => void;
}

/**
 * Ends the alerts about earlier failures of a check that fails again. Alerts that nobody was notified of are closed; the
 * others have yet to report the end.
 * @returns the ids of the rules that follow the present failure
 */
export function endEarlier<T extends EarlierAlert>({ alerts, rules, endOf, close, end }: EarlierAlerts<T>) {
  const following = new Set<number>();
  for (const alert of alerts) {
    if (alert.endedAt !== null) continue;
    const { id, ruleId, notifiedAt, outcome } = alert;
    const rule = rules.find((active) => active.id === ruleId);
    const endedAt = endOf(alert, rule);
    if (endedAt === null) following.add(ruleId);
    else if (notifiedAt === null) close(id, outcome || RECOVERED_BEFORE_MESSAGE);
    else end(id, endedAt);
  }
  return following;
}
