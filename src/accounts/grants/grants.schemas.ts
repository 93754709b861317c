import * as v from "valibot";
import { LEVELS } from "../../platform/http/scope.ts";
import { boolean, described, emptiable, id } from "../../platform/http/validate.ts";
import { uname } from "../users/users.schemas.ts";

/** The most groups in which a user has a grant: they are looked up for each request. */
const MAX_GROUPS = 1000;

const groups = (meaning: string) =>
  described(
    v.optional(v.pipe(emptiable(id), v.maxLength(MAX_GROUPS)), []),
    `ids of host groups whose ${meaning}`,
  );

export const setArguments = v.object({
  uname,
  view: groups("hosts the user sees"),
  operate: groups("hosts the user also operates: actions, mutes, acknowledgements and notes"),
  manage: groups(
    "hosts the user also manages: their settings, rules, limits, maintenance, dependencies and status pages",
  ),
  restricted: described(
    v.optional(boolean, false),
    "true: without any of these groups the user sees no host; false: all hosts",
  ),
});
export type GrantArguments = v.InferOutput<typeof setArguments>;

export const grantsReply = v.object({
  restricted: described(v.boolean(), "whether the user sees only the hosts of these groups"),
  grants: described(
    v.array(
      v.object({
        groupid: described(v.number(), "id of the host group"),
        level: described(v.picklist(LEVELS), "view, operate or manage; each includes those before it"),
      }),
    ),
    "the granted levels; without effect for administrators, who may do everything",
  ),
});

const scope = (meaning: string) =>
  described(
    v.union([v.literal("all"), v.object({ groups: described(v.array(v.number()), "ids of host groups") })]),
    meaning,
  );

export const rightsReply = v.object({
  view: scope("hosts that the caller sees: all, or the members of groups"),
  respond: scope("hosts whose failures the caller may acknowledge and dismiss"),
  operate: scope("hosts that the caller may mute, and to whose agents they may send actions"),
  manage: scope("hosts whose settings, rules, limits and maintenance the caller may change"),
});
