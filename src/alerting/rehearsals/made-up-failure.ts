/** The failure that a rehearsal makes up, so that the decision about alerts applies to it. */
import { ERROR } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance } from "../maintenance/maintenance.repository.ts";
import { ActiveMutes } from "../notifications/active-mutes.ts";
import { type AlertFacts, acknowledgedBy, type RuleTimes } from "../notifications/decide.ts";
import { StoredSubject } from "../notifications/subject.ts";
import type { Rule } from "../rules/rules.repository.ts";
import type { Rehearsal, RehearsalMessage } from "./rehearsals.repository.ts";
import type { Rehearsed } from "./rehearsed.ts";

/** The times of a rehearsal: those of its rule, without reminders and without an end that is reported. */
export function timesOf({ escalate }: Pick<Rehearsal, "escalate">, { delay, steps }: Rehearsed): RuleTimes {
  return {
    delay,
    steps: escalate ? steps : steps.slice(0, 1),
    repeat: 0,
    recovery: false,
    flapcount: 0,
    flapwindow: 0,
  };
}

/** The facts of the made-up failure. It has no end; acknowledging the rehearsal acknowledges it. */
export function factsOf(
  { failedAt: createdAt, startedAt, notifiedSteps }: Rehearsal,
  messages: readonly RehearsalMessage[],
): AlertFacts {
  const notifiedAt = notifiedSteps > 0 ? startedAt : null;
  const first = messages.find(({ acknowledgedAt }) => acknowledgedAt !== null);
  return {
    state: ERROR,
    eventType: 0,
    createdAt,
    endedAt: null,
    ignored: false,
    handled: first ? { until: Infinity, reason: acknowledgedBy(first.person) } : null,
    wasAcknowledged: false,
    caused: null,
    notifiedAt,
    remindedAt: notifiedAt,
    escalations: Math.max(0, notifiedSteps - 1),
    flappingAt: null,
    followedFrom: null,
    starts: [],
    earlierDueAt: null,
    outcome: "",
  };
}

/** What mutes a rule as a whole now: its quiet hours, a mute, or maintenance of all hosts; "" if nothing does. */
export function muteOf(db: Db, rule: Rule, now: number): string {
  const noHost = { hostId: 0, nameId: 0, serviceType: 0, eventType: 0, state: ERROR, severity: 0 };
  return new ActiveMutes(enabledMaintenance(db)).of(rule, new StoredSubject(db, noHost), now)?.reason ?? "";
}
