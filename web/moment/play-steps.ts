/** The steps in which an incident is played. All times are unix seconds. */
import type { IncidentRecord } from "../api/types.ts";
import { addressAt } from "../state/moment.ts";

/** Played before and after the beginning of an incident, seconds. */
const AROUND = 600;
/** Without an event, the page goes on after this many seconds: one second of play. */
const STEP = 60;
/** Events less than this apart are one step; a regular step less than this from an event is left out. Seconds. */
const CLOSE = 10;

/** The address that plays an incident on the page of its host, paused at the start. */
export function playAddress({ id, hostid, since }: Pick<IncidentRecord, "id" | "hostid" | "since">): string {
  const span = { from: since - AROUND, to: since + AROUND };
  return addressAt(`/hosts/${hostid}`, span.from, { play: id, ...span });
}

/** From ten minutes before the beginning of an incident to ten after it, or to now if that is earlier. */
export function playSpan(since: number, present: number) {
  return { from: since - AROUND, to: Math.min(present, since + AROUND) };
}

/** The first and the last moment that are played. */
export type PlaySpan = ReturnType<typeof playSpan>;

/** The times of events within the span, in order; of those close together, the last. */
export function eventSteps({ from, to }: PlaySpan, events: readonly number[]): number[] {
  const times = [...new Set(events)].filter((at) => at >= from && at <= to).sort((a, b) => a - b);
  return times.filter((at, i) => (times[i + 1] ?? Number.POSITIVE_INFINITY) - at >= CLOSE);
}

/** The moments that are played: those of events, and regular ones between them. */
export function stepsOf(span: PlaySpan, events: readonly number[]): number[] {
  const atEvents = eventSteps(span, events);
  const regular: number[] = [];
  for (let at = span.from; at < span.to; at += STEP)
    if (atEvents.every((event) => Math.abs(event - at) >= CLOSE)) regular.push(at);
  return [...new Set([...regular, ...atEvents, span.to])].sort((a, b) => a - b);
}

/** The first of ascending times after `at`; undefined if there is none. */
export function nextOf(times: readonly number[], at: number): number | undefined {
  return times.find((time) => time > at);
}

/** The last of ascending times before `at`; undefined if there is none. */
export function previousOf(times: readonly number[], at: number): number | undefined {
  return times.findLast((time) => time < at);
}
