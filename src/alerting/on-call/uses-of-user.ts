import type { Db } from "../../platform/storage/open.ts";
import { rulesNaming } from "../rules/rules.repository.ts";
import { schedulesOfUser } from "./on-call.repository.ts";

/** The reasons why a user cannot be deleted: a failure would then reach nobody. @param now unix seconds */
export function usesOfUser(db: Db, userId: number, now: number): string[] {
  return [
    ...schedulesOfUser(db, userId, now).map(({ name }) => `the schedule "${name}"`),
    ...rulesNaming(db, { userId }).map((name) => `the rule "${name}"`),
  ];
}
