/**
 * Decides what to do about an alert from its facts and its rule. Pure and stateless: the dispatcher and the
 * preview both call it, at any time and any number of times.
 */

import { ERROR, HEARTBEAT } from "../../monit/event-types.ts";
import type { ALERT_KINDS } from "../../platform/storage/schema/alerts.ts";

export type AlertKind = (typeof ALERT_KINDS)[number];

/** The facts about an alert. Times are unix seconds. */
export interface AlertFacts {
  /** State of its event. 1 is a failure, which has an end. An event of any other state triggers one message. */
  state: number;
  eventType: number;
  /** When the rule matched the event. */
  createdAt: number;
  /** When the failure ended; null while it lasts. */
  endedAt: number | null;
  /** Whether its host is ignored. */
  ignored: boolean;
  /** Why a dismissal or an acknowledgement stops messages while the failure lasts; null if there is neither. */
  handled: Suppression | null;
  /**
   * Whether the failure was acknowledged since the last message. If that ended and the failure lasts, recipients are
   * notified again.
   */
  wasAcknowledged: boolean;
  /** Why it is suppressed: a host or service that it depends on fails; null if there is no such cause. */
  caused: Suppression | null;
  /** When the first message was created; null if there is none yet. */
  notifiedAt: number | null;
  /** When the last first message or reminder was created. */
  remindedAt: number | null;
  /** Number of steps after the first one that were notified; -1 if another step has become the first since. */
  escalations: number;
  /** When the check was reported as flapping; null if it was not. */
  flappingAt: number | null;
  /** When the failure began that outlasted the flapping of the check; null if none did. */
  followedFrom: number | null;
  /**
   * When the last failures of the check began, newest first: as many as flapcount of the rule needs, or more. None if
   * the check has failed again since.
   */
  starts: readonly number[];
  /** When the alert about an earlier failure of the check is next decided, which ends first; null if none is open. */
  earlierDueAt: number | null;
  /** Why notification has been suppressed; "" if it has not. */
  outcome: string;
}

/** Place of a step in its rule. Step 0 is notified first, the others by escalation. */
export type Step = number;
const FIRST_STEP: Step = 0;

/** The times of a rule, in minutes; 0 = none. */
export interface RuleTimes {
  /** How long a failure must last before the first message. */
  delay: number;
  /** Time between reminders. */
  repeat: number;
  /** Whether the end of a failure triggers a message. */
  recovery: boolean;
  /** In their order, each with how long a failure lasts before the step is notified. */
  steps: readonly { after: number }[];
  /**
   * This many failures of a check that began within `flapwindow` make it flap; 0 = flapping is not detected.
   */
  flapcount: number;
  flapwindow: number;
}

/** Why nothing may be sent, and until when (unix seconds); Infinity: until the failure ends. */
export interface Suppression {
  until: number;
  reason: string;
}

/** What to do about an alert now. */
export type Decision =
  /** Nothing to do now. `dueAt` is when to decide again; null if only the end of the failure can change anything. */
  | { action: "wait"; dueAt: number | null; outcome: string; wasAcknowledged: boolean }
  /** Close the alert without a message. */
  | { action: "close"; outcome: string }
  /**
   * Send a message. `since` is when that became possible. `after` is the facts once it is sent; null closes the
   * alert.
   */
  | {
      action: "send";
      kind: AlertKind;
      steps: readonly Step[];
      since: number;
      after: AlertFacts | null;
      dueAt: number | null;
    };

const RECOVERED_BEFORE_DELAY = "recovered before the delay";
export const RECOVERED_BEFORE_MESSAGE = "recovered before anyone was notified";
export const DISMISSED = "dismissed before anyone was notified";
/** The reason why an acknowledged alert sends no more, as users read it. */
export const acknowledgedBy = (uname: string) => `acknowledged by ${uname}`;
const IGNORED = "the host is ignored";
/** Seconds after which an alert is decided again if its suppression has no known end, or may end before it. */
export const RECHECK = 60;

