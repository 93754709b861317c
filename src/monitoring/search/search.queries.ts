import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { MAX_SEARCHED_WORDS, searchedWords } from "../events/event-words.ts";
import { tagsContaining } from "../tags/tags.queries.ts";
import { groupsNamed, hostsNamed, hostsWithNames, servicesNamed } from "./search.repository.ts";
import type { SearchArguments } from "./search.schemas.ts";

/** The most hosts in a reply. */
const MAX_MEMBERS = 10_000;

/** The words of a text; if it has no letter and no digit, what its spaces separate, as in "🔥 !". */
function partsOf(text: string): string[] {
  const words = searchedWords(text).map(({ word }) => word);
  if (words.length > 0) return words;
  const parts = sortKey(text)
    .split(/\s+/)
    .filter((part) => part !== "");
  return parts.slice(0, MAX_SEARCHED_WORDS);
}

/** For each part of the text, the hosts with a service or host group that has the part in its name. */
function membersOf(db: Db, text: string, scope: Scope) {
  return text
    .split(/\s+/)
    .filter((part) => part !== "")
    .map((part) => ({ part, hosts: hostsWithNames(db, partsOf(part), scope, MAX_MEMBERS) }));
}

/** The search by name, for a query worker. */
export function searchQueries(db: Db) {
  return {
    search: ({ text, results, members }: SearchArguments, scope: Scope) => {
      const parts = partsOf(text);
      if (parts.length === 0) return { hosts: [], services: [], groups: [], tags: [] };
      return {
        hosts: hostsNamed(db, parts, scope, results),
        services: servicesNamed(db, parts, scope, results),
        groups: groupsNamed(db, parts, scope, results),
        tags: tagsContaining(db, parts, scope).slice(0, results),
        ...(members && { members: membersOf(db, text, scope) }),
      };
    },
  };
}

export type SearchQueries = AsyncQueries<ReturnType<typeof searchQueries>>;
