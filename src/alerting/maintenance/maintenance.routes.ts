import * as v from "valibot";
import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { MaintenanceQueries } from "./maintenance.queries.ts";
import {
  createArguments,
  createReply,
  maintenanceListReply,
  maintenanceReply,
  updateArguments,
} from "./maintenance.schemas.ts";
import { type MaintenanceWindows, maintenanceExists } from "./maintenance.service.ts";

/** Operations on maintenance windows, in which notifications are muted. */
export function maintenanceOperations(
  maintenance: MaintenanceWindows,
  queries: MaintenanceQueries,
): Operation[] {
  /** The properties an administrator can set, for the audit log. */
  const stateOf = (id: number) => {
    const { name, enabled, filter, schedule } = maintenance.get(id, "all");
    return { name, enabled, filter, schedule };
  };
  return [
    read("/admin/maintenance/list", {
      access: "manage",
      summary: "List maintenance; its windows mute notifications",
      response: maintenanceListReply,
      handle: (_args, c) => queries.maintenanceList(turnOf(c), scopeOf(c, "manage")),
    }),
    read("/admin/maintenance/get", {
      access: "manage",
      summary: "A maintenance",
      request: v.object({ id: idOf("maintenance") }),
      response: maintenanceReply,
      errors: [noSuch("maintenance")],
      handle: (args, c) => maintenance.get(args.id, scopeOf(c, "manage")),
    }),
    write("/admin/maintenance/create", {
      access: "manage",
      summary: "Plan maintenance: once, from and to; or weekly, by days, timeofday and minutes",
      request: createArguments,
      response: createReply,
      errors: [maintenanceExists],
      audit: {
        subject: "maintenance",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args, c) => ({ id: maintenance.create(args, scopeOf(c, "manage")) }),
    }),
    write("/admin/maintenance/update", {
      access: "manage",
      summary: "Change maintenance; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("maintenance"), maintenanceExists],
      audit: { subject: "maintenance", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args, c) => maintenance.update(args, scopeOf(c, "manage")),
    }),
    write("/admin/maintenance/delete", {
      access: "manage",
      summary: "Delete maintenance; an open window ends",
      request: v.object({ id: idOf("maintenance") }),
      errors: [noSuch("maintenance")],
      audit: { subject: "maintenance", id: (args) => args.id },
      handle: (args, c) => maintenance.delete(args.id, scopeOf(c, "manage")),
    }),
  ];
}
