import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { searchedWords } from "../events/event-words.ts";
import { tagsContaining } from "../tags/tags.queries.ts";
import { groupsNamed, hostsNamed, servicesNamed } from "./search.repository.ts";
import type { SearchArguments } from "./search.schemas.ts";

/** The search by name, for a query worker. */
export function searchQueries(db: Db) {
  return {
    /** @param isAdmin whether host groups may be found */
    search: ({ text, results }: SearchArguments, isAdmin: boolean, scope: Scope) => {
      const words = searchedWords(text).map(({ word }) => word);
      if (words.length === 0) return { hosts: [], services: [], groups: [], tags: [] };
      return {
        hosts: hostsNamed(db, words, scope, results),
        services: servicesNamed(db, words, scope, results),
        groups: isAdmin ? groupsNamed(db, words, results) : [],
        tags: tagsContaining(db, words, scope).slice(0, results),
      };
    },
  };
}

export type SearchQueries = AsyncQueries<ReturnType<typeof searchQueries>>;
