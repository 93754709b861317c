import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { tagText } from "./tag.ts";
import { tagCounts } from "./tags.repository.ts";
import { MAX_LISTED } from "./tags.schemas.ts";

/** The tags of the scope's hosts that contain every text, with the number of hosts that have them. */
export function tagsContaining(db: Db, [first = "", ...otherParts]: readonly string[], scope: Scope) {
  return tagCounts(db, first, scope)
    .map(({ hosts, ...tag }) => ({ tag: tagText(tag), hosts }))
    .filter(({ tag }) => otherParts.every((part) => tag.includes(part)));
}

/** Queries of tags that run on a query worker. */
export function tagQueries(db: Db) {
  return {
    /** The tags in use. @param pattern text within the tag, in any case */
    tagList: (pattern: string, scope: Scope) => {
      const tags = tagsContaining(db, [sortKey(pattern)], scope);
      return { totalRecords: tags.length, records: tags.slice(0, MAX_LISTED) };
    },
  };
}

export type TagQueries = AsyncQueries<ReturnType<typeof tagQueries>>;
