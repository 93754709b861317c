import type { Clock } from "../../platform/clock.ts";
import { declareError } from "../../platform/http/errors.ts";
import type { References } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { MAX_TAGS } from "./tag.ts";
import { addTag, recordFormerTags, removeTag, tagsOf, tagsOfHosts } from "./tags.repository.ts";
import { type TagChange, tagChange } from "./tags.schemas.ts";

export const tooManyTags = declareError(
  409,
  "tags.many",
  `A host has at most ${MAX_TAGS} tags`,
  (hostId: number) => `Host ${hostId} would have more than ${MAX_TAGS} tags`,
);

/** Tags of a host, before and after a change. */
interface TagsOfHost {
  hostId: number;
  before: readonly string[];
  after: readonly string[];
}

/**
 * Replaces the tags of a host, and records what it had.
 * @param at unix seconds
 * @returns how many were removed or added
 */
function replaceTags(db: Db, { hostId, before, after }: TagsOfHost, at: number): number {
  const removed = before.filter((tag) => !after.includes(tag));
  const added = after.filter((tag) => !before.includes(tag));
  for (const tag of removed) removeTag(db, hostId, tag);
  for (const tag of added) addTag(db, hostId, tag);
  const changed = removed.length + added.length;
  if (changed > 0) recordFormerTags(db, hostId, before, at);
  return changed;
}

/** Replaces the tags of a host. Call it within a transaction; the host must exist. @param at unix seconds */
export function setTags(db: Db, hostId: number, tags: readonly string[], at: number): void {
  replaceTags(db, { hostId, before: tagsOf(db, hostId), after: [...new Set(tags)] }, at);
}

/** The tags of a host after a change, each once. */
type Change = (before: readonly string[], tags: readonly string[]) => string[];

const withTags: Change = (before, tags) => [...new Set([...before, ...tags])];
const withoutTags: Change = (before, tags) => before.filter((tag) => !tags.includes(tag));

/** Tags that administrators set on hosts. A tag exists as long as a host has it. */
export class HostTags {
  constructor(
    private readonly db: Db,
    private readonly references: References,
    /** Drops hosts whose tags changed. */
    private readonly hostCache: { forget(hostId: number): void },
    private readonly clock: Clock,
  ) {}

  /** Adds tags to hosts: to all or none. @returns how many were new @throws ApiError 400, 409 */
  add(change: TagChange): number {
    return this.#change(change, withTags);
  }

  /** Throws what `add` would. @throws ApiError 400, 409 */
  checkAdd(change: TagChange): void {
    this.#checked(change, withTags);
  }

  /** Removes tags from hosts: from all or none. @returns how many were removed @throws ApiError 400 */
  remove(change: TagChange): number {
    return this.#change(change, withoutTags);
  }

  /** Throws what `remove` would. @throws ApiError 400 */
  checkRemove(change: TagChange): void {
    this.#checked(change, withoutTags);
  }

  #change(change: TagChange, act: Change): number {
    return transaction(this.db, () => {
      const now = this.clock.now();
      let changed = 0;
      for (const host of this.#checked(change, act)) {
        changed += replaceTags(this.db, host, now);
        this.hostCache.forget(host.hostId);
      }
      return changed;
    });
  }

  #checked(change: TagChange, act: Change): TagsOfHost[] {
    this.references.refuseUnknown(tagChange, change, null, "all");
    const ids = [...new Set(change.hosts)];
    const tagsBefore = tagsOfHosts(this.db, ids);
    return ids.map((hostId) => {
      const before = tagsBefore(hostId);
      const after = act(before, change.tags);
      if (after.length > MAX_TAGS) throw tooManyTags(hostId);
      return { hostId, before, after };
    });
  }
}
