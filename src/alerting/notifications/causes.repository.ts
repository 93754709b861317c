import { and, asc, eq, gte, isNull, ne, or, type SQLWrapper, sql } from "drizzle-orm";
import { HEARTBEAT } from "../../monit/event-types.ts";
import { HOST_STATUS } from "../../monitoring/health/health.ts";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import { ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
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

/** The most failures of one cause that are read. */
const MAX_FAILURES = 10_000;

/** A literal, not a parameter: the partial index of outages requires a constant. */
const isHeartbeat = (eventType: SQLWrapper) => sql`${eventType} = ${sql.raw(String(HEARTBEAT))}`;

/**
 * Failures of a cause that lasted at `since` or later, oldest first: outages of a host, or all failures of a service.
 * An ignored host has none.
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
        service === "" ? isHeartbeat(eventType) : eq(names.name, service),
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
  /** Whether it is failing too: 0 or 1. */
  fails: number;
}

function affectedStatementOf(db: Db, scope: Scope) {
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
        or(sql`(${causeService} = '' and ${isHeartbeat(events.eventType)})`, eq(causeService, names.name)),
      ),
    )
    .innerJoin(hosts, eq(hosts.id, hostId))
    .where(and(eq(deliveryEvents.deliveryId, sql.placeholder("deliveryId")), inScope(hostId, scope)))
    .orderBy(asc(hosts.hostname), asc(service))
    .prepare();
}

const affectedStatement = prepareOnce((db) => affectedStatementOf(db, "all"));

/** The hosts of the scope, and their services, that depend on a failure that a message reports, by name. */
export function affectedBy(db: Db, deliveryId: number, scope: Scope): AffectedPlace[] {
  const statement = scope === "all" ? affectedStatement(db) : affectedStatementOf(db, scope);
  return statement.all({ deliveryId });
}

/**
 * Whether a rule has an alert for a failure that it did not drop before the failure ended. A disabled rule drops its
 * alerts: its recipients are not notified of the failure, even if it is enabled again.
 */
export function isAlerted(db: Db, ruleId: number, failure: FailureOfCause): boolean {
  const { endedAt } = failure;
  // An alert that only has to report the end of an earlier failure does not follow the open one.
  const isOpen = and(isNull(alerts.closedAt), endedAt === null ? isNull(alerts.endedAt) : undefined);
  const alert = db
    .select({ one: sql`1` })
    .from(alerts)
    .where(
      and(
        ofCheck(alerts, failure),
        eq(alerts.ruleId, ruleId),
        or(isOpen, endedAt === null ? undefined : gte(alerts.closedAt, endedAt)),
      ),
    )
    .limit(1)
    .get();
  return alert !== undefined;
}
