import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors } from "../../platform/http/errors.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { Db } from "../../platform/storage/open.ts";
import { FilterReads } from "./filters.queries.ts";
import type { FilterRow } from "./filters.repository.ts";
import type { filter } from "./filters.schemas.ts";
import { queryOf } from "./list-addresses.ts";

export const filterExists = declareTaken("filter.exists", "filter");

const MAX_FILTERS = 200;

/**
 * Named filters of the lists of hosts and of events. Administrators save them. Everyone who sees what they name can
 * open them.
 */
export class SavedFilters extends Collection<typeof filter, FilterRow> {
  constructor(
    db: Db,
    references: References,
    private readonly clock: Clock,
  ) {
    super({ reads: new FilterReads(db), references, taken: filterExists, maxObjects: MAX_FILTERS });
  }

  protected columnsOf(content: ContentOf<typeof filter>, before: FilterRow | null): Omit<FilterRow, "id"> {
    const query = queryOf(content.filter);
    if (query === "") throw errors.badArgument("filter", "something that the list is filtered or sorted by");
    const createdAt = before?.createdAt ?? this.clock.now();
    return { name: content.name, screen: content.filter.screen, query, createdAt };
  }
}
