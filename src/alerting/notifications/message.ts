/** What people read: the words of a message. Pure. */

import { CHANGE, ERROR, eventTypeNames, HEARTBEAT } from "../../monit/event-types.ts";
import { zonedDateText } from "../../monitoring/uptime/date-text.ts";
import { durationText } from "../../monitoring/uptime/duration.ts";
import { clean, cut } from "../../platform/text.ts";
import type { AlertMessage, MessageEvent } from "../channels/kinds/channel-kind.ts";
import { isEnd } from "../channels/kinds/urgency.ts";
import type { AlertKind } from "./decide.ts";

/** Of what a message tells of, so many are named: in its text, and in its title. */
const NAMED = 50;
const NAMED_IN_TITLE = 3;
const MAX_TITLE = 200;
/** Longest message of an event and longest name that is passed on, characters. */
const MAX_EVENT_MESSAGE = 500;
const MAX_NAME = 100;

/** An event as it is stored, with its names. */
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
  /** When its failure was over, as told by a recovery. Unix seconds. */
  endedAt: number;
}

export interface MessageDependencies {
  id: string;
  kind: AlertKind;
  /** Name of the rule. */
  rule: string;
  /** At least one, in the order of their names. */
  events: readonly NotifiedEvent[];
  /** Origin under which people reach Muster, if configured. */
  baseUrl: URL | null;
  /** Of the times in its text: the one that reports count in, as an IANA name. */
  timeZone: string;
  /** Unix seconds. */
  at: number;
}

/** One line of an agent's text: what could change how the rest of a message reads is taken out of it. */
function line(text: string, max: number): string {
  return cut(
    clean(text, false)
      .replace(/\p{Cf}/gu, "")
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

function placeOf(event: NotifiedEvent): string {
  return isOutage(event) ? event.hostname : `${event.service} on ${event.hostname}`;
}

/** The first of a list, and how many more there are. */
function someOf(texts: readonly string[], max: number, separator: string): string {
  const more = texts.length - max;
  return texts.slice(0, max).join(separator) + (more > 0 ? `${separator}and ${more} more` : "");
}

function titleOfOne(kind: AlertKind, event: NotifiedEvent, at: number): string {
  const place = placeOf(event);
  const lasted = durationText((isEnd(kind) ? event.endedAt : at) - event.date);
  const what = isOutage(event) ? `${place} is silent` : `${place}: ${event.message}`;
  switch (kind) {
    case "recovery":
      return isOutage(event)
        ? `${place} reports again after ${lasted}`
        : `Recovered after ${lasted}: ${what}`;
    case "flapping":
      return isOutage(event) ? `${place} keeps falling silent` : `Flapping: ${what}`;
    case "steady":
      return isOutage(event)
        ? `${place} reports steadily again after ${lasted}`
        : `No longer flapping after ${lasted}: ${what}`;
    case "reminder":
      return `Still so after ${lasted}: ${what}`;
    case "escalation":
      return `Escalated after ${lasted}: ${what}`;
    default:
      return what;
  }
}

function titleOfMany(kind: AlertKind, events: readonly NotifiedEvent[]): string {
  const n = events.length;
  const outages = events.every(isOutage);
  const places = someOf(events.map(placeOf), NAMED_IN_TITLE, ", ");
  const what = outages ? `${n} hosts are silent: ${places}` : `${n} problems: ${places}`;
  switch (kind) {
    case "change":
      return `${n} changes: ${places}`;
    case "recovery":
      return outages ? `${n} hosts report again: ${places}` : `${n} problems are over: ${places}`;
    case "flapping":
      return outages ? `${n} hosts keep falling silent: ${places}` : `${n} are flapping: ${places}`;
    case "steady":
      return outages ? `${n} hosts report steadily again: ${places}` : `${n} no longer flap: ${places}`;
    case "reminder":
      return `Still so: ${what}`;
    case "escalation":
      return `Escalated: ${what}`;
    default:
      return what;
  }
}

function lineOf(kind: AlertKind, event: NotifiedEvent, timeZone: string): string {
  const types = eventTypeNames(event.eventType).join(", ");
  const text = `${zonedDateText(event.date, timeZone)}  ${event.service} on ${event.hostname}: ${event.message} (${types})`;
  if (!isEnd(kind)) return text;
  return `${text}, over since ${zonedDateText(event.endedAt, timeZone)}`;
}

/** The address of the page about an event, or of the list for several. */
function urlOf(baseUrl: URL | null, [first, second]: readonly NotifiedEvent[]): string | null {
  if (baseUrl === null || first === undefined) return null;
  return new URL(second === undefined ? `/events/${first.id}` : "/events", baseUrl).href;
}

/**
 * A message ready for every kind of channel, which adds the link in the way of its service. The texts of agents in it are
 * one line each, and bounded.
 */
export function composeMessage({
  id,
  kind,
  rule,
  events: stored,
  baseUrl,
  timeZone,
  at,
}: MessageDependencies): AlertMessage {
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
    text: [lines, "", `Rule: ${line(rule, MAX_NAME)}`].join("\n"),
    events: events.map((event) => ({
      id: event.id,
      hostId: event.hostId,
      hostname: event.hostname,
      service: event.service,
      type: eventTypeNames(event.eventType).join(", "),
      state: stateName(kind, event.state),
      message: event.message,
      date: isEnd(kind) ? event.endedAt : event.date,
      key: `muster-${event.id}-${event.date}`,
    })),
    url,
    at,
  };
}
