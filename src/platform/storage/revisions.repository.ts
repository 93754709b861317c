/**
 * Records what changes replace, for tables that hold only the present: what was true before, and until when. What has
 * been true since the newest revision is in the table itself. Revisions are read by monitoring/moment.
 */
import { isDeepStrictEqual } from "node:util";
import type { Db } from "./open.ts";
import { insertRows } from "./rows.ts";
import { revisions } from "./schema.ts";

/**
 * What has revisions: rows of the table with this name. "recording" stands for the recording itself: in a database that
 * is older than this feature, its only revision says since when changes have been recorded.
 */
export const REVISION_KINDS = [
  "recording",
  "hosts", // also their tags and service groups
  "services",
  "events",
  "host_groups",
  "host_group_members", // the id is that of the group
  "limits",
  "rules",
  "maintenance_windows",
  "on_call_schedules",
  "on_call_overrides",
  "dependencies",
  "users",
] as const;
export type RevisionKind = (typeof REVISION_KINDS)[number];

/**
 * What a change replaced: the columns that changed, by their names in the schema, or all of them if the object was deleted.
 * Null if the object did not exist before.
 */
export type RevisedContent = Readonly<Record<string, unknown>> | null;

export interface Revision {
  kind: RevisionKind;
  /** The host to which the object belongs. If it is deleted, its revisions are deleted with it; null: none. */
  hostId: number | null;
  objectId: number;
  /** When the content was no longer true, unix seconds. */
  until: number;
  content: RevisedContent;
}

const COLUMNS = ["kind", "hostId", "objectId", "until", "content"] as const;
const insertOfHost = insertRows(revisions, COLUMNS, "hostId");
const insertOther = insertRows(revisions, COLUMNS, null);

/** Records what a change replaced. Call it in the transaction of the change. */
export function recordRevision(db: Db, { hostId, content, ...revision }: Revision): void {
  const row = { ...revision, content: content && JSON.stringify(content) };
  if (hostId === null) insertOther(db, { ...row, hostId });
  else insertOfHost(db, { ...row, hostId });
}

/**
 * Records the columns of a row that a change replaced, if there are any.
 * @param changes the new values of some of its columns
 */
export function recordChange(
  db: Db,
  revision: Omit<Revision, "content">,
  before: object,
  changes: object,
): void {
  const replaced = Object.entries(before).filter(
    ([name, value]) =>
      name in changes && !isDeepStrictEqual((changes as Record<string, unknown>)[name], value),
  );
  if (replaced.length > 0) recordRevision(db, { ...revision, content: Object.fromEntries(replaced) });
}
