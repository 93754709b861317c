/** The failures that were open at a moment. */
import type { Db } from "../../platform/storage/open.ts";
import { HIDDEN, idsIn, indexName, NOT_INDEXED } from "../../platform/storage/words.ts";
import { asParameter, readValues } from "./moment-rows.ts";

export interface PastFailure {
  /** Of the downtime interval. */
  id: number;
  hostId: number;
  nameId: number;
  eventType: number;
  limitId: number;
  startedAt: number;
}

/** Most failures that ended after the moment that are read by their end. To read all is faster than to read more. */
const MAX_ENDED_SINCE = 20_000;

const columns = (alias: string) =>
  ["id", "host_id", "name_id", "event_type", "limit_id", "started_at"]
    .map((name) => `${alias}.${name}`)
    .join(", ");

function failureOf(row: readonly unknown[]): PastFailure {
  const [id, hostId, nameId, eventType, limitId, startedAt] = row as number[];
  return {
    id: id ?? 0,
    hostId: hostId ?? 0,
    nameId: nameId ?? 0,
    eventType: eventType ?? 0,
    limitId: limitId ?? 0,
    startedAt: startedAt ?? 0,
  };
}

/** The failures open at a moment. @param hostIds undefined: of all hosts */
export function failuresAt(db: Db, at: number, hostIds?: readonly number[]): PastFailure[] {
  if (hostIds) return failuresOfHosts(db, at, hostIds);
  return endedSince(db, at) > MAX_ENDED_SINCE ? failuresByReadingAll(db, at) : failuresByEnd(db, at);
}

function failuresOfHosts(db: Db, at: number, hostIds: readonly number[]): PastFailure[] {
  const rows = readValues(
    db,
    `select ${columns("d")} from downtime_intervals d ${indexName("downtime_of_check_by_start")}
     where d.host_id in ${idsIn("?1")} and d.started_at <= ?2 and (d.ended_at is null or d.ended_at > ?2)`,
    asParameter(hostIds),
    at,
  );
  return rows.map(failureOf);
}

/** How many failures ended after the moment, counted up to slightly more than the maximum. */
function endedSince(db: Db, at: number): number {
  const [row] = readValues(
    db,
    `select count(*) from (select 1 from downtime_intervals d ${indexName("downtime_by_end")}
       where d.ended_at > ?1 limit ${MAX_ENDED_SINCE + 1}) as ended`,
    at,
  );
  return Number(row?.[0] ?? 0);
}

function failuresByEnd(db: Db, at: number): PastFailure[] {
  const rows = readValues(
    db,
    `select ${columns("d")} from downtime_intervals d ${indexName("downtime_by_end")}
       where d.ended_at > ?1 and ${HIDDEN}d.started_at <= ?1
     union all
     select ${columns("d")} from downtime_intervals d ${indexName("downtime_open")}
       where d.ended_at is null and ${HIDDEN}d.started_at <= ?1`,
    at,
  );
  return rows.map(failureOf);
}

/** Reads the whole table in its order: a million rows in a tenth of a second. */
function failuresByReadingAll(db: Db, at: number): PastFailure[] {
  const rows = readValues(
    db,
    `select ${columns("d")} from downtime_intervals d ${NOT_INDEXED}
     where d.started_at <= ?1 and (d.ended_at is null or d.ended_at > ?1)`,
    at,
  );
  return rows.map(failureOf);
}

/** A failure that had ended by a moment. */
export interface EndedFailure {
  hostId: number;
  nameId: number;
  eventType: number;
  endedAt: number;
}

/** Failures of services that ended after one moment and by another. Those of limits are left out. */
export function failuresEnded(
  db: Db,
  services: readonly { hostId: number; nameId: number }[],
  { after, by }: { after: number; by: number },
): EndedFailure[] {
  const rows = readValues(
    db,
    `select d.host_id, d.name_id, d.event_type, d.ended_at
     from downtime_intervals d ${indexName("downtime_of_check_by_start")}
     where d.host_id in ${idsIn("?1")} and d.name_id in ${idsIn("?2")} and d.limit_id = 0
       and d.ended_at > ?3 and d.ended_at <= ?4`,
    asParameter(new Set(services.map(({ hostId }) => hostId))),
    asParameter(new Set(services.map(({ nameId }) => nameId))),
    after,
    by,
  );
  return rows.map(([hostId, nameId, eventType, endedAt]) => ({
    hostId: Number(hostId),
    nameId: Number(nameId),
    eventType: Number(eventType),
    endedAt: Number(endedAt),
  }));
}
