/** A copy in memory of everything that an import may change. */
import { emptyDatabase } from "../../platform/storage/empty-database.ts";
import { pagesOf } from "../../platform/storage/move/rows.repository.ts";
import { fileTarget } from "../../platform/storage/move/rows.sqlite.ts";
import { movedTables } from "../../platform/storage/move/tables.ts";
import { type Db, sqliteClient } from "../../platform/storage/open.ts";

/** Tables that agents, sign-ins and notifications fill. Everything else is configuration, or small. */
const LEFT_OUT: ReadonlySet<string> = new Set([
  "acknowledge_links",
  "acknowledgements",
  "alerts",
  "api_tokens",
  "audit",
  "deleted_host_rows",
  "deleted_hosts",
  "deliveries",
  "delivery_events",
  "downtime_intervals",
  "event_counts",
  "event_name_counts",
  "event_notes",
  "event_word_sets",
  "event_words",
  "events",
  "excluded_intervals",
  "forecasts",
  "group_count_changes",
  "history_blocks",
  "host_counts",
  "limit_states",
  "limit_sums",
  "login_failures",
  "names",
  "output_changes",
  "pictures",
  "queued_actions",
  "recovery_codes",
  "rehearsal_messages",
  "rehearsals",
  "report_deliveries",
  "revisions",
  "sample_layouts",
  "samples",
  "service_group_members",
  "service_groups",
  "services",
  "session_attributes",
  "sessions",
  "shift_notices",
  "silent_recoveries",
  "statistics",
  "suspected_failures",
]);

/** Copies the configuration to a database in memory, from either engine. The caller closes it. */
export function copyOfConfiguration(db: Db): Db {
  const copy = emptyDatabase();
  const client = sqliteClient(copy);
  const target = fileTarget(client);
  client.run("PRAGMA foreign_keys = OFF");
  for (const table of movedTables())
    if (!LEFT_OUT.has(table.name)) for (const rows of pagesOf(db.$client, table)) target.insert(table, rows);
  client.run("PRAGMA foreign_keys = ON");
  return copy;
}
