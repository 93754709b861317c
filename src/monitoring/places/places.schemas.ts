/** Arguments and replies of filters by host and service. */
import * as v from "valibot";
import { few } from "../../platform/http/list-arguments.ts";
import { described, emptiable, id, text } from "../../platform/http/validate.ts";
import { MAX_FILTER, tag } from "../tags/tags.schemas.ts";

export const placeArguments = {
  hostid: few(id, "only these hosts"),
  hostgroupid: few(id, "only members of these host groups"),
  tag: described(
    v.optional(v.pipe(emptiable(tag), v.maxLength(MAX_FILTER))),
    "only hosts with these tags; a name alone matches every value; those of one name are alternatives, and every name has to match",
  ),
  servicename: few(text(1, 255), "only services with these names, in which * stands for any text"),
};

const placeEntries = v.object(placeArguments);
export type PlaceArguments = v.InferOutput<typeof placeEntries>;

const numbers = v.optional(v.array(v.number()));
const strings = v.optional(v.array(v.string()));

export const placeReply = {
  hostids: described(numbers, "ids of hosts; ids of deleted hosts match nothing"),
  hostgroupids: described(numbers, "ids of host groups; ids of deleted groups match nothing"),
  tags: described(strings, "tags of hosts: those of one name are alternatives, and every name has to match"),
  servicenames: described(strings, "names of services, in which * stands for any text"),
};

export const placeFilterReply = v.object(placeReply);
