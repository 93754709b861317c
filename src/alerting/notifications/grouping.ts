/** Which messages of one rule go out together, and which wait for others. The dispatcher and the preview both ask this. */
import { HEARTBEAT } from "../../monit/event-types.ts";
import { type AlertKind, type Decision, holdOf } from "./decide.ts";

export type Sending = Extract<Decision, { action: "send" }>;

/** What is to be sent of one alert. */
export interface Pending {
  eventType: number;
  sending: Sending;
}

/** What goes out together: all of one kind, and outages of hosts apart from everything else. */
export interface Group<P extends Pending> {
  kind: AlertKind;
  members: readonly P[];
}

export interface Grouped<P extends Pending> {
  ready: Group<P>[];
  /** Those that wait for others, until a time in unix seconds. */
  held: { pending: P; until: number }[];
}

function keyOf({ eventType, sending }: Pending): string {
  return `${sending.kind} ${eventType === HEARTBEAT}`;
}

function holdEnd({ eventType, sending }: Pending): number {
  return sending.since + holdOf(eventType);
}

/**
 * Groups what is to be sent. A group goes out once its first member has waited long enough for the others.
 * @param due what is to be sent of alerts that are due
 * @param waiting what could be sent already of alerts that are due within so many seconds: it goes along with a group that
 *   goes out. It is not asked while none does.
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
