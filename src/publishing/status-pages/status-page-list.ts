import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { PAGES_PATH } from "./status.page.ts";
import { allStatusPages } from "./status-pages.repository.ts";

/** The pages of groups of a scope by title. */
export function statusPageList(db: Db, scope: Scope) {
  const pages = allStatusPages(db).filter(({ groupid }) => isOfGroups({ hostgroups: [groupid] }, scope));
  return { records: pages.map((page) => ({ ...page, path: `${PAGES_PATH}/${page.slug}` })) };
}
