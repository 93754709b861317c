import { asc, eq, sql } from "drizzle-orm";
import type { Level } from "../../platform/http/scope.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { grants } from "../../platform/storage/schema.ts";
import { updateUser } from "../users/users.repository.ts";

/** A level in a host group. Groups are ids, since accounts do not know about groups. */
export interface Grant {
  groupid: number;
  level: Level;
}

/** Prepared, as it runs for every request of a user who is not an administrator. */
const ofUser = prepareOnce((db) =>
  db
    .select({ groupid: grants.groupId, level: grants.level })
    .from(grants)
    .where(eq(grants.userId, sql.placeholder("userId")))
    .orderBy(asc(grants.groupId))
    .prepare(),
);

/** Grants of a user, sorted by the group's id; empty if there are none or the user does not exist. */
export function grantsOf(db: Db, userId: number): Grant[] {
  return ofUser(db).all({ userId });
}

interface GrantsOfUser {
  grants: readonly Grant[];
  /** Whether the user sees only the hosts of these groups. */
  restricted: boolean;
}

/** Replaces the grants of a user. */
export function setGrants(db: Db, userId: number, { grants: requested, restricted }: GrantsOfUser): void {
  updateUser(db, userId, { restricted });
  db.delete(grants).where(eq(grants.userId, userId)).run();
  if (requested.length === 0) return;
  db.insert(grants)
    .values(requested.map(({ groupid, level }) => ({ userId, groupId: groupid, level })))
    .run();
}
