/**
 * Groups the messages of one rule: which are sent together, and which wait for others. Shared with the
 * preview.
 */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { type AlertKind, type Decision, holdOf } from "./decide.ts";

export type Sending = Extract<Decision, { action: "send" }>;

/** An alert with a message to send. */
export interface Pending {
  eventType: number;
  sending: Sending;
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
