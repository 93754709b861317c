import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Rule } from "../rules/rules.repository.ts";
import { Preview } from "./preview.service.ts";

/** What a rule would have sent. */
export function previewQueries(db: Db, clock: Clock) {
  const preview = new Preview(db, clock);
  return { rulePreview: (rule: Rule, days: number) => preview.of(rule, days) };
}

export type PreviewQueries = AsyncQueries<ReturnType<typeof previewQueries>>;
