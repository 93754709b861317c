import { and, asc, eq, inArray, isNull, ne, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  channels,
  names,
  onCallSchedules,
  ruleChannels,
  ruleSchedules,
  rules,
  ruleUsers,
  serviceGroupMembers,
  serviceGroups,
  services,
} from "../../platform/storage/schema.ts";
import type { EventFilter } from "./event-filter.ts";
import type { QuietHours } from "./quiet-hours.ts";

type RuleRow = typeof rules.$inferSelect;

/** Who is notified when a failure has lasted for some time: ids of channels, users and schedules. */
export interface RuleStep {
  /** Minutes of failure; 0 for the first step, which the delay of the rule postpones. */
  after: number;
  channels: number[];
  users: number[];
  /** Of these, who is on call then. */
  schedules: number[];
}

/** A notification rule. Times are minutes. */
export interface Rule extends Omit<RuleRow, "filter" | "quietHours" | "stepMinutes"> {
  filter: EventFilter;
  quietHours: QuietHours | null;
  /** The first step, and those of the escalation in their order. */
  steps: RuleStep[];
}

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

/** A rule as stored, without its id and position. */
export type RuleContent = Omit<Rule, "id" | "position">;

const enabledRows = prepareOnce((db) =>
  db
    .select()
    .from(rules)
    .where(sql`${rules.enabled} = 1`)
    .orderBy(asc(rules.position), asc(rules.id))
    .prepare(),
);

const channelRows = prepareOnce((db) =>
  db.select().from(ruleChannels).orderBy(asc(ruleChannels.channelId)).prepare(),
);
const userRows = prepareOnce((db) => db.select().from(ruleUsers).orderBy(asc(ruleUsers.userId)).prepare());
const scheduleRows = prepareOnce((db) =>
  db.select().from(ruleSchedules).orderBy(asc(ruleSchedules.scheduleId)).prepare(),
);

/** What a rule names in a step. */
interface Named {
  ruleId: number;
  step: number;
}

/** What rules name in their steps, in the order of its ids. */
interface AllNamed {
  channels: (typeof ruleChannels.$inferSelect)[];
  users: (typeof ruleUsers.$inferSelect)[];
  schedules: (typeof ruleSchedules.$inferSelect)[];
}

function namedByAll(db: Db): AllNamed {
  return {
    channels: channelRows(db).all(),
    users: userRows(db).all(),
    schedules: scheduleRows(db).all(),
  };
}

function namedBy(db: Db, ruleId: number): AllNamed {
  return {
    channels: db
      .select()
      .from(ruleChannels)
      .where(eq(ruleChannels.ruleId, ruleId))
      .orderBy(asc(ruleChannels.channelId))
      .all(),
    users: db
      .select()
      .from(ruleUsers)
      .where(eq(ruleUsers.ruleId, ruleId))
      .orderBy(asc(ruleUsers.userId))
      .all(),
    schedules: db
      .select()
      .from(ruleSchedules)
      .where(eq(ruleSchedules.ruleId, ruleId))
      .orderBy(asc(ruleSchedules.scheduleId))
      .all(),
  };
}

function parsed(rows: readonly RuleRow[], named: () => AllNamed): Rule[] {
  // Without rules it must cost next to nothing.
  if (rows.length === 0) return [];
  const all = named();
  const keyOf = ({ ruleId, step }: Named) => `${ruleId} ${step}`;
  const channels = Map.groupBy(all.channels, keyOf);
  const users = Map.groupBy(all.users, keyOf);
  const schedules = Map.groupBy(all.schedules, keyOf);
  return rows.map(({ stepMinutes, ...row }) => {
    const stepOf = (after: number, step: number): RuleStep => {
      const key = keyOf({ ruleId: row.id, step });
      return {
        after,
        channels: (channels.get(key) ?? []).map(({ channelId }) => channelId),
        users: (users.get(key) ?? []).map(({ userId }) => userId),
        schedules: (schedules.get(key) ?? []).map(({ scheduleId }) => scheduleId),
      };
    };
    return {
      ...row,
      filter: JSON.parse(row.filter) as EventFilter,
      quietHours: row.quietHours === null ? null : (JSON.parse(row.quietHours) as QuietHours),
      steps: (JSON.parse(stepMinutes) as number[]).map(stepOf),
    };
  });
}

