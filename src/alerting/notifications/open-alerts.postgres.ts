import type { Check } from "../../monitoring/uptime/downtime.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";

/** "offset 0" makes PostgreSQL look up the alerts of each check. It takes open alerts for few, and would read them all. */
const statement = prepareOnce((db) =>
  db.$client.prepare<Check & { ruleId: number }, [lists: number[][]]>(
    `select given.host_id as "hostId", given.name_id as "nameId", given.event_type as "eventType",
       given.limit_id as "limitId", rule_id as "ruleId"
     from unnest(?1::bigint[], ?2::bigint[], ?3::bigint[], ?4::bigint[]) as given(host_id, name_id, event_type, limit_id)
       cross join lateral (select rule_id, event_id from alerts
         where host_id = given.host_id and name_id = given.name_id and event_type = given.event_type
           and limit_id = given.limit_id and closed_at is null offset 0) as own
       join events on events.id = own.event_id and state = 1`,
  ),
);

/** The open alerts for failures of many checks. */
export function openAlertsOf(db: Db, checks: readonly Check[]): (Check & { ruleId: number })[] {
  const columns = ["hostId", "nameId", "eventType", "limitId"] as const;
  return statement(db).all(columns.map((column) => checks.map((check) => check[column])));
}
