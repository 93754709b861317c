import { asc, or, type SQL, sql } from "drizzle-orm";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { events, names, services } from "../../platform/storage/schema.ts";

/** Names of services of the scope, including those that exist only in events. */
function ofScope(scope: Scope): SQL | undefined {
  if (scope === "all") return undefined;
  return or(
    sql`exists (select 1 from ${services} where ${services.nameId} = ${names.id}
      and ${inScope(services.hostId, scope)})`,
    sql`exists (select 1 from ${events} where ${events.nameId} = ${names.id} and ${inScope(events.hostId, scope)})`,
  );
}

/** Every service name of the scope with its id. */
export function allServiceNames(db: Db, scope: Scope): { id: number; name: string }[] {
  return db
    .select({ id: names.id, name: names.name })
    .from(names)
    .where(ofScope(scope))
    .orderBy(asc(names.nameKey), asc(names.id))
    .all();
}
