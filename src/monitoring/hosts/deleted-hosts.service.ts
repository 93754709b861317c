import { setImmediate as nextTurn } from "node:timers/promises";
import type { Actor } from "../../accounts/audit/actor.ts";
import type { Audit } from "../../accounts/audit/audit.service.ts";
import { batchesOf } from "../../platform/batches.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { Details } from "../../platform/http/audit-details.ts";
import { declareError, found } from "../../platform/http/errors.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { HOST_STATUS } from "../health/health.ts";
import { excludedReason, setExcluded } from "../uptime/excluded-time.repository.ts";
import {
  type DeletedHost,
  endRestoring,
  findDeletedHost,
  insertDeleting,
  moveHost,
  moveSomeHistory,
  movingHosts,
  restoreSome,
  setRestoring,
  setUntil,
} from "./deleted-hosts.repository.ts";
import { findHost, findHostOfAgent, healthOfHost, updateHost } from "./hosts.repository.ts";
import type { KnownHosts } from "./known-hosts.ts";

/** How long a deletion can be undone, seconds. */
const UNDO_SECONDS = 30 * DAY;
/** Hosts that are marked in one transaction. */
const MARKED_AT_ONCE = 25;
/** Interval between two steps in the background, milliseconds. */
export const DELETED_HOSTS_STEP_MS = 100;
/** Compaction is at most this far behind, seconds. */
const UNPACKED = 2 * DAY;

export const agentReports = declareError(
  409,
  "host.reports",
  "The agent of a deleted host reports as another host now; the message names it",
  (name: string, id: number, newName: string) =>
    `${name} cannot come back, as its agent is now that of the host ${newName} (id ${id}): delete that host first`,
);

interface DeletedHostsParts {
  db: Db;
  hostCache: KnownHosts;
  clock: Clock;
  audit: Audit;
  /** Brings a host up to date with what happened while it was deleted. */
  compaction: { rollUpSince(hostId: number, from: number): void };
  limits: { endOfDeleted(hostId: number, now: number): void };
}

/**
 * Deletes and restores hosts. Their rows are moved out of their tables, and back, in small steps, so that agents are
 * served in between. All progress is in the database: after an interruption, `step` continues.
 */
export class DeletedHosts {
  /** Hosts whose rows could not be moved. They are retried after the others. */
  readonly #failed = new Set<number>();

  constructor(private readonly parts: DeletedHostsParts) {}

  /** Moves some rows of a host that is being deleted or restored. @returns whether there is such a host */
  step(): boolean {
    const first = movingHosts(this.parts.db, this.#failed.size + 1);
    const moving = first.find(({ hostId }) => !this.#failed.has(hostId));
    if (!moving) {
      this.#failed.clear();
      return false;
    }
    // It counts as failed until it succeeds.
    this.#failed.add(moving.hostId);
    this.#move(moving);
    this.#failed.delete(moving.hostId);
    return true;
  }

  #move(host: DeletedHost): void {
    transaction(this.parts.db, () => {
      if (host.state === "deleting") this.#moveAway(host);
      else this.#moveBack(host);
    });
  }

  #moveAway({ hostId }: DeletedHost): void {
    const { db, clock, hostCache } = this.parts;
    if (moveSomeHistory(db, hostId)) return;
    moveHost(db, hostId, clock.now(), clock.now() + UNDO_SECONDS);
    hostCache.forget(hostId);
  }

