import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { searchedWords } from "../events/event-words.ts";
import { groupsNamed, hostsNamed, servicesNamed } from "./search.repository.ts";
import type { SearchArguments } from "./search.schemas.ts";

/** The search by name, for the query worker. */
export function searchQueries(db: Db) {
  return {
    /** @param isAdmin whether host groups may be found */
    search: ({ text, results }: SearchArguments, isAdmin: boolean, scope: Scope) => {
      const words = searchedWords(text).map(({ word }) => word);
      if (words.length === 0) return { hosts: [], services: [], groups: [] };
      return {
        hosts: hostsNamed(db, words, scope, results),
        services: servicesNamed(db, words, scope, results),
        groups: isAdmin ? groupsNamed(db, words, results) : [],
      };
    },
  };
}

export type SearchQueries = AsyncQueries<ReturnType<typeof searchQueries>>;
