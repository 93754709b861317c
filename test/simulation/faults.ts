/** What goes wrong around the server, and for how long. */
import type { Random } from "../support/random.ts";
import type { SimulatedAgent } from "./agents.ts";
import type { Mood } from "./network.ts";
import type { IncidentKind } from "./plan.ts";
import type { World } from "./world.ts";

export const RECIPIENTS = ["mail.test", "chat.test", "pager.test"] as const;
/** Seconds for which the traces of a fault may be visible after it. */
const AFTERMATH = 15;
/** Seconds. While the disk is full, Muster tries once a second whether it can write again. */
const LONGEST_FULL_DISK = 1200;
/** Longest commit on a slow disk, seconds. */
export const SLOWEST_COMMIT = 4;
/** Longest interval at which Muster records that it is running, seconds. */
const ALIVE_INTERVAL = 61;
/** Longest time until Muster notices that it can store again, seconds. */
const OUTAGE_NOTICE = 8;
/** A channel that failed is tried again within this time, seconds. */
const CHANNEL_AFTERMATH = 4000;
/** Interval at which Muster looks for waiting messages after a channel has recovered, seconds. */
const LOOK_INTERVAL = 60;
/** Time within which messages left over from the previous run are sent, seconds. */
const START_AFTERMATH = 90;

export class Faults {
  /** Seconds for which the server is off after a kill. */
  downtime = 0;
  #diskFullUntil = 0;
  #diskSlowUntil = 0;
  #offlineUntil = 0;
  #offline: (agent: SimulatedAgent) => boolean = () => false;
  #answersLostUntil = 0;
  #clockSetAt = 0;
  /** When Muster looks for waiting messages, unix seconds. */
  #looksAgainAt = 0;
  readonly #moodUntil = new Map<string, number>();

  constructor(private readonly world: World) {}

  /** @returns false for what is no fault */
  async begin(kind: IncidentKind, random: Random): Promise<boolean> {
    const { world } = this;
    if (kind === "kill") this.#kill(random);
    else if (kind === "restart") {
      if (world.server) await world.stop(random.pick([1, 20, 3600, 5 * 3600]));
    } else if (kind === "full disk") {
      if (world.server) world.disk.fill(random.pick([0, 0, 1, 5, 30]));
      this.#diskFullUntil = world.now() + random.between(30, LONGEST_FULL_DISK);
    } else if (kind === "slow disk") {
      world.disk.delay = random.between(1, SLOWEST_COMMIT);
      this.#diskSlowUntil = world.now() + random.between(5, 40);
    } else if (kind === "clock forward") this.#setClock(random.between(2, 7200));
    else if (kind === "clock back") this.#setClock(-random.between(1, 600));
    else if (kind === "network outage") this.#cutNetwork(random);
    else if (kind === "channel trouble") {
      const recipient = random.pick(RECIPIENTS);
      world.network.moods.set(recipient, random.pick<Mood>(["failing", "lost answers", "stalled"]));
      this.#moodUntil.set(recipient, world.now() + random.between(20, 20_000));
    } else return false;
    return true;
  }

