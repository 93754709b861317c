/** Writes of many checks at once, each after the newest point of its check. */

import type { Db } from "../../platform/storage/open.ts";
import { rowWriter } from "../../platform/storage/row-writer.ts";
import type { Check, SpanOfCheck } from "./downtime.repository.ts";

const LISTS = `unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[], ?5::bigint[], ?6::bigint[], ?7::bigint[],
  ?8::bigint[]) as given(host_id, name_id, event_type, limit_id, started_at, ended_at, incarnation, collected_sec)`;

type Row = [...check: number[], startedAt: number, endedAt: number | null, run: number, collected: number];

const add = rowWriter<Row>({
  postgres: `insert into downtime_intervals
      (host_id, name_id, event_type, limit_id, started_at, ended_at, incarnation, clear_collected_sec)
    select * from ${LISTS}`,
});

const change = rowWriter<Row>({
  postgres: `update downtime_intervals as own set ended_at = given.ended_at, incarnation = given.incarnation,
      clear_count = 0, clear_since = 0, clear_collected_sec = given.collected_sec
    from ${LISTS}
    where own.host_id = given.host_id and own.name_id = given.name_id and own.event_type = given.event_type
      and own.limit_id = given.limit_id and own.started_at = given.started_at`,
});

/**
 * Stores the newest interval of a check.
 * @param isKnown whether it began before, and changes
 * @param incarnation the agent's current incarnation
 */
export function storeNewestInterval(
  db: Db,
  { hostId, nameId, eventType, limitId }: Check,
  { startedAt, endedAt, collectedSec }: SpanOfCheck,
  incarnation: number,
  isKnown: boolean,
): void {
  const write = isKnown ? change : add;
  write(db, hostId, nameId, eventType, limitId, startedAt, endedAt, incarnation, collectedSec);
}
