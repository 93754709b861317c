import * as v from "valibot";
import { described, id, orEmpty, text, unixTimestamp } from "../../platform/http/validate.ts";

const ids = (meaning: string) => described(v.pipe(v.array(id), v.minLength(1)), meaning);

export const acknowledgeArguments = v.object({
  id: ids("id of an event that is an active error"),
  note: described(v.optional(text(0, 4096), ""), "what is being done; it is added to the notes of the event"),
  until: described(
    v.optional(orEmpty(unixTimestamp)),
    "when the acknowledgement ends; empty: when the failure ends",
  ),
});
export type AcknowledgeArguments = v.InferOutput<typeof acknowledgeArguments>;

export const eventsArgument = v.object({ id: ids("id of an event") });
