import { allGroups } from "../../monitoring/groups/groups.repository.ts";
import { existingHosts } from "../../monitoring/hosts/hosts.repository.ts";
import { existingServices, hasStatistic } from "../../monitoring/places/visible-names.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allViews } from "./views.repository.ts";
import type { ViewContent } from "./views.schemas.ts";

/** Narrows the content of views to what a scope sees. @returns null for a view of what is not visible */
function narrowing(db: Db, scope: Scope): (content: ViewContent) => ViewContent | null {
  const groups = new Set(allGroups(db, scope).map(({ id }) => id));
  return (content) => {
    const { type, descriptor = "", hostgroupid } = content;
    if (hostgroupid !== undefined && !groups.has(hostgroupid)) return null;
    if (descriptor !== "" && !hasStatistic(db, type, descriptor, scope)) return null;
    const hosts = existingHosts(db, content.hostid, scope);
    const services = existingServices(db, content.serviceid, scope);
    const isOfOthers =
      content.hostid.length + content.serviceid.length > 0 && hosts.size + services.size === 0;
    if (isOfOthers) return null;
    return {
      ...content,
      hostid: content.hostid.filter((id) => hosts.has(id)),
      serviceid: content.serviceid.filter((id) => services.has(id)),
    };
  };
}

/** Queries of saved views that run on a query worker: what a caller may see of them takes time in proportion to their hosts. */
export function viewQueries(db: Db) {
  return {
    /** Those of what the scope sees, by name, without the hosts and services that it does not see. */
    viewList: (scope: Scope) => {
      const narrowed = scope === "all" ? (content: ViewContent) => content : narrowing(db, scope);
      const records = allViews(db).flatMap(({ id, name, createdAt, content }) => {
        const visible = narrowed(content);
        return visible ? [{ id, name, created: createdAt, ...visible }] : [];
      });
      return { totalRecords: records.length, records };
    },
  };
}

export type ViewQueries = AsyncQueries<ReturnType<typeof viewQueries>>;
