import type { Clock } from "../clock.ts";
import { type Db, transaction } from "../database/open.ts";
import { recordSilence } from "../events/event-log.service.ts";
import type { Fleet, HostRow } from "../ingest/fleet.ts";
import type { Log } from "../log.ts";
import type { Settings } from "../settings/settings.service.ts";
import { dateText, hostLed, hostStatusText, tally } from "../status/health.ts";
import { addOffTime } from "../uptime/uncounted.repository.ts";
import {
  markSilent,
  newestMessage,
  overdueHosts,
  putOffDeadline,
  rearmDeadlines,
} from "./heartbeat.repository.ts";

/** Between two ticks, milliseconds. */
export const TICK_MS = 1000;
/** Ticks further apart than this, seconds, mean that Muster did not run in between, or that the clock jumped. */
const MAX_TICK_GAP = 3;
/** Hosts that go silent in one transaction: agents' messages are not held up longer than that takes. */
const BATCH = 200;
/** The rest of a mass silence waits for the next tick. */
const BATCHES_PER_TICK = 10;
/** Seconds until a host whose silence could not be stored is looked at again. */
const RETRY = 60;
/** How often, seconds, it is stored that Muster runs. */
const ALIVE_INTERVAL = 60;

export interface HeartbeatParts {
  db: Db;
  fleet: Fleet;
  settings: Settings;
  clock: Clock;
  log: Log;
}

/**
 * Notices hosts that fall silent. Deadlines are stored with the hosts; each tick asks for the overdue ones. Time during
 * which Muster could not listen is never held against a host: after a start, a stall or a jump of the clock all deadlines
 * begin afresh, and that time counts for nobody's uptime.
 */
export class Heartbeat {
  #lastTick = 0;
  #lastAlive = 0;

  constructor(private readonly parts: HeartbeatParts) {}

  /** To be called once, before the first message is taken. */
  start(): void {
    const { db, settings, clock } = this.parts;
    const now = clock.now();
    const before = settings.get("aliveat");
    this.#resume(before === 0 ? now : Math.max(before, newestMessage(db)), now);
    this.#storeAlive(now);
  }

  /** To be called once, after the last message was taken. */
  stop(): void {
    this.#storeAlive(this.parts.clock.now());
  }

  /**
   * Reports the hosts that are overdue.
   * @param heardThrough all messages received before this are stored, unix seconds; hosts are judged as of then
   */
  tick(heardThrough = Number.POSITIVE_INFINITY): void {
    const now = this.parts.clock.now();
    const gap = now - this.#lastTick;
    if (gap > MAX_TICK_GAP || gap < 0) {
      this.parts.log.warn("time passed without a tick, deadlines begin afresh", { seconds: gap });
      this.#resume(this.#lastTick, now);
    }
    this.#lastTick = now;
    let batches = 0;
    while (this.#silenceBatch(now, Math.min(now, heardThrough)) === BATCH && ++batches < BATCHES_PER_TICK);
    if (Math.abs(now - this.#lastAlive) >= ALIVE_INTERVAL) this.#storeAlive(now);
  }

  #resume(offSince: number, now: number): void {
    const { db } = this.parts;
    transaction(db, () => {
      rearmDeadlines(db, now);
      if (offSince < now) addOffTime(db, offSince, now);
    });
    this.#lastTick = now;
  }

  /** @returns how many hosts were overdue */
  #silenceBatch(now: number, judgedAt: number): number {
    const { db, fleet } = this.parts;
    // Most of the time nobody is: then it is not worth a transaction that may write.
    if (overdueHosts(db, judgedAt, 1).length === 0) return 0;
    return transaction(db, () => {
      const overdue = overdueHosts(db, judgedAt, BATCH);
      for (const host of overdue) {
        this.#trySilence(host, now);
        fleet.forget(host.id);
      }
      return overdue.length;
    });
  }

  /** A host that the database refuses to change must not keep the others waiting: it is looked at again later. */
  #trySilence(host: HostRow, now: number): void {
    const { db, log } = this.parts;
    try {
      transaction(db, () => this.#silence(host, now));
    } catch (error) {
      log.error("silence of a host cannot be stored", { host: host.hostname, id: host.id, error });
      putOffDeadline(db, host.id, now + RETRY);
    }
  }

  #silence(host: HostRow, now: number): void {
    const { db, log } = this.parts;
    const health = { ...host, heartbeat: 0 };
    const services = tally([]);
    if (!markSilent(db, host, hostLed(health, services), hostStatusText(health, services))) return;
    log.warn("host is silent", { host: host.hostname, id: host.id, seconds: now - host.lastmodified });
    // A host that is known to be silent, and was set to Active by hand, does not fail a second time.
    if (host.heartbeat === 0) return;
    const seconds = now - host.lastmodified;
    const message =
      `No report from Monit for ${seconds} seconds: the network, the host or Monit is down. ` +
      `Last report was ${dateText(host.lastmodified)}`;
    recordSilence(db, host.id, now, message);
  }

  #storeAlive(now: number): void {
    this.parts.settings.set("aliveat", now);
    this.#lastAlive = now;
  }
}
