/** Acknowledgements of failures. */
import { and, eq, gt, isNull, or, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { acknowledgements } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

const { placeholder } = sql;

/** Stores an acknowledgement. Any previous one of the event must have been ended, in the same transaction. */
export function insertAcknowledgement(
  db: Db,
  row: Omit<typeof acknowledgements.$inferInsert, "id" | "endedAt">,
): void {
  db.insert(acknowledgements).values(row).run();
}

const openOf = (eventId: number) =>
  and(eq(acknowledgements.eventId, eventId), isNull(acknowledgements.endedAt));

/** Ends the acknowledgement of an event, if there is one. @param at unix seconds */
export function endAcknowledgement(db: Db, eventId: number, at: number): void {
  db.update(acknowledgements).set({ endedAt: at }).where(openOf(eventId)).run();
}

/** Moves the acknowledgement of an event to another event of the same failure. */
export function moveAcknowledgement(db: Db, from: number, to: number): void {
  db.update(acknowledgements).set({ eventId: to }).where(openOf(from)).run();
}

const inEffect = prepareOnce((db) =>
  db
    .select({
      eventId: acknowledgements.eventId,
      uname: acknowledgements.uname,
      date: acknowledgements.createdAt,
      until: acknowledgements.until,
      note: acknowledgements.note,
    })
    .from(acknowledgements)
    .where(
      and(
        sql`${acknowledgements.eventId} in ${listOf(placeholder("ids"))}`,
        isNull(acknowledgements.endedAt),
        or(isNull(acknowledgements.until), gt(acknowledgements.until, placeholder("now"))),
      ),
    )
    .prepare(),
);

/** An active acknowledgement. Times are unix seconds. */
export interface Acknowledgement {
  uname: string;
  date: number;
  /** Null: until the failure ends. */
  until: number | null;
  note: string;
}

/** The active acknowledgements of these events, keyed by event. */
export function acknowledgementsOf(
  db: Db,
  eventIds: readonly number[],
  now: number,
): Map<number, Acknowledgement> {
  const rows = inEffect(db).all({ ids: JSON.stringify(eventIds), now });
  return new Map(rows.map(({ eventId, ...acknowledgement }) => [eventId, acknowledgement]));
}
