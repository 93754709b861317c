import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { described, text, unixTimestamp } from "../../platform/http/validate.ts";
import { ACTOR_CREDENTIALS } from "../../platform/storage/schema/accounts.ts";

const number = v.number();
const string = v.string();

export const listArguments = v.object({
  results: pageSize(50),
  startindex: v.optional(startindex, 0),
  uname: described(v.optional(text(1, 255)), "only entries of this user"),
  operation: described(
    v.optional(text(1, 255)),
    "only this operation and those below it: admin/users, admin/hosts/action, login, login/failed ...",
  ),
  datefrom: described(v.optional(unixTimestamp), "only entries from this time on"),
  dateto: described(v.optional(unixTimestamp), "only entries up to and including this time"),
});

const entry = v.object({
  id: described(number, "id of the entry"),
  date: described(number, "time of the entry, unix timestamp"),
  uname: described(
    string,
    "login name of the user; for a link, the recipient of its message; empty if nobody was signed in",
  ),
  address: described(string, "address of the client"),
  via: described(
    v.picklist(ACTOR_CREDENTIALS),
    "login, token (of the API), command (on the machine itself), link (in a message), or none (not signed in)",
  ),
  token: described(string, "name of the API token; empty without one"),
  operation: described(string, "path of the operation, with the outcome below it, as in login/failed"),
  subject: described(string, "kind of object affected: host, group, user, token ..."),
  subjectid: described(string, "id of that object"),
  subjectname: described(string, "name of that object at the time"),
  details: described(
    v.record(string, v.unknown()),
    "what was changed, as [before, after], and other details",
  ),
});

export const listReply = v.object({
  ...pageReply,
  records: described(v.array(entry), "entries, newest first"),
});
