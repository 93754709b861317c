import { narrowed } from "../../monitoring/places/visible-filters.ts";
import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allRules, type Rule, ruleRows } from "./rules.repository.ts";
import { rule } from "./rules.schemas.ts";
import { unmatchedRules } from "./unmatched-rules.ts";

/** Rules as callers see them: administrators see all, a manager of host groups only those about these groups. */
export class RuleReads extends CollectionReads<typeof rule, Rule> {
  constructor(db: Db) {
    super(db, rule, ruleRows, "rows");
  }

  override visible(rows: Rule[], scope: Scope): Rule[] {
    return narrowed(
      this.db,
      rows.filter(({ filter }) => isOfGroups(filter, scope)),
      scope,
    );
  }

  protected derived() {
    return ({ position }: Rule) => ({ position });
  }
}

/** Queries of rules that run on a query worker. */
export function ruleQueries(db: Db) {
  const reads = new RuleReads(db);
  return {
    ruleList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    rule: (id: number, reach: Reach) => reads.get(id, reach),
    /** Ids of the enabled rules of a scope that match nothing at present. */
    rulesUnmatched: (scope: Scope) => {
      const enabled = allRules(db).filter(
        ({ enabled, filter }) => enabled && filter.about === undefined && isOfGroups(filter, scope),
      );
      return { ids: unmatchedRules(db, enabled, () => performance.now()).map(({ id }) => id) };
    },
  };
}

export type RuleQueries = AsyncQueries<ReturnType<typeof ruleQueries>>;
