import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { tagText } from "./tag.ts";
import { tagCounts } from "./tags.repository.ts";
import { MAX_LISTED } from "./tags.schemas.ts";

/** Queries of tags that run on a query worker. */
export function tagQueries(db: Db) {
  return {
    /** The tags in use. @param pattern text within the tag, in any case */
    tagList: (pattern: string, scope: Scope) => {
      const all = tagCounts(db, sortKey(pattern), scope);
      const records = all.slice(0, MAX_LISTED).map(({ hosts, ...tag }) => ({ tag: tagText(tag), hosts }));
      return { totalRecords: all.length, records };
    },
  };
}

export type TagQueries = AsyncQueries<ReturnType<typeof tagQueries>>;
