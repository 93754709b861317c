import { and, asc, desc, eq, gte, inArray, isNull, lte, or, sql } from "drizzle-orm";
import { ERROR } from "../../monit/event-types.ts";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import { anyCheck, type Check, ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import { whyUnmonitored } from "../../monitoring/uptime/excluded-time.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  acknowledgements,
  downtimeIntervals,
  events,
  hostGroupMembers,
  hosts,
  names,
} from "../../platform/storage/schema.ts";

/** The newest events of a period, newest first. @param hostIds only of these hosts; undefined: of all hosts */
export function newestEvents(
  db: Db,
  { from, to }: Interval,
  { hostIds, scope }: { hostIds: readonly number[] | undefined; scope: Scope },
  limit: number,
) {
  return db
    .select({
      id: events.id,
      hostId: events.hostId,
      nameId: events.nameId,
      hostname: hosts.hostname,
      service: names.name,
      serviceType: events.serviceType,
      eventType: events.eventType,
      limitId: events.limitId,
      severity: events.severity,
      state: events.state,
      message: events.message,
      date: events.date,
    })
    .from(events)
    .innerJoin(hosts, eq(hosts.id, events.hostId))
    .innerJoin(names, eq(names.id, events.nameId))
    .where(
      and(
        gte(events.date, from),
        lte(events.date, to),
        hostIds && inArray(events.hostId, [...hostIds]),
        inScope(events.hostId, scope),
      ),
    )
    .orderBy(desc(events.date), desc(events.id))
    .limit(limit)
    .all();
}

export type PastEvent = ReturnType<typeof newestEvents>[number];

/** The hosts that are in any of the groups. */
export function hostsInGroups(db: Db, groupIds: readonly number[]): number[] {
  return db
    .selectDistinct({ hostId: hostGroupMembers.hostId })
    .from(hostGroupMembers)
    .where(inArray(hostGroupMembers.groupId, [...groupIds]))
    .all()
    .map(({ hostId }) => hostId);
}

/** Acknowledgements that were active at `from` or later. A recovery or a user may have ended them early. */
export function acknowledgementsSince(db: Db, from: number) {
  const { uname, createdAt, until, endedAt } = acknowledgements;
  const { hostId, nameId, eventType, limitId } = events;
  return db
    .select({ uname, createdAt, until, endedAt, hostId, nameId, eventType, limitId })
    .from(acknowledgements)
    .innerJoin(events, eq(events.id, acknowledgements.eventId))
    .where(or(isNull(endedAt), gte(endedAt, from)))
    .orderBy(asc(acknowledgements.id))
    .all();
}

const failuresUntil = prepareOnce((db) =>
  db
    .select({ startedAt: downtimeIntervals.startedAt, endedAt: downtimeIntervals.endedAt })
    .from(downtimeIntervals)
    .where(
      and(ofCheck(downtimeIntervals, anyCheck), lte(downtimeIntervals.startedAt, sql.placeholder("date"))),
    )
    .orderBy(desc(downtimeIntervals.startedAt))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** The last failures of a check that began up to a time, newest first. */
function lastFailures(db: Db, check: Check, date: number, limit: number) {
  const { hostId, nameId, eventType, limitId } = check;
  return failuresUntil(db).all({ hostId, nameId, eventType, limitId, date, limit });
}

/** When the last failures of a check began, up to a time, newest first. */
export function startsOf(db: Db, check: Check, date: number, limit: number): number[] {
  return lastFailures(db, check, date, limit).map(({ startedAt }) => startedAt);
}

/** The failure that the check's error at `date` belongs to, unix seconds. Its end is null while it lasts. */
export function failureAt(db: Db, check: Check, date: number): { failedAt: number; endedAt: number | null } {
  const [failure] = lastFailures(db, check, date, 1);
  // A failure without an interval ended within the second in which it began.
  if (!failure || (failure.endedAt !== null && failure.endedAt < date))
    return { failedAt: date, endedAt: date };
  return { failedAt: failure.startedAt, endedAt: failure.endedAt };
}

const unmonitoredStatement = prepareOnce((db) => {
  const { hostId, nameId } = anyCheck;
  return db
    .select({ reason: whyUnmonitored(hostId, nameId, sql.placeholder("at")) })
    .from(hosts)
    .where(eq(hosts.id, hostId))
    .prepare();
});

/** Why the service of a check was not monitored at a time, unix seconds; null if it was. */
export function unmonitoredAt(db: Db, { hostId, nameId }: Check, at: number): string | null {
  return unmonitoredStatement(db).get({ hostId, nameId, at })?.reason ?? null;
}

const newestTextStatement = prepareOnce((db) =>
  db
    .select({ message: events.message })
    .from(events)
    .where(
      and(
        ofCheck(events, anyCheck),
        eq(events.state, ERROR),
        gte(events.date, sql.placeholder("from")),
        lte(events.date, sql.placeholder("to")),
      ),
    )
    .orderBy(desc(events.date), desc(events.id))
    .limit(1)
    .prepare(),
);

/** The text of the newest error of a check in some time; undefined if there is none. */
export function newestTextOf(db: Db, check: Check, { from, to }: Interval): string | undefined {
  const { hostId, nameId, eventType, limitId } = check;
  return newestTextStatement(db).get({ hostId, nameId, eventType, limitId, from, to })?.message;
}
