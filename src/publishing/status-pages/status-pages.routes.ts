import { managedReach } from "../../platform/http/context.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { StatusPageQueries } from "./status-pages.queries.ts";
import { statusPage } from "./status-pages.schemas.ts";
import { type StatusPages, slugTaken } from "./status-pages.service.ts";

/** Administration of status pages; public-pages.routes.ts serves the pages themselves. */
export function statusPageOperations(pages: StatusPages, queries: StatusPageQueries): Operation[] {
  return resourceOperations({
    path: "/admin/statuspages",
    resource: statusPage,
    collection: pages,
    queries: { list: queries.statusPageList, get: queries.statusPage },
    access: { read: "manage", change: "manage" },
    // A user who sees the hosts of a page need not know its address.
    reach: managedReach,
    subject: "statuspage",
    taken: slugTaken,
    summaries: {
      list: "List the public status pages",
      get: "A public status page",
      create: "Create a status page of a host group, open to anyone with its address",
      update: "Change a status page",
      delete: "Delete a status page; its address stops working",
    },
  });
}
