import type { Clock } from "../../platform/clock.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import {
  countFilters,
  deleteFilter,
  findFilterByName,
  insertFilter,
  renameFilter,
} from "./filters.repository.ts";
import type { Creation } from "./filters.schemas.ts";
import { QUERY_NAMES } from "./query-names.ts";

export const filterExists = declareTaken("filter.exists", "filter");

export const MAX_FILTERS = 200;

/**
 * The query as a list's address has it, encoded anew, so that nothing but filters of the list is stored.
 * @throws ApiError 400 if it says what is no filter of the list, says one twice, or says nothing
 */
function checkedQuery(screen: Creation["screen"], query: string): string {
  const allowed: readonly string[] = QUERY_NAMES[screen];
  const checked = new URLSearchParams();
  for (const [name, value] of new URLSearchParams(query)) {
    if (!allowed.includes(name) || checked.has(name))
      throw errors.badRequest(`query: of ${allowed.join(", ")}, each at most once`);
    if (value !== "") checked.set(name, value);
  }
  if (checked.size === 0) throw errors.badRequest("query: it filters nothing");
  return checked.toString();
}

/** Named filters of the lists of hosts and of events. Administrators save them, everyone who sees what they name opens them. */
export class SavedFilters {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
  ) {}

  /** @returns the id @throws ApiError 400, 409 if the name is taken */
  create({ name, screen, query }: Creation): number {
    const checked = checkedQuery(screen, query);
    return transaction(this.db, () => {
      if (findFilterByName(this.db, name)) throw filterExists(name);
      if (countFilters(this.db) >= MAX_FILTERS)
        throw errors.badRequest(`There are at most ${MAX_FILTERS} filters; delete one first`);
      return insertFilter(this.db, { name, screen, query: checked, createdAt: this.clock.now() });
    });
  }

  /** @throws ApiError 404, 409 if another filter has the name */
  rename(id: number, name: string): void {
    transaction(this.db, () => {
      const other = findFilterByName(this.db, name);
      if (other && other.id !== id) throw filterExists(name);
      if (!renameFilter(this.db, id, name)) throw errors.notFound("filter", id);
    });
  }

  /** @throws ApiError 404 */
  delete(id: number): void {
    found(deleteFilter(this.db, id), "filter", id);
  }
}
