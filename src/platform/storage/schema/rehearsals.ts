/** Rehearsals of rules and schedules: when they are held, and what came of them. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { users } from "./accounts.ts";
import { deliveries, onCallSchedules, rules } from "./alerts.ts";
import { count, flag, id, ownedBy, textColumn } from "./columns.ts";

/** What is rehearsed: exactly one of the rule and the schedule is set. */
const rehearsedRule = () => integer("rule_id").references(() => rules.id, { onDelete: "cascade" });
const rehearsedSchedule = () =>
  integer("schedule_id").references(() => onCallSchedules.id, { onDelete: "cascade" });

/** Rehearsals that are held each week. Columns have the names of the resource's fields. */
export const weeklyRehearsals = sqliteTable(
  "weekly_rehearsals",
  {
    id: id(),
    name: text().notNull().unique(),
    enabled: flag(true),
    rule: rehearsedRule(),
    schedule: rehearsedSchedule(),
    escalate: flag(),
    wait: integer().notNull(), // minutes
    day: integer().notNull(), // 0 Sunday to 6 Saturday
    time: text().notNull(), // HH:MM
    timezone: text().notNull(),
    dueAt: integer().notNull(), // when it is next held
  },
  (t) => [
    index("weekly_rehearsals_by_rule").on(t.rule),
    index("weekly_rehearsals_by_schedule").on(t.schedule),
    index("weekly_rehearsals_due").on(t.dueAt),
  ],
);

export const rehearsals = sqliteTable(
  "rehearsals",
  {
    id: id(),
    ruleId: rehearsedRule(),
    scheduleId: rehearsedSchedule(),
    weeklyId: integer().references(() => weeklyRehearsals.id, { onDelete: "set null" }),
    startedBy: textColumn(), // login name, "" = it is held each week
    startedAt: integer().notNull(),
    failedAt: integer().notNull(), // when the made-up problem began: the delay of the rule before the start
    escalate: flag(),
    wait: integer().notNull(), // minutes
    notifiedSteps: count(),
    dueAt: integer(), // when the next message or the end is decided, null = it ended
    endsAt: integer(), // when it ends unless another step follows, null = nobody has been notified
    endedAt: integer(),
    muted: textColumn(), // what muted the rule when it started, "" = nothing
    outcome: textColumn(), // why it was not held or ended early, "" otherwise
  },
  (t) => [
    index("rehearsals_by_date").on(t.startedAt, t.id),
    index("rehearsals_by_rule").on(t.ruleId),
    index("rehearsals_by_schedule").on(t.scheduleId),
    index("rehearsals_by_weekly").on(t.weeklyId),
    index("rehearsals_due").on(t.dueAt).where(sql`${t.dueAt} is not null`),
  ],
);

/** The messages of rehearsals: deliveries of the kind "rehearsal". */
export const rehearsalMessages = sqliteTable(
  "rehearsal_messages",
  {
    deliveryId: integer()
      .primaryKey()
      .references(() => deliveries.id, { onDelete: "cascade" }),
    rehearsalId: ownedBy(() => rehearsals.id),
    userId: integer().references(() => users.id, { onDelete: "cascade" }), // null = it is for a channel or a schedule
    step: integer().notNull(), // from 0
    acknowledgedAt: integer(), // null = not yet
  },
  (t) => [
    index("rehearsal_messages_by_rehearsal").on(t.rehearsalId),
    index("rehearsal_messages_by_user").on(t.userId),
  ],
);
