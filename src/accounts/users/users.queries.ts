import * as v from "valibot";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allUsers, hasSecondFactor } from "./users.repository.ts";
import { userListReply } from "./users.schemas.ts";

/** Queries of users that run on a query worker. */
export function userQueries(db: Db) {
  return {
    /** Users as listed, without their passwords. */
    userList: () =>
      v.parse(
        userListReply,
        allUsers(db).map((user) => ({ ...user, secondfactor: hasSecondFactor(user) })),
      ),
  };
}

export type UserQueries = AsyncQueries<ReturnType<typeof userQueries>>;
