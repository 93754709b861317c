import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { searchedParts } from "../events/event-words.ts";
import { tagsContaining } from "../tags/tags.queries.ts";
import { groupsNamed, hostsNamed, hostsWithNames, servicesNamed } from "./search.repository.ts";
import type { SearchArguments } from "./search.schemas.ts";

/** The most hosts in a reply. */
const MAX_MEMBERS = 10_000;

/** For each part of the text, the hosts with a service or host group that has the part in its name. */
function membersOf(db: Db, text: string, scope: Scope) {
  return text
    .split(/\s+/)
    .filter((part) => part !== "")
    .map((part) => ({ part, hosts: hostsWithNames(db, searchedParts(part), scope, MAX_MEMBERS) }));
}

/** The search by name, for a query worker. */
export function searchQueries(db: Db) {
  return {
    search: ({ text, results, members }: SearchArguments, scope: Scope) => {
      const parts = searchedParts(text);
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
