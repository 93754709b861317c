import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { createReply, creation, listReply, oneFilter, renaming } from "./filters.schemas.ts";
import { filterExists, type SavedFilters } from "./filters.service.ts";

/** Saved filters of the lists of hosts and of events. */
export function filterOperations(filters: SavedFilters): Operation[] {
  return [
    read("/filters/list", {
      access: "session",
      summary: "List the saved filters of the lists of hosts and of events",
      response: listReply,
      handle: () => filters.list(),
    }),
    write("/admin/filters/create", {
      access: "admin",
      summary: "Save a filter of the list of hosts or of events, which everyone can open",
      request: creation,
      response: createReply,
      errors: [filterExists],
      audit: {
        subject: "filter",
        id: (_args, reply) => reply?.id,
        details: ({ name, screen, query }) => ({ name, screen, query }),
      },
      handle: (args) => ({ id: filters.create(args) }),
    }),
    write("/admin/filters/rename", {
      access: "admin",
      summary: "Give a saved filter another name",
      request: renaming,
      errors: [noSuch("filter"), filterExists],
      audit: { subject: "filter", id: ({ id }) => id, details: ({ name }) => ({ name }) },
      handle: ({ id, name }) => filters.rename(id, name),
    }),
    write("/admin/filters/delete", {
      access: "admin",
      summary: "Delete a saved filter",
      request: oneFilter,
      errors: [noSuch("filter")],
      audit: { subject: "filter", id: ({ id }) => id },
      handle: (args) => filters.delete(args.id),
    }),
  ];
}
