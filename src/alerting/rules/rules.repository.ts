import { and, asc, eq, inArray, isNull, or, type SQL, sql } from "drizzle-orm";
import type { SQLiteColumn } from "drizzle-orm/sqlite-core";
import { userIdsOf } from "../../accounts/users/users.repository.ts";
import { NamedRows } from "../../platform/resources/named.repository.ts";
import { deletionOf } from "../../platform/storage/delete-some.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  alerts,
  channels,
  deliveries,
  healthAlerts,
  names,
  onCallSchedules,
  ruleChannels,
  ruleSchedules,
  rules,
  ruleUsers,
  serviceGroupMembers,
  serviceGroups,
  services,
  users,
} from "../../platform/storage/schema.ts";
import { isTrue, listOf } from "../../platform/storage/words.ts";
import type { QuietHours } from "./quiet-hours.ts";
import type { RuleContent, RuleStep } from "./rules.schemas.ts";

type RuleRow = typeof rules.$inferSelect;

/** A rule as stored. Times are minutes. */
export type Rule = { id: number; position: number } & Omit<RuleContent, "quiet"> & {
    quiet: QuietHours | null;
    /** Since when it is disabled, unix seconds; null: it is enabled. */
    disabledAt: number | null;
  };

/** A service as rules choose it. */
export interface RuledService {
  name: string;
  type: number;
  /** Names of its service groups. */
  groups: string[];
}

