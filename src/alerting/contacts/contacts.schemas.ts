import * as v from "valibot";
import { uname } from "../../accounts/users/users.schemas.ts";
import { unique } from "../../monitoring/places/places.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";

/** The most channels of a user. */
const MAX_CHANNELS = 20;

/** The channels that were chosen for a user. */
export const contact = v.strictObject({
  uname,
  channels: v.pipe(
    described(
      v.pipe(v.array(reference("channel")), v.maxLength(MAX_CHANNELS)),
      "ids of the channels through which the user is notified; empty: by mail to their own address",
    ),
    v.transform(unique),
  ),
});
export type Contact = v.InferOutput<typeof contact>;

const number = v.number();
const string = v.string();

const way = v.object({
  channelid: described(number, "id of the channel"),
  channel: described(string, "name of the channel"),
  address: described(string, "the user's own address; empty: the whole channel is the user's"),
});

const person = v.object({
  uname: described(string, "login name"),
  fullname: described(string, "full name"),
  channels: described(
    v.array(number),
    "ids of the channels that were chosen; empty: mail to their own address",
  ),
  ways: described(v.array(way), "how the user is notified now; empty: they cannot be reached"),
});

export const listReply = v.object({
  totalRecords,
  records: described(v.array(person), "users, by login name"),
});
