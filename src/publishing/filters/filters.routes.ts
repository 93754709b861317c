import type { Operation } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { FilterQueries } from "./filters.queries.ts";
import { filter } from "./filters.schemas.ts";
import { filterExists, type SavedFilters } from "./filters.service.ts";

/** Saved filters of the lists of hosts and of events. */
export function filterOperations(filters: SavedFilters, queries: FilterQueries): Operation[] {
  return resourceOperations({
    path: "/filters",
    resource: filter,
    collection: filters,
    queries: { list: queries.filterList, get: queries.filter },
    access: { read: "session", change: "admin" },
    subject: "filter",
    taken: filterExists,
    summaries: {
      list: "List the saved filters of the lists of hosts and of events, except those that name what the caller does not see",
      get: "A saved filter",
      create: "Save a filter of the list of hosts or of events, for everyone who sees what it names",
      update: "Change a saved filter",
      delete: "Delete a saved filter",
    },
  });
}
