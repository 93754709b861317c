import { and, eq, lt, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { events, hosts, services } from "../../platform/storage/schema.ts";

const discountStatements = prepareOnce((db) => ({
  host: db
    .update(hosts)
    .set({ events: sql`${hosts.events} - ${sql.placeholder("n")}` })
    .where(eq(hosts.id, sql.placeholder("hostId")))
    .prepare(),
  service: db
    .update(services)
    .set({ events: sql`${services.events} - ${sql.placeholder("n")}` })
    .where(
      and(eq(services.hostId, sql.placeholder("hostId")), eq(services.nameId, sql.placeholder("nameId"))),
    )
    .prepare(),
}));

/**
 * Deletes events older than `before`, unless their failure is still open, and takes them off the counters.
 * @param ofHost of this host alone
 */
export function deleteEvents(db: Db, before: number, limit: number, ofHost?: number): number {
  const old = db
    .select({ id: events.id })
    .from(events)
    .where(
      and(
        ofHost === undefined ? undefined : eq(events.hostId, ofHost),
        lt(events.date, before),
        eq(events.active, false),
      ),
    )
    .orderBy(events.date)
    .limit(limit);
  const gone = db
    .delete(events)
    .where(sql`${events.id} in ${old}`)
    .returning({ hostId: events.hostId, nameId: events.nameId })
    .all();
  const { host, service } = discountStatements(db);
  for (const [hostId, goneOfHost] of Map.groupBy(gone, (event) => event.hostId)) {
    host.run({ hostId, n: goneOfHost.length });
    for (const [nameId, ofService] of Map.groupBy(goneOfHost, (event) => event.nameId))
      service.run({ hostId, nameId, n: ofService.length });
  }
  return gone.length;
}
