import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write } from "../../platform/http/operation.ts";
import {
  createArguments,
  createReply,
  deleteArguments,
  listArguments,
  listReply,
} from "./dependencies.schemas.ts";
import { type Dependencies, dependencyCycle, dependencyExists } from "./dependencies.service.ts";

/** Operations on dependencies between hosts and services. */
export function dependencyOperations(dependencies: Dependencies): Operation[] {
  return [
    read("/admin/dependencies/list", {
      access: "admin",
      summary: "List which hosts and services depend on which others",
      request: listArguments,
      response: listReply,
      handle: (args) => dependencies.list(args.hostid),
    }),
    write("/admin/dependencies/create", {
      access: "admin",
      summary: "Make a host or service depend on another: while that fails, it is not notified by itself",
      request: createArguments,
      response: createReply,
      errors: [noSuch("host"), dependencyExists, dependencyCycle],
      audit: {
        subject: "host",
        id: (args) => args.hostid,
        details: (_args, reply) => dependencies.auditState(reply.id) ?? {},
      },
      handle: (args) => ({ id: dependencies.create(args) }),
    }),
    write("/admin/dependencies/delete", {
      access: "admin",
      summary: "Delete a dependency",
      request: deleteArguments,
      errors: [noSuch("dependency")],
      audit: {
        subject: "dependency",
        id: (args) => args.id,
        state: (args) => dependencies.auditState(args.id) ?? {},
      },
      handle: (args) => dependencies.delete(args.id),
    }),
  ];
}
