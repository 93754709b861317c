/**
 * What uptime should be, the slow way: one state per second, taken down as the inputs come. It follows the rules as they
 * are told to administrators and shares nothing with the code that keeps intervals.
 */
import type { AgentMessage, AgentService } from "../../../src/monit/message.types.ts";

/** Seconds of the second-by-second records, before and after the time of origin. */
export const BEFORE = 400;
export const AFTER = 800;

const UNKNOWN = 0;
const UP = 1;
const DOWN = 2;
const UNCOUNTED = 3;
type State = typeof UNKNOWN | typeof UP | typeof DOWN | typeof UNCOUNTED;

/** Where a time stands in the records. */
export class Timescale {
  /** @param origin unix seconds */
  constructor(readonly origin: number) {}

  index(at: number): number {
    return at - this.origin + BEFORE;
  }
}

interface Point {
  date: number;
  failing: boolean;
  /** Orders points of one second: recoveries first, then events by the agent's stamp. */
  rank: number;
  collectedSec: number;
}

/** One event class of one service name. */
class CheckModel {
  readonly points: Point[] = [];
  incarnation = 0;
  clearCount = 0;
  clearSince = 0;
  clearCollected = 0;

  /** Everything there is to say is read from the points again, each time. */
  sorted(): Point[] {
    return [...this.points].sort((a, b) => a.date - b.date || a.rank - b.rank);
  }

  /** The first second in which the check was failing. */
  firstFailure(): number {
    const points = this.sorted();
    const lasts = (point: Point, i: number) => point.failing && points[i + 1]?.date !== point.date;
    return points.find(lasts)?.date ?? Number.POSITIVE_INFINITY;
  }

  /** An event arrived: whatever was counted towards a silent recovery begins afresh. */
  settle(incarnation: number): void {
    this.incarnation = incarnation;
    this.clearCount = 0;
    this.clearCollected = this.sorted().at(-1)?.collectedSec ?? 0;
  }

  /** When the open failure ended according to a status message; null: it did not. */
  ends(service: AgentService | undefined, bit: number, message: AgentMessage, offset: number, at: number) {
    if (!service || service.monitor === 0) return at;
    if (((service.status ?? 0) & ~service.statusHint & bit) !== 0) {
      this.clearCount = 0;
      this.incarnation = message.incarnation;
      return null;
    }
    if (service.collectedSec === 0) return null;
    if (this.incarnation !== message.incarnation && service.monitor === 1)
      return Math.min(at, service.collectedSec + offset);
    if (service.collectedSec <= this.clearCollected) return null;
    if (this.clearCount++ === 0) this.clearSince = service.collectedSec + offset;
    this.clearCollected = service.collectedSec;
    return this.clearCount === 3 ? this.clearSince : null;
  }

  /** Marks the seconds in which the check was failing. */
  paint(down: Uint8Array, time: Timescale): void {
    const points = this.sorted();
    for (const [i, { date, failing }] of points.entries()) {
      const next = points[i + 1];
      const end = next ? Math.max(0, time.index(next.date)) : down.length;
      if (failing) down.fill(1, Math.max(0, time.index(date)), end);
    }
  }
}

/** A service that was listed at some time. */
export interface ServiceModel {
  name: string;
  createdAt: number;
  present: boolean;
  monitor: number;
  /** By second: 1 while it is monitored and listed. */
  counted: Uint8Array;
}

export class HostModel {
  readonly services = new Map<string, ServiceModel>();
  readonly #checks = new Map<string, CheckModel>();
  readonly #seen = new Set<string>();
  readonly #eventsOf = new Map<string, number>();
  /** By second. */
  readonly #counted = new Uint8Array(BEFORE + AFTER);
  readonly #silent = new Uint8Array(BEFORE + AFTER);
  events = 0;
  status = 0;
  stopped = false;
  heartbeat = 1;
  lastMessage = 0;
  #deadline = 0;
  #incarnation: number;
  #earlierIncarnation: number | null = null;
  /** When the agent said that it stops, by its clock; null: it did not, or it was stopped by hand. */
  #toldAt: number | null = null;
  #agentNow = 0;
  #offset = 0;
  #poll = 0;
  readonly createdAt: number;

  constructor(
    readonly name: string,
    private readonly time: Timescale,
    first: AgentMessage,
    at: number,
  ) {
    this.createdAt = at;
    this.#incarnation = first.incarnation;
  }

  get counts(): boolean {
    return this.status !== 2 && !this.stopped;
  }

  eventsOf(service: string): number {
    return this.#eventsOf.get(service) ?? 0;
  }

  receive(message: AgentMessage, at: number): void {
    this.#takeClock(message, at);
    const { incarnation, server } = message;
    const isFirst = this.lastMessage === 0 || incarnation !== this.#incarnation;
    const isNew = incarnation !== this.#incarnation && incarnation !== this.#earlierIncarnation;
    if (this.#toldAt !== null && (isNew || incarnation + server.uptime > this.#toldAt)) {
      this.stopped = false;
      this.#toldAt = null;
    }
    if (incarnation !== this.#incarnation) this.#earlierIncarnation = this.#incarnation;
    this.#incarnation = incarnation;
    this.#poll = message.server.poll;
    if (this.heartbeat === 0 && this.status !== 2) this.events++;
    this.heartbeat = 1;
    if (this.status === 1 && !this.stopped) this.status = 0;
    this.#takeServices(message, at);
    this.#takeEvent(message, at, isFirst);
    this.#recoverSilently(message, at);
    this.lastMessage = at;
    this.#deadline = at + 3 * this.#poll;
  }

  #takeClock(message: AgentMessage, at: number): void {
    const collected = message.services.map((service) => service.collectedSec);
    this.#agentNow = Math.max(message.incarnation + message.server.uptime, ...collected);
    const off = at - this.#agentNow;
    if (Math.abs(off) <= 60) this.#offset = 0;
    else if (this.#offset === 0 || Math.abs(off - this.#offset) > 5) this.#offset = off;
  }

  #takeServices(message: AgentMessage, at: number): void {
    for (const service of this.services.values()) service.present = false;
    for (const { name, monitor: reported } of message.services) {
      const monitor = reported ?? 1;
      const known = this.services.get(name);
      if (known) Object.assign(known, { present: true, monitor });
      else {
        const counted = new Uint8Array(BEFORE + AFTER);
        this.services.set(name, { name, createdAt: at, present: true, monitor, counted });
      }
    }
  }

