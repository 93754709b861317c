import type { Clock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import type { EventLog } from "../events/event-log.service.ts";
import { dateText, hostLed, hostStatusText, tally } from "../health/health.ts";
import type { HostCache } from "../ingest/host-cache.ts";
import { addOffTime } from "../uptime/excluded-time.repository.ts";
import {
  hostById,
  markDown,
  newestMessage,
  overdueHosts,
  overdueIds,
  putOffDeadline,
  rearmDeadline,
  rearmDeadlines,
  type Stall,
} from "./heartbeat.repository.ts";

/** Between two ticks, milliseconds. */
export const TICK_MS = 1000;
/** Ticks further apart than this, seconds, mean that Muster did not run in between, or that the clock jumped. */
const MAX_TICK_GAP = 3;
/** Until a mass silence goes on, milliseconds: agents' messages come in between. */
export const TICK_STEP_MS = 20;
/** What a step of it does takes about this long, milliseconds; its commit takes as long again. */
const STEP_BUDGET_MS = 10;
/** Hosts between two looks at the time. */
const BATCH = 20;
/** Hosts that are judged one by one while a part of the database is damaged; more of them have to wait. */
const MAX_READABLE = 1000;
const FAR_FUTURE = Number.MAX_SAFE_INTEGER;
/** Seconds until a host whose silence could not be stored is looked at again. */
const RETRY = 60;
/** How often, seconds, it is stored that Muster runs. */
const ALIVE_INTERVAL = 60;

export interface HeartbeatDependencies {
  db: Db;
  hostCache: HostCache;
  events: EventLog;
  settings: Settings;
  storage: StorageHealth;
  clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  log: Log;
}

/** A moment as of which hosts are judged, unix seconds. */
interface Judgement {
  now: number;
  /** Hosts whose deadline is before this are silent. */
  overdueAt: number;
}

/**
 * Notices hosts that fall silent. Deadlines are stored with the hosts; each tick asks for the overdue ones. Time during
 * which Muster could not listen or store is never held against a host: after a start, a stall, a jump of the clock or an
 * outage of the storage all deadlines begin afresh, and that time counts for nobody's uptime.
 */
export class Heartbeat {
  #lastTick = 0;
  #lastAlive = 0;
  /** When all deadlines last began afresh, unix seconds. */
  #lastRearmed = 0;
  /** Of the tick whose overdue hosts are not all reported yet. */
  #judgement: Judgement | null = null;

  constructor(private readonly dependencies: HeartbeatDependencies) {}

  /** To be called once, before the first message is taken. */
  start(): void {
    const { db, settings, clock, storage } = this.dependencies;
    const now = clock.now();
    const before = settings.get("aliveat");
    let newest = 0;
    this.#isSound(() => {
      newest = newestMessage(db);
    });
    const offSince = before === 0 ? now : Math.max(before, newest);
    this.#lastTick = now;
    try {
      this.#resume(offSince, now);
      this.#storeAlive(now);
    } catch (error) {
      // On a full disk people can still look. The tick stores this once that is possible.
      if (!storage.failed(error, offSince)) throw error;
    }
  }

  /** To be called once, after the last message was taken. */
  stop(): void {
    const { storage, clock } = this.dependencies;
    try {
      this.#storeAlive(clock.now());
    } catch (error) {
      // The time off then begins at the last note, which is early rather than late.
      if (!storage.failed(error)) throw error;
    }
  }

  /**
   * Reports the hosts that are overdue. Of very many only some: the next tick goes on with those that still are, as of the
   * same moment.
   * @param heardThrough all messages received before this are stored, unix seconds; hosts are judged as of then
   * @returns whether there are more of them
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
      this.dependencies.log.warn("time passed without a tick, deadlines begin afresh", { seconds: gap });
      // Standing still again and again must not keep dead hosts from being noticed.
      const stall = gap < 0 ? null : { seconds: gap, lastRearmed: this.#lastRearmed };
      this.#resume(this.#lastTick, now, stall);
    }
    this.#lastTick = now;
    this.#judgement ??= { now, overdueAt: Math.min(now, heardThrough) };
    const more = this.#declareReadableDown(this.#judgement);
    if (!more) this.#judgement = null;
    if (Math.abs(now - this.#lastAlive) >= ALIVE_INTERVAL) this.#storeAlive(now);
    return more;
  }

  /**
   * Whether hosts can be judged: not while what they send cannot be stored. After such an outage all deadlines begin afresh,
   * however long it was.
   */
  #canStore(now: number): boolean {
    const { storage, log } = this.dependencies;
    const isAvailable = storage.isAvailable();
    const since = storage.outageSince;
    if (isAvailable && since === null) return true;
    if (isAvailable && storage.isOver && since !== null) {
      log.warn("nothing could be stored for a while, deadlines begin afresh", { seconds: now - since });
      this.#resume(Math.min(since, this.#lastTick), now);
      storage.clearOutage();
      return true;
    }
    this.#lastTick = now;
    this.#judgement = null;
    return false;
  }

  /** @param stall null when all are to have their full time again */
  #resume(offSince: number, now: number, stall: Stall | null = null): void {
    const { db } = this.dependencies;
    transaction(db, () => {
      this.#rearm(now, stall);
      if (offSince < now) addOffTime(db, offSince, now);
    });
    this.#lastTick = now;
    this.#lastRearmed = now;
    this.#judgement = null;
  }

  #rearm(now: number, stall: Stall | null): void {
    const { db } = this.dependencies;
    const all = () => transaction(db, () => rearmDeadlines(db, now, stall));
    const one = (id: number) => rearmDeadline(db, id, now, stall);
    if (!this.#isSound(all)) this.#eachReadable(overdueIds(db, FAR_FUTURE, MAX_READABLE), one);
  }

  #declareReadableDown(judgement: Judgement): boolean {
    const { db, hostCache } = this.dependencies;
    let more = false;
    const isSound = this.#isSound(() => {
      more = this.#declareSomeDown(judgement);
    });
    if (isSound) return more;
    this.#eachReadable(overdueIds(db, judgement.overdueAt, MAX_READABLE), (id) => {
      const host = hostById(db, id);
      if (host) this.#tryDeclareDown(host, judgement.now);
      hostCache.forget(id);
    });
    return false;
  }

  /** Does something with many hosts. @returns false when nothing was done, as a part of the database is damaged */
  #isSound(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (isDamage(error)) return false;
      throw error;
    }
  }

  /** Does the same with one host after the other, leaving out those whose rows cannot be read or written. */
  #eachReadable(ids: readonly number[], work: (id: number) => void): void {
    for (const id of ids) this.#isSound(() => transaction(this.dependencies.db, () => work(id)));
  }

  /** @returns whether there may be more */
  #declareSomeDown({ now, overdueAt }: Judgement): boolean {
    const { db, hostCache, monotonic } = this.dependencies;
    // Most of the time nobody is: then it is not worth a transaction that may write.
    if (overdueHosts(db, overdueAt, 1).length === 0) return false;
    const end = monotonic() + STEP_BUDGET_MS;
    return transaction(db, () => {
      do {
        const overdue = overdueHosts(db, overdueAt, BATCH);
        for (const host of overdue) {
          this.#tryDeclareDown(host, now);
          hostCache.forget(host.id);
        }
        if (overdue.length < BATCH) return false;
      } while (monotonic() < end);
      return true;
    });
  }

  /** A host that the database refuses to change must not keep the others waiting: it is looked at again later. */
  #tryDeclareDown(host: HostRow, now: number): void {
    const { db, log, storage } = this.dependencies;
    try {
      const patience = host.skew * host.poll;
      // It reports, and Muster cannot store it.
      if (storage.wasRefused(host.agentId, patience)) putOffDeadline(db, host.id, now + patience);
      else transaction(db, () => this.#declareDown(host, now));
    } catch (error) {
      if (storage.failed(error)) throw error;
      log.error("silence of a host cannot be stored", { host: host.hostname, id: host.id, error });
      putOffDeadline(db, host.id, now + RETRY);
    }
  }

  #declareDown(host: HostRow, now: number): void {
    const { db, events, log } = this.dependencies;
    const health = { ...host, heartbeat: 0 };
    const services = tally([]);
    if (!markDown(db, host, hostLed(health, services), hostStatusText(health, services))) return;
    log.warn("host is silent", { host: host.hostname, id: host.id, seconds: now - host.lastmodified });
    // A host that is known to be silent, and was set to Active by hand, does not fail a second time.
    if (host.heartbeat === 0) return;
    const seconds = now - host.lastmodified;
    const message =
      `No report from Monit for ${seconds} seconds: the network, the host or Monit is down. ` +
      `Last report was ${dateText(host.lastmodified)}`;
    events.recordOutage(host.id, now, message);
  }

  #storeAlive(now: number): void {
    this.dependencies.settings.set("aliveat", now);
    this.#lastAlive = now;
  }
}
