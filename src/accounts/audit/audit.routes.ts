import { type Operation, read } from "../../platform/http/operation.ts";
import { MAX_RESULTS } from "../../platform/http/paging.ts";
import { listArguments, listReply } from "./audit.schemas.ts";
import type { Audit } from "./audit.service.ts";

export function auditOperations(audit: Audit): Operation[] {
  return [
    read("/admin/audit/list", {
      access: "admin",
      summary: "List the audit log, newest first: changes, logins, and actions sent to agents",
      request: listArguments,
      response: listReply,
      handle: ({ results, ...args }) => audit.list({ ...args, results: Math.min(results, MAX_RESULTS) }),
    }),
  ];
}
