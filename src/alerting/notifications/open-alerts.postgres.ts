import type { Check } from "../../monitoring/uptime/downtime.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";

const statement = prepareOnce((db) =>
  db.$client.prepare<Check & { ruleId: number }, [lists: number[][]]>(
    `select alerts.host_id as "hostId", alerts.name_id as "nameId", alerts.event_type as "eventType",
       alerts.limit_id as "limitId", rule_id as "ruleId"
     from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[]) as given(host_id, name_id, event_type, limit_id)
       join alerts on alerts.host_id = given.host_id and alerts.name_id = given.name_id
         and alerts.event_type = given.event_type and alerts.limit_id = given.limit_id and closed_at is null
       join events on events.id = alerts.event_id and state = 1`,
  ),
);

/** The open alerts for failures of many checks. */
export function openAlertsOf(db: Db, checks: readonly Check[]): (Check & { ruleId: number })[] {
  const columns = ["hostId", "nameId", "eventType", "limitId"] as const;
  return statement(db).all(columns.map((column) => checks.map((check) => check[column])));
}
