import { requireReach } from "../../monitoring/scope/scope.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import { FULL_REACH, type Reach, type Scope } from "../../platform/http/scope.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import {
  allDependencies,
  countDependencies,
  deleteDependency,
  findDependency,
  findSame,
  insertDependency,
} from "./dependencies.repository.ts";
import { dependency } from "./dependencies.schemas.ts";
import { makesCycle } from "./dependency-ends.ts";

/** The most dependencies in all: each message reads all of them. */
const MAX_DEPENDENCIES = 10_000;

export const dependencyExists = declareError(409, "dependency.exists", "There is already such a dependency");
export const dependencyCycle = declareError(
  409,
  "dependency.cycle",
  "The host or service would depend on itself, by way of other dependencies",
);

type DependencyContent = ContentOf<typeof dependency>;

function rowOf({ dependent, cause }: DependencyContent) {
  return {
    hostId: dependent.host,
    service: dependent.service,
    causeHostId: cause.host,
    causeService: cause.service,
  };
}

/**
 * Which hosts and services depend on which others. While a cause fails, alerts about its dependents are suppressed. A
 * manager of host groups sees and changes only dependencies between hosts of these groups.
 */
export class Dependencies {
  constructor(
    private readonly db: Db,
    private readonly references: References,
    private readonly clock: Clock,
  ) {}

  /**
   * Creates a dependency.
   * @returns the id
   * @throws ApiError 400 for a host that the caller does not see, 403 for one that they do not manage, 409 if the
   *   dependency exists or would close a circle, even through dependencies that the caller does not see
   */
  create(content: DependencyContent, reach: Reach): number {
    const { db, references } = this;
    const { dependent, cause } = content;
    const row = rowOf(content);
    return transaction(db, () => {
      references.refuseUnknown(dependency.content, content, null, reach.view);
      for (const { host } of [dependent, cause]) requireReach(db, host, reach);
      if (findSame(db, row)) throw dependencyExists();
      if (countDependencies(db) >= MAX_DEPENDENCIES)
        throw errors.badRequest(`There are at most ${MAX_DEPENDENCIES} dependencies; delete one first`);
      if (makesCycle(allDependencies(db), row)) throw dependencyCycle();
      return insertDependency(db, row, this.clock.now());
    });
  }

  /** Creates a dependency unless it exists. For imports. @throws ApiError 400, 409 */
  put(content: DependencyContent): "created" | "updated" {
    if (findSame(this.db, rowOf(content))) return "updated";
    this.create(content, FULL_REACH);
    return "created";
  }

  /** Deletes a dependency. @throws ApiError 404 */
  delete(id: number, scope: Scope): void {
    transaction(this.db, () => {
      if (!findDependency(this.db, id, scope)) throw errors.notFound("dependency", id);
      deleteDependency(this.db, id, this.clock.now());
    });
  }

  /** What the audit log says about a dependency; null if there is none. */
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
