/**
 * Reads a document with events in two parts: what comes before the first `<event>`, which describes the host and seldom
 * changes, and the events, which are new each time.
 */
import { readEvents } from "./agent-event.ts";
import { rejectBeyondLimits } from "./limits.ts";
import { messageOf } from "./message.ts";
import type { AgentEvent, AgentMessage, Unreadable } from "./message.types.ts";
import { ValueReader } from "./value-reader.ts";
import { decodeDocument, parseWellFormed } from "./xml.ts";

const EVENT = Buffer.from("<event>");
const DECLARATION = Buffer.from("<!");
const SECTIONS = [
  { begin: Buffer.from("<![CDATA["), end: Buffer.from("]]>") },
  { begin: Buffer.from("<!--"), end: Buffer.from("-->") },
] as const;

const ROOT_BEGIN = "<monit>";
/** Appended to the part up to the events, so that it is a well-formed document. */
export const ROOT_END = "</monit>";

/** The events of a message, and what could not be read in them. */
export interface EventPart {
  events: AgentEvent[];
  unreadable: Unreadable | null;
}

export const NO_EVENTS: EventPart = { events: [], unreadable: null };

/**
 * Position of the first `<event>` tag outside CDATA sections and comments, bytes; null if there is none. In a
 * document that is not well-formed, the position may be wrong.
 */
export function firstEvent(bytes: Uint8Array): number | null {
  const document = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let event = document.indexOf(EVENT);
  for (let at = 0; event !== -1; ) {
    const section = document.indexOf(DECLARATION, at);
    if (section === -1 || section > event) return event;
    at = endOfSection(document, section);
    if (at === -1) return null;
    if (event < at) event = document.indexOf(EVENT, at);
  }
  return null;
}

/** The end of the CDATA section or comment that begins at `begin`; -1 if neither does, or it does not end. */
function endOfSection(document: Buffer, begin: number): number {
  for (const section of SECTIONS) {
    const contentAt = begin + section.begin.length;
    if (!document.subarray(begin, contentAt).equals(section.begin)) continue;
    const end = document.indexOf(section.end, contentAt);
    return end === -1 ? -1 : end + section.end.length;
  }
  return -1;
}

/**
 * Reads the second part of a document.
 * @param begin position of the first event
 * @returns null if it is not well-formed, or contains anything but events: then only the whole document can be read
 * @throws RejectedMessage; TakesLong, only if `atOnce`
 */
export function readEventPart(bytes: Uint8Array, begin: number, atOnce = false): EventPart | null {
  const root = parseWellFormed(ROOT_BEGIN + decodeDocument(bytes.subarray(begin), atOnce));
  if (root === null || !Object.keys(root).every((name) => name === "event" || name === "#text")) return null;
  const reader = new ValueReader();
  return { events: readEvents(root, reader), unreadable: reader.unreadable };
}

/** The first part of a document, as a document. @param end position of the first event */
export function withoutEvents(bytes: Uint8Array, end: number): Uint8Array {
  return Buffer.concat([bytes.subarray(0, end), Buffer.from(ROOT_END)]);
}

/**
 * Reads the first part of a document.
 * @returns null if it is not well-formed, cannot be read completely, describes no host, or does contain events: then
 * only the whole document can be read
 * @throws RejectedMessage; TakesLong, only if `atOnce`
 */
export function readFirstPart(document: Uint8Array, atOnce = false): AgentMessage | null {
  const root = parseWellFormed(decodeDocument(document, atOnce));
  if (root === null) return null;
  const message = messageOf(root);
  rejectBeyondLimits(message);
  const isFirstPart = isWhole(message) && message.services.length > 0 && message.events.length === 0;
  return isFirstPart ? message : null;
}

/** Whether the whole message could be read. */
export function isWhole({ unreadable, unreadServices }: AgentMessage): boolean {
  return unreadable === null && unreadServices.length === 0;
}
