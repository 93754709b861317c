import * as v from "valibot";
import { putGroup } from "../../monitoring/groups/groups.repository.ts";
import { name } from "../../monitoring/groups/groups.schemas.ts";
import type { Section } from "./section.ts";

/** Host groups. Members that were added by hand are stored with the hosts. */
export const groupsSection: Section<{ name: string }> = {
  name: "groups",
  schema: v.strictObject({ name }),
  nameOf: (group) => group.name,
  exportItems: ({ groups }) => groups.list().groups.map(({ name }) => ({ name })),
  importItem: ({ db }, group) => (putGroup(db, group.name) ? "created" : "updated"),
};
