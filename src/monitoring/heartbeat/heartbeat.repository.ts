import { and, asc, eq, lt, max, sql } from "drizzle-orm";
import { bound, type Db, prepareOnce } from "../../platform/storage/open.ts";
import { hosts } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { countingHost } from "../hosts/host-counts.repository.ts";

const overdueHostsStatement = prepareOnce((db) =>
  db
    .select()
    .from(hosts)
    .where(and(eq(hosts.status, HOST_STATUS.active), lt(hosts.deadline, bound("now"))))
    .orderBy(asc(hosts.deadline))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Active hosts whose deadline has passed, the longest overdue first. */
export function overdueHosts(db: Db, now: number, limit: number) {
  return overdueHostsStatement(db).all({ now, limit });
}

/** Ids of the same hosts, read from an index alone: where a part of the table is damaged, the others can still be found. */
export function overdueIds(db: Db, now: number, limit: number): number[] {
  return db
    .select({ id: hosts.id })
    .from(hosts)
    .where(and(eq(hosts.status, HOST_STATUS.active), lt(hosts.deadline, now)))
    .orderBy(asc(hosts.deadline))
    .limit(limit)
    .all()
    .map(({ id }) => id);
}

export function hostById(db: Db, id: number) {
  return db.select().from(hosts).where(eq(hosts.id, id)).get();
}

const markDownStatement = prepareOnce((db) =>
  db
    .update(hosts)
    .set({
      status: HOST_STATUS.inactive,
      heartbeat: 0,
      led: sql`${sql.placeholder("led")}`,
      statusText: sql`${sql.placeholder("statusText")}`,
    })
    .where(
      and(
        eq(hosts.id, bound("id")),
        eq(hosts.status, HOST_STATUS.active),
        eq(hosts.deadline, bound("deadline")),
      ),
    )
    .returning({ id: hosts.id })
    .prepare(),
);

/**
 * Stores that a host is silent, if nothing was heard of it since it was read.
 * @returns whether it was stored
 */
export function markDown(
  db: Db,
  { id, deadline }: { id: number; deadline: number },
  led: number,
  statusText: string,
): boolean {
  return countingHost(
    db,
    id,
    () => markDownStatement(db).get({ id, deadline, led, statusText }) !== undefined,
  );
}

export function putOffDeadline(db: Db, hostId: number, deadline: number): void {
  db.update(hosts).set({ deadline }).where(eq(hosts.id, hostId)).run();
}

/** Muster stood still. */
export interface Stall {
  /** For how long. */
  seconds: number;
  /** When all deadlines last began afresh, unix seconds. */
  lastRearmed: number;
}

/**
 * The full time from `now` on. After a stall only for a host that was heard since the last time that it was given; any
 * other gets no more than was lost. However often Muster stands still, a dead host is noticed.
 */
function rearmed(now: number, stall: Stall | null) {
  const full = sql`${now} + ${hosts.skew} * ${hosts.poll}`;
  if (stall === null) return full;
  return sql`case when ${hosts.lastmodified} >= ${stall.lastRearmed} then ${full}
    else min(${full}, ${hosts.deadline} + ${stall.seconds}) end`;
}

/** Gives every active host its time again. */
export function rearmDeadlines(db: Db, now: number, stall: Stall | null): void {
  db.update(hosts)
    .set({ deadline: rearmed(now, stall) })
    .where(eq(hosts.status, HOST_STATUS.active))
    .run();
}

/** The same for one of them. */
export function rearmDeadline(db: Db, id: number, now: number, stall: Stall | null): void {
  db.update(hosts)
    .set({ deadline: rearmed(now, stall) })
    .where(eq(hosts.id, id))
    .run();
}

/** Receipt of the last message of all; 0 before the first. */
export function newestMessage(db: Db): number {
  return (
    db
      .select({ at: max(hosts.lastmodified) })
      .from(hosts)
      .get()?.at ?? 0
  );
}
