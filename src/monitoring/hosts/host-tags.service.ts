import type { Clock } from "../../platform/clock.ts";
import { declareError } from "../../platform/http/errors.ts";
import type { References } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { addTag, countTags, recordTags, removeTag, tagsOf } from "../tags/tags.repository.ts";
import { type TagChange, tagChange } from "../tags/tags.schemas.ts";
import type { KnownHosts } from "./known-hosts.ts";

export const tooManyTags = declareError(
  409,
  "tags.many",
  `A host has at most ${MAX_TAGS} tags`,
  (hostId: number) => `Host ${hostId} would have more than ${MAX_TAGS} tags`,
);

/** Replaces the tags of a host. Call it within a transaction; the host must exist. @param at unix seconds */
export function setTags(db: Db, hostId: number, tags: readonly string[], at: number): void {
  const before = tagsOf(db, hostId);
  for (const tag of before) if (!tags.includes(tag)) removeTag(db, hostId, tag);
  for (const tag of tags) if (!before.includes(tag)) addTag(db, hostId, tag);
  recordTags(db, hostId, before, at);
}

/** Tags that administrators set on hosts. A tag exists as long as a host has it. */
export class HostTags {
  constructor(
    private readonly db: Db,
    private readonly references: References,
    private readonly hostCache: KnownHosts,
    private readonly clock: Clock,
  ) {}

  /** Adds tags to hosts: to all or none. @returns how many were new @throws ApiError 400, 409 */
  add(change: TagChange): number {
    return this.#each(change, addTag);
  }

  /** Removes tags from hosts: from all or none. @returns how many were removed @throws ApiError 400 */
  remove(change: TagChange): number {
    return this.#each(change, removeTag);
  }

  #each(change: TagChange, act: (db: Db, hostId: number, tag: string) => boolean): number {
    return transaction(this.db, () => {
      this.references.refuseUnknown(tagChange, change, null, "all");
      let changed = 0;
      for (const id of new Set(change.hosts)) {
        const before = tagsOf(this.db, id);
        changed += change.tags.filter((tag) => act(this.db, id, tag)).length;
        recordTags(this.db, id, before, this.clock.now());
        this.hostCache.forget(id);
        if (countTags(this.db, id) > MAX_TAGS) throw tooManyTags(id);
      }
      return changed;
    });
  }
}
