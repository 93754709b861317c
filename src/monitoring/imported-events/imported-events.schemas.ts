import * as v from "valibot";
import {
  allowing,
  bitmask,
  described,
  id,
  integer,
  text,
  unixTimestamp,
} from "../../platform/http/validate.ts";
import { serviceType } from "../health/service-type.schemas.ts";

/** The most events in one request. Their transaction holds up messages, so it is a small one. */
export const MAX_IMPORTED_EVENTS = 200;
/** The most notes of an event, and characters of one, as the other server may have them. */
export const MAX_NOTES = 100;
export const MAX_NOTE = 4096;
/** Longest name, characters. */
export const MAX_NAME = 255;
/** Longest message, characters. */
export const MAX_IMPORTED_MESSAGE = 16_384;

const agentid = described(text(1, MAX_NAME), "unique id of the agent, by which both servers know the host");

/** What identifies an event on both servers. */
const identity = {
  id: described(id, "id of the event on the other server"),
  date: described(unixTimestamp, "when it happened, unix timestamp"),
  service: described(text(1, MAX_NAME), "name of the service"),
  eventtype: described(bitmask, "event type code"),
  state: described(integer(0, 2), "0 success, 1 error, 2 change"),
};

const note = v.strictObject({
  date: described(unixTimestamp, "when it was written, unix timestamp"),
  uname: described(text(0, MAX_NAME), "login name of its author"),
  message: described(text(1, MAX_NOTE), "text of the note"),
});

const importedEvent = v.strictObject({
  ...identity,
  servicetype: described(serviceType, "service type code"),
  action: described(integer(0, 7), "code of what the agent did: 0 ignored, 1 alert, 2 restart, 3 stop ..."),
  message: described(text(0, MAX_IMPORTED_MESSAGE), "text of the event"),
  notes: described(v.pipe(v.array(note), v.maxLength(MAX_NOTES)), `up to ${MAX_NOTES} notes, oldest first`),
});
export type ImportedEvent = v.InferOutput<typeof importedEvent>;
export type ImportedEventIdentity = Pick<ImportedEvent, keyof typeof identity>;

const listOf = <const T extends v.GenericSchema>(item: T) =>
  described(
    allowing(
      v.pipe(v.array(item), v.minLength(1), v.maxLength(MAX_IMPORTED_EVENTS)),
      `a list of 1 to ${MAX_IMPORTED_EVENTS} events`,
    ),
    `1 to ${MAX_IMPORTED_EVENTS} events of the host`,
  );

export const missingArguments = v.strictObject({ agentid, events: listOf(v.strictObject(identity)) });
export type MissingArguments = v.InferOutput<typeof missingArguments>;

export const missingReply = v.object({
  missing: described(v.array(v.number()), "ids, on the other server, of the events that are not stored here"),
  present: described(v.number(), "number of events that are stored here"),
  expired: described(v.number(), "number of events that are older than Muster keeps events"),
});

export const storeArguments = v.strictObject({ agentid, events: listOf(importedEvent) });
export type StoreArguments = v.InferOutput<typeof storeArguments>;

export const storeReply = v.object({
  host: described(v.number(), "id of the host"),
  stored: described(v.number(), "number of events that were stored; the others are here or have expired"),
});
