/** The text of messages. Pure functions. */

import { CHANGE, ERROR, eventTypeNames, HEARTBEAT } from "../../monit/event-types.ts";
import { durationText } from "../../monitoring/uptime/duration.ts";
import { zonedDateText } from "../../platform/date-text.ts";
import { cleanLine, cut } from "../../platform/text.ts";
import type { AlertMessage, MessageEvent } from "../channels/kinds/channel-kind.ts";
import { isEnd } from "../channels/kinds/urgency.ts";
import type { AffectedPlace } from "./causes.repository.ts";
import type { AlertKind } from "./decide.ts";
import { type FirstMove, movedLine } from "./moved-text.ts";

/** Number of events named in the text of a message, and of places named in its title. */
const NAMED = 50;
const NAMED_IN_TITLE = 3;
const MAX_TITLE = 200;
/** Longest event message and longest name that is passed on, characters. */
const MAX_EVENT_MESSAGE = 500;
const MAX_NAME = 100;

/** The subject of failures of Muster itself. */
export const MUSTER = "Muster";

/** A stored event with its names, or a failure of Muster itself. */
export interface NotifiedEvent {
  id: number;
  hostId: number;
  hostname: string;
  service: string;
  eventType: number;
  state: number;
  message: string;
  /** Unix seconds. */
  date: number;
  /** When its failure began: before the event if that repeats an error. Unix seconds. */
  failedAt: number;
  /** When its failure ended, for a recovery. Unix seconds. */
  endedAt: number;
  /**
   * Why the service was not monitored when its failure ended: the fault may still be there. Null if it was monitored.
   */
  unmonitored?: string | null;
  /** What to do about a failure of Muster itself; failures of hosts have no advice. */
  advice?: string;
}

/** What a message is composed of. */
export interface MessageParts {
  id: string;
  kind: AlertKind;
  /** Name of the rule. */
  rule: string;
  /** At least one, in the order of their names. */
  events: readonly NotifiedEvent[];
  /** Public origin of Muster; null if not configured. */
  baseUrl: URL | null;
  /** Dependents of something that the message reports as failing. */
  affected?: readonly AffectedPlace[];
  /** What moved before the failure, if the message is about one. */
  moved?: readonly FirstMove[];
  /** Link to acknowledge, for one recipient. */
  acknowledgeUrl?: string | null;
  /** IANA name of the time zone for times in the text: the one used for reports. */
  timeZone: string;
  /** Unix seconds. */
  at: number;
}

/**
 * An agent's text as one line, without characters that could change how the rest of the message is displayed. Joiners
 * stay, since words of many languages and emoji are written with them.
 */
export function line(text: string, max: number): string {
  return cut(
    cleanLine(text)
      .replace(/[^\P{Cf}\u200c\u200d]/gu, "")
      .replace(/\s+/g, " ")
      .trim(),
    max,
  );
}

function stateName(kind: AlertKind, state: number): MessageEvent["state"] {
  if (isEnd(kind)) return "success";
  return state === ERROR ? "error" : state === CHANGE ? "change" : "success";
}

function cleaned(event: NotifiedEvent): NotifiedEvent {
  const { hostname, service, message } = event;
  return {
    ...event,
    hostname: line(hostname, MAX_NAME),
    service: line(service, MAX_NAME),
    message: line(message, MAX_EVENT_MESSAGE),
  };
}

function isOutage({ eventType }: NotifiedEvent): boolean {
  return eventType === HEARTBEAT;
}

function isOfMuster({ advice }: NotifiedEvent): boolean {
  return advice !== undefined;
}

function placeOf(event: NotifiedEvent): string {
  if (isOfMuster(event)) return MUSTER;
  return isOutage(event) ? event.hostname : `${event.service} on ${event.hostname}`;
}

/** The first `max` texts, and the number of the rest. */
function someOf(texts: readonly string[], max: number, separator: string): string {
  const more = texts.length - max;
  return texts.slice(0, max).join(separator) + (more > 0 ? `${separator}and ${more} more` : "");
}

function titleOfOne(kind: AlertKind, event: NotifiedEvent, at: number): string {
  const place = placeOf(event);
  const lasted = durationText((isEnd(kind) ? event.endedAt : at) - event.failedAt);
  const heartbeatIs = event.state === ERROR ? "is down" : "reports again";
  const problem = isOutage(event) ? `${place} ${heartbeatIs}` : `${place}: ${event.message}`;
  switch (kind) {
    case "recovery":
      if (isOutage(event)) return `${place} reports again after ${lasted}`;
      return `${event.unmonitored ? "No longer monitored" : "Recovered"} after ${lasted}: ${problem}`;
    case "flapping":
      return isOutage(event) ? `${place} keeps going down` : `Flapping: ${problem}`;
    case "steady":
      return isOutage(event)
        ? `${place} reports steadily again after ${lasted}`
        : `No longer flapping after ${lasted}: ${problem}`;
    case "reminder":
      return `Ongoing for ${lasted}: ${problem}`;
    case "escalation":
      return `Escalated after ${lasted}: ${problem}`;
    default:
      return problem;
  }
}

