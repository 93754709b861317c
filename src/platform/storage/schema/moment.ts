/** The past of state whose own tables hold only the present. */
import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { id } from "./columns.ts";
import { hosts } from "./hosts.ts";

/**
 * Revisions of objects. A row is written in the transaction that changes the object. Which objects these are, and what
 * `content` holds, is in platform/storage/revisions.repository.ts.
 */
export const revisions = sqliteTable(
  "revisions",
  {
    id: id(),
    kind: text().notNull(), // the table of the object
    hostId: integer().references(() => hosts.id, { onDelete: "cascade" }), // null if it belongs to no host
    objectId: integer().notNull(),
    until: integer().notNull(), // when this was no longer true
    content: text(), // as JSON, what a change at that time replaced; null = the object did not exist before
  },
  (t) => [
    index("revisions_by_date").on(t.kind, t.until, t.objectId),
    index("revisions_by_host").on(t.hostId, t.until),
  ],
);
