import * as v from "valibot";
import {
  compareArguments,
  compareReply,
  topArguments,
  topReply,
} from "../../monitoring/history/fleet-numbers.schemas.ts";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, id, idOf, integer, text } from "../../platform/http/validate.ts";

/** Most hosts that a wall shows. */
const MAX_SHOWN = 50;

const name = described(text(1, 255), "name of the view");
const { type, descriptor, order } = topArguments.entries;
const { hostid, serviceid } = compareArguments.entries;
const contentEntries = {
  type,
  descriptor,
  hostgroupid: described(v.optional(id), "only members of this host group"),
  order,
  results: described(v.optional(integer(1, MAX_SHOWN), 20), "most hosts that are listed"),
  hostid,
  serviceid,
};
const content = v.object(contentEntries);
/** What a view shows, as it is stored. */
export type ViewContent = v.InferOutput<typeof content>;

export const creation = v.object({ name, ...contentEntries });
export type Creation = v.InferOutput<typeof creation>;
export const renaming = v.object({ id: idOf("view"), name });
export const oneView = v.object({ id: idOf("view") });
export const tokenCreation = v.object({
  id: idOf("view"),
  name: described(text(1, 255), "where the wall is, or what the token is for"),
});
export const oneToken = v.object({ id: described(id, "id of the token") });
export const opening = v.object({ token: described(text(1, 255), "token of the view") });

const number = v.number();
const numbers = v.array(number);

const shown = {
  type: described(numbers, "types of statistics whose values are added"),
  descriptor: described(v.optional(v.string()), "descriptor of the statistic; absent: any"),
  hostgroupid: described(v.optional(number), "id of the host group; absent: all hosts"),
  order: described(v.picklist(["desc", "asc"]), "desc: the highest first; asc: the lowest first"),
  results: described(number, "most hosts that are listed"),
  hostid: described(numbers, "ids of the hosts that are compared"),
  serviceid: described(numbers, "ids of the services that are compared"),
};

export const listReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the view"),
        name: described(v.string(), "name of the view"),
        created: described(number, "when it was saved, unix timestamp"),
        ...shown,
      }),
    ),
    "saved views, by name",
  ),
});

export const createReply = v.object({ id: described(number, "id of the new view") });

export const tokenListReply = v.object({
  totalRecords,
  records: described(
    v.array(
      v.object({
        id: described(number, "id of the token"),
        viewid: described(number, "id of the view that it shows"),
        viewname: described(v.string(), "name of that view"),
        name: described(v.string(), "where the wall is, or what the token is for"),
        created: described(number, "when it was created, unix timestamp"),
        lastused: described(v.nullable(number), "when it was last used, unix timestamp; null: not yet"),
      }),
    ),
    "tokens of views, in the order in which they were created",
  ),
});

export const tokenReply = v.object({
  id: described(number, "id of the token"),
  token: described(v.string(), "the token; only this reply contains it"),
});

export const openReply = v.object({ name: described(v.string(), "name of the view") });

export const wallReply = v.object({
  name: described(v.string(), "name of the view"),
  version: described(v.string(), "version of Muster"),
  ...shown,
  top: described(topReply, "the hosts by the number of the view"),
  comparison: described(v.optional(compareReply), "the last day of what the view compares; absent: nothing"),
});
