import { isDeepStrictEqual } from "node:util";
import { and, asc, count, eq, inArray, type SQL, type SQLWrapper, sql } from "drizzle-orm";
import type { Scope } from "../../platform/http/scope.ts";
import { countRows } from "../../platform/storage/count.repository.ts";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { recordRevision } from "../../platform/storage/revisions.repository.ts";
import { hosts, hostTags } from "../../platform/storage/schema.ts";
import { contains, listOf } from "../../platform/storage/words.ts";
import { inScope } from "../scope/scope.repository.ts";
import { parsedTag, tagConditions, tagText } from "./tag.ts";

const { hostId, name, value } = hostTags;

const ofHost = prepareOnce((db) =>
  db
    .select({ name, value })
    .from(hostTags)
    .where(eq(hostId, sql.placeholder("hostId")))
    .orderBy(asc(name), asc(value))
    .prepare(),
);

/** The tags of a host, in order. Prepared, as it runs for events. */
export function tagsOf(db: Db, id: number): string[] {
  return ofHost(db).all({ hostId: id }).map(tagText);
}

/** The tags of many hosts, in order, by host id. */
export function tagsOfHosts(db: Db, ids: readonly number[]): (hostId: number) => string[] {
  const rows = db
    .select({ hostId, name, value })
    .from(hostTags)
    .where(sql`${hostId} in ${listOf(ids)}`)
    .orderBy(asc(hostId), asc(name), asc(value))
    .all();
  const byHost = Map.groupBy(rows, (row) => row.hostId);
  return (id) => (byHost.get(id) ?? []).map(tagText);
}

/**
 * The condition that a host matches a filter by tags (see `matchesTags`).
 * @param host column with the id of the host
 * @param isDriven whether to look up hosts by their tags, instead of checking each host
 */
export function isTagged(
  host: SQLWrapper,
  filter: readonly string[],
  { isDriven = false } = {},
): SQL | undefined {
  return and(
    ...tagConditions(filter).map((condition) => {
      const tagged = and(
        eq(name, condition.name),
        condition.values ? inArray(value, condition.values) : undefined,
      );
      return isDriven
        ? sql`${host} in (select ${hostId} from ${hostTags} where ${tagged})`
        : sql`exists (select ${hostId} from ${hostTags} where ${tagged} and ${hostId} = ${host})`;
    }),
  );
}

/** The hosts that match a filter by tags. */
export function hostsTagged(db: Db, filter: readonly string[]): number[] {
  const rows = db
    .select({ id: hosts.id })
    .from(hosts)
    .where(isTagged(hosts.id, filter, { isDriven: true }))
    .all();
  return rows.map(({ id }) => id);
}

/** Every tag of hosts of the scope, in order, with the number of hosts. @param part text within the tag */
export function tagCounts(db: Db, part: string, scope: Scope) {
  const text = sql`${name} || '=' || ${value}`;
  return db
    .select({ name, value, hosts: count() })
    .from(hostTags)
    .where(and(inScope(hostId, scope), part === "" ? undefined : contains(text, part)))
    .groupBy(name, value)
    .orderBy(asc(name), asc(value))
    .all();
}

/** Number of tags of a host. */
export function countTags(db: Db, id: number): number {
  return countRows(db, hostTags, eq(hostId, id));
}

/** Records the tags that a host had before. @param at unix seconds */
export function recordFormerTags(db: Db, id: number, before: readonly string[], at: number): void {
  recordRevision(db, { kind: "hosts", hostId: id, objectId: id, until: at, content: { tags: before } });
}

/** Records that a host had other tags before, if it had. @param at unix seconds */
export function recordTags(db: Db, id: number, before: readonly string[], at: number): void {
  if (!isDeepStrictEqual(before, tagsOf(db, id))) recordFormerTags(db, id, before, at);
}

/** Prepared, as a request changes thousands. */
const changes = prepareOnce(({ $client }) => ({
  add: $client.prepare<null, [hostId: number, name: string, value: string]>(
    "insert into host_tags (host_id, name, value) values (?, ?, ?) on conflict do nothing",
  ),
  remove: $client.prepare<null, [hostId: number, name: string, value: string]>(
    "delete from host_tags where host_id = ? and name = ? and value = ?",
  ),
}));

/**
 * Adds a tag to a host; does nothing if the host has it. It does not check the number of tags, and records no revision.
 */
export function addTag(db: Db, id: number, tag: string): void {
  const { name, value } = parsedTag(tag);
  changes(db).add.run(id, name, value);
}

/** Removes a tag of a host; does nothing if the host does not have it. It records no revision. */
export function removeTag(db: Db, id: number, tag: string): void {
  const { name, value } = parsedTag(tag);
  changes(db).remove.run(id, name, value);
}
