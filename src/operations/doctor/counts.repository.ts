/** Recomputes the stored counts of events and hosts (see event-counts and host-counts.repository). */
import { type SQL, sql } from "drizzle-orm";
import { COUNTED_GROUPS, UTC_DAY } from "../../monitoring/events/event-counts.repository.ts";
import type { Db } from "../../platform/storage/open.ts";

interface Counts {
  table: string;
  columns: string;
  /** Queries whose union is the expected content of the table. */
  parts: readonly string[];
}

const KIND = `${UTC_DAY}, service_type, event_type, state`;

/** @param members SQL: host ids whose events are included in the groups' counts */
function countsOf(members: string): Counts[] {
  const ofGroups = `from ${members} m join events on events.host_id = m.host_id`;
  return [
    {
      table: "event_counts",
      columns: "scope, day, service_type, event_type, state, n",
      parts: [
        `select 0, ${KIND}, count(*) from events group by 2, 3, 4, 5`,
        `select name_id, ${KIND}, count(*) from events group by 1, 2, 3, 4, 5`,
        `select -group_id, ${KIND}, count(*) ${ofGroups} group by 1, 2, 3, 4, 5`,
      ],
    },
    {
      table: "event_name_counts",
      columns: "group_id, name_id, n",
      parts: [`select group_id, name_id, count(*) ${ofGroups} group by 1, 2`],
    },
    {
      table: "host_counts",
      columns: "status, stopped, heartbeat, led, n",
      parts: ["select status, stopped, heartbeat, led, count(*) from hosts group by 1, 2, 3, 4"],
    },
  ];
}

/** Statements that rebuild all counts. Nothing else may write at the same time. */
export const RECOUNT: readonly string[] = [
  "delete from group_count_changes",
  ...countsOf("host_group_members").flatMap(({ table, columns, parts }) => [
    `delete from ${table}`,
    ...parts.map((part) => `insert into ${table} (${columns}) ${part}`),
  ]),
];

/** Rebuilds all counts. Nothing else may write at the same time. */
export function recount(db: Db): void {
  for (const statement of RECOUNT) db.run(sql.raw(statement));
}

/** Number of pending group changes that the membership contradicts. */
function impossibleChanges(db: Db): number {
  const [row] = db.all<{ n: number }>(
    sql`select count(*) as n from group_count_changes c where sign <> case when exists (
      select 1 from host_group_members m where m.host_id = c.host_id and m.group_id = c.group_id) then 1 else -1 end`,
  );
  return row?.n ?? 0;
}

/** The number of counts that differ from the rows that they count, are missing, or are too many. */
export function wrongCounts(db: Db): { events: number; hosts: number } {
  const wrong = ({ table, columns, parts }: Counts): number => {
    const expected: SQL = sql.raw(parts.map((part) => `select * from (${part}) as part`).join(" union all "));
    const stored = sql.raw(`select ${columns} from ${table} where n <> 0`);
    const [row] = db.all<{ n: number }>(
      sql`select (select count(*) from (select * from (${expected}) as expected except ${stored}) as missing)
        + (select count(*) from (${stored} except select * from (${expected}) as expected) as excess) as n`,
    );
    return row?.n ?? 0;
  };
  const [kinds = 0, names = 0, hosts = 0] = countsOf(`(${COUNTED_GROUPS})`).map(wrong);
  return { events: kinds + names + impossibleChanges(db), hosts };
}
