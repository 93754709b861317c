import { managedReach, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { ask, type Operation } from "../../platform/http/operation.ts";
import { previewArguments, previewReply } from "../rules/rules.schemas.ts";
import type { Rules } from "../rules/rules.service.ts";
import type { PreviewQueries } from "./preview.queries.ts";

/** Operations that preview rules. */
export function previewOperations(rules: Rules, queries: PreviewQueries): Operation[] {
  return [
    ask("/admin/rules/preview", {
      access: "manage",
      summary:
        "Preview the messages of a rule over the last days: of a stored one, with changes if there are any, or of a new one",
      request: previewArguments,
      response: previewReply,
      errors: [noSuch("rule"), because(errors.missingArgument, "Neither id nor rule is set")],
      handle: ({ id, rule, days }, c) => {
        const reach = managedReach(c);
        return queries.rulePreview(
          turnOf(c),
          { ...rules.draft(id, rule, reach), id: id ?? 0 },
          days,
          reach.act,
        );
      },
    }),
  ];
}
