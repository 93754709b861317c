/** Alerts and rehearsals that are decided again before their time, because what they wait for changed. */
import { and, asc, eq, gt, inArray, isNotNull, isNull, max, or, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  alerts,
  alertWakes,
  deliveries,
  healthAlerts,
  REPORTED,
  rehearsals,
} from "../../platform/storage/schema.ts";
import { unindexed } from "../../platform/storage/words.ts";
import type { RuleStep } from "./rules.schemas.ts";

const TABLES = { events: alerts, findings: healthAlerts } as const;
/** In place of a rule: the suppressed alerts of all rules. */
const SUPPRESSED = 0;
/** Why alerts of a disabled rule are closed. */
export const RULE_DISABLED = "the rule is disabled";

/**
 * Asks for alerts that mutes suppressed to become due, because a mute ended or changed. `wakeSome` does it in steps.
 * The request is stored, so that a restart loses none of it.
 */
export function wakeSuppressed(db: Db): void {
  for (const reported of REPORTED) request(db, { reported, ruleId: SUPPRESSED });
}

/** Asks for the open alerts of a rule to become due, because its times changed. */
export function wakeAlertsOfRule(db: Db, ruleId: number): void {
  for (const reported of REPORTED) request(db, { reported, ruleId });
}

/** Whom a step names, as a text to compare. */
function namedBy({ channels, users, schedules }: RuleStep): string {
  return JSON.stringify([channels, users, schedules].map((named) => named.toSorted()));
}

/**
 * The last step that counts as notified once the steps of a rule have changed: the one after the minutes of the last notified
 * step, but none after one that was still to be notified and moved forward. -1: not even the first.
 * @param notified place of the last notified step in `before`
 */
function lastNotifiedOf(notified: number, before: readonly RuleStep[], steps: readonly RuleStep[]): number {
  const names = before.map(namedBy);
  const [heard, ahead] = [names.slice(0, notified + 1), names.slice(notified + 1)];
  const isAhead = (step: RuleStep) => ahead.includes(namedBy(step)) && !heard.includes(namedBy(step));
  const minutes = before[notified]?.after ?? 0;
  const next = steps.findIndex((step) => step.after > minutes || isAhead(step));
  return (next === -1 ? steps.length : next) - 1;
}

/**
 * Lets the open alerts of a rule continue after the last step that they reached. They count steps by place, which another step
 * can have once steps are added or removed.
 * @param before the steps of the rule until now
 */
export function recountSteps(
  db: Db,
  ruleId: number,
  before: readonly RuleStep[],
  steps: readonly RuleStep[],
): void {
  const places = before.map((_, notified) => lastNotifiedOf(notified, before, steps));
  const moved = [...places.entries()].filter(([from, to]) => from !== to);
  if (moved.length === 0) return;
  const cases = sql.raw(moved.map(([from, to]) => `when ${from} then ${to}`).join(" "));
  const counts = moved.map(([from]) => from);
  for (const table of Object.values(TABLES)) {
    const { escalations } = table;
    const isOpenOfRule = and(eq(table.ruleId, ruleId), isNull(table.closedAt));
    db.update(table)
      .set({ escalations: sql`case ${escalations} ${cases} end` })
      .where(and(isOpenOfRule, inArray(escalations, counts)))
      .run();
  }
}

/**
 * Asks for the present open alerts of a rule to be closed, because it was disabled. They are closed even if the rule is
 * enabled again before `wakeSome` reaches them. Its waiting messages are not sent.
 * @param now unix seconds
 */
export function closeAlertsOfRule(db: Db, ruleId: number, now: number): void {
  db.update(deliveries)
    .set({ status: "failed", nextAt: null, finishedAt: now, answer: RULE_DISABLED })
    // Few messages wait. A rule can have sent very many.
    .where(and(eq(unindexed(deliveries.ruleId), ruleId), isNotNull(deliveries.nextAt)))
    .run();
  for (const reported of REPORTED) {
    const { id } = TABLES[reported];
    const newest = db
      .select({ id: max(id) })
      .from(TABLES[reported])
      .get();
    request(db, { reported, ruleId, closedUntil: newest?.id ?? 0 });
  }
}

/** Makes the ongoing rehearsal of a rule due, because the rule changed. @param now unix seconds */
export function wakeRehearsalOfRule(db: Db, ruleId: number, now: number): void {
  db.update(rehearsals)
    .set({ dueAt: now })
    .where(and(eq(rehearsals.ruleId, ruleId), isNull(rehearsals.endedAt)))
    .run();
}

function request(db: Db, row: Omit<typeof alertWakes.$inferInsert, "afterId">): void {
  const { reported, ruleId } = alertWakes;
  const values = { ...row, afterId: 0 };
  db.insert(alertWakes)
    .values(values)
    .onConflictDoUpdate({ target: [reported, ruleId], set: values })
    .run();
}

const requested = prepareOnce((db) =>
  db.select().from(alertWakes).orderBy(asc(alertWakes.reported), asc(alertWakes.ruleId)).limit(1).prepare(),
);

/** Whether alerts are still to be made due or closed. */
export function isWaking(db: Db): boolean {
  return requested(db).get() !== undefined;
}

/**
 * Makes the next alerts due, or closes them, as was asked for. Call it in a transaction.
 * @param limit the most alerts that it reads
 * @param now unix seconds
 * @returns how many it read
 */
export function wakeSome(db: Db, limit: number, now: number): number {
  const next = requested(db).get();
  if (!next) return 0;
  const { reported, ruleId, afterId, closedUntil } = next;
  const table = TABLES[reported];
  const ids = db
    .select({ id: table.id })
    .from(table)
    .where(
      and(
        gt(table.id, afterId),
        isNull(table.closedAt),
        // The empty text is written out, as the index has it.
        ruleId === SUPPRESSED ? sql`${table.outcome} <> ''` : eq(table.ruleId, ruleId),
      ),
    )
    .orderBy(asc(table.id))
    .limit(limit)
    .all()
    .map(({ id }) => id);
  const dropped = ids.filter((id) => id <= closedUntil);
  if (dropped.length > 0)
    db.update(table)
      .set({ dueAt: null, closedAt: now, outcome: RULE_DISABLED })
      .where(inArray(table.id, dropped))
      .run();
  const woken = ids.slice(dropped.length);
  if (woken.length > 0)
    db.update(table)
      .set({ dueAt: now })
      .where(and(inArray(table.id, woken), or(isNull(table.dueAt), gt(table.dueAt, now))))
      .run();
  const last = ids.at(-1);
  const ofRequest = and(eq(alertWakes.reported, reported), eq(alertWakes.ruleId, ruleId));
  if (last === undefined || ids.length < limit) db.delete(alertWakes).where(ofRequest).run();
  else db.update(alertWakes).set({ afterId: last }).where(ofRequest).run();
  return ids.length;
}
