import { and, asc, eq, lt, max, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { type HostRow, hosts } from "../../platform/storage/schema.ts";
import { HIDDEN } from "../../platform/storage/words.ts";
import { HOST_STATUS } from "../health/health.ts";
import { countingHost } from "../hosts/host-counts.repository.ts";
import { recordState } from "../hosts/hosts.repository.ts";

const earliestDeadlineStatement = prepareOnce((db) =>
  db.$client.prepare<{ at: number | null }, [number]>(
    `select min(deadline) as at from hosts where status = ${HIDDEN}?`,
  ),
);

/**
 * The earliest deadline of an active host; null if there is none. PostgreSQL reads all hosts for it: with an index on
 * deadlines, every message would have to update the index.
 */
export function earliestDeadline(db: Db): number | null {
  return earliestDeadlineStatement(db).get(HOST_STATUS.active)?.at ?? null;
}

const overdueHostsStatement = prepareOnce((db) =>
  db
    .select()
    .from(hosts)
    .where(and(eq(hosts.status, HOST_STATUS.active), lt(hosts.deadline, sql.placeholder("now"))))
    .orderBy(asc(hosts.deadline))
    .limit(sql.placeholder("limit"))
    .prepare(),
);

/** Active hosts whose deadline has passed, longest overdue first. */
export function overdueHosts(db: Db, now: number, limit: number) {
  return overdueHostsStatement(db).all({ now, limit });
}

/** Ids of the same hosts, read from an index only, which works even if parts of the table are damaged. */
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
        eq(hosts.id, sql.placeholder("id")),
        eq(hosts.status, HOST_STATUS.active),
        eq(hosts.deadline, sql.placeholder("deadline")),
      ),
    )
    .returning({ id: hosts.id })
    .prepare(),
);

/**
 * Marks a host as down, unless a message arrived after its row was read.
 * @param at unix seconds
 * @returns whether it was marked
 */
export function markDown(
  db: Db,
  row: Pick<HostRow, "id" | "deadline" | "status" | "stopped" | "heartbeat">,
  state: Pick<HostRow, "led" | "statusText">,
  at: number,
): boolean {
  const { id, deadline } = row;
  const isMarked = countingHost(
    db,
    id,
    () => markDownStatement(db).get({ id, deadline, ...state }) !== undefined,
  );
  if (isMarked) recordState(db, id, row, { status: HOST_STATUS.inactive, heartbeat: 0 }, at);
  return isMarked;
}

/** Sets when a host counts as down unless it reports, unix seconds. Its state does not change. */
export function putOffDeadline(db: Db, hostId: number, deadline: number): void {
  db.update(hosts).set({ deadline }).where(eq(hosts.id, hostId)).run();
}

/** A period during which Muster did not run. */
export interface Stall {
  /** Its length, seconds. */
  seconds: number;
  /** When all deadlines were last restarted, unix seconds. */
  lastRearmed: number;
}

/**
 * The new deadline of a host: its full time from `now`. After a stall, a host that has not reported since the last
 * restart of deadlines only gets the lost time added, so that repeated stalls cannot keep a dead host from being
 * declared down.
 */
function rearmed(now: number, stall: Stall | null) {
  const full = sql`${now} + ${hosts.skew} * ${hosts.poll}`;
  if (stall === null) return full;
  return sql`case when ${hosts.lastmodified} >= ${stall.lastRearmed} then ${full}
    when ${full} < ${hosts.deadline} + ${stall.seconds} then ${full} else ${hosts.deadline} + ${stall.seconds} end`;
}

/** Restarts the deadline of every active host, or of one host. */
export function rearmDeadlines(db: Db, now: number, stall: Stall | null, hostId?: number): void {
  db.update(hosts)
    .set({ deadline: rearmed(now, stall) })
    .where(hostId === undefined ? eq(hosts.status, HOST_STATUS.active) : eq(hosts.id, hostId))
    .run();
}

/** When the newest message of any host was received, unix seconds; 0 if there is none. */
export function newestMessage(db: Db): number {
  const [newest] = db
    .select({ at: max(hosts.lastmodified) })
    .from(hosts)
    .all();
  return newest?.at ?? 0;
}
