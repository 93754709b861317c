import * as v from "valibot";
import { described, id, orEmpty, text, unixTimestamp } from "../../platform/http/validate.ts";

const ids = (meaning: string) => described(v.pipe(v.array(id), v.minLength(1)), meaning);

const note = v.optional(text(0, 4096), "");
const until = described(
  v.optional(orEmpty(unixTimestamp)),
  "when the acknowledgement ends; empty: when the failure ends",
);

export const acknowledgeArguments = v.object({
  id: ids("id of an event that is an active error"),
  note: described(note, "what is being done; it is added to the notes of the event"),
  until,
});
export type AcknowledgeArguments = v.InferOutput<typeof acknowledgeArguments>;

/** Arguments that acknowledge failures of Muster itself. */
export const acknowledgeFindings = v.object({
  id: ids("id of a finding that lasts (see admin/health/get)"),
  note: described(note, "what is being done; it is shown with the finding"),
  until,
});

export const findingsArgument = v.object({ id: ids("id of a finding (see admin/health/get)") });

export const eventsArgument = v.object({ id: ids("id of an event") });