/** Seconds. The longest wait for grouping: hosts that go down or recover within this time share one message. */
export const MAX_HOLD = 60;
/** Seconds. Simultaneous events of any other type are grouped within this time. */
const HOLD = 5;

/**
 * How long a message about events of this type waits for others of the same rule and kind, counted from the first of
 * them, seconds. Outages of hosts are never grouped with other events.
 */
export function holdOf(eventType: number): number {
  return eventType === HEARTBEAT ? MAX_HOLD : HOLD;
}

const minutes = (n: number) => n * 60;

/** When the failure has lasted long enough for its first message. */
function firstDue(facts: AlertFacts, rule: Pick<RuleTimes, "delay">): number {
  return facts.createdAt + (facts.state === ERROR ? minutes(rule.delay) : 0);
}

/** When the next step is due; null if there is none. */
function escalationDue(facts: AlertFacts, rule: RuleTimes): number | null {
  const next = rule.steps[facts.escalations + 1];
  return next ? facts.createdAt + minutes(next.after) : null;
}

/** The last step that is due or was notified. */
function stepReached(facts: AlertFacts, rule: RuleTimes, now: number): Step {
  const due = rule.steps.findLastIndex(({ after }) => facts.createdAt + minutes(after) <= now);
  return Math.max(due, facts.escalations);
}

/** @param last included */
function stepsBetween(first: Step, last: Step): Step[] {
  return Array.from({ length: last - first + 1 }, (_, i) => first + i);
}

function reminderDue(facts: AlertFacts, rule: RuleTimes): number | null {
  if (rule.repeat === 0 || facts.notifiedAt === null) return null;
  return (facts.remindedAt ?? facts.notifiedAt) + minutes(rule.repeat);
}

/**
 * When flapping ends unless the check fails again: after a whole window without a new failure. It has already ended if
 * the check has failed again since.
 */
export function flappingEndsAt(
  { starts, createdAt }: Pick<AlertFacts, "starts" | "createdAt">,
  { flapcount, flapwindow }: Pick<RuleTimes, "flapcount" | "flapwindow">,
): number {
  const [last] = starts;
  return flapcount === 0 || last === undefined ? createdAt : last + minutes(flapwindow);
}

/** Whether enough failures began within the window to report the check as flapping. */
function flaps({ starts }: AlertFacts, { flapcount, flapwindow }: RuleTimes, now: number): boolean {
  const first = flapcount === 0 ? undefined : starts[flapcount - 1];
  return first !== undefined && first > now - minutes(flapwindow);
}

/**
 * When a new alert is first evaluated. Flapping is detected at once, even if the rule's delay postpones the message
 * about a failure.
 */
export function firstEvaluationAt(facts: AlertFacts, rule: Pick<RuleTimes, "delay" | "flapcount">): number {
  return (rule.flapcount > 0 ? facts.createdAt : firstDue(facts, rule)) + holdOf(facts.eventType);
}

/** When a suppression ends, unix seconds; null if only the end of the failure ends it. */
function endOf({ until }: Suppression): number | null {
  return until === Infinity ? null : until;
}

/** When an alert is next evaluated unless something happens before; null = not before the failure ends. */
function dueOf(facts: AlertFacts, rule: RuleTimes): number | null {
  const hold = holdOf(facts.eventType);
  if (facts.notifiedAt === null) return firstDue(facts, rule) + hold;
  const steady = facts.flappingAt === null ? null : flappingEndsAt(facts, rule);
  const messages = facts.handled ? [] : [reminderDue(facts, rule), escalationDue(facts, rule)];
  const due = [steady, ...messages].filter((at) => at !== null).map((at) => at + hold);
  // A message that became due during an acknowledgement or dismissal has waited for others long enough.
  const handledEnd = facts.handled && endOf(facts.handled);
  if (handledEnd !== null) due.push(handledEnd);
  return due.length === 0 ? null : Math.min(...due);
}

function notifiedSteps(facts: AlertFacts): Step[] {
  return stepsBetween(FIRST_STEP, Math.max(FIRST_STEP, facts.escalations));
}

function isReached(at: number | null, now: number): at is number {
  return at !== null && at <= now;
}

