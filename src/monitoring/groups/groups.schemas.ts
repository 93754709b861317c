import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { described, id, idOf, text } from "../../platform/http/validate.ts";

export const name = described(text(1, 255), "name of the group");

export const memberArguments = v.object({
  id: idOf("group"),
  hostid: described(v.pipe(v.array(id), v.minLength(1)), "id of a host"),
});
export type Members = v.InferOutput<typeof memberArguments>;

const groups = v.array(
  v.object({
    id: described(v.number(), "id of the group"),
    name: described(v.string(), "name of the group"),
    hosts: described(v.array(v.number()), "ids of its members"),
  }),
);

export const statusListReply = v.object({ totalRecords, records: described(groups, "all host groups") });

export const listReply = v.object({
  hosts: described(
    v.array(
      v.object({
        id: described(v.number(), "id of the host"),
        name: described(v.string(), "name of the host"),
      }),
    ),
    "hosts that the caller manages; for administrators all, also those of no group",
  ),
  groups: described(groups, "host groups that the caller manages; for administrators all"),
});
