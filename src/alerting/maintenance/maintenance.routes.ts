import * as v from "valibot";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import {
  createArguments,
  createReply,
  maintenanceListReply,
  maintenanceReply,
  updateArguments,
} from "./maintenance.schemas.ts";
import { type MaintenanceWindows, maintenanceExists } from "./maintenance.service.ts";

/** Operations on maintenance windows, in which notifications are muted. */
export function maintenanceOperations(maintenance: MaintenanceWindows): Operation[] {
  /**
   * The properties an administrator can set. Lists become texts, so that the audit log can compare them.
   */
  const stateOf = (id: number) => {
    const { name, enabled, filter, schedule } = maintenance.get(id);
    return { name, enabled, filter: JSON.stringify(filter), schedule: JSON.stringify(schedule) };
  };
  return [
    read("/admin/maintenance/list", {
      access: "admin",
      summary: "List maintenance; its windows mute notifications",
      response: maintenanceListReply,
      handle: () => maintenance.list(),
    }),
    read("/admin/maintenance/get", {
      access: "admin",
      summary: "A maintenance",
      request: v.object({ id: idOf("maintenance") }),
      response: maintenanceReply,
      errors: [noSuch("maintenance")],
      handle: (args) => maintenance.get(args.id),
    }),
    write("/admin/maintenance/create", {
      access: "admin",
      summary: "Plan maintenance: once, from and to; or weekly, by days, timeofday and minutes",
      request: createArguments,
      response: createReply,
      errors: [maintenanceExists],
      audit: {
        subject: "maintenance",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args) => ({ id: maintenance.create(args) }),
    }),
    write("/admin/maintenance/update", {
      access: "admin",
      summary: "Change maintenance; absent arguments keep their value",
      request: updateArguments,
      errors: [noSuch("maintenance"), maintenanceExists],
      audit: { subject: "maintenance", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => maintenance.update(args),
    }),
    write("/admin/maintenance/delete", {
      access: "admin",
      summary: "Delete maintenance; an open window ends",
      request: v.object({ id: idOf("maintenance") }),
      errors: [noSuch("maintenance")],
      audit: { subject: "maintenance", id: (args) => args.id },
      handle: (args) => maintenance.delete(args.id),
    }),
  ];
}
