import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { Rules } from "./rules.service.ts";

/** Queries of rules that run on a query worker. */
export function ruleQueries(db: Db, settings: SettingsReader) {
  const rules = new Rules(db, settings);
  return {
    ruleList: (scope: Scope) => rules.list(scope),
    rule: (id: number, scope: Scope) => rules.get(id, scope),
  };
}

export type RuleQueries = AsyncQueries<ReturnType<typeof ruleQueries>>;
