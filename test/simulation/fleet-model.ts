/** What Muster should know about all hosts and about its own absences. Written from the documentation. */
import type { Period } from "../monitoring/uptime/timeline.ts";
import {
  type CheckModel,
  HostModel,
  type Report,
  type StoredEvent,
} from "../monitoring/uptime/uptime-model.ts";
import { LimitModel } from "./limit-model.ts";
import { OutputModel } from "./output-model.ts";
import type { Rows } from "./rows.ts";

/** Gap between ticks that means Muster stood still, seconds. */
const MAX_TICK_GAP = 3;

export interface FleetListener {
  stored(host: HostModel, event: StoredEvent): void;
  ended(host: HostModel, check: CheckModel, date: number): void;
}

export class FleetModel {
  /** By agent id, without deleted hosts. */
  readonly hosts = new Map<string, HostModel>();
  readonly limits = new LimitModel();
  readonly outputs = new OutputModel();
  /** When Muster was off, stood still, or could store nothing. */
  readonly off: Period[] = [];
  /** Time since when nothing can be stored, unix seconds. */
  outageSince: number | null = null;
  #lastTick = 0;
  /** The latest time at which Muster is known to have run: later than that where the clock was set back. */
  #latest = 0;
  #lastRearmed = 0;

  constructor(private readonly listener: FleetListener) {}

  receive(agentId: string, report: Report, at: number): void {
    let host = this.hosts.get(agentId);
    if (!host) {
      const listener = {
        stored: (event: StoredEvent) => this.listener.stored(created, event),
        ended: (check: CheckModel, date: number) => this.listener.ended(created, check, date),
      };
      const created: HostModel = new HostModel(agentId, report, at, listener, this.limits);
      host = created;
      this.hosts.set(agentId, host);
    }
    host.receive(report, at);
    this.outputs.receive(host, report, at);
  }

  /** Called when Muster has started. @param aliveAt when it last recorded that it was running, unix seconds; 0 if never */
  start(aliveAt: number, now: number): void {
    this.outageSince = null;
    const newest = Math.max(aliveAt, ...[...this.hosts.values()].map((host) => host.lastMessage));
    this.#latest = aliveAt === 0 ? now : newest;
    const isLater = aliveAt > 0 && aliveAt < now && now < newest;
    this.#resume(isLater ? aliveAt : this.#latest, now, false);
    this.#lastTick = now;
  }

  /** Called when messages can be stored again. */
  outageEnded(now: number): void {
    this.#resume(this.outageSince ?? now, now, false);
    this.outageSince = null;
  }

  /**
   * Called when Muster looked for silent hosts, or should have.
   * @param stored the stored result, where the work may have been interrupted
   */
  tick(now: number, stored: Rows | null): void {
    const gap = now - this.#lastTick;
    const isStall = this.outageSince === null && (gap > MAX_TICK_GAP || gap < 0);
    const isRight = this.#lastTick < this.#latest && this.#latest < now;
    const since = isRight ? this.#latest : this.#lastTick;
    if (isStall && stored?.hasOffTime(since, now) !== false) this.#resume(since, now, gap > 0);
    this.#lastTick = now;
    if (this.outageSince === null) this.#latest = Math.max(this.#latest, now);
    if (this.outageSince !== null && stored === null) return;
    for (const host of this.hosts.values())
      if (host.isOverdue(now) && (stored?.isDown(host.name) ?? true)) host.tick(now);
  }

  #resume(since: number, now: number, isStall: boolean): void {
    const stall = { seconds: now - since, lastRearmed: this.#lastRearmed };
    for (const host of this.hosts.values()) host.resume(now, isStall ? stall : null);
    if (since < now) this.off.push({ from: since, to: now });
    this.#lastTick = now;
    this.#lastRearmed = now;
  }
}