/** A decision to send a message. */
export type SendDecision = Extract<Decision, { action: "send" }>;

/** A message of an alert that stays open, with the facts that it changes. */
function sending(
  facts: AlertFacts,
  rule: RuleTimes,
  message: Pick<SendDecision, "kind" | "steps" | "since">,
) {
  return (changes: Partial<AlertFacts>): SendDecision => {
    const after = { ...facts, outcome: "", ...changes };
    return { action: "send", ...message, after, dueAt: dueOf(after, rule) };
  };
}

/** Whether a reminder is due because the failure lasts and is no longer acknowledged. */
export function isResumed({
  wasAcknowledged,
  endedAt,
}: Pick<AlertFacts, "wasAcknowledged" | "endedAt">): boolean {
  return wasAcknowledged && endedAt === null;
}

/**
 * Whether a message is too new for a reminder to its recipients: it was created within half the time between reminders.
 * @param at when it was created, unix seconds; if the clock was set back, later than now
 */
export function isRecent(at: number, { repeat }: Pick<RuleTimes, "repeat">, now: number): boolean {
  return at <= now && at > now - minutes(repeat) / 2;
}

/** The message that is due for a failure that was already reported; null if none is. */
function dueFollowUp(facts: AlertFacts, rule: RuleTimes, now: number): SendDecision | null {
  if (isResumed(facts)) {
    // The message has waited long enough. Steps that became due during the acknowledgement follow it.
    const reminder = { kind: "reminder", steps: notifiedSteps(facts), since: facts.createdAt } as const;
    return sending(facts, rule, reminder)({ remindedAt: now, wasAcknowledged: false });
  }
  const escalation = escalationDue(facts, rule);
  if (isReached(escalation, now)) {
    const escalations = stepReached(facts, rule, now);
    const steps = stepsBetween(facts.escalations + 1, escalations);
    return sending(facts, rule, { kind: "escalation", steps, since: escalation })({ escalations });
  }
  const reminder = reminderDue(facts, rule);
  if (!isReached(reminder, now)) return null;
  return sending(facts, rule, { kind: "reminder", steps: notifiedSteps(facts), since: reminder })({
    remindedAt: now,
  });
}

const LAST = { action: "send", after: null, dueAt: null } as const;

/** The message that is due now, ignoring mutes; null if none is. */
function dueMessage(facts: AlertFacts, rule: RuleTimes, now: number): SendDecision | null {
  if (facts.state !== ERROR) return { ...LAST, kind: "change", steps: [FIRST_STEP], since: facts.createdAt };
  if (facts.endedAt !== null)
    return { ...LAST, kind: "recovery", steps: notifiedSteps(facts), since: facts.endedAt };
  if (facts.notifiedAt !== null) return dueFollowUp(facts, rule, now);
  const since = firstDue(facts, rule);
  if (since > now) return null;
  const escalations = stepReached(facts, rule, now);
  const steps = stepsBetween(FIRST_STEP, escalations);
  const notified = { notifiedAt: now, remindedAt: now, escalations, wasAcknowledged: false };
  return sending(facts, rule, { kind: "problem", steps, since })(notified);
}

/** Reports a check as flapping, in place of its single failures and recoveries. */
function flapping(facts: AlertFacts, rule: RuleTimes, now: number): SendDecision {
  const message = { kind: "flapping", steps: notifiedSteps(facts), since: facts.createdAt } as const;
  const escalations = Math.max(FIRST_STEP, facts.escalations);
  const notified = {
    notifiedAt: facts.notifiedAt ?? now,
    remindedAt: now,
    escalations,
    wasAcknowledged: false,
  };
  return sending(facts, rule, message)({ ...notified, flappingAt: now });
}

/**
 * The message that is due for a flapping check: the end of flapping, otherwise the same as for any failure.
 */
