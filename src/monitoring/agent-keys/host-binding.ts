/** Which key a host reports with. Everything here runs inside the transaction of a flush. */
import type { ApiError } from "../../platform/http/errors.ts";
import { matchesName } from "../../platform/name-pattern.ts";
import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { cut } from "../../platform/text.ts";
import { existingGroups, joinByHand } from "../groups/groups.repository.ts";
import { updateHost } from "../hosts/hosts.repository.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { addTag, countTags, recordTags, tagsOf } from "../tags/tags.repository.ts";
import { isBound, isMemberOfAny, namesOfGroups } from "./agent-keys.repository.ts";
import { keyErrors } from "./key-errors.ts";
import type { SentKey } from "./key-ring.ts";

/** The key that a request came with; undefined for the collector's first credential. */
export type Credential = SentKey | undefined;

/** Longest host name in a reason, characters. */
const MAX_NAME = 100;

/** Whether the last message of a host had this credential and secret, so that nothing needs to be checked. */
export function isUnchanged(host: Pick<HostRow, "keyId" | "keySecret">, key: Credential): boolean {
  return host.keyId === (key?.id ?? 0) && host.keySecret === (key?.secret ?? 0);
}

/**
 * Why a key is not for hosts of a name; null if it is.
 * @param key its host names are a pattern of sort keys
 */
export function nameRefusal(key: Pick<SentKey, "name" | "hostpattern">, hostname: string): ApiError | null {
  if (key.hostpattern === "" || matchesName(key.hostpattern, sortKey(hostname))) return null;
  return keyErrors.otherHost(
    `The key ${key.name} is not for hosts with a name like ${cut(hostname, MAX_NAME)}`,
  );
}

/**
 * Why a message of a host is refused; null if it is not.
 * @param row of the host; undefined before its first message
 * @param hostname that the agent reports
 */
export function refusalOf(
  db: Db,
  key: Credential,
  row: HostRow | undefined,
  hostname: string,
): ApiError | null {
  const ofName = key ? nameRefusal(key, hostname) : null;
  if (ofName) return ofName;
  const name = cut(hostname, MAX_NAME);
  const id = key?.id ?? 0;
  if (row === undefined || row.keyId === id || row.nextKeyId === id) return null;
  const present = key ? `the key ${key.name}` : "the collector's first credential";
  if (isBound(db, row))
    return keyErrors.otherHost(`The host ${name} uses another key: someone has to move it to ${present}`);
  if (!key || key.hostgroups.length === 0 || isMemberOfAny(db, row.id, key.hostgroups)) return null;
  return keyErrors.otherHost(
    `The host ${name} is in none of the groups of ${present}: someone has to move it there`,
  );
}

/**
 * Binds a host to the credential of a message that was not refused. A host that had another one joins the groups of the
 * key, and gets its tags.
 * @param at unix seconds
 * @returns whether it had another one
 */
export function bindHost(db: Db, row: HostRow, key: Credential, at: number): boolean {
  if (isUnchanged(row, key)) return false;
  const isOther = row.keyId !== (key?.id ?? 0);
  const changes = {
    keyId: key?.id ?? 0,
    keySecret: key?.secret ?? 0,
    ...(isOther && { nextKeyId: null }),
  };
  updateHost(db, row.id, changes);
  Object.assign(row, changes);
  if (!key || !isOther) return isOther;
  joinAndTag(db, row.id, key, at);
  return true;
}

/** Adds a host to those of the groups that exist, and gives it as many of the tags as it has room for. */
export function joinAndTag(
  db: Db,
  hostId: number,
  { hostgroups, tags }: { hostgroups: readonly number[]; tags: readonly string[] },
  at: number,
): void {
  for (const groupId of existingGroups(db, hostgroups, "all")) joinByHand(db, groupId, hostId, at);
  const before = tagsOf(db, hostId);
  for (const tag of tags) if (countTags(db, hostId) < MAX_TAGS) addTag(db, hostId, tag);
  recordTags(db, hostId, before, at);
}

/** The host groups that an agent names and its key lets it join. */
export function allowedGroups(db: Db, key: Credential, named: readonly string[]): readonly string[] {
  if (!key || key.hostgroups.length === 0 || named.length === 0) return named;
  const names = namesOfGroups(db, key.hostgroups);
  return named.filter((name) => names.has(name));
}
