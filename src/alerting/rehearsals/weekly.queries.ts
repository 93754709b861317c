import type { Scope } from "../../platform/http/scope.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type WeeklyRehearsal, weeklyRows } from "./rehearsals.repository.ts";
import { weeklyRehearsal } from "./rehearsals.schemas.ts";
import { rulesSeen } from "./rehearsed.ts";

/** Weekly rehearsals: those of the rules that the caller sees; administrators see all. */
export class WeeklyRehearsalReads extends CollectionReads<typeof weeklyRehearsal, WeeklyRehearsal> {
  constructor(db: Db) {
    super(db, weeklyRehearsal, weeklyRows, "name");
  }

  override visible(rows: WeeklyRehearsal[], scope: Scope): WeeklyRehearsal[] {
    const ruleIds = rulesSeen(this.db, scope);
    return ruleIds ? rows.filter(({ rule }) => rule !== null && ruleIds.includes(rule)) : rows;
  }

  protected derived() {
    return ({ enabled, dueAt }: WeeklyRehearsal) => ({ next: enabled ? dueAt : null });
  }
}
