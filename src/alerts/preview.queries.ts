import type { Clock } from "../clock.ts";
import type { Db } from "../database/open.ts";
import type { AsyncQueries } from "../reader/queries.ts";
import type { Rule } from "../rules/rules.repository.ts";
import { Preview } from "./preview.service.ts";

/** What a rule would have sent. */
export function previewQueries(db: Db, clock: Clock) {
  const preview = new Preview(db, clock);
  return { rulePreview: (rule: Rule, days: number) => preview.of(rule, days) };
}

export type PreviewQueries = AsyncQueries<ReturnType<typeof previewQueries>>;
