/**
 * Decides about all alerts of one rule: which are sent together, which wait for others, and which change
 * without a message. Pure functions, shared by the dispatcher and the preview.
 */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { type AlertKind, type Decision, holdOf, type SendDecision } from "./decide.ts";

/** An alert with a message to send. */
export interface Pending {
  eventType: number;
  sending: SendDecision;
}

/** Alerts that are sent in one message: all of one kind, and outages of hosts apart from everything else. */
export interface Group<P extends Pending> {
  kind: AlertKind;
  members: readonly P[];
}

export interface Grouped<P extends Pending> {
  ready: Group<P>[];
  /** Alerts that wait for others, until a time in unix seconds. */
  held: { pending: P; until: number }[];
}

function keyOf({ eventType, sending }: Pending): string {
  return `${sending.kind} ${eventType === HEARTBEAT}`;
}

function holdEnd({ eventType, sending }: Pending): number {
  return sending.since + holdOf(eventType);
}

/**
 * Groups pending messages. A group is sent once its first member has waited long enough for the others.
 * @param due messages of alerts that are due
 * @param waiting messages that could be sent already, of alerts due within the given number of seconds. They
 *   join a
 *   group that is sent. Called only if there is such a group.
 * @param now unix seconds
 */
export function groupPending<P extends Pending>(
  due: readonly P[],
  waiting: (seconds: number) => readonly P[],
  now: number,
): Grouped<P> {
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

/** What becomes of the alerts of one rule. */
interface Evaluation<A> {
  /** Messages to send now. */
  groups: Group<AlertToSend<A>>[];
  /** Alerts that wait for others of their group, until a time in unix seconds. */
  held: { alert: A; until: number }[];
  /** Alerts that wait or close without a message. */
  others: { alert: A; decision: Exclude<Decision, SendDecision> }[];
}

export interface AlertToSend<A> extends Pending {
  alert: A;
}

/**
 * Evaluates the alerts of one rule.
 * @param due alerts that are due
 * @param soon alerts due within the given number of seconds, which join a message that is sent now instead of
 *   getting one of their own. Unless they do, they keep the time at which they are due.
 * @param now unix seconds
 */
export function evaluate<A extends { eventType: number }>(
  due: readonly A[],
  soon: (seconds: number) => readonly A[],
  decideAbout: (alert: A) => Decision,
  now: number,
): Evaluation<A> {
  const others: Evaluation<A>["others"] = [];
  const sendable = (alert: A, decision: Decision): AlertToSend<A>[] =>
    decision.action === "send" ? [{ alert, eventType: alert.eventType, sending: decision }] : [];
  const pending = due.flatMap((alert) => {
    const decision = decideAbout(alert);
    if (decision.action !== "send") others.push({ alert, decision });
    return sendable(alert, decision);
  });
  const joining = (seconds: number) => soon(seconds).flatMap((alert) => sendable(alert, decideAbout(alert)));
  const { ready, held } = groupPending(pending, joining, now);
  return {
    groups: ready,
    held: held.map(({ pending: { alert }, until }) => ({ alert, until })),
    others,
  };
}
