/**
 * Decides about all alerts of one rule: which are sent together, which wait for others, and which change
 * without a message. Pure functions, shared by the dispatcher and the preview.
 */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { type AlertKind, type Decision, holdOf, type SendDecision } from "./decide.ts";

/** An alert with a message to send. */
export interface PendingAlert {
  eventType: number;
  sending: SendDecision;
}

/** Alerts that are sent in one message: all of one kind, and outages of hosts apart from everything else. */
export interface AlertGroup<P extends PendingAlert> {
  kind: AlertKind;
  members: readonly P[];
}

/** Pending alerts, by whether their messages are sent now. */
export interface GroupedAlerts<P extends PendingAlert> {
  ready: AlertGroup<P>[];
  /** Alerts that wait for others, each until a time in unix seconds. */
  held: { pending: P; until: number }[];
}

function keyOf({ eventType, sending }: PendingAlert): string {
  return `${sending.kind} ${eventType === HEARTBEAT}`;
}

function holdEnd({ eventType, sending }: PendingAlert): number {
  return sending.since + holdOf(eventType);
}

/**
 * Groups pending messages. A group is sent once its first member has waited long enough for the others.
 * @param due messages of alerts that are due
 * @param waiting messages that could be sent already, of alerts due within this number of seconds. They join a group
 * that is sent. Called only if there is such a group.
 * @param now unix seconds
 */
export function groupPending<P extends PendingAlert>(
  due: readonly P[],
  waiting: (seconds: number) => readonly P[],
  now: number,
): GroupedAlerts<P> {
  const ready = new Map<string, AlertKind>();
  let longest = 0;
  for (const pending of due) {
    if (holdEnd(pending) > now) continue;
    ready.set(keyOf(pending), pending.sending.kind);
    longest = Math.max(longest, holdOf(pending.eventType));
  }
  const members = Map.groupBy(ready.size > 0 ? [...due, ...waiting(longest)] : [], keyOf);
  return {
    ready: [...ready].map(([key, kind]) => ({ kind, members: members.get(key) ?? [] })),
    held: due
      .filter((pending) => !ready.has(keyOf(pending)))
      .map((pending) => ({ pending, until: holdEnd(pending) })),
  };
}

/** The outcome for the alerts of one rule. */
interface Evaluation<A> {
  /** Messages to send now. */
  groups: AlertGroup<AlertToSend<A>>[];
  /** Alerts that wait for others of their group, each until a time in unix seconds. */
  held: { alert: A; until: number }[];
  /** Alerts that wait or close without a message. */
  unsent: { alert: A; decision: Exclude<Decision, SendDecision> }[];
}

/** An alert with the message to send for it. */
export interface AlertToSend<A> extends PendingAlert {
  alert: A;
}

/**
 * Evaluates the alerts of one rule.
 * @param due alerts that are due
 * @param soon alerts due within this number of seconds. They join a message that is sent now, or else stay due at
 * their time.
 * @param now unix seconds
 */
export function evaluate<A extends { eventType: number }>(
  due: readonly A[],
  soon: (seconds: number) => readonly A[],
  decideAbout: (alert: A) => Decision,
  now: number,
): Evaluation<A> {
  const unsent: Evaluation<A>["unsent"] = [];
  const sendable = (alert: A, decision: Decision): AlertToSend<A>[] =>
    decision.action === "send" ? [{ alert, eventType: alert.eventType, sending: decision }] : [];
  const pending = due.flatMap((alert) => {
    const decision = decideAbout(alert);
    if (decision.action !== "send") unsent.push({ alert, decision });
    return sendable(alert, decision);
  });
  const joining = (seconds: number) => soon(seconds).flatMap((alert) => sendable(alert, decideAbout(alert)));
  const { ready, held } = groupPending(pending, joining, now);
  return {
    groups: ready,
    held: held.map(({ pending: { alert }, until }) => ({ alert, until })),
    unsent,
  };
}
