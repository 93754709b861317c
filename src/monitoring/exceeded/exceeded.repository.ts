import { and, eq, gt, sql } from "drizzle-orm";
import { RESOURCE } from "../../monit/event-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { events, limitStates, limits, names } from "../../platform/storage/schema.ts";
import { isTrue } from "../../platform/storage/words.ts";

/** The most failures of each kind that are read. If there are more, some values are not marked. */
const MAX_FAILURES = 20_000;

/** The limits that are exceeded now, with service and types of statistics. Level: 1 warning, 2 critical. */
export function exceededLimits(db: Db) {
  return db
    .select({
      hostId: limitStates.hostId,
      service: names.name,
      statistics: limits.statistics,
      level: limitStates.level,
    })
    .from(limitStates)
    .innerJoin(limits, eq(limits.id, limitStates.limitId))
    .innerJoin(names, eq(names.id, limitStates.nameId))
    .where(gt(limitStates.level, 0))
    .limit(MAX_FAILURES)
    .all();
}

/** The open failures of the agents' own resource limits, with their messages. */
export function resourceFailures(db: Db) {
  return db
    .select({ hostId: events.hostId, service: names.name, message: events.message })
    .from(events)
    .innerJoin(names, eq(names.id, events.nameId))
    .where(and(sql`${events.active} = ${isTrue}`, eq(events.eventType, RESOURCE), eq(events.limitId, 0)))
    .limit(MAX_FAILURES)
    .all();
}
