/** The events of a message. */

import { asArray, cdata, serviceName } from "./elements.ts";
import { CHANGE, DATA, MONIT_SERVICE } from "./event-types.ts";
import type { AgentEvent } from "./message.types.ts";
import { MAX_BITMAP, MAX_CODE, MAX_UNIX_TIME, MAX_USEC } from "./message-bounds.ts";
import { tooMany } from "./rejected-message.ts";
import type { ValueReader } from "./value-reader.ts";
import type { XmlElement } from "./xml.ts";

/** The most events of one message. Real agents send at most one. */
export const MAX_EVENTS = 100;
/** Longest message of an event, in UTF-16 code units. */
const MAX_EVENT_MESSAGE = 8192;

/** The `<event>` elements that are not empty. */
export function eventNodes(monit: XmlElement): Bun.XML.Value[] {
  if (monit.event === undefined) return [];
  return asArray(monit, "event").filter((value) => typeof value !== "string" || value.trim() !== "");
}

/**
 * Reads the `<event>` elements. An event without its fields is kept as a data change of the agent itself.
 * @throws RejectedMessage if there are too many
 */
export function readEvents(monit: XmlElement, reader: ValueReader): AgentEvent[] {
  const nodes = eventNodes(monit);
  if (nodes.length > MAX_EVENTS) throw tooMany("events", MAX_EVENTS);
  return nodes.map((value) => reader.within("event", () => agentEvent(value, reader)));
}

function agentEvent(value: Bun.XML.Value, reader: ValueReader): AgentEvent {
  const node: XmlElement = typeof value === "string" ? { message: value } : value;
  const service = serviceName(reader.text(node, "service"));
  if (service === "") reader.note("service");
  return {
    collectedSec: reader.integer(node, "collected_sec", { max: MAX_UNIX_TIME }),
    collectedUsec: reader.optionalInteger(node, "collected_usec", { max: MAX_USEC }) ?? 0,
    service: service || MONIT_SERVICE,
    serviceType: reader.integer(node, "type", { max: MAX_CODE }),
    eventType: reader.integer(node, "id", { max: MAX_BITMAP }) ?? DATA,
    state: reader.integer(node, "state", { max: MAX_CODE }) ?? CHANGE,
    action: reader.integer(node, "action", { max: MAX_CODE }) ?? 0,
    message: cdata(reader.text(node, "message", MAX_EVENT_MESSAGE)),
  };
}
