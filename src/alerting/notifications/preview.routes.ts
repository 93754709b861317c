import { scopeOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, query } from "../../platform/http/operation.ts";
import { previewArguments, previewReply } from "../rules/rules.schemas.ts";
import type { Rules } from "../rules/rules.service.ts";
import type { PreviewQueries } from "./preview.queries.ts";

/** Operations that preview rules. */
export function previewOperations(rules: Rules, queries: PreviewQueries): Operation[] {
  return [
    query("/admin/rules/preview", {
      access: "manage",
      summary:
        "Preview the messages of a rule over the last days: of a stored rule with the given changes, or of a new one",
      request: previewArguments,
      response: previewReply,
      errors: [
        noSuch("rule"),
        because(errors.missingArgument, "An argument is given that needs another one"),
      ],
      handle: ({ id, days, ...given }, c) => {
        const scope = scopeOf(c, "manage");
        return queries.rulePreview(turnOf(c), rules.draft(id, given, scope), days, scope);
      },
    }),
  ];
}
