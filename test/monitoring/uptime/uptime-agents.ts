/** Agents that behave as badly as real ones do: outages, lost and late events, restarts, wrong clocks. */
import type { AgentEvent, AgentMessage, AgentService } from "../../../src/monit/message.types.ts";
import type { Random } from "../../support/random.ts";

const CLASSES = [2, 32, 512] as const;
const CHECKED = ["disk", "ping", "web"] as const;

interface CheckedService {
  name: string;
  monitor: number;
  listed: boolean;
  failing: number;
  collectedSec: number;
}

/** One agent. Times are unix seconds on the true clock, unless they are called the agent's. */
export class Agent {
  readonly #services: CheckedService[];
  readonly #outbox: AgentEvent[] = [];
  readonly #sent: AgentEvent[] = [];
  /** Its clock is off by so many seconds. */
  #shift: number;
  /** By the agent's clock. */
  #incarnation: number;
  #nextMessage: number;
  #downUntil = 0;
  #unreachableUntil = 0;
  #usec = 0;
  readonly #poll: number;

  constructor(
    readonly name: string,
    private readonly random: Random,
    at: number,
  ) {
    this.#shift = this.#randomShift();
    this.#incarnation = at + this.#shift - random.below(1000);
    this.#poll = random.between(15, 40);
    this.#nextMessage = at + random.below(200);
    this.#services = CHECKED.slice(random.below(3)).map((service) => ({
      name: service,
      monitor: 1,
      listed: random.chance(0.85),
      failing: 0,
      collectedSec: 0,
    }));
    if (random.chance(0.3)) this.#queueOldEvents(at);
  }

  #randomShift(): number {
    return this.random.chance(0.6) ? 0 : this.random.pick([5, -45, 61, -90, 5000, -5000]);
  }

  /** Events of before its first message, in any order. */
  #queueOldEvents(at: number): void {
    const service = this.random.pick(CHECKED);
    for (let i = this.random.between(1, 4); i > 0; i--) {
      const collectedSec = at + this.#shift - this.random.between(1, 300);
      this.#outbox.push(this.#event(service, 512, this.random.below(2), { collectedSec }));
    }
  }

  #event(service: string, eventType: number, state: number, more: Partial<AgentEvent> = {}): AgentEvent {
    const event = { service, eventType, state, serviceType: 3, action: 1, message: "", collectedSec: 0 };
    return { ...event, collectedUsec: ++this.#usec, ...more };
  }

  /** What Muster receives of it in this second. */
  messages(at: number): AgentMessage[] {
    const { random } = this;
    if (at < this.#downUntil || at < this.#nextMessage) return [];
    if (this.#downUntil !== 0) this.#restart(at);
    this.#nextMessage = at + this.#poll + random.between(-2, 3);
    const now = at + this.#shift;
    if (random.chance(0.05)) return this.#stop(at);
    if (random.chance(0.03)) this.#unreachableUntil = at + random.between(20, 160);
    if (random.chance(0.03)) this.#restart(at);
    const events = random.chance(0.6) ? this.#checkServices(now) : [];
    if (at < this.#unreachableUntil) {
      // Only some agents queue their events.
      if (random.chance(0.7)) this.#outbox.push(...events);
      return [];
    }
    const late = random.chance(0.5) ? this.#late() : [];
    const posted = [...events, ...late].map((event) => this.#message(now, event));
    return random.chance(0.7) ? [...posted, this.#message(now, null)] : posted;
  }

  /** An event of the queue, or one that was sent before. */
  #late(): AgentEvent[] {
    if (this.#sent.length > 0 && this.random.chance(0.1)) return [this.random.pick(this.#sent)];
    return this.#outbox.splice(this.random.below(this.#outbox.length || 1), 1);
  }

  /** One service changes its state. Its events may be lost. */
  #checkServices(now: number): AgentEvent[] {
    const { random } = this;
    for (const service of this.#services) if (random.chance(0.8)) service.collectedSec = now;
    const service = this.#services[random.below(this.#services.length)];
    if (!service) return [];
    const bit = random.pick(CLASSES);
    const stamp = { collectedSec: now - random.below(3) };
    const chance = random.fraction();
    if (chance < 0.45) {
      const isFailing = (service.failing & bit) !== 0;
      service.failing ^= bit;
      const event = this.#event(service.name, bit, isFailing ? random.pick([0, 0, 3]) : 1, stamp);
      return random.chance(0.75) ? [event] : [];
    }
    if (chance < 0.55) service.monitor = service.monitor === 0 ? 1 : 0;
    else if (chance < 0.6) service.monitor = random.pick([1, 2, 4]);
    else if (chance < 0.68) service.listed = !service.listed;
    else if (chance < 0.75) return [this.#event(service.name, bit, 2, stamp)];
    else if (chance < 0.8) return [this.#event("ghost", bit, random.below(2), stamp)];
    else if (chance < 0.85) return [this.#event(service.name, bit, 4, stamp)];
    return [];
  }

  #restart(at: number): void {
    if (this.random.chance(0.2)) this.#shift = this.#randomShift();
    this.#downUntil = 0;
    // Another run, even if its clock says that it began in the same second.
    this.#incarnation = Math.max(this.#incarnation + 1, at + this.#shift);
    for (const service of this.#services) {
      if (this.random.chance(0.5)) service.failing = 0;
      if (this.random.chance(0.2)) service.monitor = 1;
    }
  }

  #stop(at: number): AgentMessage[] {
    const now = at + this.#shift;
    const goodbye = this.#event("Monit", 65_536, 2, { action: 3, collectedSec: now });
    this.#downUntil = at + this.random.between(5, 150);
    if (this.random.chance(0.25)) this.#outbox.push(goodbye);
    else return [this.#message(now, goodbye), ...(this.random.chance(0.3) ? [this.#message(now, null)] : [])];
    return [];
  }

  #message(now: number, event: AgentEvent | null): AgentMessage {
    if (event) this.#sent.push(event);
    const texts = { name: "Linux", release: "", version: "", machine: "" };
    return {
      agentId: this.name,
      incarnation: this.#incarnation,
      version: "5.33.0",
      server: {
        uptime: Math.max(0, now - this.#incarnation),
        poll: this.#poll,
        startDelay: 0,
        hostname: this.name,
        controlFile: "",
        httpd: null,
        credentials: null,
      },
      platform: { ...texts, cpuCount: 1, memoryKb: 1, swapKb: 0 },
      hostGroups: [],
      services: this.#services.filter(({ listed }) => listed).map((service) => this.#listed(service)),
      unreadServices: [],
      serviceGroups: [],
      events: event ? [event] : [],
      isEventOnly: false,
      unreadable: null,
    };
  }

  #listed({ name, monitor, failing, collectedSec }: CheckedService): AgentService {
    // A failing service can look clear for a moment; a mere change sets its bit in both words.
    const status = this.random.chance(0.1) ? 0 : failing;
    const statusHint = this.random.chance(0.05) ? status : 0;
    const rest = { type: 3, monitorMode: 0, onReboot: 0, pendingAction: 0, every: "", statistics: [] };
    return { ...rest, name, monitor, status, statusHint, collectedSec, collectedUsec: 0 };
  }
}
