import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import { findHost } from "../../monitoring/hosts/hosts.repository.ts";
import { isVisibleById, isWithin, narrowed } from "../../monitoring/places/visible-filters.ts";
import { type Clock, DAY, MINUTE } from "../../platform/clock.ts";
import { MAX_AUDITED_ITEMS } from "../../platform/http/audit-details.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { ReferenceKind } from "../../platform/resources/marks.ts";
import { type Ref, type References, refsIn } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { wakeSuppressed } from "../rules/alert-wakes.repository.ts";
import { namedRules } from "../rules/rules.repository.ts";
import {
  allMutes,
  deleteMute,
  endLease,
  findMute,
  insertMute,
  type Mute,
  mutePages,
  mutesNotEnded,
  renewLease,
  setEndOfMute,
} from "./maintenance.repository.ts";
import { MAX_MUTE_MINUTES, type MuteArguments, muteArguments, type RenewArguments } from "./mutes.schemas.ts";

/** The most mutes that have not ended. All of them are checked before a message is sent, hence the bound. */
const MAX_MUTES = 1000;
/** The most ended mutes that are kept, so that previews of rules know them. */
const MAX_ENDED = 200;
/** Seconds until a lease ends unless it is renewed. Commands renew it each minute. */
const LEASE = 180;
/** Longest mute with a lease, seconds. */
const MAX_LEASED = DAY;

/** Mutes: single windows that pause notifications, begun by a user. */
export class Mutes {
  constructor(
    private readonly db: Db,
    private readonly references: References,
    private readonly clock: Clock,
  ) {}

  /**
   * What a mute covers and when, for the audit log, with the present names of hosts, groups and rules. Empty once the
   * mute has ended.
   */
  auditState(id: number): Record<string, unknown> {
    const mute = findMute(this.db, id);
    if (!mute || this.#hasEnded(mute)) return {};
    const { filter, schedule, note } = mute;
    const { from, to } = schedule;
    return { filter, ...this.#namesIn(filter), from, to, note };
  }

  /** Names of what a filter lists by id: as many of each kind as the audit log shows. */
  #namesIn({ hosts, hostgroups, rules }: Mute["filter"]): Record<string, unknown> {
    const { db } = this;
    return {
      ...(hosts && {
        hosts: hosts.slice(0, MAX_AUDITED_ITEMS).flatMap((id) => findHost(db, id, "all")?.hostname ?? []),
      }),
      ...(hostgroups && {
        hostgroups: hostgroups.slice(0, MAX_AUDITED_ITEMS).flatMap((id) => findGroup(db, id)?.name ?? []),
      }),
      ...(rules && { rules: namedRules(db, rules).map(({ name }) => name) }),
    };
  }

  /** The references to objects of a kind in stored mutes, in pages that each read a bounded number of rows. */
  *refsTo(kind: ReferenceKind): Generator<Ref[]> {
    for (const page of mutePages(this.db))
      yield page.flatMap(({ filter }) => refsIn(muteArguments, { filter }, kind));
  }

  /** Begins a mute. @returns its id @throws ApiError 400; 403 if it covers a host that the caller does not operate */
  create(args: MuteArguments, mutedBy: string, reach: Reach): number {
    const { db } = this;
    const { filter, lease, note } = args;
    const createdAt = this.clock.now();
    return transaction(db, () => {
      this.#checkFilter(filter, reach);
      const from = args.from ?? createdAt;
      const to = lease ? this.#endOfLease(args, createdAt) : this.#endOf(args, from, createdAt);
      this.#makeRoom(createdAt);
      return insertMute(db, {
        filter,
        schedule: { kind: "once", from, to },
        createdAt,
        mutedBy,
        note,
        leasedUntil: lease && createdAt + LEASE,
        grace: lease ? lease.grace * MINUTE : 0,
      });
    });
  }

  /** Gives a mute another end, or renews its lease. @returns when it ends @throws ApiError 400, 403, 404 */
  renew({ id, ...ends }: RenewArguments, reach: Reach): { to: number } {
    const now = this.clock.now();
    return this.#change(id, reach, (mute) => {
      const from = Math.max(mute.schedule.from, now);
      if (mute.leasedUntil === null) setEndOfMute(this.db, mute, this.#endOf(ends, from, now), now);
      else if (ends.minutes !== undefined || ends.to !== undefined)
        throw errors.badArgument(
          ends.to === undefined ? "minutes" : "to",
          "left out for a mute with a lease",
        );
      else renewLease(this.db, id, now + LEASE);
    });
  }

