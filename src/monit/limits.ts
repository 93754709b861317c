/** Limits on the size of a message. A message beyond a limit is rejected as a whole, never truncated. */
import { parseAgentMessage } from "./message.ts";
import type { AgentMessage } from "./message.types.ts";
import { tooMany } from "./rejected-message.ts";

/** Elements and attributes. A host with 1,000 services sends about 40,000. */
export const MAX_ELEMENTS = 100_000;
export const MAX_SERVICES = 1000;
export const MAX_SERVICE_GROUPS = 500;
/** Service names summed over all service groups. */
export const MAX_GROUPED_SERVICES = 10_000;
export const MAX_HOST_GROUPS = 100;

/** Shortest possible element (`<a/>`) or attribute (`a=""`), bytes. A short document needs no counting. */
const SHORTEST = 4;

const [LESS, GREATER, EQUALS, SLASH, EXCLAMATION, QUESTION] = [0x3c, 0x3e, 0x3d, 0x2f, 0x21, 0x3f];
const CDATA_BEGIN = Buffer.from("<![CDATA[");
const CDATA_END = Buffer.from("]]>");

/** Parses a document within the limits on its size. @throws RejectedMessage; TakesLong, only if `atOnce` */
export function readMessage(document: Uint8Array, atOnce = false): AgentMessage {
  rejectManyElements(document);
  const message = parseAgentMessage(document, atOnce);
  rejectBeyondLimits(message);
  return message;
}

/**
 * Counts elements and attributes in the raw bytes, before parsing: the parsed tree takes a hundred times the memory.
 * @throws RejectedMessage if there are more than `MAX_ELEMENTS`
 */
function rejectManyElements(document: Uint8Array): void {
  if (document.byteLength <= MAX_ELEMENTS * SHORTEST) return;
  const bytes = Buffer.from(document.buffer, document.byteOffset, document.byteLength);
  let count = 0;
  let isInTag = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (byte === GREATER) isInTag = false;
    else if (byte === EQUALS && isInTag) count++;
    else if (byte === LESS) {
      const next = bytes[i + 1];
      isInTag = next !== SLASH && next !== EXCLAMATION && next !== QUESTION;
      if (isInTag) count++;
      else if (next === EXCLAMATION) i = endOfCdata(bytes, i);
    }
    if (count > MAX_ELEMENTS) throw tooMany("elements and attributes", MAX_ELEMENTS);
  }
}

/** Position of the last byte of the CDATA section that begins at `begin`; `begin` itself if there is none. */
function endOfCdata(bytes: Buffer, begin: number): number {
  if (!bytes.subarray(begin, begin + CDATA_BEGIN.length).equals(CDATA_BEGIN)) return begin;
  const end = bytes.indexOf(CDATA_END, begin);
  return end === -1 ? bytes.length : end + CDATA_END.length - 1;
}

/** @throws RejectedMessage that names the exceeded limit */
export function rejectBeyondLimits(message: AgentMessage): void {
  const groups = message.serviceGroups ?? [];
  const counts: [name: string, count: number, limit: number][] = [
    ["services", message.services.length, MAX_SERVICES],
    ["service groups", groups.length, MAX_SERVICE_GROUPS],
    [
      "services in service groups",
      groups.reduce((sum, { services }) => sum + services.length, 0),
      MAX_GROUPED_SERVICES,
    ],
    ["host groups", message.hostGroups?.length ?? 0, MAX_HOST_GROUPS],
  ];
  for (const [name, count, limit] of counts) if (count > limit) throw tooMany(name, limit);
}
