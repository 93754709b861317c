import * as v from "valibot";
import { pageReply, pageSize, startindex } from "../../platform/http/paging.ts";
import { allowing, described, id } from "../../platform/http/validate.ts";

/** The most hosts that one request restores: they are marked in one transaction. */
const MAX_NAMED = 100;

export const listArguments = v.object({
  results: pageSize(50),
  startindex: v.optional(startindex, 0),
});

export const deletedHosts = v.strictObject({
  hosts: described(
    allowing(v.pipe(v.array(id), v.minLength(1), v.maxLength(MAX_NAMED)), `1 to ${MAX_NAMED} ids of hosts`),
    "ids of deleted hosts: all of them, or none if there is an error",
  ),
});

const number = v.number();
const string = v.string();

export const listReply = v.object({
  ...pageReply,
  records: described(
    v.array(
      v.object({
        id: described(number, "id that the host had and gets back"),
        hostname: described(string, "name of the host"),
        agentid: described(string, "unique id of its agent"),
        deletedby: described(string, "login name of the user who deleted it"),
        deletedat: described(number, "when it was deleted, unix timestamp"),
        until: described(number, "when the deletion becomes final, unix timestamp"),
        newid: described(
          v.nullable(number),
          "id of the host as which its agent reports now, and which keeps it from coming back; null if there is none",
        ),
        newname: described(v.nullable(string), "name of that host; null if there is none"),
      }),
    ),
    "deleted hosts, the last deleted first",
  ),
});

export const restoreReply = v.object({ restored: described(number, "number of hosts that are back") });
export const deleteForGoodReply = v.object({
  deleted: described(number, "number of hosts whose deletion is final"),
});
