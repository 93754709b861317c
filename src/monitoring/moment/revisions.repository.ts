/** Reads the past of state whose tables hold only the present (platform/storage/revisions.repository.ts). */
import { and, desc, eq, gt, lt, max, sql } from "drizzle-orm";
import { deletionOf } from "../../platform/storage/delete-some.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  REVISION_KINDS,
  type RevisedContent,
  type RevisionKind,
} from "../../platform/storage/revisions.repository.ts";
import { revisions } from "../../platform/storage/schema.ts";
import { listOf } from "../../platform/storage/words.ts";

/** Since when revisions are recorded, unix seconds. 0 = since the database exists. */
export function recordedSince(db: Db): number {
  const [row] = db
    .select({ until: max(revisions.until) })
    .from(revisions)
    .where(eq(revisions.kind, "recording"))
    .all();
  return row?.until ?? 0;
}

/** In place of the content that was deleted because the object had too many revisions. */
export const FORGOTTEN = "false";

/**
 * The columns to put in place of those of the present row to get a past one; null if the object did not exist;
 * "unknown" if it had too many revisions for its past to be known.
 */
export type PastContent = RevisedContent | "unknown";

/** One object whose content at a moment was not the present one. */
export interface PastObject {
  hostId: number | null;
  objectId: number;
  content: PastContent;
}

/**
 * What several revisions have replaced. The earliest one that has a column decides its content.
 * @param contents of the newest revision, and then of each earlier one
 */
function merged(contents: readonly (string | null)[]): PastContent {
  if (contents.includes(FORGOTTEN)) return "unknown";
  let past: RevisedContent = {};
  for (const content of contents)
    past = content === null ? null : { ...past, ...(JSON.parse(content) as object) };
  return past;
}

/**
 * The objects of a kind that changed after a moment, each with what the changes replaced.
 * @param at unix seconds; a change at that second is part of the moment
 * @param hostIds only objects of these hosts
 */
export function pastObjects(
  db: Db,
  kind: RevisionKind,
  at: number,
  hostIds?: readonly number[],
): PastObject[] {
  const rows = db
    .select({ hostId: revisions.hostId, objectId: revisions.objectId, content: revisions.content })
    .from(revisions)
    .where(
      and(
        eq(revisions.kind, kind),
        gt(revisions.until, at),
        hostIds && sql`${revisions.hostId} in ${listOf(hostIds)}`,
      ),
    )
    .orderBy(desc(revisions.until), desc(revisions.id))
    .all();
  const objects = Map.groupBy(rows, ({ hostId, objectId }) => `${hostId}:${objectId}`).values();
  return [...objects].flatMap((changes) => {
    const [newest] = changes;
    if (!newest) return [];
    return [{ ...newest, content: merged(changes.map(({ content }) => content)) }];
  });
}

/** As `pastObjects`, by the id of the object. Memberships have no id of their own. */
export function revisionsAfter(
  db: Db,
  kind: Exclude<RevisionKind, "host_group_members">,
  at: number,
  hostIds?: readonly number[],
): Map<number, PastContent> {
  return new Map(pastObjects(db, kind, at, hostIds).map(({ objectId, content }) => [objectId, content]));
}

const oldRevisions = deletionOf<{ before: number; kind: string }>(
  revisions,
  and(eq(revisions.kind, sql.placeholder("kind")), lt(revisions.until, sql.placeholder("before"))),
);

/** Deletes up to `limit` revisions of what was true before a time, unix seconds. @returns how many */
export function deleteOldRevisions(db: Db, before: number, limit: number): number {
  let deleted = 0;
  for (const kind of REVISION_KINDS)
    if (deleted < limit) deleted += oldRevisions(db, { before, kind, limit: limit - deleted });
  return deleted;
}