/** How failures ended: a service that is no longer monitored may still fail. */
function endOf(events: readonly NotifiedEvent[]): string {
  if (!events.some(({ unmonitored }) => unmonitored)) return "resolved";
  return events.every(({ unmonitored }) => unmonitored)
    ? "no longer monitored"
    : "resolved or no longer monitored";
}

function titleOfMany(kind: AlertKind, events: readonly NotifiedEvent[]): string {
  const n = events.length;
  const outages = events.every(isOutage);
  const places = events.every(isOfMuster) ? MUSTER : someOf(events.map(placeOf), NAMED_IN_TITLE, ", ");
  const problems = outages ? `${n} hosts are down: ${places}` : `${n} problems: ${places}`;
  switch (kind) {
    case "change":
      return `${n} changes: ${places}`;
    case "recovery":
      return outages ? `${n} hosts report again: ${places}` : `${n} problems are ${endOf(events)}: ${places}`;
    case "flapping":
      return outages ? `${n} hosts keep going down: ${places}` : `${n} are flapping: ${places}`;
    case "steady":
      return outages ? `${n} hosts report steadily again: ${places}` : `${n} no longer flap: ${places}`;
    case "reminder":
      return `Ongoing: ${problems}`;
    case "escalation":
      return `Escalated: ${problems}`;
    default:
      return problems;
  }
}

function lineOf(kind: AlertKind, event: NotifiedEvent, timeZone: string): string {
  if (isOfMuster(event)) return healthLineOf(kind, event, timeZone);
  const types = eventTypeNames(event.eventType).join(", ");
  const text = `${zonedDateText(event.date, timeZone)}  ${event.service} on ${event.hostname}: ${event.message} (${types})`;
  if (!isEnd(kind)) return text;
  return `${text}, ${event.unmonitored ? "not monitored since" : "resolved at"} ${zonedDateText(event.endedAt, timeZone)}`;
}

function healthLineOf(kind: AlertKind, event: NotifiedEvent, timeZone: string): string {
  // Some texts end with a remote's answer, which may have a full stop of its own.
  const stop = /[.!?]$/.test(event.message) ? "" : ".";
  const text = `${zonedDateText(event.date, timeZone)}  ${event.message}${stop}`;
  return isEnd(kind)
    ? `${text} Resolved at ${zonedDateText(event.endedAt, timeZone)}`
    : `${text} ${event.advice ?? ""}`;
}

/** Names the suppressed hosts and services, which depend on something in the message. */
function affectedLines(affected: readonly AffectedPlace[]): string[] {
  const places = affected.map(({ hostname, service, fails }) => {
    const host = line(hostname, MAX_NAME);
    const place = service === "" ? host : `${line(service, MAX_NAME)} on ${host}`;
    return fails === 1 ? `${place} (fails too)` : place;
  });
  return places.length === 0 ? [] : ["", `Depends on this: ${someOf(places, NAMED, ", ")}`];
}

/** Names what moved first. */
function movedLines(moved: readonly FirstMove[], timeZone: string): string[] {
  const text = movedLine(moved, timeZone, (name) => line(name, MAX_NAME));
  return text === "" ? [] : ["", text];
}

/** Link to the event, or to the list of events if there are several. */
function urlOf(baseUrl: URL | null, [first, second]: readonly NotifiedEvent[]): string | null {
  if (baseUrl === null || first === undefined) return null;
  if (isOfMuster(first)) return new URL("/health", baseUrl).href;
  return new URL(second === undefined ? `/events/${first.id}` : "/events", baseUrl).href;
}

/**
 * Composes a message for any kind of channel; each kind adds the link in its own way. Texts from agents are
 * reduced to one line of bounded length.
 */
export function composeMessage({
  id,
  kind,
  rule,
  events: stored,
  baseUrl,
  affected = [],
  moved = [],
  acknowledgeUrl = null,
  timeZone,
  at,
}: MessageParts): AlertMessage {
  const events = stored.map(cleaned);
  const [first] = events;
  const title = first && events.length === 1 ? titleOfOne(kind, first, at) : titleOfMany(kind, events);
  const url = urlOf(baseUrl, events);
  const lines = someOf(
    events.map((event) => lineOf(kind, event, timeZone)),
    NAMED,
    "\n",
  );
  return {
    id,
    kind,
    rule,
    title: cut(title, MAX_TITLE),
    text: [
      lines,
      ...movedLines(moved, timeZone),
      ...affectedLines(affected),
      "",
      `Rule: ${line(rule, MAX_NAME)}`,
    ].join("\n"),
    events: events.map((event) => ({
      id: event.id,
      hostId: event.hostId,
      hostname: event.hostname,
      service: event.service,
      type: isOfMuster(event) ? "Health" : eventTypeNames(event.eventType).join(", "),
      state: stateName(kind, event.state),
      message: event.message,
      date: isEnd(kind) ? event.endedAt : event.date,
      key: `muster-${isOfMuster(event) ? "health-" : ""}${event.id}-${event.date}`,
    })),
    url,
    acknowledgeUrl,
    at,
  };
}
