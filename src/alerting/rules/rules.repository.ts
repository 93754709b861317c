import { and, asc, eq, inArray, ne } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { channels, ruleChannels, rules } from "../../platform/storage/schema.ts";
import type { EventFilter } from "./event-filter.ts";
import type { QuietHours } from "./quiet-hours.ts";

type RuleRow = typeof rules.$inferSelect;

/** A notification rule. Times are minutes. */
export interface Rule extends Omit<RuleRow, "filter" | "quietHours"> {
  filter: EventFilter;
  quietHours: QuietHours | null;
  /** Ids of channels. */
  channels: number[];
  /** Ids of the channels that are notified too after `escalateAfter`. */
  escalationChannels: number[];
}

/** A rule as stored, without its id and position. */
export type RuleContent = Omit<Rule, "id" | "position">;

export const FIRST_STEP = 0;
export const ESCALATION_STEP = 1;

/** The channels come in two steps: those notified first, and those of the escalation. */
export type Step = typeof FIRST_STEP | typeof ESCALATION_STEP;

/** The channels of a rule that are notified in these steps. */
export function channelsOf(rule: Rule, steps: readonly Step[]): number[] {
  const all = steps.flatMap((step) => (step === ESCALATION_STEP ? rule.escalationChannels : rule.channels));
  return [...new Set(all)];
}

const enabledRows = prepareOnce((db) =>
  db
    .select()
    .from(rules)
    .where(eq(rules.enabled, true))
    .orderBy(asc(rules.position), asc(rules.id))
    .prepare(),
);

const channelRows = prepareOnce((db) =>
  db.select().from(ruleChannels).orderBy(asc(ruleChannels.channelId)).prepare(),
);

function parsed(db: Db, rows: readonly RuleRow[]): Rule[] {
  // Runs for every event: without rules it must cost next to nothing.
  if (rows.length === 0) return [];
  const ways = channelRows(db).all();
  return rows.map((row) => {
    const channelsOf = (step: number) =>
      ways.filter((way) => way.ruleId === row.id && way.step === step).map((way) => way.channelId);
    return {
      ...row,
      filter: JSON.parse(row.filter) as EventFilter,
      quietHours: row.quietHours === null ? null : (JSON.parse(row.quietHours) as QuietHours),
      channels: channelsOf(FIRST_STEP),
      escalationChannels: channelsOf(ESCALATION_STEP),
    };
  });
}

/** The enabled rules, in their order. */
export function enabledRules(db: Db): Rule[] {
  return parsed(db, enabledRows(db).all());
}

/** Every rule, in order. */
export function allRules(db: Db): Rule[] {
  return parsed(db, db.select().from(rules).orderBy(asc(rules.position), asc(rules.id)).all());
}

export function findRule(db: Db, id: number): Rule | undefined {
  return parsed(db, db.select().from(rules).where(eq(rules.id, id)).all())[0];
}

export function findRuleByName(db: Db, name: string) {
  return db.select({ id: rules.id }).from(rules).where(eq(rules.name, name)).get();
}

/** The kind of channel that runs a program here. Only administrators use it. */
export const PROGRAM = "exec";

/** Which of these ids are ids of channels that somebody with this scope may use. */
export function existingChannels(db: Db, ids: readonly number[], scope: Scope): Set<number> {
  const rows = db
    .select({ id: channels.id })
    .from(channels)
    .where(and(inArray(channels.id, [...ids]), scope === "all" ? undefined : ne(channels.kind, PROGRAM)))
    .all();
  return new Set(rows.map((row) => row.id));
}

function columnsOf({ filter, quietHours, channels: _, escalationChannels: __, ...same }: RuleContent) {
  return {
    ...same,
    filter: JSON.stringify(filter),
    quietHours: quietHours && JSON.stringify(quietHours),
  };
}

function setChannels(db: Db, ruleId: number, content: RuleContent): void {
  db.delete(ruleChannels).where(eq(ruleChannels.ruleId, ruleId)).run();
  const steps = [
    ...content.channels.map((channelId) => ({ ruleId, step: FIRST_STEP, channelId })),
    ...content.escalationChannels.map((channelId) => ({ ruleId, step: ESCALATION_STEP, channelId })),
  ];
  db.insert(ruleChannels).values(steps).run();
}

/** @returns the id of the new rule */
export function insertRule(db: Db, content: RuleContent, position: number): number {
  const row = { ...columnsOf(content), position };
  const { id } = db.insert(rules).values(row).returning({ id: rules.id }).get();
  setChannels(db, id, content);
  return id;
}

export function updateRule(db: Db, id: number, content: RuleContent): void {
  db.update(rules).set(columnsOf(content)).where(eq(rules.id, id)).run();
  setChannels(db, id, content);
}

export function setPosition(db: Db, id: number, position: number): void {
  db.update(rules).set({ position }).where(eq(rules.id, id)).run();
}

/** Deletes a rule and its alerts. Its deliveries are kept. */
export function deleteRule(db: Db, id: number): void {
  db.delete(rules).where(eq(rules.id, id)).run();
}
