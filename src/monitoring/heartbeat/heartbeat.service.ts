import type { Clock } from "../../platform/clock.ts";
import { dateText } from "../../platform/date-text.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { healthColumns } from "../health/health.ts";
import { findHost } from "../hosts/hosts.repository.ts";
import type { HostCache } from "../ingest/host-cache.ts";
import type { LimitEvaluation } from "../limits/limit-evaluation.service.ts";
import { addOffTime, deleteOffTime, firstOffTimeAfter } from "../uptime/excluded-time.repository.ts";
import {
  earliestDeadline,
  markDown,
  newestMessage,
  overdueHosts,
  overdueIds,
  putOffDeadline,
  rearmDeadlines,
  type Stall,
} from "./heartbeat.repository.ts";
import { SilentHosts } from "./silent-hosts.ts";

/** Interval between two ticks, milliseconds. */
export const TICK_MS = 1000;
/** A longer gap between ticks, seconds, means that Muster was not running or that the clock jumped. */
const MAX_TICK_GAP = 3;
/** Pause between steps when many hosts are declared down, milliseconds. Messages are stored in between. */
export const TICK_STEP_MS = 20;
/** Approximate duration of such a step, milliseconds. Its commit takes about as long again. */
const STEP_BUDGET_MS = 10;
/** Hosts that are processed between two checks of the time budget. */
const BATCH = 20;
/** The most hosts that are processed one by one per tick while part of the database is damaged. */
const MAX_READABLE = 1000;
const FAR_FUTURE = Number.MAX_SAFE_INTEGER;
/** Delay before the next attempt to store the outage of a host after a database error, seconds. */
const RETRY = 60;
/** Interval at which Muster stores that it is running, seconds. */
const ALIVE_INTERVAL = 60;

/** Thrown to roll back a host whose outage needs a transaction of its own. */
class NoRoom extends Error {}

export interface HeartbeatDependencies {
  db: Db;
  hostCache: HostCache;
  events: EventLog;
  limits: LimitEvaluation;
  settings: Settings;
  storage: StorageHealth;
  clock: Clock;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
  log: Log;
}

/** The times that decide which hosts are down, unix seconds. */
interface Judgement {
  now: number;
  /** Hosts with a deadline before this are down. */
  overdueAt: number;
}

/**
 * Longest time between two reads of the earliest deadline, seconds: new hosts and administrators can set an earlier
 * one.
 */
const MAX_QUIET = 5;

/**
 * Declares hosts down that stop reporting. Each host's deadline is stored with it, and each tick reads the overdue
 * hosts. Time during which Muster could not receive or store messages never counts against a host: after a start, a
 * stall, a clock jump or a storage outage all deadlines restart, and that time is excluded from every host's uptime.
 */
export class Heartbeat {
  #lastTick = 0;
  /**
   * The latest time at which Muster is known to have run, unix seconds. If the clock was set back, it is after the last
   * tick.
   */
  #latest = 0;
  /** When the first excluded time begins that lies ahead, because the clock was ahead, unix seconds. */
  #nextExcluded = Number.POSITIVE_INFINITY;
  #lastAlive = 0;
  /** When all deadlines were last restarted, unix seconds. */
  #lastRearmed = 0;
  /** No deadline passes before this time, unix seconds, unless one was brought forward. */
  #quietUntil = 0;
  /** The judgement of a tick that has not processed all overdue hosts yet. */
  #judgement: Judgement | null = null;
  readonly #silent: SilentHosts;

  constructor(private readonly dependencies: HeartbeatDependencies) {
    const { db, limits, hostCache } = dependencies;
    this.#silent = new SilentHosts(db, limits, hostCache);
  }

