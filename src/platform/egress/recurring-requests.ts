import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";

/** Between two steps, milliseconds. */
export const RECURRING_STEP_MS = 1000;

/** withheld: there was no failure, but nothing was to be told either. */
export type RequestResult = "ok" | "failed" | "withheld";

export interface RecurringWork {
  /** What it is, for the log. */
  name: string;
  /** Where to, "" for nowhere, and how often, seconds. Asked at every step: both are settings. */
  target: () => { url: string; interval: number };
  /** Does it once. @returns why it was withheld, null when it was done @throws when it failed */
  work: (url: string, signal: AbortSignal) => Promise<string | null>;
  onResult: (result: RequestResult) => void;
}

/** Work for another system, done at an interval, never twice at a time. Its failures are logged once per outage. */
export class RecurringRequest {
  readonly #stop = new AbortController();
  #url = "";
  #lastStart = Number.NEGATIVE_INFINITY;
  #running: Promise<void> | null = null;
  #failing = false;

  constructor(
    private readonly clock: Clock,
    private readonly log: Log,
    private readonly work: RecurringWork,
  ) {}

  /** Begins it when it is due. To be called every RECURRING_STEP_MS. */
  step(): void {
    const { url, interval } = this.work.target();
    const now = this.clock.now();
    if (url !== this.#url) this.#lastStart = Number.NEGATIVE_INFINITY;
    this.#url = url;
    // A clock that was set back is no reason to wait until it is where it was.
    const isDue = now - this.#lastStart >= interval || now < this.#lastStart;
    if (url === "" || !isDue || this.#running || this.#stop.signal.aborted) return;
    this.#lastStart = now;
    this.#running = this.#run(url).finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when nothing is under way. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Begins nothing more; what is under way is given up. */
  stop(): void {
    this.#stop.abort();
  }

  async #run(url: string): Promise<void> {
    const { name, work, onResult } = this.work;
    let reason: string | null;
    let result: RequestResult;
    try {
      reason = await work(url, this.#stop.signal);
      result = reason === null ? "ok" : "withheld";
    } catch (error) {
      reason = error instanceof Error ? error.message : String(error);
      result = "failed";
    }
    if (this.#stop.signal.aborted) return;
    onResult(result);
    if (reason !== null && !this.#failing) this.log.warn(`${name} fails`, { reason });
    if (reason === null && this.#failing) this.log.info(`${name} goes on`);
    this.#failing = reason !== null;
  }
}
