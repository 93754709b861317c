/** References of sections: ids in the database, names in the file. */
import { findGroupByName } from "../../monitoring/groups/groups.repository.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Db } from "../../platform/storage/open.ts";
import { quoted } from "./section.ts";

/** @throws ApiError if there is no such group */
export function idOfGroup(db: Db, name: string): number {
  const group = findGroupByName(db, name);
  if (!group) throw errors.badRequest(`There is no host group ${quoted(name)}`);
  return group.id;
}
