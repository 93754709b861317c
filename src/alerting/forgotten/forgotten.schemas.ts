import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";

/** The kinds of things that people put aside and may forget. */
const FORGOTTEN_KINDS = ["acknowledgement", "mute", "host", "rule"] as const;
export type ForgottenKind = (typeof FORGOTTEN_KINDS)[number];

const number = v.number();
const string = v.string();

const forgotten = v.object({
  kind: described(
    v.picklist(FORGOTTEN_KINDS),
    "acknowledgement of a failure that lasts, mute, ignored host, or disabled rule",
  ),
  id: described(number, "id of the acknowledged event, of the mute, the host or the rule"),
  name: described(string, "service and host of an acknowledgement, name of a host or rule; empty for a mute"),
  since: described(number, "since when, unix timestamp"),
  uname: described(string, "login name of the user who acknowledged or muted; empty for hosts and rules"),
  note: described(string, "the user's note; empty without one"),
});

/**
 * What may be forgotten among the hosts and rules that a caller sees.
 * @param records a phrase that says which are listed
 */
export function forgottenReply(records: string) {
  return v.object({
    days: described(
      number,
      "age in days from which something is listed (setting forgottendays); 0: nothing is",
    ),
    totals: described(
      v.object({
        acknowledgement: described(number, "number of acknowledgements"),
        mute: described(number, "number of mutes"),
        host: described(number, "number of ignored hosts"),
        rule: described(number, "number of disabled rules"),
      }),
      "how many there are of each kind",
    ),
    records: described(v.array(forgotten), records),
  });
}

export const forgottenListReply = forgottenReply("the oldest 100 of each kind, the oldest first");
export type ForgottenList = v.InferOutput<typeof forgottenListReply>;
export type Forgotten = ForgottenList["records"][number];