  /** Call this once, before the first message is accepted. */
  start(): void {
    const { db, settings, clock, storage } = this.dependencies;
    const now = clock.now();
    const before = settings.get("aliveat");
    let newest = 0;
    this.#isSound(() => {
      newest = newestMessage(db);
    });
    this.#latest = before === 0 ? now : Math.max(before, newest);
    // If the clock was set back, hosts that have not reported since then have last reports in the future.
    const offSince = before > 0 && before < now && now < newest ? before : this.#latest;
    this.#lastTick = now;
    try {
      this.#resume(offSince, now);
      this.#storeAlive(now);
      this.#silent.start();
    } catch (error) {
      // Muster also starts on a full disk, for reading. A later tick stores this when the disk has space again.
      if (!storage.failed(error, offSince)) throw error;
    }
  }

  /** Call this once, after the last message was stored. */
  stop(): void {
    const { storage, clock } = this.dependencies;
    try {
      this.#storeAlive(clock.now());
    } catch (error) {
      // The excluded time then begins at the last stored time, which is earlier and so safe.
      if (!storage.failed(error)) throw error;
    }
  }

  /**
   * Declares overdue hosts down. If there are very many, it processes some of them and the next tick
   * continues with the same judgement.
   * @param heardThrough every message received before this time, unix seconds, is stored; hosts are judged as of then
   * @returns whether there are more overdue hosts
   */
  tick(heardThrough = Number.POSITIVE_INFINITY): boolean {
    try {
      return this.#tick(this.dependencies.clock.now(), heardThrough);
    } catch (error) {
      this.dependencies.storage.failed(error);
      throw error;
    }
  }

  #tick(now: number, heardThrough: number): boolean {
    if (!this.#canStore(now)) return false;
    const gap = now - this.#lastTick;
    if (gap > MAX_TICK_GAP || gap < 0) {
      // Repeated stalls must not keep a dead host from being declared down.
      const stall = gap < 0 ? null : { seconds: gap, lastRearmed: this.#lastRearmed };
      // A clock may start years in the past, as without a battery. Once it is right, only the time since Muster last
      // ran is lost.
      const isRight = this.#lastTick < this.#latest && this.#latest < now;
      this.#resume(isRight ? this.#latest : this.#lastTick, now, stall);
      this.dependencies.log.warn("time passed without a tick, deadlines restarted", { seconds: gap });
    } else if (now >= this.#nextExcluded) {
      transaction(this.dependencies.db, () => this.#exclude(now, now));
    }
    this.#lastTick = now;
    this.#latest = Math.max(this.#latest, now);
    this.#judgement ??= { now, overdueAt: Math.min(now, heardThrough) };
    const moreOverdue = this.#declareReadableDown(this.#judgement);
    if (!moreOverdue) this.#judgement = null;
    const hasMore = moreOverdue || this.#silent.step(now);
    if (Math.abs(now - this.#lastAlive) >= ALIVE_INTERVAL) this.#storeAlive(now);
    return hasMore;
  }

  /** Whether hosts can be judged: not while nothing can be stored. After that, all deadlines restart. */
  #canStore(now: number): boolean {
    const { storage, log } = this.dependencies;
    const isAvailable = storage.isAvailable();
    const since = storage.outageSince;
    if (isAvailable && since === null) return true;
    if (isAvailable && storage.isOver && since !== null) {
      this.#resume(Math.min(since, this.#lastTick), now);
      storage.clearOutage();
      log.warn("nothing could be stored for a while, deadlines restarted", { seconds: now - since });
      return true;
    }
    this.#lastTick = now;
    this.#judgement = null;
    return false;
  }

  /** Restarts all deadlines and excludes the lost time. @param stall null gives every host its full time */
  #resume(offSince: number, now: number, stall: Stall | null = null): void {
    const { db } = this.dependencies;
    transaction(db, () => {
      this.#rearm(now, stall);
      this.#exclude(offSince, now);
    });
    this.#lastTick = now;
    this.#lastRearmed = now;
    this.#quietUntil = 0;
    this.#judgement = null;
  }

  /** Excludes the time up to now. What was excluded beyond that did not pass yet: the clock was ahead. */
  #exclude(offSince: number, now: number): void {
    const { db } = this.dependencies;
    let from = offSince;
    let ahead = firstOffTimeAfter(db, now);
    while (ahead && ahead.from <= now) {
      deleteOffTime(db, ahead);
      from = Math.min(from, ahead.from);
      ahead = firstOffTimeAfter(db, now);
    }
    if (from < now) addOffTime(db, from, now);
    this.#nextExcluded = ahead?.from ?? Number.POSITIVE_INFINITY;
  }

  #rearm(now: number, stall: Stall | null): void {
    const { db } = this.dependencies;
    const everyHost = () => transaction(db, () => rearmDeadlines(db, now, stall));
    const oneHost = (id: number) => rearmDeadlines(db, now, stall, id);
    if (!this.#isSound(everyHost)) this.#eachReadable(overdueIds(db, FAR_FUTURE, MAX_READABLE), oneHost);
  }

  #declareReadableDown(judgement: Judgement): boolean {
    const { db, hostCache } = this.dependencies;
    let hasMore = false;
    const isSound = this.#isSound(() => {
      hasMore = this.#declareSomeDown(judgement);
    });
    if (isSound) return hasMore;
    this.#eachReadable(overdueIds(db, judgement.overdueAt, MAX_READABLE), (id) => {
      const host = findHost(db, id, "all");
      this.#silent.begin();
      if (host) this.#tryDeclareDown(host, judgement.now);
      hostCache.forget(id);
    });
    return false;
  }

  /** Runs `work` on many hosts. @returns false if it was rolled back because of damage in the database */
  #isSound(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** Runs `work` on one host at a time and skips hosts whose rows cannot be read or written. */
  #eachReadable(ids: readonly number[], work: (id: number) => void): void {
    for (const id of ids) this.#isSound(() => transaction(this.dependencies.db, () => work(id)));
  }

  /** Whether the deadline of any active host has passed. Reads the database only after the earliest known deadline. */
  #isAnyOverdue(overdueAt: number, now: number): boolean {
    if (overdueAt <= this.#quietUntil) return false;
    const earliest = earliestDeadline(this.dependencies.db) ?? Number.POSITIVE_INFINITY;
    if (earliest < overdueAt) return true;
    this.#quietUntil = Math.min(earliest, now + MAX_QUIET);
    return false;
  }

  /** @returns whether there may be more overdue hosts */
  #declareSomeDown({ now, overdueAt }: Judgement): boolean {
    const { db, hostCache, monotonic } = this.dependencies;
    // Usually no host is overdue, and then no write transaction is needed.
    if (!this.#isAnyOverdue(overdueAt, now)) return false;
    const end = monotonic() + STEP_BUDGET_MS;
    return transaction(db, () => {
      this.#silent.begin();
      do {
        const overdue = overdueHosts(db, overdueAt, BATCH);
        for (const host of overdue) {
          const isTaken = this.#tryDeclareDown(host, now);
          hostCache.forget(host.id);
          if (!isTaken) return true;
        }
        if (overdue.length < BATCH) return false;
      } while (monotonic() < end);
      return true;
    });
  }

  /**
   * Declares a host down. After a database error it retries later, so that other hosts are not delayed.
   * @returns false if the next transaction has to do it
   */
  #tryDeclareDown(host: HostRow, now: number): boolean {
    const { db, log, storage } = this.dependencies;
    try {
      const patience = host.skew * host.poll;
      // The host does report, but its messages cannot be stored.
      if (storage.wasRefused(host.agentId, patience)) putOffDeadline(db, host.id, now + patience);
      else transaction(db, () => this.#declareDown(host, now));
    } catch (error) {
      if (error instanceof NoRoom) return false;
      if (storage.failed(error)) throw error;
      log.error("outage of a host cannot be stored", { host: host.hostname, id: host.id, error });
      putOffDeadline(db, host.id, now + RETRY);
    }
    return true;
  }

  /** @throws NoRoom if it opens or ends too many failures of limits for the current transaction */
  #declareDown(host: HostRow, now: number): void {
    const { db, events, log } = this.dependencies;
    const { led, statusText } = healthColumns({ ...host, heartbeat: 0 }, []);
    if (!markDown(db, host, { led, statusText }, now)) return;
    // If the clock was set back since, only the shortest possible silence is known.
    const seconds = Math.max(now - host.lastmodified, host.skew * host.poll);
    // A host that was already down when an administrator set it to Active does not fail a second time.
    if (host.heartbeat !== 0) {
      const message =
        `No report from Monit for ${seconds} seconds: the network, the host or Monit is down. ` +
        `Last report was ${dateText(host.lastmodified)}`;
      events.recordOutage(host.id, now, message);
      if (!this.#silent.silence(host, now)) throw new NoRoom();
    }
    log.warn("host is down", { host: host.hostname, id: host.id, seconds });
  }

  #storeAlive(now: number): void {
    this.dependencies.settings.set("aliveat", now);
    this.#lastAlive = now;
  }
}
