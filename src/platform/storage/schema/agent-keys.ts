/** Keys of agents: credentials beside the collector's first one. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { count, id, jsonColumn, ownedBy, textColumn } from "./columns.ts";

/**
 * Columns have the names of the resource's fields (monitoring/agent-keys/agent-keys.schemas.ts), where they are described.
 * Hosts refer to keys by `hosts.keyId`.
 */
export const agentKeys = sqliteTable("agent_keys", {
  id: id(),
  name: text().notNull().unique(),
  secret: text().notNull(), // sealed by the secret box
  secretNumber: integer().notNull().default(1), // how many secrets the key has had
  previous: textColumn(), // the secret before, sealed; "" when there was none
  previousuntil: count(), // when the secret before stops being accepted
  hostgroups: jsonColumn(),
  tags: jsonColumn(),
  hostpattern: textColumn(),
  ends: integer(),
  created: integer().notNull(),
  lastused: integer(), // up to some minutes late
});

/** Codes that machines exchange for a key. Only the hash of a code is stored. */
export const enrolmentCodes = sqliteTable(
  "enrolment_codes",
  {
    id: id(),
    keyId: ownedBy(() => agentKeys.id),
    codeHash: text().notNull().unique(),
    uses: integer().notNull(), // how many machines may use it
    used: count(), // how many have
    ends: integer().notNull(),
    created: integer().notNull(),
    lastused: integer(), // null = not yet
  },
  (t) => [index("enrolment_codes_by_key").on(t.keyId)],
);
