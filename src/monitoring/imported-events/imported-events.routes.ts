import { noSuch } from "../../platform/http/errors.ts";
import { ask, type Operation, writeJson } from "../../platform/http/operation.ts";
import { missingArguments, missingReply, storeArguments, storeReply } from "./imported-events.schemas.ts";
import type { ImportedEvents } from "./imported-events.service.ts";

/** Events that a host had on another server. */
export function importedEventOperations(importedEvents: ImportedEvents): Operation[] {
  return [
    ask("/admin/pastevents/missing", {
      access: "admin",
      summary: "Find out which events that a host had on another server are not stored here",
      request: missingArguments,
      response: missingReply,
      errors: [noSuch("host")],
      handle: (args) => importedEvents.missing(args),
    }),
    writeJson("/admin/pastevents/store", {
      access: "admin",
      summary:
        "Store events that a host had on another server, so that its uptime at that time is known; each is stored once, and nobody is notified",
      request: storeArguments,
      response: storeReply,
      errors: [noSuch("host")],
      audit: {
        subject: "host",
        id: (_args, reply) => reply?.host,
        details: (_args, { stored }) => ({ stored }),
      },
      handle: (args) => importedEvents.store(args),
    }),
  ];
}
