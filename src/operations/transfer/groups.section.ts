import * as v from "valibot";
import {
  findGroupByName,
  type GroupSettings,
  groupSettings,
  groupsNamedByHand,
  putGroup,
} from "../../monitoring/groups/groups.repository.ts";
import { name, target } from "../../monitoring/groups/groups.schemas.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Db } from "../../platform/storage/open.ts";
import { quoted, type Section } from "./section.ts";

const group = v.strictObject({ name, target: v.optional(target) });
type Item = v.InferOutput<typeof group>;

const itemOf = ({ name: text, target: percent }: GroupSettings): Item =>
  percent === null ? { name: text } : { name: text, target: percent };

/** Host groups. Members added by hand are stored with the hosts. */
export const groupsSection: Section<Item> = {
  name: "groups",
  schema: group,
  nameOf: (item) => item.name,
  exportItems: ({ db }) => groupSettings(db).map(itemOf),
  // After an import, a group that only agents had named belongs to administrators.
  settledItems: ({ db }) => groupsNamedByHand(db).map(itemOf),
  importItem: ({ db, clock }, item) =>
    putGroup(db, { name: item.name, target: item.target ?? null }, clock.now()) ? "created" : "updated",
};

/** The id of a group that an item of another section names. @throws ApiError 400 if there is no such group */
export function idOfGroup(db: Db, groupName: string): number {
  const group = findGroupByName(db, groupName);
  if (!group) throw errors.badRequest(`There is no host group ${quoted(groupName)}`);
  return group.id;
}
