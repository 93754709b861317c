import { isOfGroups } from "../../monitoring/scope/filter-scope.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allRules } from "./rules.repository.ts";
import { Rules } from "./rules.service.ts";
import { unmatchedRules } from "./unmatched-rules.ts";

/** Queries of rules that run on a query worker. */
export function ruleQueries(db: Db, settings: SettingsReader) {
  const rules = new Rules(db, settings);
  return {
    ruleList: (scope: Scope) => rules.list(scope),
    rule: (id: number, scope: Scope) => rules.get(id, scope),
    /** Ids of the enabled rules of a scope that match nothing at present. */
    rulesUnmatched: (scope: Scope) => {
      const enabled = allRules(db).filter((rule) => rule.enabled && isOfGroups(rule.filter, scope));
      return { ids: unmatchedRules(db, enabled, () => performance.now()).map(({ id }) => id) };
    },
  };
}

export type RuleQueries = AsyncQueries<ReturnType<typeof ruleQueries>>;
