import { and, asc, eq, gte, isNull, ne, or, sql } from "drizzle-orm";
import { HEARTBEAT } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { bound, type Db, prepareOnce } from "../../platform/storage/open.ts";
import {
  alerts,
  deliveryEvents,
  dependencies,
  downtimeIntervals,
  events,
  hosts,
  names,
} from "../../platform/storage/schema.ts";
import type { DependencyEnd } from "../dependencies/dependency-ends.ts";

/** Failures of one cause that are read: a service that failed more often in the period is left at these. */
const MAX_FAILURES = 10_000;

/**
 * Failures of a cause that lasted at `since` or later, oldest first: of a host its outages, of a service all of its
 * failures. An ignored host has none.
 */
export function failuresOf(db: Db, { hostId, service }: DependencyEnd, since: number) {
  const { nameId, eventType, limitId, startedAt, endedAt } = downtimeIntervals;
  return db
    .select({ hostId: downtimeIntervals.hostId, nameId, eventType, limitId, startedAt, endedAt })
    .from(downtimeIntervals)
    .innerJoin(hosts, eq(hosts.id, downtimeIntervals.hostId))
    .innerJoin(names, eq(names.id, nameId))
    .where(
      and(
        eq(downtimeIntervals.hostId, hostId),
        service === "" ? eq(eventType, HEARTBEAT) : eq(names.name, service),
        ne(hosts.status, HOST_STATUS.ignored),
        or(isNull(endedAt), gte(endedAt, since)),
      ),
    )
    .orderBy(asc(startedAt))
    .limit(MAX_FAILURES)
    .all();
}
export type FailureOfCause = ReturnType<typeof failuresOf>[number];

/** A host or service that depends on what a message reports. */
export interface AffectedPlace {
  hostname: string;
  service: string;
  /** Whether it fails too: 0 or 1. */
  fails: number;
}

const affectedStatement = prepareOnce((db) => {
  const { hostId, service, causeHostId, causeService } = dependencies;
  return db
    .selectDistinct({
      hostname: hosts.hostname,
      service,
      fails: sql<number>`(case when exists (select 1 from ${downtimeIntervals} as failure
        join ${names} as failing on failing.id = failure.name_id
        where failure.host_id = ${hostId} and failure.ended_at is null
        and (${service} = '' or failing.name = ${service})) then 1 else 0 end)`,
    })
    .from(deliveryEvents)
    .innerJoin(events, eq(events.id, deliveryEvents.eventId))
    .innerJoin(names, eq(names.id, events.nameId))
    .innerJoin(
      dependencies,
      and(
        eq(causeHostId, events.hostId),
        or(
          sql`(${causeService} = '' and ${events.eventType} = ${sql.raw(String(HEARTBEAT))})`,
          eq(causeService, names.name),
        ),
      ),
    )
    .innerJoin(hosts, eq(hosts.id, hostId))
    .where(eq(deliveryEvents.deliveryId, bound("deliveryId")))
    .orderBy(asc(hosts.hostname), asc(service))
    .prepare();
});

/** What depends on a failure that a message reports, by name: hosts, and services of hosts. */
export function affectedBy(db: Db, deliveryId: number): AffectedPlace[] {
  return affectedStatement(db).all({ deliveryId });
}

/**
 * Whether a rule follows a failure: it matched it and did not let go of it before it ended, as it does when it is
 * disabled. Then nobody hears of it by this rule, even if it is enabled again.
 */
export function isAlerted(db: Db, ruleId: number, failure: FailureOfCause): boolean {
  const { hostId, nameId, eventType, limitId, endedAt } = failure;
  const found = db
    .select({ one: sql`1` })
    .from(alerts)
    .where(
      and(
        eq(alerts.hostId, hostId),
        eq(alerts.nameId, nameId),
        eq(alerts.eventType, eventType),
        eq(alerts.limitId, limitId),
        eq(alerts.ruleId, ruleId),
        or(isNull(alerts.closedAt), endedAt === null ? undefined : gte(alerts.closedAt, endedAt)),
      ),
    )
    .limit(1)
    .get();
  return found !== undefined;
}
