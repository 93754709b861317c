import { turnOf } from "../../platform/http/context.ts";
import { type Operation, read } from "../../platform/http/operation.ts";
import type { AuditQueries } from "./audit.queries.ts";
import { listArguments, listReply } from "./audit.schemas.ts";

/** The operation that reads the audit log. Nothing changes or deletes entries. */
export function auditOperations(queries: AuditQueries): Operation[] {
  return [
    read("/admin/audit/list", {
      access: "admin",
      summary: "List the audit log, newest first: changes, logins, and actions sent to agents",
      request: listArguments,
      response: listReply,
      handle: (args, c) => queries.auditList(turnOf(c), args),
    }),
  ];
}
