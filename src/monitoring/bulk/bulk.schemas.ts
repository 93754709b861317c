import * as v from "valibot";
import { allowing, boolean, described, id, integer } from "../../platform/http/validate.ts";
import { skew } from "../hosts/hosts.schemas.ts";
import { hostListArguments } from "../status/status.schemas.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tag } from "../tags/tags.schemas.ts";

const { hostgroupid, tag: tagged, led, hostpattern } = hostListArguments.entries;

const selection = {
  hostid: described(v.optional(v.array(id)), "id of a host, unless all is given"),
  all: described(
    v.optional(boolean, false),
    "true: every host that matches hostgroupid, tag, led and hostpattern; without them, every host",
  ),
  ...{ hostgroupid, tag: tagged, led, hostpattern },
};

const tags = v.optional(
  allowing(v.pipe(v.array(tag), v.minLength(1), v.maxLength(MAX_TAGS)), `1 to ${MAX_TAGS} tags`),
);
const groups = v.optional(v.pipe(v.array(id), v.maxLength(100)));

export const updateArguments = v.object({
  ...selection,
  addtag: described(tags, "tag that the hosts get"),
  removetag: described(tags, "tag that the hosts lose"),
  addgroupid: described(groups, "id of a host group that the hosts join"),
  removegroupid: described(groups, "id of a host group that the hosts leave, unless their agents name it"),
  skew: v.optional(skew),
  ignored: described(v.optional(boolean), "true: ignored from now on; false: no longer ignored"),
});
export type BulkUpdate = v.InferOutput<typeof updateArguments>;

export const deleteArguments = v.object({
  ...selection,
  count: described(
    integer(0, Number.MAX_SAFE_INTEGER, "a number of hosts"),
    "number of hosts that are meant; if others match, nothing is deleted",
  ),
});
export type BulkDelete = v.InferOutput<typeof deleteArguments>;

export type Selection = Pick<BulkUpdate, keyof typeof selection>;

export const updateReply = v.object({ hosts: described(v.number(), "number of hosts that were changed") });
