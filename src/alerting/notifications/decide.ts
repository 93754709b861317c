/**
 * What is to be done about an alert, from what is known of it and its rule. Without a database and without a memory of its
 * own, so that it may be asked at any time and any number of times: the dispatcher and the preview both ask it.
 */

import { ERROR, HEARTBEAT } from "../../monit/event-types.ts";
import type { ALERT_KINDS } from "../../platform/storage/schema/alerts.ts";
import { ESCALATION_STEP, FIRST_STEP } from "../rules/rules.repository.ts";

export type AlertKind = (typeof ALERT_KINDS)[number];

/** Channels of a rule: the first ones, and those of its escalation. */
export type Step = typeof FIRST_STEP | typeof ESCALATION_STEP;

/** What is known of an alert. Times are unix seconds. */
export interface AlertFacts {
  /** State of its event: 1 is a failure with an end, anything else is told once. */
  state: number;
  eventType: number;
  /** When the rule took the event. */
  createdAt: number;
  /** When the failure ended, null while it lasts. */
  endedAt: number | null;
  /** Whether its host is ignored. */
  ignored: boolean;
  /** Whether a person took the failure off the list of those that need one. */
  dismissed: boolean;
  /** First message, null = none yet. */
  notifiedAt: number | null;
  /** Newest message that was the first one or a reminder. */
  remindedAt: number | null;
  /** When the channels of the escalation were told, null = not yet. */
  escalatedAt: number | null;
  /** Since when its check is notified as flapping, null = it is not. */
  flappingAt: number | null;
  /** When the last failures of its check began, the newest first: as many as make a rule's flapCount, if there were. */
  starts: readonly number[];
  /** Why it was held back so far, "" when it was not. */
  outcome: string;
}

/** What a rule says of times, minutes; 0 = none. */
export interface RuleTimes {
  /** That a failure must last. */
  delay: number;
  /** Between reminders. */
  repeat: number;
  /** Whether the end of a failure is told. */
  recovery: boolean;
  /** Of failure, until the channels of the escalation are told too. */
  escalateAfter: number;
  /** Failures of a check that make it flap when all of them began within `flapWindow`; 0 = none do. */
  flapCount: number;
  flapWindow: number;
}

/** Why nothing may be sent, and until when, unix seconds. */
export interface Mute {
  until: number;
  reason: string;
}

export type Decision =
  /** Nothing now. `dueAt` is when to ask again, null when only an end of the failure can be news. */
  | { action: "wait"; dueAt: number | null; outcome: string }
  /** It is over without a message. */
  | { action: "close"; outcome: string }
  /** A message. It could have gone since `since`; `after` is what is known once it did, null when that closes the alert. */
  | {
      action: "send";
      kind: AlertKind;
      steps: readonly Step[];
      since: number;
      after: AlertFacts | null;
      dueAt: number | null;
    };

export const RECOVERED_BEFORE_DELAY = "recovered before the delay";
export const RECOVERED_BEFORE_MESSAGE = "recovered before anybody was told";
export const DISMISSED = "dismissed before anybody was told";
export const IGNORED = "the host is ignored";

/** The longest wait: many hosts that fall silent or return within a minute make one message, seconds. */
export const MAX_HOLD = 60;
/** What happens at once is told at once, but together, seconds. */
const HOLD = 5;

/**
 * How long a message about events of this type waits for others of the same rule and kind, counted from the first of them,
 * seconds. Those that wait are told together; silent hosts apart from everything else.
 */
export function holdOf(eventType: number): number {
  return eventType === HEARTBEAT ? MAX_HOLD : HOLD;
}

const minutes = (n: number) => n * 60;

/** When the failure has lasted long enough to be told. */
function firstDue(facts: AlertFacts, rule: RuleTimes): number {
  return facts.createdAt + (facts.state === ERROR ? minutes(rule.delay) : 0);
}

