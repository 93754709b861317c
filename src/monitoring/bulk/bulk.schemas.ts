import * as v from "valibot";
import { allowing, boolean, described, integer } from "../../platform/http/validate.ts";
import { reference } from "../../platform/resources/marks.ts";
import { hostSettings } from "../hosts/hosts.schemas.ts";
import { hostFilters } from "../status/status.schemas.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tag } from "../tags/tags.schemas.ts";

/** The most hosts that one request can name. */
const MAX_NAMED = 10_000;
/** The most groups that hosts join or leave at once. */
const MAX_GROUPS = 100;

const { hostid: _, ...filters } = hostFilters;

const selection = {
  hosts: described(
    v.optional(v.pipe(v.array(reference("host")), v.maxLength(MAX_NAMED))),
    "ids of the hosts, unless filter is set",
  ),
  filter: described(
    v.optional(v.strictObject(filters)),
    "every host that matches, by the filters of status/hosts/list other than hostid; without any of them, every host",
  ),
};

const tags = allowing(v.pipe(v.array(tag), v.minLength(1), v.maxLength(MAX_TAGS)), `1 to ${MAX_TAGS} tags`);
const groups = v.pipe(v.array(reference("hostgroup")), v.maxLength(MAX_GROUPS));

/** All settings except the name, which no two hosts share. */
const { hostname: _name, ...settings } = hostSettings;

export const updateArguments = v.strictObject({
  ...selection,
  addtags: described(v.optional(tags), "tags that the hosts get"),
  removetags: described(v.optional(tags), "tags that the hosts lose"),
  addgroups: described(v.optional(groups), "ids of host groups that the hosts join"),
  removegroups: described(
    v.optional(groups),
    "ids of host groups that the hosts leave, unless their agents name them",
  ),
  ignored: described(v.optional(boolean), "true: ignored from now on; false: no longer ignored"),
  ...v.partial(v.object(settings)).entries,
});
export type BulkUpdate = v.InferOutput<typeof updateArguments>;

export const deleteArguments = v.strictObject({
  ...selection,
  count: described(
    integer(0, Number.MAX_SAFE_INTEGER, "a number of hosts"),
    "expected number of hosts; if a different number matches, nothing is deleted",
  ),
});
export type BulkDelete = v.InferOutput<typeof deleteArguments>;

export type Selection = Pick<BulkUpdate, keyof typeof selection>;

export const updateReply = v.object({ hosts: described(v.number(), "number of hosts that were changed") });
