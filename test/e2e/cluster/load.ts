/** Agents that post to a cluster continuously and keep what is not answered, and what must then be stored. */
import { agentXml } from "../../support/agent-messages.ts";
import { TestClient } from "../../support/client.ts";
import { COLLECTOR_PASSWORD } from "../../support/passwords.ts";
import { eventually } from "../support.ts";

const AGENTS = 12;
/** Pause between two messages of an agent, milliseconds: around a fault, and otherwise. */
const PAUSE_MS = 60;
const LONG_PAUSE_MS = 600;
/** Pause before a rejected message is sent again, milliseconds. */
const AGAIN_MS = 150;
/** Agents give up after this, milliseconds. */
const PATIENCE_MS = 5000;
/** They count as down three cycles after their last message, which is less than a takeover takes; seconds. */
const POLL = 3;
/** The service of each agent. Its events are a success, an error and a change by turns, after their number. */
export const SERVICE = "app";
export const HEARTBEAT = 1_048_576;

export interface Acknowledged {
  /** Numbers of events. */
  events: readonly number[];
  /** The number of the last message of each agent. */
  newest: ReadonlyMap<string, number>;
}

export class Load {
  readonly #events: number[] = [];
  readonly #newest = new Map<string, number>();
  readonly #at = Math.floor(Date.now() / 1000);
  readonly #client: TestClient;
  #isOver = false;
  #pause = LONG_PAUSE_MS;
  #number = 0;
  #markedAt = 0;
  #takenAfter: number | null = null;
  #running: Promise<unknown> = Promise.resolve();
  /** Messages sent, including those sent again. */
  sent = 0;

  constructor(url: string) {
    const signal = () => AbortSignal.timeout(PATIENCE_MS);
    this.#client = new TestClient((request) => fetch(request, { signal: signal(), keepalive: false }), url);
  }

  start(): void {
    this.#running = Promise.all(Array.from({ length: AGENTS }, (_, i) => this.#post(`load-${i}`)));
  }

  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#running;
  }

  /** From now on, agents send often. Resolves when they do. */
  async rise(): Promise<void> {
    this.#pause = PAUSE_MS;
    const enough = this.#number + 4 * AGENTS;
    await eventually("the agents send often", () => this.#number >= enough);
  }

  /** From now on, agents send now and then. */
  fall(): void {
    this.#pause = LONG_PAUSE_MS;
  }

  /** Everything that has been acknowledged. */
  acknowledged(): Acknowledged {
    return { events: [...this.#events], newest: new Map(this.#newest) };
  }

  /** From now on, `takenAfter` counts. */
  mark(): void {
    this.#markedAt = performance.now();
    this.#takenAfter = null;
  }

  /** Milliseconds from the mark to the first answer 200 to a message that was sent after it; null: none yet. */
  get takenAfter(): number | null {
    return this.#takenAfter;
  }

  async #post(agent: string): Promise<void> {
    for (let nth = 0; !this.#isOver; nth++) {
      const number = ++this.#number;
      const isEvent = nth % 3 === 2;
      const xml = agentXml({
        id: agent,
        hostname: agent,
        at: this.#at,
        incarnation: this.#at - 10_000_000,
        uptime: number,
        poll: POLL,
        services: [{ name: SERVICE, status: 0 }],
        ...(isEvent && {
          event: { service: SERVICE, state: number % 3, collectedUsec: number, message: `${number}` },
        }),
      });
      // A message that was not acknowledged is kept and sent again, as an agent does with events.
      while (!(await this.#isTaken(xml))) {
        if (this.#isOver) return;
        await Bun.sleep(AGAIN_MS);
      }
      if (isEvent) this.#events.push(number);
      this.#newest.set(agent, number);
      await Bun.sleep(this.#pause);
    }
  }

  async #isTaken(xml: string): Promise<boolean> {
    const sentAt = performance.now();
    this.sent++;
    const status = await this.#client.report(xml, COLLECTOR_PASSWORD).then(
      (response) => response.status,
      () => 0,
    );
    if (status !== 200) return false;
    if (sentAt > this.#markedAt) this.#takenAfter ??= performance.now() - this.#markedAt;
    return true;
  }
}