/** The enabled rules, in their order. */
export function enabledRules(db: Db): Rule[] {
  return parsed(enabledRows(db).all(), () => namedByAll(db));
}

/** Every rule, in order. */
export function allRules(db: Db): Rule[] {
  const rows = db.select().from(rules).orderBy(asc(rules.position), asc(rules.id)).all();
  return parsed(rows, () => namedByAll(db));
}

export function findRule(db: Db, id: number): Rule | undefined {
  const rows = db.select().from(rules).where(eq(rules.id, id)).all();
  return parsed(rows, () => namedBy(db, id))[0];
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

/** Which of these ids are ids of schedules. */
export function existingSchedules(db: Db, ids: readonly number[]): Set<number> {
  const { id } = onCallSchedules;
  const rows = db
    .select({ id })
    .from(onCallSchedules)
    .where(inArray(id, [...ids]))
    .all();
  return new Set(rows.map((row) => row.id));
}

/** The names of the rules that name a user or a schedule in a step, in their order. */
export function rulesNaming(
  db: Db,
  { userId, scheduleId }: { userId?: number; scheduleId?: number },
): string[] {
  return allRules(db)
    .filter(({ steps }) =>
      steps.some(
        ({ users, schedules }) =>
          (userId !== undefined && users.includes(userId)) ||
          (scheduleId !== undefined && schedules.includes(scheduleId)),
      ),
    )
    .map(({ name }) => name);
}

function columnsOf({ filter, quietHours, steps, ...same }: RuleContent) {
  return {
    ...same,
    filter: JSON.stringify(filter),
    quietHours: quietHours && JSON.stringify(quietHours),
    stepMinutes: JSON.stringify(steps.map(({ after }) => after)),
  };
}

function setSteps(db: Db, ruleId: number, { steps }: RuleContent): void {
  for (const table of [ruleChannels, ruleUsers, ruleSchedules])
    db.delete(table).where(eq(table.ruleId, ruleId)).run();
  const rowsOf = <T>(row: (step: RuleStep, named: Named) => T[]) =>
    steps.flatMap((one, step) => row(one, { ruleId, step }));
  const channelIds = rowsOf(({ channels }, named) => channels.map((channelId) => ({ ...named, channelId })));
  const userIds = rowsOf(({ users }, named) => users.map((userId) => ({ ...named, userId })));
  const scheduleIds = rowsOf(({ schedules }, named) =>
    schedules.map((scheduleId) => ({ ...named, scheduleId })),
  );
  if (channelIds.length > 0) db.insert(ruleChannels).values(channelIds).run();
  if (userIds.length > 0) db.insert(ruleUsers).values(userIds).run();
  if (scheduleIds.length > 0) db.insert(ruleSchedules).values(scheduleIds).run();
}

/** @returns the id of the new rule */
export function insertRule(db: Db, content: RuleContent, position: number): number {
  const row = { ...columnsOf(content), position };
  const { id } = db.insert(rules).values(row).returning({ id: rules.id }).get();
  setSteps(db, id, content);
  return id;
}

export function updateRule(db: Db, id: number, content: RuleContent): void {
  db.update(rules).set(columnsOf(content)).where(eq(rules.id, id)).run();
  setSteps(db, id, content);
}

export function setPosition(db: Db, id: number, position: number): void {
  db.update(rules).set({ position }).where(eq(rules.id, id)).run();
}

/** Deletes a rule and its alerts. Its deliveries are kept. */
export function deleteRule(db: Db, id: number): void {
  db.delete(rules).where(eq(rules.id, id)).run();
}
