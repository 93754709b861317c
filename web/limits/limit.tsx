import { EditScreen } from "../alerting/edit-screen.tsx";
import { LimitForm } from "./limit-form.tsx";
import { LIMITS } from "./limits.texts.ts";
import { newLimit } from "./suggestions.tsx";
import type { Limit, NewLimit } from "./types.ts";

const NEW_LIMIT: NewLimit = newLimit("disk", { warning: 90 });

/** The page of one limit, new or existing. */
export function LimitScreen() {
  return (
    <EditScreen<Limit>
      list={[LIMITS.title, "/limits"]}
      texts={{ one: LIMITS.one, creating: LIMITS.newLimit, saved: LIMITS.saved }}
      source="/limits/get"
      form={(limit, props) => <LimitForm {...props} limit={limit ?? NEW_LIMIT} />}
    />
  );
}