function escalationDue(facts: AlertFacts, rule: RuleTimes): number | null {
  if (rule.escalateAfter === 0 || facts.escalatedAt !== null) return null;
  return facts.createdAt + minutes(rule.escalateAfter);
}

function reminderDue(facts: AlertFacts, rule: RuleTimes): number | null {
  if (rule.repeat === 0 || facts.notifiedAt === null) return null;
  return (facts.remindedAt ?? facts.notifiedAt) + minutes(rule.repeat);
}

/** When a check that flaps is steady, should it not fail again: no failure began for as long as the window is. */
function steadyAt({ starts, createdAt }: AlertFacts, { flapCount, flapWindow }: RuleTimes): number {
  return flapCount === 0 ? createdAt : (starts[0] ?? createdAt) + minutes(flapWindow);
}

/** Whether so many failures began within the window that they are notified once. */
function flaps({ starts }: AlertFacts, { flapCount, flapWindow }: RuleTimes, now: number): boolean {
  const first = flapCount === 0 ? undefined : starts[flapCount - 1];
  return first !== undefined && first > now - minutes(flapWindow);
}

/**
 * When an alert is to be looked at first. Whether its check flaps is known at once, however long a failure must last
 * before it is told.
 */
export function firstLookAt(facts: AlertFacts, rule: RuleTimes): number | null {
  return rule.flapCount > 0 ? facts.createdAt + holdOf(facts.eventType) : dueOf(facts, rule);
}

/** When an alert is to be looked at, should nothing happen until then; null = not before the failure's end. */
export function dueOf(facts: AlertFacts, rule: RuleTimes): number | null {
  const hold = holdOf(facts.eventType);
  if (facts.notifiedAt === null) return firstDue(facts, rule) + hold;
  const steady = facts.flappingAt === null ? null : steadyAt(facts, rule);
  if (facts.dismissed) return steady === null ? null : steady + hold;
  const due = [steady, reminderDue(facts, rule), escalationDue(facts, rule)].filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due) + hold;
}

function notifiedSteps(facts: AlertFacts): Step[] {
  return facts.escalatedAt === null ? [FIRST_STEP] : [FIRST_STEP, ESCALATION_STEP];
}

function isReached(at: number | null, now: number): at is number {
  return at !== null && at <= now;
}

type Sending = Extract<Decision, { action: "send" }>;

/** A message of an alert that goes on, with what changes by it. */
function sending(facts: AlertFacts, rule: RuleTimes, message: Pick<Sending, "kind" | "steps" | "since">) {
  return (changes: Partial<AlertFacts>): Sending => {
    const after = { ...facts, outcome: "", ...changes };
    return { action: "send", ...message, after, dueAt: dueOf(after, rule) };
  };
}

/** The escalation or the reminder that is owed of a failure that was told; null when none is. */
function owedAgain(facts: AlertFacts, rule: RuleTimes, now: number): Sending | null {
  const escalation = escalationDue(facts, rule);
  if (isReached(escalation, now))
    return sending(facts, rule, { kind: "escalation", steps: [ESCALATION_STEP], since: escalation })({
      escalatedAt: now,
    });
  const reminder = reminderDue(facts, rule);
  if (!isReached(reminder, now)) return null;
  return sending(facts, rule, { kind: "reminder", steps: notifiedSteps(facts), since: reminder })({
    remindedAt: now,
  });
}

const LAST = { action: "send", after: null, dueAt: null } as const;

