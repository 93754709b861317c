import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Audit } from "./audit.service.ts";

/** Queries of the audit log that run on a query worker. */
export function auditQueries(db: Db, clock: Clock) {
  const audit = new Audit(db, clock);
  return { auditList: (args: Parameters<Audit["list"]>[0]) => audit.list(args) };
}

export type AuditQueries = AsyncQueries<ReturnType<typeof auditQueries>>;
