import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import { countWaiting, type ExpectedRow, expectedRows, hostsOfExpected } from "./expected.repository.ts";
import { type ExpectedList, expectedHost, MAX_NAMED } from "./expected.schemas.ts";
import { importPlan } from "./import-plan.ts";

type State = "waiting" | "arrived" | "ambiguous";

function stateOf({ hostId }: ExpectedRow, sameName: readonly number[]): State {
  if (sameName.some((id) => id !== hostId)) return "ambiguous";
  return hostId === null ? "waiting" : "arrived";
}

/** Expected hosts as those who manage them see them. */
export class ExpectedReads extends CollectionReads<typeof expectedHost, ExpectedRow> {
  constructor(db: Db) {
    super(db, expectedHost, expectedRows, "name");
  }

  override nameOf(row: ExpectedRow): string {
    return row.hostname;
  }

  /** Hosts that arrived stay listed for some days, but do not count against the limit. */
  override count(): number {
    return countWaiting(this.db);
  }

  override visible(rows: ExpectedRow[], scope: Scope): ExpectedRow[] {
    return rows.filter((row) => isJoinManaged(row, scope));
  }

  protected derived({ view }: Reach, rows: readonly ExpectedRow[]) {
    const ids = rows.map(({ id }) => id);
    const hosts = hostsOfExpected(this.db, ids, view);
    return (row: ExpectedRow) => {
      const sameName = hosts.get(row.id) ?? [];
      const { created, arrived } = row;
      return { created, arrived, state: stateOf(row, sameName), hosts: sameName.slice(0, MAX_NAMED) };
    };
  }
}

/** Queries of expected hosts that run on a query worker. */
export function expectedQueries(db: Db) {
  const reads = new ExpectedReads(db);
  return {
    expectedList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    expectedHost: (id: number, reach: Reach) => reads.get(id, reach),
    expectedPreview: (args: ExpectedList, reach: Reach) => importPlan(db, args, reach, false).preview,
    /** What an import does. @param createsGroups whether groups that do not exist are created */
    expectedPlan: (args: ExpectedList, reach: Reach, createsGroups: boolean) =>
      importPlan(db, args, reach, createsGroups),
  };
}

export type ExpectedQueries = AsyncQueries<ReturnType<typeof expectedQueries>>;