function dueWhileFlapping(facts: AlertFacts, rule: RuleTimes, now: number): SendDecision | null {
  const since = flappingEndsAt(facts, rule);
  if (since <= now && facts.endedAt !== null)
    return { ...LAST, kind: "steady", steps: notifiedSteps(facts), since };
  if (facts.handled) return null;
  if (since > now) return dueFollowUp(facts, rule, now);
  return sending(facts, rule, { kind: "problem", steps: notifiedSteps(facts), since })({
    flappingAt: null,
    followedFrom: facts.starts[0] ?? facts.followedFrom,
    remindedAt: now,
    wasAcknowledged: false,
  });
}

/** Why a failure that ended without a message is closed. */
function whyNotNotified(facts: AlertFacts, rule: RuleTimes, mute: Suppression | null): string {
  if (facts.endedAt !== null && facts.endedAt < firstDue(facts, rule))
    return rule.delay > 0 ? RECOVERED_BEFORE_DELAY : RECOVERED_BEFORE_MESSAGE;
  return facts.outcome || (mute?.reason ?? RECOVERED_BEFORE_MESSAGE);
}

/**
 * The facts without an acknowledgement that ended with its failure, if the check flaps: its next failure is part of the
 * flapping, of which recipients know, so it needs no reminder.
 */
function withoutEndedAcknowledgement(facts: AlertFacts): AlertFacts {
  const isOver = facts.flappingAt !== null && facts.endedAt !== null;
  return facts.wasAcknowledged && isOver ? { ...facts, wasAcknowledged: false } : facts;
}

/**
 * Decides what to do about an alert now.
 * @param mute looks up whether quiet hours or maintenance mute the rule now
 * @param now unix seconds
 */
export function decide(
  stored: AlertFacts,
  rule: RuleTimes,
  mute: () => Suppression | null,
  now: number,
): Decision {
  const facts = withoutEndedAcknowledgement(stored);
  const { wasAcknowledged } = facts;
  const silence = () => (facts.ignored ? { until: now + RECHECK, reason: IGNORED } : mute());
  const isFlapping = facts.flappingAt !== null;
  const startsFlapping = !isFlapping && !facts.handled && flaps(facts, rule, now);
  if (facts.state === ERROR && !isFlapping && !startsFlapping) {
    if (facts.endedAt !== null) {
      if (facts.notifiedAt === null)
        return { action: "close", outcome: whyNotNotified(facts, rule, silence()) };
      if (!rule.recovery) return { action: "close", outcome: "" };
    } else if (facts.handled) {
      // No first message, reminder or escalation. Recipients who were notified still get the end.
      const outcome = facts.notifiedAt === null ? facts.handled.reason : "";
      return { action: "wait", dueAt: endOf(facts.handled), outcome, wasAcknowledged };
    }
  }
  const message = isFlapping
    ? dueWhileFlapping(facts, rule, now)
    : startsFlapping
      ? flapping(facts, rule, now)
      : dueMessage(facts, rule, now);
  if (message === null) {
    const dueAt = dueOf(facts, rule);
    // While an acknowledgement or dismissal lasts, nothing else changes.
    const isPast = dueAt !== null && dueAt <= now;
    return {
      action: "wait",
      dueAt: facts.handled && isPast ? endOf(facts.handled) : dueAt,
      outcome: facts.outcome,
      wasAcknowledged,
    };
  }
  if (message.kind === "steady" && !rule.recovery) return { action: "close", outcome: "" };
  // A cause suppresses only the first message: a failure that was already reported began before its cause, or outlasted
  // an earlier one.
  const isFirst = facts.state === ERROR && facts.notifiedAt === null;
  const suppression = (isFirst ? facts.caused : null) ?? silence();
  if (suppression === null) {
    const { earlierDueAt, outcome } = facts;
    if (facts.state !== ERROR || earlierDueAt === null) return message;
    // A recovery must not arrive after the problem that followed it.
    return { action: "wait", dueAt: Math.max(earlierDueAt, now) + 1, outcome, wasAcknowledged };
  }
  if (message.kind === "change") return { action: "close", outcome: suppression.reason };
  return {
    action: "wait",
    dueAt: Math.max(suppression.until, now + 1),
    outcome: suppression.reason,
    wasAcknowledged,
  };
}