const serviceRows = prepareOnce((db) =>
  db
    .select({ id: services.id, name: names.name, type: services.type, group: serviceGroups.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .leftJoin(serviceGroupMembers, eq(serviceGroupMembers.serviceId, services.id))
    .leftJoin(serviceGroups, eq(serviceGroups.id, serviceGroupMembers.groupId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .prepare(),
);

/** The present services of a host, in any order. */
export function servicesForRules(db: Db, hostId: number): RuledService[] {
  const rows = Map.groupBy(serviceRows(db).all({ hostId }), ({ id }) => id);
  return [...rows.values()].flatMap((ofService) => {
    const [service] = ofService;
    const groups = ofService.flatMap(({ group }) => group ?? []);
    return service ? [{ name: service.name, type: service.type, groups }] : [];
  });
}

const enabledRows = prepareOnce((db) =>
  db
    .select()
    .from(rules)
    .where(sql`${rules.enabled} = ${isTrue}`)
    .orderBy(asc(rules.position), asc(rules.id))
    .prepare(),
);

/**
 * The channels, users and schedules that rules name in their steps, in the order of steps. A cross join keeps its
 * order, so only users that rules name are read.
 * @param of selects the rules
 */
function selectNamed(db: Db, of: (ruleId: SQLiteColumn) => SQL | undefined) {
  return {
    channels: db
      .select({ ruleId: ruleChannels.ruleId, step: ruleChannels.step, ref: channels.id })
      .from(ruleChannels)
      .crossJoin(channels)
      .where(and(eq(channels.id, ruleChannels.channelId), of(ruleChannels.ruleId)))
      .orderBy(asc(channels.name))
      .prepare(),
    users: db
      .select({ ruleId: ruleUsers.ruleId, step: ruleUsers.step, ref: users.uname })
      .from(ruleUsers)
      .crossJoin(users)
      .where(and(eq(users.id, ruleUsers.userId), of(ruleUsers.ruleId)))
      .orderBy(asc(users.uname))
      .prepare(),
    schedules: db
      .select({ ruleId: ruleSchedules.ruleId, step: ruleSchedules.step, ref: onCallSchedules.id })
      .from(ruleSchedules)
      .crossJoin(onCallSchedules)
      .where(and(eq(onCallSchedules.id, ruleSchedules.scheduleId), of(ruleSchedules.ruleId)))
      .orderBy(asc(onCallSchedules.name))
      .prepare(),
  };
}

const namedByAll = prepareOnce((db) => selectNamed(db, () => undefined));
const namedByOne = prepareOnce((db) => selectNamed(db, (ruleId) => eq(ruleId, sql.placeholder("ruleId"))));

function withSteps(db: Db, rows: readonly RuleRow[]): Rule[] {
  // Without rules it must cost almost nothing.
  if (rows.length === 0) return [];
  const named = rows.length === 1 ? namedByOne(db) : namedByAll(db);
  const ruleId = rows[0]?.id;
  const keyOf = (row: { ruleId: number; step: number }) => `${row.ruleId} ${row.step}`;
  const channelIds = Map.groupBy(named.channels.all({ ruleId }), keyOf);
  const unames = Map.groupBy(named.users.all({ ruleId }), keyOf);
  const scheduleIds = Map.groupBy(named.schedules.all({ ruleId }), keyOf);
  return rows.map(({ stepMinutes, ...row }) => {
    const stepOf = (after: number, step: number): RuleStep => {
      const key = keyOf({ ruleId: row.id, step });
      return {
        after,
        channels: (channelIds.get(key) ?? []).map(({ ref }) => ref),
        users: (unames.get(key) ?? []).map(({ ref }) => ref),
        schedules: (scheduleIds.get(key) ?? []).map(({ ref }) => ref),
      };
    };
    return { ...row, steps: (stepMinutes as number[]).map(stepOf) } as Rule;
  });
}

/** The enabled rules, in their order. */
export function enabledRules(db: Db): Rule[] {
  return withSteps(db, enabledRows(db).all());
}

/** The enabled rules before this one that keep later ones from the events that they match. */
export function finalRulesBefore(db: Db, { id, position }: Pick<Rule, "id" | "position">): Rule[] {
  return enabledRules(db).filter((rule) => rule.final && rule.id !== id && rule.position < position);
}

/** Every rule, in order. */
export function allRules(db: Db): Rule[] {
  return withSteps(db, db.select().from(rules).orderBy(asc(rules.position), asc(rules.id)).all());
}

/** The ids and positions of all rules, in order. */
export function rulePositions(db: Db): { id: number; position: number }[] {
  const { id, position } = rules;
  return db.select({ id, position }).from(rules).orderBy(asc(position), asc(id)).all();
}

/** The names of these rules and their filters, in order. Ids of deleted rules are left out. */
export function namedRules(db: Db, ids: readonly number[]) {
  const { id, name, filter, position } = rules;
  const rows = db
    .select({ id, name, filter })
    .from(rules)
    .where(inArray(id, listOf(ids)))
    .orderBy(asc(position), asc(id));
  return rows.all() as Pick<Rule, "id" | "name" | "filter">[];
}

/** The names of the rules that name a user or a schedule in a step, in their order. */
export function rulesNaming(
  db: Db,
  { userId, scheduleId }: { userId?: number; scheduleId?: number },
): string[] {
  const ofUser = db
    .select({ id: ruleUsers.ruleId })
    .from(ruleUsers)
    .where(eq(ruleUsers.userId, userId ?? NOBODY));
  const ofSchedule = db
    .select({ id: ruleSchedules.ruleId })
    .from(ruleSchedules)
    .where(eq(ruleSchedules.scheduleId, scheduleId ?? NOBODY));
  return db
    .select({ name: rules.name })
    .from(rules)
    .where(or(inArray(rules.id, ofUser), inArray(rules.id, ofSchedule)))
    .orderBy(asc(rules.position), asc(rules.id))
    .all()
    .map(({ name }) => name);
}

/** Stands for a user or schedule that does not exist: no row has this id. */
const NOBODY = 0;

function setSteps(db: Db, ruleId: number, steps: readonly RuleStep[]): void {
  for (const table of [ruleChannels, ruleUsers, ruleSchedules])
    db.delete(table).where(eq(table.ruleId, ruleId)).run();
  const unames = steps.flatMap((step) => step.users);
  const userIds = userIdsOf(db, unames);
  for (const [step, { channels, users, schedules }] of steps.entries()) {
    const place = { ruleId, step };
    for (const channelId of channels)
      db.insert(ruleChannels)
        .values({ ...place, channelId })
        .run();
    for (const scheduleId of schedules)
      db.insert(ruleSchedules)
        .values({ ...place, scheduleId })
        .run();
    for (const userId of users.flatMap((uname) => userIds.get(uname) ?? []))
      db.insert(ruleUsers)
        .values({ ...place, userId })
        .run();
  }
}

const OF_RULE = { ruleId: sql.placeholder("ruleId"), limit: sql.placeholder("limit") };
const deleteSomeAlerts = deletionOf<{ ruleId: number }>(alerts, eq(alerts.ruleId, OF_RULE.ruleId));
const deleteSomeHealthAlerts = deletionOf<{ ruleId: number }>(
  healthAlerts,
  eq(healthAlerts.ruleId, OF_RULE.ruleId),
);
const detachDeliveries = prepareOnce((db) => {
  const { id, ruleId } = deliveries;
  const ofRule = db.select({ id }).from(deliveries).where(eq(ruleId, OF_RULE.ruleId)).orderBy(asc(id));
  return db
    .update(deliveries)
    .set({ ruleId: null })
    .where(inArray(id, ofRule.limit(OF_RULE.limit)))
    .returning({ id })
    .prepare();
});

/**
 * Deletes some alerts of a rule, and separates some messages from it.
 * @param limit the most of each @returns whether fewer were left
 */
export function emptyRule(db: Db, ruleId: number, limit: number): boolean {
  const some = { ruleId, limit };
  const counts = [
    deleteSomeAlerts(db, some),
    deleteSomeHealthAlerts(db, some),
    detachDeliveries(db).all(some).length,
  ];
  return counts.every((n) => n < limit);
}

/** Rules with their steps, in the order of evaluation. Deliveries of a deleted rule are kept. */
class RuleRows extends NamedRows<Rule, RuleRow> {
  override all = allRules;

  protected override complete = withSteps;

  protected override columnsOf(_db: Db, { steps, ...columns }: Partial<Rule>) {
    return { ...columns, ...(steps && { stepMinutes: steps.map(({ after }) => after) }) };
  }

  override insert(db: Db, rule: Omit<Rule, "id">): number {
    const id = super.insert(db, rule);
    setSteps(db, id, rule.steps);
    return id;
  }

  override update(db: Db, id: number, changes: Partial<Omit<Rule, "id">>): void {
    super.update(db, id, changes);
    if (changes.steps) setSteps(db, id, changes.steps);
  }
}

export const ruleRows = new RuleRows(rules);
