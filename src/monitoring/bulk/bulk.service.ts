import { setImmediate as nextTurn } from "node:timers/promises";
import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { findGroup } from "../groups/groups.repository.ts";
import type { Groups } from "../groups/groups.service.ts";
import { HOST_STATUS } from "../health/health.ts";
import { tooManyTags } from "../hosts/host-tags.service.ts";
import { existingHosts, findHost } from "../hosts/hosts.repository.ts";
import type { Hosts } from "../hosts/hosts.service.ts";
import { hostIdsMatching } from "../status/status.repository.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import type { BulkDelete, BulkUpdate, Selection } from "./bulk.schemas.ts";

/** Hosts of one transaction: a few milliseconds each, between which agents are served. */
const STEP = 25;

export const otherCount = declareError(
  409,
  "bulk.count",
  "Not as many hosts match as were meant",
  (matching: number) => `${matching} hosts match: nothing was deleted`,
);

function tagsAfter(before: readonly string[], { addtag = [], removetag = [] }: BulkUpdate): string[] {
  return [...new Set([...before, ...addtag])].filter((tag) => !removetag.includes(tag));
}

/**
 * Changes many hosts in small steps. A step is one transaction with its own audit entry, so a host is changed
 * in whole or not at all, also if Muster ends in the middle.
 */
export class Bulk {
  constructor(
    private readonly db: Db,
    private readonly hosts: Hosts,
    private readonly groups: Groups,
    private readonly audit: Audit,
  ) {}

  /** @returns how many hosts were changed @throws ApiError 400, 404, 409; nothing is changed then */
  async update(given: BulkUpdate, actor: Actor): Promise<number> {
    const ids = this.#selected(given);
    this.#refuseUnknownGroups(given);
    const full = ids.find((id) => tagsAfter(tagsOf(this.db, id), given).length > MAX_TAGS);
    if (full !== undefined) throw tooManyTags(full);
    const { addtag, removetag, addgroupid, removegroupid, skew, ignored } = given;
    const details = { addtag, removetag, addgroupid, removegroupid, skew, ignored };
    let changed = 0;
    for (let from = 0; from < ids.length; from += STEP) {
      transaction(this.db, () => {
        // A host may have been deleted since the selection was made.
        const present = [...existingHosts(this.db, ids.slice(from, from + STEP), "all")];
        for (const id of present) this.#change(id, given);
        const entry = { operation: "admin/hosts/bulk/update", subject: "hosts" };
        this.audit.add(actor, { ...entry, details: { ...details, hosts: present } });
        changed += present.length;
      });
      await nextTurn();
    }
    return changed;
  }

  /** @returns how many hosts were deleted @throws ApiError 400, 404, 409; nothing is deleted then */
  async delete(given: BulkDelete, actor: Actor): Promise<number> {
    const ids = this.#selected(given);
    if (ids.length !== given.count) throw otherCount(ids.length);
    let deleted = 0;
    for (let from = 0; from < ids.length; from += STEP)
      deleted += await this.hosts.deleteSlowly(ids.slice(from, from + STEP), { bulk: given.count }, actor);
    return deleted;
  }

  #selected({ hostid, all, ...filter }: Selection): number[] {
    if ((hostid === undefined) !== all) throw errors.badRequest("Give either hostid or all=true");
    if (hostid === undefined) return hostIdsMatching(this.db, filter, "all");
    const wanted = [...new Set(hostid)];
    const known = existingHosts(this.db, wanted, "all");
    const unknown = wanted.find((id) => !known.has(id));
    if (unknown !== undefined) throw errors.notFound("host", unknown);
    return wanted;
  }

  #refuseUnknownGroups({ addgroupid = [], removegroupid = [] }: BulkUpdate): void {
    const unknown = [...addgroupid, ...removegroupid].find((id) => !findGroup(this.db, id));
    if (unknown !== undefined) throw errors.notFound("group", unknown);
  }

  #change(id: number, given: BulkUpdate): void {
    const { addtag, removetag, addgroupid = [], removegroupid = [], skew, ignored } = given;
    const host = findHost(this.db, id, "all");
    if (!host) return;
    for (const group of addgroupid) this.groups.add({ id: group, hostid: [id] });
    for (const group of removegroupid) this.groups.remove({ id: group, hostid: [id] });
    const isIgnored = host.status === HOST_STATUS.ignored;
    const status = ignored ? HOST_STATUS.ignored : HOST_STATUS.active;
    this.hosts.take({
      ...{ id, hostname: host.hostname, skew },
      ...(ignored !== undefined && ignored !== isIgnored && { status }),
      ...((addtag ?? removetag) && { tag: tagsAfter(tagsOf(this.db, id), given) }),
    });
  }
}
