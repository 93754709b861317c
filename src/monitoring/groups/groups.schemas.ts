import * as v from "valibot";
import { totalRecords } from "../../platform/http/paging.ts";
import { allowedBy, allowing, described, id, idOf, nameText } from "../../platform/http/validate.ts";

export const name = described(nameText(255), "name of the group");

/** Target uptime of a group. */
export const target = described(
  allowing(
    v.pipe(
      v.number(),
      v.minValue(0),
      v.maxValue(100),
      v.check((percent) => Number(percent.toFixed(3)) === percent),
    ),
    "a number from 0 to 100 with at most 3 decimals",
  ),
  "uptime target of the group, percent",
);
const targetOrNone = allowing(v.nullable(target), `${allowedBy(target)}, or null for none`);

export const targetArguments = v.strictObject({
  id: idOf("group"),
  target: described(targetOrNone, "uptime target of the group, percent; null: no target"),
});

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
    target: described(v.nullable(target), "its uptime target, percent; null: no target"),
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
    "hosts that the caller manages; for administrators all, including those in no group",
  ),
  groups: described(groups, "host groups that the caller manages; for administrators all"),
});