/** The message that is owed now, were there nothing that keeps Muster silent; null when none is. */
function owed(facts: AlertFacts, rule: RuleTimes, now: number): Sending | null {
  if (facts.state !== ERROR) return { ...LAST, kind: "change", steps: [FIRST_STEP], since: facts.createdAt };
  if (facts.endedAt !== null)
    return { ...LAST, kind: "recovery", steps: notifiedSteps(facts), since: facts.endedAt };
  if (facts.notifiedAt !== null) return owedAgain(facts, rule, now);
  const since = firstDue(facts, rule);
  if (since > now) return null;
  const notified = { notifiedAt: now, remindedAt: now };
  if (!isReached(escalationDue(facts, rule), now))
    return sending(facts, rule, { kind: "problem", steps: [FIRST_STEP], since })(notified);
  const steps = [FIRST_STEP, ESCALATION_STEP] as const;
  return sending(facts, rule, { kind: "problem", steps, since })({ ...notified, escalatedAt: now });
}

/** That a check flaps, told instead of its failures and their ends. */
function flapping(facts: AlertFacts, rule: RuleTimes, now: number): Sending {
  const message = { kind: "flapping", steps: notifiedSteps(facts), since: facts.createdAt } as const;
  return sending(
    facts,
    rule,
    message,
  )({ notifiedAt: facts.notifiedAt ?? now, remindedAt: now, flappingAt: now });
}

/** What is owed of a check that flaps: that it no longer does, and meanwhile what is owed of any failure. */
function owedWhileFlapping(facts: AlertFacts, rule: RuleTimes, now: number): Sending | null {
  const since = steadyAt(facts, rule);
  if (since <= now && facts.endedAt !== null)
    return { ...LAST, kind: "steady", steps: notifiedSteps(facts), since };
  if (facts.dismissed) return null;
  if (since > now) return owedAgain(facts, rule, now);
  return sending(facts, rule, { kind: "problem", steps: notifiedSteps(facts), since })({
    flappingAt: null,
    remindedAt: now,
  });
}

/** Why a failure that is over, and of which nobody was told, is closed. */
function whyNotNotified(facts: AlertFacts, rule: RuleTimes, mute: Mute | null): string {
  if (facts.endedAt !== null && facts.endedAt < firstDue(facts, rule))
    return rule.delay > 0 ? RECOVERED_BEFORE_DELAY : RECOVERED_BEFORE_MESSAGE;
  return facts.outcome || (mute?.reason ?? RECOVERED_BEFORE_MESSAGE);
}

/**
 * What is to be done about an alert now.
 * @param silence asks whether quiet hours or maintenance keep Muster silent now
 * @param now unix seconds
 */
export function decide(facts: AlertFacts, rule: RuleTimes, mute: () => Mute | null, now: number): Decision {
  if (facts.ignored) return { action: "close", outcome: IGNORED };
  const isFlapping = facts.flappingAt !== null;
  const startsFlapping = !isFlapping && !facts.dismissed && flaps(facts, rule, now);
  if (facts.state === ERROR && !isFlapping && !startsFlapping) {
    if (facts.endedAt !== null) {
      if (facts.notifiedAt === null) return { action: "close", outcome: whyNotNotified(facts, rule, mute()) };
      if (!rule.recovery) return { action: "close", outcome: "" };
    } else if (facts.dismissed) {
      // A person knows: nobody needs to be told, reminded or called. The end is still told to those who were told.
      const outcome = facts.notifiedAt === null ? DISMISSED : "";
      return { action: "wait", dueAt: null, outcome };
    }
  }
  const message = isFlapping
    ? owedWhileFlapping(facts, rule, now)
    : startsFlapping
      ? flapping(facts, rule, now)
      : owed(facts, rule, now);
  if (message === null) {
    const dueAt = dueOf(facts, rule);
    // What is dismissed has nothing to be looked at before its end.
    return {
      action: "wait",
      dueAt: dueAt !== null && dueAt <= now && facts.dismissed ? null : dueAt,
      outcome: facts.outcome,
    };
  }
  if (message.kind === "steady" && !rule.recovery) return { action: "close", outcome: "" };
  const held = mute();
  if (held === null) return message;
  if (message.kind === "change") return { action: "close", outcome: held.reason };
  return { action: "wait", dueAt: Math.max(held.until, now + 1), outcome: held.reason };
}
