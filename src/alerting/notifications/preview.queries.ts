import type { Clock } from "../../platform/clock.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Rule } from "../rules/rules.repository.ts";
import { RulePreview } from "./rule-preview.service.ts";

/** The query that previews a rule, for a query worker. */
export function previewQueries(db: Db, clock: Clock) {
  const preview = new RulePreview(db, clock);
  return { rulePreview: (rule: Rule, days: number, scope: Scope) => preview.of(rule, days, scope) };
}

export type PreviewQueries = AsyncQueries<ReturnType<typeof previewQueries>>;
