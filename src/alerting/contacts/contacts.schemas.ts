import * as v from "valibot";
import { uname } from "../../accounts/users/users.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, emptiable, id } from "../../platform/http/validate.ts";

/** Most channels of a user. */
const MAX_CHANNELS = 20;

export const setArguments = v.object({
  uname,
  channelid: described(
    v.pipe(emptiable(id), v.maxLength(MAX_CHANNELS)),
    "id of a channel through which the user is notified; empty: by mail to their own address",
  ),
});
export type SetArguments = v.InferOutput<typeof setArguments>;

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
