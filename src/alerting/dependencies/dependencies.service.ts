import { findHost } from "../../monitoring/hosts/hosts.repository.ts";
import { requireReach } from "../../monitoring/scope/scope.repository.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import {
  allDependencies,
  countDependencies,
  deleteDependency,
  findDependency,
  findSame,
  insertDependency,
  listDependencies,
} from "./dependencies.repository.ts";
import type { CreateArguments } from "./dependencies.schemas.ts";
import { makesCycle } from "./dependency-ends.ts";

/** Most dependencies in all: each is looked at when a message is decided. */
export const MAX_DEPENDENCIES = 10_000;

export const dependencyExists = declareError(409, "dependency.exists", "There is such a dependency already");
export const dependencyCycle = declareError(
  409,
  "dependency.cycle",
  "The host or service would depend on itself, by way of other dependencies",
);

/**
 * Which hosts and services depend on which others. While a cause fails, its dependents are not notified. A manager
 * of host groups has the dependencies between hosts of these groups; others do not exist for them.
 */
export class Dependencies {
  constructor(private readonly db: Db) {}

  /** @param hostId only those that have to do with this host; undefined: all */
  list(hostId: number | undefined, scope: Scope) {
    const records = listDependencies(this.db, hostId, scope).map((row) => ({
      id: row.id,
      hostid: row.hostId,
      host: row.hostname,
      service: row.service,
      causehostid: row.causeHostId,
      causehost: row.causeHostname,
      causeservice: row.causeService,
    }));
    return { totalRecords: records.length, records };
  }

  /**
   * @returns the id
   * @throws ApiError 403 for a host that the caller does not manage, 404, 409 if it exists or would close a circle,
   * also by way of dependencies that the caller does not see
   */
  create({ hostid, service, causehostid, causeservice }: CreateArguments, reach: Reach): number {
    const { db } = this;
    const row = { hostId: hostid, service, causeHostId: causehostid, causeService: causeservice };
    return transaction(db, () => {
      for (const id of [hostid, causehostid]) {
        if (!findHost(db, id, reach.view)) throw errors.notFound("host", id);
        requireReach(db, id, reach);
      }
      if (findSame(db, row)) throw dependencyExists();
      if (countDependencies(db) >= MAX_DEPENDENCIES)
        throw errors.badRequest(`There are at most ${MAX_DEPENDENCIES} dependencies; delete one first`);
      if (makesCycle(allDependencies(db), row)) throw dependencyCycle();
      return insertDependency(db, row);
    });
  }

  /** @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      if (!findDependency(this.db, id, scope)) throw errors.notFound("dependency", id);
      deleteDependency(this.db, id);
    });
  }

  /** What the audit log says of a dependency; null if there is none. */
  auditState(id: number): Record<string, string> | null {
    const row = findDependency(this.db, id, "all");
    if (!row) return null;
    const place = (host: string, service: string) => (service === "" ? host : `${service} on ${host}`);
    return {
      dependent: place(row.hostname, row.service),
      cause: place(row.causeHostname, row.causeService),
    };
  }
}