  #moveBack(host: DeletedHost): void {
    const { db, clock, compaction, limits } = this.parts;
    const now = clock.now();
    const { hostId, deletedAt } = host;
    if (restoreSome(db, host)) {
      // The host must not be declared down before its agent gets answers again, even if all deadlines restart.
      updateHost(db, hostId, { deadline: now + DAY });
      return;
    }
    endRestoring(db, host, now);
    const row = findHost(db, hostId, "all");
    if (!row) throw new Error(`there is no host ${hostId}`);
    const deadline = now + row.skew * row.poll;
    // Someone may have changed its state while its rows returned.
    setExcluded(db, { hostId, serviceId: null }, excludedReason(row), now);
    updateHost(db, hostId, { deadline, ...healthOfHost(db, row) });
    compaction.rollUpSince(hostId, deletedAt - UNPACKED);
    limits.endOfDeleted(hostId, now);
  }

  /** Moves all rows of the hosts that are in `state`, in steps. Hosts in another state are left alone. */
  async #finish(ids: readonly number[], state: DeletedHost["state"]): Promise<void> {
    for (const id of ids)
      for (;;) {
        const host = findDeletedHost(this.parts.db, id);
        if (host?.state !== state) break;
        this.#move(host);
        await nextTurn();
      }
  }

  /**
   * Deletes hosts. An interrupted deletion continues later.
   * @param inactiveSince unix seconds: hosts that are no longer Inactive, or reported later, are kept; null: none is
   * @returns how many were deleted
   */
  async delete(
    ids: readonly number[],
    details: Details,
    actor: Actor,
    inactiveSince: number | null = null,
  ): Promise<number> {
    let deleted = 0;
    for (const batch of batchesOf(ids, MARKED_AT_ONCE)) {
      await this.#finish(batch, "restoring");
      deleted += this.beginDeletion(batch, details, actor, inactiveSince);
      await this.#finish(batch, "deleting");
    }
    return deleted;
  }

  /** Marks hosts for deletion by `step`. @param inactiveSince as in `delete` @returns how many were marked */
  beginDeletion(
    ids: readonly number[],
    details: Details,
    actor: Actor,
    inactiveSince: number | null = null,
  ): number {
    return transaction(this.parts.db, () => {
      // A host may report while those before it are deleted.
      const isWanted = ({ status, lastmodified }: HostRow) =>
        inactiveSince === null || (status === HOST_STATUS.inactive && lastmodified <= inactiveSince);
      return ids.filter((id) => this.#mark(id, details, actor, isWanted)).length;
    });
  }

  /** @returns false if the host is not wanted, does not exist, or is being deleted already */
  #mark(hostId: number, details: Details, actor: Actor, isWanted: (host: HostRow) => boolean): boolean {
    const { db, audit, clock } = this.parts;
    const host = findHost(db, hostId, "all");
    if (!host || !isWanted(host) || findDeletedHost(db, hostId)) return false;
    audit.add(actor, { operation: "admin/hosts/delete", subject: "host", subjectId: hostId, details });
    const { agentId, hostname } = host;
    const deletedAt = clock.now();
    const until = deletedAt + UNDO_SECONDS;
    insertDeleting(db, { hostId, agentId, hostname, deletedBy: actor.uname, deletedAt, until });
    return true;
  }

  /**
   * Restores deleted hosts: all or none.
   * @returns their number, once all their rows are restored
   * @throws ApiError 404; 409 if an agent reports as another host
   */
  async restore(ids: readonly number[], actor: Actor): Promise<number> {
    const distinct = [...new Set(ids)];
    this.beginRestoration(distinct, actor);
    await this.#finish(distinct, "restoring");
    return distinct.length;
  }

  /** Marks deleted hosts for restoration by `step`: all or none. @throws ApiError 404, 409 */
  beginRestoration(ids: readonly number[], actor: Actor): void {
    transaction(this.parts.db, () => {
      for (const host of ids.map((id) => this.#find(id))) {
        const { hostId, agentId, hostname } = host;
        const other = findHostOfAgent(this.parts.db, agentId);
        if (other) throw agentReports(hostname, other.id, other.hostname);
        setRestoring(this.parts.db, hostId);
        this.#record(actor, "restore", host);
        // The row of the host comes first: from then on, its agent does not create another host.
        this.#moveBack(host);
      }
    });
  }

  /** Makes deletions final at once: all or none. @throws ApiError 404 */
  deleteForGood(ids: readonly number[], actor: Actor): number {
    const { db, clock } = this.parts;
    const distinct = [...new Set(ids)];
    transaction(db, () => {
      for (const host of distinct.map((id) => this.#find(id))) {
        setUntil(db, host.hostId, clock.now());
        this.#record(actor, "delete", host);
      }
    });
    return distinct.length;
  }

  #record(actor: Actor, operation: string, { hostId, hostname }: DeletedHost): void {
    const entry = { operation: `admin/hosts/deleted/${operation}`, subject: "host", subjectId: hostId };
    this.parts.audit.add(actor, { ...entry, subjectName: hostname });
  }

  #find(id: number): DeletedHost {
    const host = findDeletedHost(this.parts.db, id);
    const isThere = host?.state === "deleted" && host.until > this.parts.clock.now();
    return found(isThere ? host : undefined, "deleted host", id);
  }
}
