import { managedReach } from "../../platform/http/context.ts";
import type { Operation } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { MaintenanceQueries } from "./maintenance.queries.ts";
import { maintenance } from "./maintenance.schemas.ts";
import { type MaintenanceWindows, maintenanceExists } from "./maintenance.service.ts";

/** Operations on planned maintenance, whose windows pause notifications. */
export function maintenanceOperations(
  collection: MaintenanceWindows,
  queries: MaintenanceQueries,
): Operation[] {
  return resourceOperations({
    path: "/admin/maintenance",
    resource: maintenance,
    collection,
    queries: { list: queries.maintenanceList, get: queries.maintenance },
    access: { read: "manage", change: "manage" },
    reach: managedReach,
    subject: "maintenance",
    taken: maintenanceExists,
    summaries: {
      list: "List maintenance; its windows pause notifications",
      get: "A maintenance window",
      create: "Plan maintenance: once or weekly",
      update: "Change maintenance",
      delete: "Delete maintenance; an open window ends",
    },
  });
}
