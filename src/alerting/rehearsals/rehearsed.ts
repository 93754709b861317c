/** What is rehearsed: the steps of a rule, or the person on call of a schedule. */
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findSchedule } from "../on-call/on-call.repository.ts";
import { RuleReads } from "../rules/rules.queries.ts";
import { allRules, type Rule, ruleRows } from "../rules/rules.repository.ts";
import type { RuleStep } from "../rules/rules.schemas.ts";
import { isManagedRule } from "../rules/rules.service.ts";
import type { Subject } from "./rehearsals.repository.ts";

export interface Rehearsed {
  /** Null for a schedule. */
  rule: Rule | null;
  /** Name of the rule or schedule. */
  name: string;
  /** Minutes before anyone is notified, if a rule is rehearsed. */
  delay: number;
  steps: readonly RuleStep[];
}

/** Undefined if the rule or schedule does not exist. */
export function rehearsedOf(db: Db, { ruleId, scheduleId }: Subject): Rehearsed | undefined {
  if (scheduleId !== null) {
    const schedule = findSchedule(db, scheduleId);
    return schedule && { rule: null, name: schedule.name, delay: 0, steps: [stepOfSchedule(scheduleId)] };
  }
  const rule = ruleId === null ? undefined : ruleRows.find(db, ruleId);
  return rule && { rule, name: rule.name, delay: rule.delay, steps: rule.steps };
}

/** The step that notifies who is on call. */
export function stepOfSchedule(scheduleId: number): RuleStep {
  return { after: 0, channels: [], users: [], schedules: [scheduleId] };
}

/** Whether someone who manages these hosts may rehearse a rule or schedule. Only administrators rehearse schedules. */
export function mayRehearse(db: Db, { ruleId, scheduleId }: Subject, scope: Scope): boolean {
  if (scope === "all") return true;
  const rule = ruleId === null ? undefined : ruleRows.find(db, ruleId);
  return scheduleId === null && rule !== undefined && isManagedRule(db, rule.filter, scope);
}

/** The ids of the rules whose rehearsals a caller sees, who manages these hosts; undefined: all rehearsals. */
export function rulesSeen(db: Db, scope: Scope): number[] | undefined {
  if (scope === "all") return undefined;
  return new RuleReads(db).visible(allRules(db), scope).map(({ id }) => id);
}
