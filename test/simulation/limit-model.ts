/** When limits are exceeded and when they recover (docs/limits.md), computed the slow way from all reported values. */
import type { Before, HostModel, Judge, LimitOfCheck, Report } from "../monitoring/uptime/uptime-model.ts";

const RESOURCE = 2;
/** Cycles for which a host may be silent. */
const PATIENCE = 3;

/** A limit as an administrator set it; times in seconds. */
export interface LimitSettings extends LimitOfCheck {
  name: string;
  /** Codes of the statistic types whose values are added. */
  statistics: readonly number[];
  service: string;
  below: boolean;
  warning: number | null;
  critical: number | null;
  hold: number;
  clearValue: number | null;
  clearAfter: number;
  missing: "keep" | "clear" | "warn";
  /** Unix seconds. */
  createdAt: number;
}

interface Point {
  at: number;
  value: number;
}

/** State of one limit for one service. Times are unix seconds. */
class Life {
  /** 0 none, 1 warning, 2 critical. */
  level = 0;
  /** Whether the failure is that the value is missing. */
  isWithout = false;
  /** Time of the newest error. */
  errorAt = 0;
  #isMissing = false;
  /** When the last message with the value arrived, while messages arrive without it. */
  #valueAt: number | null = null;
  /** Every value since it last counted as missing. */
  #points: Point[] = [];

  constructor(readonly limit: LimitSettings) {}

