import { and, asc, eq, getTableColumns, or, type SQL, sql } from "drizzle-orm";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordRevision } from "../../platform/storage/revisions.repository.ts";
import { dependencies, hosts } from "../../platform/storage/schema.ts";

export type NewDependency = Omit<typeof dependencies.$inferInsert, "id">;

const allStatement = prepareOnce((db) =>
  db
    .select({ ...getTableColumns(dependencies), causeHostname: hosts.hostname })
    .from(dependencies)
    .innerJoin(hosts, eq(hosts.id, dependencies.causeHostId))
    .orderBy(asc(dependencies.id))
    .prepare(),
);

/** Every dependency, with the name of the host of its cause. */
export function allDependencies(db: Db) {
  return allStatement(db).all();
}
export type Dependency = ReturnType<typeof allDependencies>[number];

/** Dependencies, with the names of hosts. */
function named(db: Db, condition: SQL | undefined) {
  const { id, hostId: dependent, service, causeHostId, causeService } = dependencies;
  return db
    .select({
      id,
      hostId: dependent,
      hostname: hosts.hostname,
      service,
      causeHostId,
      causeHostname: sql<string>`(select cause.hostname from ${hosts} as cause where cause.id = ${causeHostId})`,
      causeService,
    })
    .from(dependencies)
    .innerJoin(hosts, eq(hosts.id, dependent))
    .where(condition)
    .orderBy(asc(hosts.hostnameKey), asc(hosts.id), asc(service), asc(id));
}

/** Dependencies between hosts of the scope, with this host as dependent or cause; undefined: of any host. */
export function listDependencies(db: Db, hostId: number | undefined, scope: Scope) {
  const { hostId: dependent, causeHostId } = dependencies;
  const ofHost = hostId === undefined ? undefined : or(eq(dependent, hostId), eq(causeHostId, hostId));
  return named(db, and(ofHost, inScope(dependent, scope), inScope(causeHostId, scope))).all();
}

/** Number of all dependencies, regardless of who may see them. */
export function countDependencies(db: Db): number {
  return countRows(db, dependencies);
}

/** A dependency between hosts of the scope. */
export function findDependency(db: Db, id: number, scope: Scope) {
  const { hostId, causeHostId } = dependencies;
  return named(db, and(eq(dependencies.id, id), inScope(hostId, scope), inScope(causeHostId, scope))).get();
}

/** The dependency with the same two ends. */
export function findSame(db: Db, { hostId, service, causeHostId, causeService }: NewDependency) {
  const { id } = dependencies;
  return db
    .select({ id })
    .from(dependencies)
    .where(
      and(
        eq(dependencies.hostId, hostId),
        eq(dependencies.service, service ?? ""),
        eq(dependencies.causeHostId, causeHostId),
        eq(dependencies.causeService, causeService ?? ""),
      ),
    )
    .get();
}

/** The revision of a dependency. @param until unix seconds */
function ofDependency({ id, hostId }: { id: number; hostId: number }, until: number) {
  return { kind: "dependencies", hostId, objectId: id, until } as const;
}

/** Stores a dependency, and records that it is new. @param at unix seconds @returns the id */
export function insertDependency(db: Db, row: NewDependency, at: number): number {
  const { id } = db.insert(dependencies).values(row).returning({ id: dependencies.id }).get();
  recordRevision(db, { ...ofDependency({ id, hostId: row.hostId }, at), content: null });
  return id;
}

/** Deletes a dependency, and records it. @param at unix seconds */
export function deleteDependency(db: Db, id: number, at: number): void {
  for (const row of db.delete(dependencies).where(eq(dependencies.id, id)).returning().all())
    recordRevision(db, { ...ofDependency(row, at), content: row });
}
