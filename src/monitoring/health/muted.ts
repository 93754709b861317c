/** What mutes notifications about a host or service, shown with its state. */
import * as v from "valibot";
import { described } from "../../platform/http/validate.ts";

export interface Muted {
  /** Unix seconds. */
  until: number;
  /** Login name of the user who began it; empty for planned maintenance. */
  uname: string;
  /** The user's note, or the name of the maintenance. */
  note: string;
}

/** Looks up the mute of a service, or of a whole host. @param service its name; null: the host */
export type MuteLookup = (hostId: number, service: string | null) => Muted | null;

export const mutedReply = described(
  v.nullable(
    v.object({
      until: described(v.number(), "when it ends, as currently planned, unix timestamp"),
      uname: described(v.string(), "login name of the user who began it; empty for planned maintenance"),
      note: described(v.string(), "the user's note, or the name of the maintenance"),
    }),
  ),
  "maintenance or mute that pauses its notifications; null: none",
);
