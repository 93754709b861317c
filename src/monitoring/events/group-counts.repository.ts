import { and, eq, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { eventCounts, eventNameCounts, events, groupCountChanges } from "../../platform/storage/schema.ts";
import { forgetCountedGroups, UTC_DAY } from "./event-counts.repository.ts";

const membership = prepareOnce((db) => ({
  change: db.$client.prepare<null, [hostId: number, groupId: number, sign: number]>(
    `insert into group_count_changes (host_id, group_id, sign) select ?1, ?2, ?3
     where exists (select 1 from events where host_id = ?1)
       or exists (select 1 from group_count_changes where host_id = ?1 and group_id = ?2)
     on conflict (host_id, group_id) do update set sign = group_count_changes.sign + excluded.sign`,
  ),
  dropEven: db.$client.prepare<null, [hostId: number, groupId: number]>(
    "delete from group_count_changes where host_id = ? and group_id = ? and sign = 0",
  ),
}));

/**
 * Records that a host joined or left a group, so that its events are later added to or subtracted from the
 * group's counts. Code that inserts or deletes a membership must call this in the same transaction. Nothing
 * is recorded for a host without events.
 * @param sign 1 if it joined, -1 if it left
 */
export function changeMembership(db: Db, hostId: number, groupId: number, sign: 1 | -1): void {
  const { change, dropEven } = membership(db);
  forgetCountedGroups(db, hostId);
  change.run(hostId, groupId, sign);
  dropEven.run(hostId, groupId);
}

/** Deletes the counts of a group. Call it when the group is deleted. */
export function deleteCountsOfGroup(db: Db, groupId: number): void {
  db.delete(eventCounts).where(eq(eventCounts.scope, -groupId)).run();
  db.delete(eventNameCounts).where(eq(eventNameCounts.groupId, groupId)).run();
  db.delete(groupCountChanges).where(eq(groupCountChanges.groupId, groupId)).run();
}

export type GroupCountChange = typeof groupCountChanges.$inferSelect;

// Runs several times a second. With a bound limit SQLite would plan it anew each time.
const nextChange = prepareOnce((db) =>
  db.$client.prepare<GroupCountChange, []>(
    `select host_id as "hostId", group_id as "groupId", sign from group_count_changes limit 1`,
  ),
);

/** The next membership change that is not applied to the group's counts yet. */
export function nextGroupChange(db: Db): GroupCountChange | null {
  return nextChange(db).get();
}

/** Applies a membership change: adds the host's events to the group's counts, or subtracts them. */
export function applyGroupChange(db: Db, { hostId, groupId, sign }: GroupCountChange): void {
  forgetCountedGroups(db, hostId);
  const kinds = sql`${sql.raw(UTC_DAY)}, ${events.serviceType}, ${events.eventType}, ${events.state}`;
  const scope = sql`cast(${-groupId} as bigint)`;
  db.run(sql`insert into ${eventCounts} (scope, day, service_type, event_type, state, n)
    select ${scope}, ${kinds}, ${sign} * count(*) from ${events} where ${events.hostId} = ${hostId} group by ${kinds}
    on conflict (scope, day, service_type, event_type, state) do update set n = event_counts.n + excluded.n`);
  db.run(sql`insert into ${eventNameCounts} (group_id, name_id, n)
    select ${groupId}, ${events.nameId}, ${sign} * count(*) from ${events} where ${events.hostId} = ${hostId} group by ${events.nameId}
    on conflict (group_id, name_id) do update set n = event_name_counts.n + excluded.n`);
  if (sign < 0) {
    db.run(sql`delete from ${eventCounts} where n = 0 and (scope, day, service_type, event_type, state) in
      (select ${scope}, ${kinds} from ${events} where ${events.hostId} = ${hostId})`);
    db.run(sql`delete from ${eventNameCounts} where n = 0 and (group_id, name_id) in
      (select cast(${groupId} as bigint), ${events.nameId} from ${events} where ${events.hostId} = ${hostId})`);
  }
  db.delete(groupCountChanges)
    .where(and(eq(groupCountChanges.hostId, hostId), eq(groupCountChanges.groupId, groupId)))
    .run();
}