  #check(service: string, bit: number): CheckModel {
    const key = `${service} ${bit}`;
    const check = this.#checks.get(key) ?? new CheckModel();
    this.#checks.set(key, check);
    return check;
  }

  #takeEvent({ events: [event], incarnation, server }: AgentMessage, at: number, isFirst: boolean): void {
    if (!event || this.status === 2 || event.state === 4) return;
    const { service, eventType, collectedUsec, action } = event;
    const collectedSec = event.collectedSec ?? at;
    const state = event.state === 3 ? 0 : event.state;
    const key = [service, eventType, state, collectedSec, collectedUsec].join(" ");
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.events++;
    this.#eventsOf.set(service, this.eventsOf(service) + 1);
    if (state !== 2) {
      const check = this.#check(service, eventType);
      const date = Math.min(collectedSec + this.#offset, at);
      check.points.push({
        date,
        failing: state === 1,
        rank: collectedSec * 1e6 + collectedUsec,
        collectedSec,
      });
      check.settle(incarnation);
    }
    const isOfThisRun = isFirst ? collectedSec > incarnation : collectedSec >= incarnation;
    const isAhead = collectedSec > this.#agentNow + Math.max(60, server.poll);
    if (service === "Monit" && eventType === 65_536 && action === 3 && isOfThisRun && !isAhead) {
      const isByHand = this.stopped && this.#toldAt === null;
      if (!isByHand) this.#toldAt = Math.max(collectedSec, this.#toldAt ?? 0);
      this.stopped = true;
      this.status = 1;
    }
  }

  #recoverSilently(message: AgentMessage, at: number): void {
    for (const [key, check] of this.#checks) {
      const last = check.sorted().at(-1);
      if (!last?.failing) continue;
      const [name, bit] = key.split(" ");
      const service = message.services.find((one) => one.name === name);
      const end = check.ends(service, Number(bit), message, this.#offset, at);
      if (end === null) continue;
      check.points.push({ date: Math.max(end, last.date + 1), failing: false, rank: -1, collectedSec: 0 });
    }
  }

  tick(at: number): void {
    if (this.status !== 0 || this.#deadline >= at) return;
    this.status = 1;
    if (this.heartbeat === 1) this.events++;
    this.heartbeat = 0;
  }

  /** Muster was off until now. */
  resume(at: number): void {
    if (this.status === 0) this.#deadline = at + 3 * this.#poll;
  }

  setStatus(status: number, at: number): void {
    if (status === 0) {
      this.#deadline = at + 3 * this.#poll;
      this.stopped = false;
      this.#toldAt = null;
    } else if (status !== this.status) {
      this.stopped = status === 1;
      this.#toldAt = null;
    }
    this.status = status;
  }

  /** Takes down how things are in the second that begins at `at`. */
  record(at: number): void {
    const i = this.time.index(at);
    this.#counted[i] = Number(this.counts);
    this.#silent[i] = Number(this.heartbeat === 0);
    for (const service of this.services.values())
      service.counted[i] = Number(service.present && service.monitor !== 0);
  }

  /** The host's state of each second. @param off seconds in which Muster was off */
  states(now: number, off: Uint8Array): State[] {
    return Array.from(this.#counted, (counted, i) => {
      if (i < this.time.index(this.createdAt) || i >= this.time.index(now)) return UNKNOWN;
      if (!counted || off[i]) return UNCOUNTED;
      return this.#silent[i] ? DOWN : UP;
    });
  }

  /** A service's state of each second. */
  statesOf(service: ServiceModel, now: number): State[] {
    const down = new Uint8Array(BEFORE + AFTER);
    const created = this.time.index(service.createdAt);
    let known = created;
    for (const [key, check] of this.#checks) {
      if (!key.startsWith(`${service.name} `)) continue;
      check.paint(down, this.time);
      known = Math.min(known, this.time.index(check.firstFailure()));
    }
    return Array.from(down, (failing, i) => {
      if (i < known || i >= this.time.index(now)) return UNKNOWN;
      // Replayed events are older than the first message; before that nobody knows of a reason not to count.
      const hostCounts = i < this.time.index(this.createdAt) || this.#counted[i] === 1;
      const serviceCounts = i < created || service.counted[i] === 1;
      if (!hostCounts || !serviceCounts) return UNCOUNTED;
      return failing ? DOWN : UP;
    });
  }
}

/** Counts the seconds of a window by state; those outside the records count neither way. */
export function countStates(states: readonly State[], time: Timescale, from: number, to: number) {
  const total = { up: 0, down: 0, uncounted: 0 };
  for (let at = from; at < to; at++) {
    const state = states[time.index(at)] ?? UNKNOWN;
    if (state === UP) total.up++;
    else if (state === DOWN) total.down++;
    else total.uncounted++;
  }
  return total;
}
