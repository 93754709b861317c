/** The figures of reports: failures, and messages about them. */
import { and, eq, gte, lt, or, type SQLWrapper, sql } from "drizzle-orm";
import { inScope } from "../../monitoring/scope/scope.repository.ts";
import { type Check, ofCheck } from "../../monitoring/uptime/downtime.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { hasRow } from "../../platform/storage/existing.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  acknowledgements,
  deliveries,
  deliveryEvents,
  downtimeIntervals,
  events,
  hostGroupMembers,
  hostGroups,
  hosts,
  limits,
  names,
  revisions,
} from "../../platform/storage/schema.ts";
import { indexedBy } from "../../platform/storage/words.ts";

/** The hosts of a report: those that are both in the report and visible to its reader. */
export interface ReportedHosts {
  /** The hosts in the report. */
  about: Scope;
  /** The hosts that its reader sees. */
  scope: Scope;
}

/** A check, with what names it. */
export interface NamedCheck extends Check {
  hostname: string;
  service: string;
  /** Null for checks of agents. */
  limitName: string | null;
}

function isReported(host: SQLWrapper, { about, scope }: ReportedHosts) {
  return and(inScope(host, about), inScope(host, scope)) ?? sql`1 = 1`;
}

function isSentIn({ from, to }: Interval) {
  const { createdAt, status } = deliveries;
  return and(gte(createdAt, from), lt(createdAt, to), eq(status, "sent"));
}

/** The groups with a host of the report, by name, each with its members among them. */
export function groupsOfReport(db: Db, reported: ReportedHosts) {
  const { about } = reported;
  const { hostId, groupId } = hostGroupMembers;
  // A host of the report may also be in other groups.
  const isNamed = ({ id }: { id: number }) => about === "all" || about.groups.includes(id);
  const rows = db
    .select({ id: hostGroups.id, name: hostGroups.name, target: hostGroups.target, hostId })
    .from(hostGroups)
    .innerJoin(hostGroupMembers, eq(groupId, hostGroups.id))
    .where(isReported(hostId, reported))
    .orderBy(hostGroups.nameKey, hostGroups.id)
    .all();
  const byGroup = Map.groupBy(rows.filter(isNamed), ({ id }) => id);
  return [...byGroup].map(([id, members]) => ({
    id,
    name: members[0]?.name ?? "",
    target: members[0]?.target ?? null,
    hostIds: new Set(members.map((member) => member.hostId)),
  }));
}

/**
 * The failures of each check in a window: how many began in it, and how many seconds they lasted within it. They are
 * read by their end, since there may be many older ones.
 */
export function failuresInWindow(db: Db, { from, to }: Interval, reported: ReportedHosts) {
  const { hostId, startedAt, endedAt } = downtimeIntervals;
  const columns = sql`host_id, name_id, event_type, limit_id, started_at`;
  const condition = sql`${startedAt} < ${to} and ${isReported(hostId, reported)}`;
  const began = sql`case when part.started_at >= ${from} then 1 else 0 end`;
  const start = sql`case when part.started_at > ${from} then part.started_at else ${from} end`;
  return db.all<NamedCheck & { times: number; seconds: number }>(sql`
    select part.host_id as "hostId", part.name_id as "nameId", part.event_type as "eventType",
      part.limit_id as "limitId", ${hosts.hostname} as hostname, ${names.name} as service, ${limits.name} as "limitName",
      sum(${began}) as times, sum(part.until - (${start})) as seconds
    from (
      select ${columns}, case when ${endedAt} > ${to} then ${to} else ${endedAt} end as until
        from ${downtimeIntervals} ${indexedBy("downtime_by_end")} where ${endedAt} > ${from} and ${condition}
      union all
      select ${columns}, ${to} as until
        from ${downtimeIntervals} ${indexedBy("downtime_open")} where ${endedAt} is null and ${condition}
    ) as part
    join ${hosts} on ${hosts.id} = part.host_id
    join ${names} on ${names.id} = part.name_id
    left join ${limits} on ${limits.id} = part.limit_id
    group by part.host_id, part.name_id, part.event_type, part.limit_id, ${hosts.hostname}, ${names.name},
      ${limits.name}`);
}

/**
 * How many messages of a window reported each check, by the number of checks of the report in the same message.
 */
export function messagesInWindow(db: Db, window: Interval, reported: ReportedHosts) {
  const pairs = db
    .selectDistinct({
      deliveryId: deliveryEvents.deliveryId,
      hostId: events.hostId,
      nameId: events.nameId,
      eventType: events.eventType,
      limitId: events.limitId,
    })
    .from(deliveries)
    .innerJoin(deliveryEvents, eq(deliveryEvents.deliveryId, deliveries.id))
    .innerJoin(events, eq(events.id, deliveryEvents.eventId))
    .where(and(isSentIn(window), isReported(events.hostId, reported)));
  return db.all<NamedCheck & { checks: number; messages: number }>(sql`
    with pairs as (select * from ${pairs} as pair),
      sizes as (select delivery_id, count(*) as checks from pairs group by delivery_id)
    select pairs.host_id as "hostId", pairs.name_id as "nameId", pairs.event_type as "eventType",
      pairs.limit_id as "limitId", ${hosts.hostname} as hostname, ${names.name} as service, ${limits.name} as "limitName",
      sizes.checks, count(*) as messages
    from pairs join sizes on sizes.delivery_id = pairs.delivery_id
    join ${hosts} on ${hosts.id} = pairs.host_id
    join ${names} on ${names.id} = pairs.name_id
    left join ${limits} on ${limits.id} = pairs.limit_id
    group by pairs.host_id, pairs.name_id, pairs.event_type, pairs.limit_id, sizes.checks, ${hosts.hostname},
      ${names.name}, ${limits.name}`);
}

/** Whether an event of the check was dismissed or acknowledged at `from` or later. */
export function isHandled(db: Db, check: Check, from: number): boolean {
  const acknowledged = sql`exists (select 1 from ${acknowledgements}
    where ${acknowledgements.eventId} = ${events.id} and ${acknowledgements.createdAt} >= ${from})`;
  // What a dismissal replaces is recorded: that the event was not dismissed before.
  const dismissed = sql`${events.id} in (select ${revisions.objectId} from ${revisions}
    where ${revisions.kind} = 'events' and ${revisions.until} >= ${from}
    and ${revisions.content} like '%"dismissed":false%')`;
  return hasRow(db, events, and(ofCheck(events, check), or(dismissed, acknowledged)));
}

/** The ids of the rules that sent messages about a check in a window. */
export function rulesNotifying(db: Db, check: Check, { from, to }: Interval): number[] {
  const rows = db
    .selectDistinct({ ruleId: deliveries.ruleId })
    .from(events)
    .innerJoin(deliveryEvents, eq(deliveryEvents.eventId, events.id))
    .innerJoin(deliveries, eq(deliveries.id, deliveryEvents.deliveryId))
    .where(and(ofCheck(events, check), isSentIn({ from, to })))
    .all();
  return rows.flatMap(({ ruleId }) => ruleId ?? []);
}
