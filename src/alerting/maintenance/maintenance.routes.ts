import * as v from "valibot";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import { idOf, nothing } from "../../platform/http/validate.ts";
import {
  createArguments,
  createReply,
  maintenanceListReply,
  maintenanceReply,
  updateArguments,
} from "./maintenance.schemas.ts";
import { type MaintenanceWindows, maintenanceExists } from "./maintenance.service.ts";

/** When nobody is told of what happens to hosts and services. */
export function maintenanceOperations(maintenance: MaintenanceWindows): Operation[] {
  /** Of what administrators set; lists as texts, so that the audit log can tell whether they changed. */
  const stateOf = (id: number) => {
    const { name, enabled, filter, schedule } = maintenance.get(id);
    return { name, enabled, filter: JSON.stringify(filter), schedule: JSON.stringify(schedule) };
  };
  return [
    read("/admin/maintenance/list", {
      access: "admin",
      summary: "List the times of maintenance, in which nobody is told of events",
      request: nothing,
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
      summary: "Change maintenance; what is absent is kept",
      request: updateArguments,
      response: v.object({}),
      errors: [noSuch("maintenance"), maintenanceExists],
      audit: { subject: "maintenance", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => {
        maintenance.update(args);
        return {};
      },
    }),
    write("/admin/maintenance/delete", {
      access: "admin",
      summary: "Delete maintenance; one that is under way ends",
      request: v.object({ id: idOf("maintenance") }),
      response: v.object({}),
      errors: [noSuch("maintenance")],
      audit: { subject: "maintenance", id: (args) => args.id },
      handle: (args) => {
        maintenance.delete(args.id);
        return {};
      },
    }),
  ];
}
