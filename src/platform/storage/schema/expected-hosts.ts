/** Hosts that are expected before their agents report. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id, jsonColumn, textColumn } from "./columns.ts";

/**
 * Columns have the names of the resource's fields (monitoring/expected/expected.schemas.ts), where they are described.
 * There is no foreign key to hosts, so that deleting a host changes no row here.
 */
export const expectedHosts = sqliteTable(
  "expected_hosts",
  {
    id: id(),
    hostname: text().notNull().unique(),
    hostnameKey: textColumn(), // sort key (sort-key.ts)
    hostgroups: jsonColumn(),
    tags: jsonColumn(),
    description: textColumn(),
    skew: integer().notNull(),
    within: jsonColumn(), // a manager's groups: all groups of the host's key must be among them; [] = any key
    created: integer().notNull(),
    hostId: integer(), // the host that it became; null until then
    arrived: integer(), // when it did
  },
  (t) => [index("expected_hosts_by_arrival").on(t.arrived)],
);
