import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import { inSteps } from "../../platform/http/steps.ts";
import type { Turn } from "../../platform/http/turn.ts";
import type { References } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { Groups } from "../groups/groups.service.ts";
import { HOST_STATUS } from "../health/health.ts";
import type { DeletedHosts } from "../hosts/deleted-hosts.service.ts";
import { existingHosts, findHost } from "../hosts/hosts.repository.ts";
import type { Hosts } from "../hosts/hosts.service.ts";
import type { StatusQueries } from "../status/status.queries.ts";
import { MAX_TAGS } from "../tags/tag.ts";
import { tagsOf } from "../tags/tags.repository.ts";
import { tooManyTags } from "../tags/tags.service.ts";
import {
  type BulkDelete,
  type BulkUpdate,
  deleteArguments,
  type Selection,
  updateArguments,
} from "./bulk.schemas.ts";

/** Hosts per transaction. Each takes a few milliseconds, and agents are served between transactions. */
const STEP = 25;

export const otherCount = declareError(
  409,
  "bulk.count",
  "The number of matching hosts is not the expected one",
  (matching: number) => `${matching} hosts match: nothing was deleted`,
);

function tagsAfter(before: readonly string[], { addtags = [], removetags = [] }: BulkUpdate): string[] {
  return [...new Set([...before, ...addtags])].filter((tag) => !removetags.includes(tag));
}

export interface BulkDependencies {
  db: Db;
  references: References;
  hosts: Hosts;
  deletedHosts: DeletedHosts;
  groups: Groups;
  audit: Audit;
  queries: Pick<StatusQueries, "hostIdsMatching">;
}

/**
 * Changes many hosts in small steps. A step is one transaction with its audit entry, so a host is changed completely
 * or not at all, even if Muster ends in the middle.
 */
export class Bulk {
  constructor(private readonly dependencies: BulkDependencies) {}

  /**
   * Changes the settings, groups and tags of the selected hosts.
   * @param turn the caller that the selection counts for
   * @returns how many hosts were changed
   * @throws ApiError 400, 409; nothing is changed then
   */
  async update(turn: Turn, args: BulkUpdate, actor: Actor): Promise<number> {
    const { db, references, audit } = this.dependencies;
    references.refuseUnknown(updateArguments, args, null, "all");
    const ids = await this.#selected(turn, args);
    if (args.addtags) await this.#refuseTooManyTags(ids, args);
    const { hosts: _, filter: _filter, ...changes } = args;
    const changed = await inSteps(ids, STEP, (part) =>
      transaction(db, () => {
        // A host may have been deleted since the selection was made.
        const present = [...existingHosts(db, part, "all")];
        for (const id of present) this.#change(id, args);
        const entry = { operation: "admin/hosts/bulk/update", subject: "hosts" };
        audit.add(actor, { ...entry, details: { ...changes, hosts: present } });
        return present.length;
      }),
    );
    return changed.reduce((sum, n) => sum + n, 0);
  }

  /**
   * Deletes the selected hosts.
   * @param turn the caller that the selection counts for
   * @returns how many hosts were deleted
   * @throws ApiError 400, 409; nothing is deleted then
   */
  async delete(turn: Turn, args: BulkDelete, actor: Actor): Promise<number> {
    const { references, deletedHosts } = this.dependencies;
    references.refuseUnknown(deleteArguments, args, null, "all");
    const ids = await this.#selected(turn, args);
    if (ids.length !== args.count) throw otherCount(ids.length);
    return deletedHosts.delete(ids, { bulk: args.count }, actor);
  }

  async #selected(turn: Turn, { hosts, filter }: Selection): Promise<readonly number[]> {
    if (hosts && !filter) return [...new Set(hosts)];
    if (filter && !hosts)
      return (await this.dependencies.queries.hostIdsMatching(turn, filter, "all")).value.ids;
    throw errors.badRequest("Give either hosts or filter");
  }

  /** @throws ApiError 400 */
  async #refuseTooManyTags(ids: readonly number[], args: BulkUpdate): Promise<void> {
    await inSteps(ids, STEP, (part) => {
      for (const id of part)
        if (tagsAfter(tagsOf(this.dependencies.db, id), args).length > MAX_TAGS) throw tooManyTags(id);
    });
  }

  #change(id: number, args: BulkUpdate): void {
    const { addtags, removetags, addgroups = [], removegroups = [], ignored, ...settings } = args;
    const { db, hosts, groups } = this.dependencies;
    const host = findHost(db, id, "all");
    if (!host) return;
    for (const group of addgroups) groups.add({ id: group, hostid: [id] });
    for (const group of removegroups) groups.remove({ id: group, hostid: [id] });
    const isIgnored = host.status === HOST_STATUS.ignored;
    const status = ignored ? HOST_STATUS.ignored : HOST_STATUS.active;
    hosts.updateUnreviewed({
      ...settings,
      id,
      hostname: host.hostname,
      ...(ignored !== undefined && ignored !== isIgnored && { status }),
      ...((addtags ?? removetags) && { tag: tagsAfter(tagsOf(db, id), args) }),
    });
  }
}
