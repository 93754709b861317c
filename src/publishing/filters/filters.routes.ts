import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import type { FilterQueries } from "./filters.queries.ts";
import { createReply, creation, listReply, oneFilter, renaming } from "./filters.schemas.ts";
import { filterExists, type SavedFilters } from "./filters.service.ts";

/** Saved filters of the lists of hosts and of events. */
export function filterOperations(filters: SavedFilters, queries: FilterQueries): Operation[] {
  return [
    read("/filters/list", {
      access: "session",
      summary:
        "List the saved filters of the lists of hosts and of events, without those that name what the caller does not see",
      response: listReply,
      handle: (_args, c) => queries.filterList(turnOf(c), scopeOf(c)),
    }),
    write("/admin/filters/create", {
      access: "admin",
      summary: "Save a filter of the list of hosts or of events, for everyone who sees what it names",
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