  #setClock(seconds: number): void {
    this.world.setClock(seconds);
    this.#clockSetAt = this.world.now();
  }

  #kill(random: Random): void {
    const { world } = this;
    if (!world.server) return;
    this.downtime = random.pick([0, 0, 1, 30, 600, 4 * 3600]);
    // While many messages are stored at once.
    if (random.chance(0.3))
      for (const agent of world.agents) agent.nextAt = Math.min(agent.nextAt, world.now());
    world.disk.plan({ commits: random.below(30), isDurable: random.chance(0.5) });
  }

  /** For some or all agents, which all come back at once. */
  #cutNetwork(random: Random): void {
    const until = this.world.now() + random.between(60, 10_000);
    if (random.chance(0.3)) {
      this.#answersLostUntil = until;
      return;
    }
    const [part, parts] = [random.below(3), random.pick([1, 3])];
    this.#offlineUntil = until;
    this.#offline = (agent) => this.world.agents.indexOf(agent) % parts === (parts === 1 ? 0 : part);
    if (parts === 1) for (const agent of this.world.agents) agent.nextAt = Math.max(agent.nextAt, until);
  }

  /** Ends the faults that are over. */
  tick(): void {
    const now = this.world.now();
    if (this.#diskFullUntil !== 0 && now >= this.#diskFullUntil) this.#freeDisk();
    this.easeDisk();
    for (const [recipient, until] of this.#moodUntil) {
      if (now < until) continue;
      this.world.network.moods.set(recipient, "well");
      if (now <= until + CHANNEL_AFTERMATH || now < this.#looksAgainAt) continue;
      this.#looksAgainAt = now + LOOK_INTERVAL;
      // Muster may have been off in the meantime.
      if (this.world.server?.rows.isAnyWaiting() === false) this.#moodUntil.delete(recipient);
    }
  }

  /** A slow disk recovers on time, even between two commits of one turn. */
  easeDisk(): void {
    if (this.world.now() >= this.#diskSlowUntil) this.world.disk.delay = 0;
  }

  /** Ends all faults. */
  endAll(): void {
    const now = this.world.now();
    if (this.#diskFullUntil !== 0) this.#freeDisk();
    this.#offlineUntil = this.#answersLostUntil = now;
    this.#diskSlowUntil = now;
    this.world.disk.plan(null);
    for (const recipient of this.#moodUntil.keys()) this.#moodUntil.set(recipient, now);
    this.tick();
  }

  #freedAt = 0;

  #freeDisk(): void {
    if (this.world.server) this.world.disk.free();
    this.diskIsFree();
  }

  diskIsFree(): void {
    if (this.#diskFullUntil !== 0) this.#freedAt = this.world.now();
    this.#diskFullUntil = 0;
  }

  /** Whether the disk is full or was a moment ago. */
  get isDiskShort(): boolean {
    return this.#diskFullUntil !== 0 || this.world.now() <= this.#freedAt + AFTERMATH;
  }

  get isDiskSlow(): boolean {
    return this.world.now() <= this.#diskSlowUntil + AFTERMATH;
  }

  /** Whether disk and clock have worked since then. */
  wereNoneSince(at: number): boolean {
    const isFull = this.#diskFullUntil !== 0 || at <= this.#freedAt + AFTERMATH;
    return !isFull && at > this.#diskSlowUntil && at > this.#clockSetAt;
  }

  get mayRefuse(): boolean {
    return this.isDiskShort || this.isDiskSlow;
  }

  /** Whether messages are late because a recipient refused them or Muster was off. */
  get isChannelBad(): boolean {
    return this.#moodUntil.size > 0 || this.world.now() <= this.world.startedAt + START_AFTERMATH;
  }

  isOnline(agent: SimulatedAgent): boolean {
    return this.world.now() >= this.#offlineUntil || !this.#offline(agent);
  }

  losesAnswer(agent: SimulatedAgent): boolean {
    return this.world.now() < this.#answersLostUntil && this.world.agents.indexOf(agent) % 2 === 0;
  }

  /** What Muster recorded about its last run: its end if it was stopped, else a time shortly before it ended. */
  checkAlive(aliveAt: number, endedAt: number, wasStopped: boolean): void {
    const { world } = this;
    if (endedAt === 0 || this.mayRefuse || endedAt <= this.#clockSetAt + ALIVE_INTERVAL) return;
    const earliest = wasStopped ? endedAt : endedAt - ALIVE_INTERVAL - 5;
    if (aliveAt > endedAt || aliveAt < earliest)
      world.fail(`Muster noted at ${aliveAt} that it runs, and ended at ${endedAt}`);
  }

  checkOutageEnd(): void {
    const { world } = this;
    const isLate = this.#freedAt !== 0 && world.now() > this.#freedAt + OUTAGE_NOTICE && !this.isDiskSlow;
    if (isLate && this.#diskFullUntil === 0)
      world.fail(`Muster could store again from ${this.#freedAt} on, and noticed it now`);
  }
}
