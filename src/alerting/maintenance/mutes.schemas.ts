import * as v from "valibot";
import { condition, placeConditions } from "../../monitoring/places/places.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, idOf, integer, text, unixTimestamp } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";

/** Longest mute, minutes: 31 days. For longer, plan maintenance or ignore the host. */
export const MAX_MUTE_MINUTES = 44_640;
const MAX_GRACE_MINUTES = 1440;

const number = v.number();

const ends = {
  minutes: described(
    v.optional(integer(1, MAX_MUTE_MINUTES, `a number of minutes from 1 to ${MAX_MUTE_MINUTES}`)),
    "how long it lasts, from now or from its beginning",
  ),
  to: described(v.optional(unixTimestamp), "when it ends, in place of minutes"),
};

/** What callers set, and read back. */
const filter = described(
  v.strictObject({
    ...placeConditions,
    rules: condition(reference("rule"), "only messages of these rules"),
  }),
  "what it covers: everything that meets all of these conditions; at least one is set",
);
const note = described(text(0, 255), "why");
export const grace = described(
  integer(0, MAX_GRACE_MINUTES, `a number of minutes from 0 to ${MAX_GRACE_MINUTES}`),
  "how long hosts may take to recover after the lease, minutes",
);

export const muteArguments = v.strictObject({
  filter,
  from: described(v.optional(unixTimestamp), "when it begins; without it, now"),
  ...ends,
  lease: described(
    v.optional(v.nullable(v.strictObject({ grace: v.optional(grace, 15) })), null),
    "makes it last while it is renewed every three minutes, in place of minutes and to",
  ),
  note: v.optional(note, ""),
});
export type MuteArguments = v.InferOutput<typeof muteArguments>;

export const renewArguments = v.strictObject({ id: idOf("mute"), ...ends });
export type RenewArguments = v.InferOutput<typeof renewArguments>;

const muteReply = v.object({
  id: described(number, "id of the mute"),
  uname: described(v.string(), "login name of the user who began it"),
  note,
  filter,
  created: described(number, "when it was created, unix timestamp"),
  from: described(number, "when it begins, unix timestamp"),
  to: described(number, "when it ends at the latest, as known now, unix timestamp"),
  active: described(v.boolean(), "whether it has begun"),
  lease: described(
    v.nullable(
      v.object({
        grace,
        until: described(number, "when it ends unless it is renewed before, unix timestamp"),
        released: described(v.boolean(), "whether it is over; the mute waits for its hosts to recover"),
      }),
    ),
    "lease of a mute while a command runs; null: none",
  ),
});

export const muteHistoryArguments = v.object({
  hostid: idOf("host"),
  servicename: described(
    v.optional(text(1, 255)),
    "only the service of this name; without it, the whole host",
  ),
  datefrom: described(unixTimestamp, "start, unix timestamp"),
  dateto: described(unixTimestamp, "end, unix timestamp"),
});
export type MuteHistoryArguments = v.InferOutput<typeof muteHistoryArguments>;

const windowReply = v.object({
  from: described(number, "when it begins, unix timestamp"),
  to: described(number, "when it ends, unix timestamp"),
  uname: described(v.string(), "login name of the user who began the mute; empty for maintenance"),
  note: described(v.string(), "name of the maintenance, or why it was muted"),
});
export const muteHistoryReply = v.object({
  records: described(v.array(windowReply), "windows that overlap the span, the earliest first, at most 500"),
});

const plannedReply = v.object({
  id: described(number, "id of the maintenance"),
  name: described(v.string(), "name of the maintenance"),
  from: described(number, "when the window begins, unix timestamp"),
  to: described(number, "when it ends, unix timestamp"),
  active: described(v.boolean(), "whether it has begun"),
});

export const muteListReply = v.object({
  totalRecords,
  maintenance: described(
    v.array(plannedReply),
    "windows of planned maintenance that are open or begin within 24 hours, the earliest first",
  ),
  records: described(v.array(muteReply), "mutes that have not ended, those that end soonest first"),
});

export const createReply = v.object({ id: described(number, "id of the new mute") });
export const endReply = v.object({ to: described(number, "when it ends at the latest, unix timestamp") });
