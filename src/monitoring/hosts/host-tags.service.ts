import { declareError, errors } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { addTag, countTags, removeTag, tagsOf } from "../tags/tags.repository.ts";
import type { TagChange } from "../tags/tags.schemas.ts";
import { existingHosts } from "./hosts.repository.ts";
import type { KnownHosts } from "./known-hosts.ts";

export const tooManyTags = declareError(
  409,
  "tags.many",
  `A host has at most ${MAX_TAGS} tags`,
  (hostId: number) => `Host ${hostId} would have more than ${MAX_TAGS} tags`,
);

/** Replaces the tags of a host. Called within a transaction that knows the host. */
export function setTags(db: Db, hostId: number, tags: readonly string[]): void {
  const before = tagsOf(db, hostId);
  for (const tag of before) if (!tags.includes(tag)) removeTag(db, hostId, tag);
  for (const tag of tags) if (!before.includes(tag)) addTag(db, hostId, tag);
}

/** Tags that administrators give hosts. A tag exists as long as a host has it. */
export class HostTags {
  constructor(
    private readonly db: Db,
    private readonly hostCache: KnownHosts,
  ) {}

  /** Adds tags to hosts: to all or none. @returns how many were new @throws ApiError 404, 409 */
  add(given: TagChange): number {
    return this.#each(given, addTag);
  }

  /** Removes tags from hosts: from all or none. @returns how many there were @throws ApiError 404 */
  remove(given: TagChange): number {
    return this.#each(given, removeTag);
  }

  #each({ tag, hostid }: TagChange, act: (db: Db, hostId: number, tag: string) => boolean): number {
    return transaction(this.db, () => {
      const wanted = [...new Set(hostid)];
      const known = existingHosts(this.db, wanted, "all");
      const unknown = wanted.find((id) => !known.has(id));
      if (unknown !== undefined) throw errors.notFound("host", unknown);
      let changed = 0;
      for (const id of wanted) {
        changed += tag.filter((one) => act(this.db, id, one)).length;
        this.hostCache.forget(id);
        if (countTags(this.db, id) > MAX_TAGS) throw tooManyTags(id);
      }
      return changed;
    });
  }
}