  /** Ends the lease: the mute lasts until its hosts have recovered. @throws ApiError 400, 403, 404 */
  release(id: number, reach: Reach): { to: number } {
    return this.#change(id, reach, ({ leasedUntil }) => {
      const now = this.clock.now();
      if (leasedUntil === null) throw errors.badArgument("id", "the id of a mute with a lease");
      if (leasedUntil > now) endLease(this.db, id, now);
    });
  }

  /** Ends a mute now. @throws ApiError 403, 404 */
  delete(id: number, reach: Reach): void {
    const now = this.clock.now();
    transaction(this.db, () => {
      const mute = this.#findToChange(id, reach);
      if (mute.schedule.from >= now) deleteMute(this.db, id, now);
      else setEndOfMute(this.db, mute, now, now);
      wakeSuppressed(this.db);
    });
  }

  #change(id: number, reach: Reach, change: (mute: Mute) => void): { to: number } {
    return transaction(this.db, () => {
      change(this.#findToChange(id, reach));
      wakeSuppressed(this.db);
      return { to: findMute(this.db, id)?.schedule.to ?? this.clock.now() };
    });
  }

  /** @throws ApiError 400, 403 */
  #checkFilter(filter: MuteArguments["filter"], { view, act }: Reach): void {
    if (Object.keys(filter).length === 0)
      throw errors.badArgument("filter", "at least one of hosts, hostgroups, tags, servicenames and rules");
    this.references.refuseUnknown(muteArguments, { filter }, null, view);
    if (!isWithin(this.db, filter, act)) throw errors.notGranted();
  }

  #endOf({ minutes, to }: Pick<MuteArguments, "minutes" | "to">, from: number, now: number): number {
    if (minutes !== undefined && to !== undefined)
      throw errors.badArgument("to", "left out where minutes is given");
    if (minutes !== undefined && from + minutes * MINUTE > now) return from + minutes * MINUTE;
    if (minutes !== undefined) throw errors.badArgument("from", "such that the mute ends in the future");
    if (to === undefined) throw errors.missingArgument("minutes", "how long it lasts; or to, when it ends");
    if (to <= Math.max(from, now) || to > from + MAX_MUTE_MINUTES * MINUTE)
      throw errors.badArgument("to", "in the future, after from, and at most 31 days after it");
    return to;
  }

  #endOfLease(args: MuteArguments, now: number): number {
    for (const name of ["minutes", "to", "from"] as const)
      if (args[name] !== undefined) throw errors.badArgument(name, "left out with lease");
    if (args.filter.rules)
      throw errors.badArgument("filter.rules", "left out with lease, which ends when hosts have recovered");
    return now + MAX_LEASED;
  }

  /** Deletes the oldest of the mutes that ended. @throws ApiError 400 if too many have not */
  #makeRoom(now: number): void {
    if (mutesNotEnded(this.db, now).length >= MAX_MUTES)
      throw errors.badRequest(`There are at most ${MAX_MUTES} mutes; end one first`);
    const ended = allMutes(this.db).filter(({ schedule }) => schedule.to <= now);
    ended.sort((a, b) => b.schedule.to - a.schedule.to);
    for (const { id } of ended.slice(MAX_ENDED)) deleteMute(this.db, id, now);
  }

  /**
   * A mute that covers only hosts that the caller operates. Whether the caller sees other mutes depends only on the
   * ids in them; a mute of names or rules does not exist for them.
   * @throws ApiError 403, 404
   */
  #findToChange(id: number, { view, act }: Reach): Mute {
    const mute = this.#find(id);
    const { rules, ...place } = mute.filter;
    if (isWithin(this.db, place, act) && narrowed(this.db, [mute], view).length > 0) return mute;
    if (rules && view !== "all") throw errors.notFound("mute", id);
    throw isVisibleById(this.db, place, view) ? errors.notGranted() : errors.notFound("mute", id);
  }

  #find(id: number): Mute {
    const mute = findMute(this.db, id);
    if (!mute || this.#hasEnded(mute)) throw errors.notFound("mute", id);
    return mute;
  }

  #hasEnded({ schedule }: Mute): boolean {
    return schedule.to <= this.clock.now();
  }
}
