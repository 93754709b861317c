/** The failures that were open at a moment. */
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { HIDDEN, idsIn, indexName } from "../../platform/storage/words.ts";
import { asParameter, readValues } from "./moment-rows.ts";

/** A failure that was open at a moment. */
export interface PastFailure {
  /** Id of the downtime interval. */
  id: number;
  hostId: number;
  nameId: number;
  eventType: number;
  limitId: number;
  startedAt: number;
}

const COLUMNS = "d.id, d.host_id, d.name_id, d.event_type, d.limit_id, d.started_at";

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
  return hostIds ? failuresOfHosts(db, at, hostIds) : failuresOfAll(db, at);
}

function failuresOfHosts(db: Db, at: number, hostIds: readonly number[]): PastFailure[] {
  const rows = readValues(
    db,
    `select ${COLUMNS} from downtime_intervals d ${indexName("downtime_of_check_by_start")}
     where d.host_id in ${idsIn("?1")} and d.started_at <= ?2 and (d.ended_at is null or d.ended_at > ?2)`,
    asParameter(hostIds),
    at,
  );
  return rows.map(failureOf);
}

function failuresOfAll(db: Db, at: number): PastFailure[] {
  const rows = readValues(
    db,
    `select ${COLUMNS} from downtime_intervals d ${indexName("downtime_by_end")}
       where d.ended_at > ?1 and ${HIDDEN}d.started_at <= ?1
     union all
     select ${COLUMNS} from downtime_intervals d ${indexName("downtime_open")}
       where d.ended_at is null and ${HIDDEN}d.started_at <= ?1`,
    at,
  );
  return rows.map(failureOf);
}

const lastEndStatement = prepareOnce((db) =>
  db.$client.prepare<{ endedAt: number }, [number, number, number, number]>(
    `select ended_at as "endedAt" from downtime_intervals ${indexName("downtime_of_check_by_start")}
     where host_id = ${HIDDEN}?1 and name_id = ${HIDDEN}?2 and event_type = ${HIDDEN}?3 and limit_id = 0
       and started_at <= ${HIDDEN}?4 and ended_at <= ${HIDDEN}?4
     order by started_at desc limit 1`,
  ),
);

/**
 * When the last failure of a service that was over by a moment had ended, unix seconds. Failures of limits do not
 * count.
 */
export function lastEnd(
  db: Db,
  { hostId, nameId, eventType }: Pick<PastFailure, "hostId" | "nameId" | "eventType">,
  at: number,
): number | undefined {
  return lastEndStatement(db).get(hostId, nameId, eventType, at)?.endedAt;
}

/** Hosts with a failure that ended after one time and by another, unix seconds. */
export function hostsRecovered(db: Db, { after, by }: { after: number; by: number }): Set<number> {
  const rows = readValues(
    db,
    `select distinct host_id from downtime_intervals ${indexName("downtime_by_end")} where ended_at > ?1 and ended_at <= ?2`,
    after,
    by,
  );
  return new Set(rows.map(([id]) => Number(id)));
}
