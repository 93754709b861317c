import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { existingServices, hasStatistic } from "../../monitoring/places/visible-names.repository.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type SavedView, viewRows } from "./views.repository.ts";
import { type ShownContent, view } from "./views.schemas.ts";

/** Narrows the content of views to what a scope sees. @returns null for a view that is entirely hidden */
function narrowing(db: Db, scope: Scope): (content: ShownContent) => ShownContent | null {
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  return (content) => {
    const { statistics, descriptor, hostgroup } = content;
    if (hostgroup !== null && !groups.has(hostgroup)) return null;
    if (descriptor !== "" && !hasStatistic(db, statistics, descriptor, scope)) return null;
    const hosts = existingHosts(db, content.hosts, scope);
    const services = existingServices(db, content.services, scope);
    const isOfOthers = content.hosts.length + content.services.length > 0 && hosts.size + services.size === 0;
    if (isOfOthers) return null;
    const isVisible = ({ statistics, descriptor }: Pick<ShownContent, "statistics" | "descriptor">) =>
      descriptor === "" || hasStatistic(db, statistics, descriptor, scope);
    return {
      ...content,
      rankings: content.rankings.filter(isVisible),
      hosts: content.hosts.filter((id) => hosts.has(id)),
      services: content.services.filter((id) => services.has(id)),
    };
  };
}

/** Saved views as callers see them, without hidden hosts and services. */
export class ViewReads extends CollectionReads<typeof view, SavedView> {
  constructor(db: Db) {
    super(db, view, viewRows, "name");
  }

  override contentOf({ name, content }: SavedView) {
    return { name, ...content };
  }

  override visible(rows: SavedView[], scope: Scope): SavedView[] {
    if (scope === "all") return rows;
    const narrowed = narrowing(this.db, scope);
    return rows.flatMap((row) => {
      const content = narrowed(row.content);
      return content ? [{ ...row, content }] : [];
    });
  }

  protected derived({ act }: Reach) {
    return ({ createdAt }: SavedView) => ({ manage: act === "all", created: createdAt });
  }
}

/**
 * Queries of saved views that run on a query worker: finding what a caller may see of them takes time in proportion
 * to their hosts.
 */
export function viewQueries(db: Db) {
  const reads = new ViewReads(db);
  return {
    viewList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    view: (id: number, reach: Reach) => reads.get(id, reach),
  };
}

export type ViewQueries = AsyncQueries<ReturnType<typeof viewQueries>>;
