import { schemaReferences } from "../../platform/storage/foreign-keys.ts";
import type { Db } from "../../platform/storage/open.ts";
import { prepareOnce } from "../../platform/storage/open.ts";
import { FALSE } from "../../platform/storage/words.ts";

/** A group that only agents have named. */
export interface AgentGroup {
  id: number;
  name: string;
  /**
   * Whether a row of another table refers to it: members, grants, pages, reports, counts that are not applied yet.
   */
  used: number;
}

/** Every table that refers to a host group by a foreign key, each with an index of it. */
function usesOfGroup(): string {
  const tables = schemaReferences().flatMap(({ table, columns, parent }) =>
    parent === "host_groups" ? [{ table, column: columns[0] ?? "" }] : [],
  );
  return [...tables, { table: "group_count_changes", column: "group_id" }]
    .map(({ table, column }) => `exists (select 1 from ${table} where ${table}.${column} = host_groups.id)`)
    .join(" or ");
}

const groupsAfter = prepareOnce((db) =>
  db.$client.prepare<AgentGroup, [number, number]>(
    `select id, name, case when ${usesOfGroup()} then 1 else 0 end as used
     from host_groups where named_by_hand = ${FALSE} and id > ? order by id limit ?`,
  ),
);

/** The next groups that only agents have named, by id. */
export function agentGroupsAfter(db: Db, id: number, limit: number): AgentGroup[] {
  return groupsAfter(db).all(id, limit);
}
