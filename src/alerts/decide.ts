/**
 * What is to be done about an alert, from what is known of it and its rule. Without a database and without a memory of its
 * own, so that it may be asked at any time and any number of times: the dispatcher and the preview both ask it.
 */
import { ERROR, HEARTBEAT } from "../events/event-types.ts";
import { ESCALATION_STEP, FIRST_STEP } from "../rules/rules.repository.ts";

/** Kinds of message that follow from events. */
export type AlertKind = "problem" | "change" | "reminder" | "escalation" | "recovery";

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
}

/** Why nothing may be sent, and until when, unix seconds. */
export interface Silence {
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

/** When an alert is to be looked at, should nothing happen until then; null = not before the failure's end. */
export function dueOf(facts: AlertFacts, rule: RuleTimes): number | null {
  const hold = holdOf(facts.eventType);
  if (facts.notifiedAt === null) return firstDue(facts, rule) + hold;
  if (facts.dismissed) return null;
  const due = [reminderDue(facts, rule), escalationDue(facts, rule)].filter((at) => at !== null);
  return due.length === 0 ? null : Math.min(...due) + hold;
}

function toldSteps(facts: AlertFacts): Step[] {
  return facts.escalatedAt === null ? [FIRST_STEP] : [FIRST_STEP, ESCALATION_STEP];
}

function isReached(at: number | null, now: number): at is number {
  return at !== null && at <= now;
}

type Sending = Extract<Decision, { action: "send" }>;

/** The message that is owed now, were there nothing that keeps Muster silent; null when none is. */
function owed(facts: AlertFacts, rule: RuleTimes, now: number): Sending | null {
  const send = (kind: AlertKind, steps: readonly Step[], since: number, changes: Partial<AlertFacts>) => {
    const after = { ...facts, outcome: "", ...changes };
    return { action: "send", kind, steps, since, after, dueAt: dueOf(after, rule) } as const;
  };
  const last = { action: "send", after: null, dueAt: null } as const;
  if (facts.state !== ERROR) return { ...last, kind: "change", steps: [FIRST_STEP], since: facts.createdAt };
  if (facts.endedAt !== null)
    return { ...last, kind: "recovery", steps: toldSteps(facts), since: facts.endedAt };
  const escalation = escalationDue(facts, rule);
  const escalates = isReached(escalation, now);
  if (facts.notifiedAt === null) {
    const due = firstDue(facts, rule);
    if (due > now) return null;
    const told = { notifiedAt: now, remindedAt: now };
    if (!escalates) return send("problem", [FIRST_STEP], due, told);
    return send("problem", [FIRST_STEP, ESCALATION_STEP], due, { ...told, escalatedAt: now });
  }
  if (escalates) return send("escalation", [ESCALATION_STEP], escalation, { escalatedAt: now });
  const reminder = reminderDue(facts, rule);
  return isReached(reminder, now) ? send("reminder", toldSteps(facts), reminder, { remindedAt: now }) : null;
}

/** Why a failure that is over, and of which nobody was told, is closed. */
function untold(facts: AlertFacts, rule: RuleTimes, silence: Silence | null): string {
  if (facts.endedAt !== null && facts.endedAt < firstDue(facts, rule))
    return rule.delay > 0 ? RECOVERED_BEFORE_DELAY : RECOVERED_BEFORE_MESSAGE;
  return facts.outcome || (silence?.reason ?? RECOVERED_BEFORE_MESSAGE);
}

/**
 * What is to be done about an alert now.
 * @param silence asks whether quiet hours or maintenance keep Muster silent now
 * @param now unix seconds
 */
export function decide(
  facts: AlertFacts,
  rule: RuleTimes,
  silence: () => Silence | null,
  now: number,
): Decision {
  const isFailure = facts.state === ERROR;
  if (facts.ignored) return { action: "close", outcome: IGNORED };
  if (isFailure && facts.endedAt !== null) {
    if (facts.notifiedAt === null) return { action: "close", outcome: untold(facts, rule, silence()) };
    if (!rule.recovery) return { action: "close", outcome: "" };
  } else if (isFailure && facts.dismissed) {
    // A person knows: nobody needs to be told, reminded or called. The end is still told to those who were told.
    const outcome = facts.notifiedAt === null ? DISMISSED : "";
    return { action: "wait", dueAt: null, outcome };
  }
  const message = owed(facts, rule, now);
  if (message === null) return { action: "wait", dueAt: dueOf(facts, rule), outcome: facts.outcome };
  const held = silence();
  if (held === null) return message;
  if (message.kind === "change") return { action: "close", outcome: held.reason };
  return { action: "wait", dueAt: Math.max(held.until, now + 1), outcome: held.reason };
}
