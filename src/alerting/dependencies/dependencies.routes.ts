import { reachOf, scopeOf, turnOf } from "../../platform/http/context.ts";
import { noSuch } from "../../platform/http/errors.ts";
import { type Operation, read, write, writeJson } from "../../platform/http/operation.ts";
import type { DependencyQueries } from "./dependencies.queries.ts";
import { dependency, listArguments } from "./dependencies.schemas.ts";
import { type Dependencies, dependencyCycle, dependencyExists } from "./dependencies.service.ts";

/** Operations on dependencies between hosts and services. */
export function dependencyOperations(dependencies: Dependencies, queries: DependencyQueries): Operation[] {
  return [
    read("/admin/dependencies/list", {
      access: "manage",
      summary: "List which hosts and services depend on which others",
      request: listArguments,
      response: dependency.list,
      handle: (args, c) => queries.dependencyList(turnOf(c), args.hostid, scopeOf(c, "manage")),
    }),
    writeJson("/admin/dependencies/create", {
      access: "manage",
      summary:
        "Make a host or service depend on another: while the other fails, alerts for it are suppressed",
      request: dependency.content,
      response: dependency.created,
      errors: [dependencyExists, dependencyCycle],
      audit: {
        subject: "host",
        id: ({ dependent }) => dependent.host,
        details: (_args, reply) => dependencies.auditState(reply.id) ?? {},
      },
      handle: (args, c) => ({ id: dependencies.create(args, reachOf(c, "manage")) }),
    }),
    write("/admin/dependencies/delete", {
      access: "manage",
      summary: "Delete a dependency",
      request: dependency.item,
      errors: [noSuch("dependency")],
      audit: {
        subject: "dependency",
        id: (args) => args.id,
        state: (args) => dependencies.auditState(args.id) ?? {},
      },
      handle: (args, c) => dependencies.delete(args.id, scopeOf(c, "manage")),
    }),
  ];
}
