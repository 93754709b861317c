import * as v from "valibot";
import {
  type GroupSettings,
  groupSettings,
  groupsNamedByHand,
  putGroup,
} from "../../monitoring/groups/groups.repository.ts";
import { name, target } from "../../monitoring/groups/groups.schemas.ts";
import type { Section } from "./section.ts";

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
