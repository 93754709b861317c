/** Actions on services that agents ask for, so that Muster need not reach the agents. */
import { sql } from "drizzle-orm";
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, ownedBy, textColumn } from "./columns.ts";
import { hosts } from "./hosts.ts";

/**
 * waiting  the agent has not asked for it yet
 * fetched  the agent got it, and has not reported what came of it
 * ran      Monit accepted it
 * failed   Monit refused it, or no result came in time
 * expired  the agent did not ask for it in time, so it will never run
 * cancelled  a user took it back before the agent asked, so it will never run
 */
export const ACTION_STATES = ["waiting", "fetched", "ran", "failed", "expired", "cancelled"] as const;

export const queuedActions = sqliteTable(
  "queued_actions",
  {
    id: id(),
    hostId: ownedBy(() => hosts.id),
    service: text().notNull(), // name
    action: text().notNull(),
    state: text({ enum: ACTION_STATES }).notNull(),
    until: integer().notNull(), // when it expires while waiting, when its result is overdue once fetched
    uname: text().notNull(), // login name of who asked for it, kept when the account is deleted
    createdAt: integer().notNull(),
    fetchedAt: integer(),
    endedAt: integer(),
    code: integer(), // exit code of the command
    output: textColumn(), // first line of its output, or why there is none
    auditId: integer().notNull(), // the entry that says what came of it
  },
  (t) => [
    index("queued_actions_of_host").on(t.hostId, t.id),
    index("queued_actions_waiting").on(t.hostId, t.id).where(sql`${t.state} = 'waiting'`),
    index("queued_actions_pending").on(t.until).where(sql`${t.state} in ('waiting', 'fetched')`),
    index("queued_actions_by_age").on(t.createdAt),
  ],
);