  #isBeyond(value: number, bound: number | null): boolean {
    return bound !== null && (this.limit.below ? value < bound : value > bound);
  }

  /** Whether all values up to the last one have been so for some seconds. */
  #lasts(seconds: number, isSo: (value: number) => boolean): boolean {
    const other = this.#points.findLastIndex(({ value }) => !isSo(value));
    const [first, last] = [this.#points[other + 1], this.#points.at(-1)];
    return first !== undefined && last !== undefined && last.at - first.at >= seconds;
  }

  value(value: number, at: number): void {
    const { warning, critical, hold, clearValue, clearAfter } = this.limit;
    this.#points.push({ at, value });
    this.#valueAt = null;
    this.#isMissing = false;
    if (this.isWithout) this.level = 0;
    this.isWithout = false;
    const isCritical = (value: number) => this.#isBeyond(value, critical);
    const isPassed = (value: number) => isCritical(value) || this.#isBeyond(value, warning);
    const isBack = (value: number) => !this.#isBeyond(value, clearValue ?? warning ?? critical);
    if (this.#lasts(hold, isCritical)) this.level = 2;
    else if (this.level === 0) this.level = warning !== null && this.#lasts(hold, isPassed) ? 1 : 0;
    else if (this.#lasts(clearAfter, isBack)) this.level = 0;
    else if (this.level === 2 && warning !== null && this.#lasts(clearAfter, (value) => !isCritical(value)))
      this.level = 1;
  }

  noValue(at: number, lastMessage: number, patience: number): void {
    this.#valueAt ??= lastMessage;
    if (at - this.#valueAt > patience) this.lose();
  }

  /** Called when the value was not awaited for a while. */
  resume(): void {
    if (!this.#isMissing) this.#valueAt = null;
  }

  /** Called when the value counts as missing. */
  lose(): void {
    if (this.#isMissing) return;
    this.#points = [];
    const { missing } = this.limit;
    if (missing === "clear") this.level = 0;
    else if (this.level === 0 && missing === "warn") {
      this.level = 1;
      this.isWithout = true;
    }
    this.#isMissing = this.level > 0;
    if (this.level === 0) {
      this.#valueAt = null;
      this.isWithout = false;
    }
  }
}

/** All limits and their state for each service of each host. */
export class LimitModel implements Judge {
  limits: LimitSettings[] = [];
  readonly #lives = new WeakMap<HostModel, Map<string, Life>>();
  /** Statistics that services have ever reported, by host, as "service code". */
  readonly #reported = new WeakMap<HostModel, Set<string>>();

  /** The worst level of any limit of a service. */
  level(host: HostModel, service: string): number {
    const lives = this.#lives.get(host) ?? new Map<string, Life>();
    return Math.max(0, ...[...lives].map(([key, { level }]) => (key.endsWith(` ${service}`) ? level : 0)));
  }

  message(host: HostModel, message: Report, at: number, { stopped, lastMessage, deadline }: Before): void {
    this.#learn(host, message);
    const lives = this.#livesOf(host, message, at);
    for (const [service, life] of lives) {
      const isLate = lastMessage > 0 && at > deadline && !stopped;
      if (isLate) this.#lose(host, life, deadline, at);
      const values = message.services.find(({ name }) => name === service)?.values ?? {};
      const parts = life.limit.statistics.flatMap((code) => values[code] ?? []);
      const sum = parts.reduce((total, value) => total + value, 0);
      const patience = PATIENCE * message.server.poll;
      // While it was stopped, or Muster was off, no value was missing.
      const resumed = at - lastMessage > patience ? deadline - patience : 0;
      const awaitedSince = stopped || lastMessage === 0 ? at : Math.max(lastMessage, resumed);
      if (host.stopped || stopped || resumed > lastMessage) life.resume();
      const judge = () => {
        if (parts.length > 0) life.value(sum, at);
        else if (!host.stopped) life.noValue(at, awaitedSince, patience);
      };
      this.#move(host, life, judge, at, at);
    }
  }

  silent(host: HostModel, deadline: number, at: number): void {
    for (const [, life] of this.#livesOf(host, host.last, at)) this.#lose(host, life, deadline, at);
  }

  remove(name: string, hosts: Iterable<HostModel>, at: number): void {
    const limit = this.limits.find((limit) => limit.name === name);
    if (!limit) return;
    this.limits = this.limits.filter((one) => one !== limit);
    // Downtime caused by the limit no longer counts.
    limit.downtime = false;
    for (const host of hosts)
      for (const [key, life] of this.#lives.get(host) ?? [])
        if (life.limit === limit) this.#end(host, key, life, at);
  }

  #learn(host: HostModel, { services }: Report): void {
    const reported = this.#reported.get(host) ?? new Set();
    this.#reported.set(host, reported);
    for (const { name, values = {} } of services)
      for (const code of Object.keys(values)) reported.add(`${name} ${code}`);
  }

  /** Matches the limits with this host again. Failures of services they no longer match end. */
  #livesOf(host: HostModel, { services }: Report, at: number): [service: string, life: Life][] {
    const lives = this.#lives.get(host) ?? new Map<string, Life>();
    this.#lives.set(host, lives);
    const reported = this.#reported.get(host) ?? new Set();
    const expected = this.limits.flatMap((limit) => {
      const service = services.find(({ name }) => name === limit.service);
      const isKnown = limit.statistics.some((code) => reported.has(`${limit.service} ${code}`));
      if (!service || service.monitor === 0 || !isKnown) return [];
      const key = `${limit.id} ${limit.service}`;
      const life = lives.get(key) ?? new Life(limit);
      lives.set(key, life);
      return [{ key, service: limit.service, life }];
    });
    const kept = new Set(expected.map(({ key }) => key));
    for (const [key, life] of lives) if (!kept.has(key)) this.#end(host, key, life, at);
    return expected.map(({ service, life }) => [service, life]);
  }

  #end(host: HostModel, key: string, life: Life, at: number): void {
    this.#lives.get(host)?.delete(key);
    if (life.level > 0) this.#store(host, life.limit, 0, Math.max(at, life.errorAt), at);
  }

  /** Nothing is missing to a limit before it is made. */
  #lose(host: HostModel, life: Life, deadline: number, at: number): void {
    const date = Math.min(at, Math.max(deadline, life.limit.createdAt));
    this.#move(host, life, () => life.lose(), date, at);
  }

  #move(host: HostModel, life: Life, change: () => void, date: number, at: number): void {
    const before = `${life.level} ${life.isWithout}`;
    change();
    if (`${life.level} ${life.isWithout}` === before) return;
    const dated = Math.max(date, life.errorAt);
    life.errorAt = life.level > 0 ? dated : 0;
    this.#store(host, life.limit, life.level, dated, at);
  }

  #store(host: HostModel, limit: LimitSettings, level: number, date: number, receivedAt: number): void {
    const { service } = limit;
    const fixed = { eventType: RESOURCE, action: 1, collectedSec: date };
    host.storeOfLimit({ ...fixed, service, limit, state: level > 0 ? 1 : 0, date, receivedAt });
  }
}
