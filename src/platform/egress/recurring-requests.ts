import type { Clock } from "../clock.ts";
import type { Log } from "../log.ts";
import { reasonOf } from "../text.ts";

/** Interval at which `step` is called, milliseconds. */
export const RECURRING_STEP_MS = 1000;

/** withheld: nothing failed, but there was a reason not to send the request. */
export type RequestResult = "ok" | "failed" | "withheld";

export interface RecurringWork {
  /** Name for the log. */
  name: string;
  /** URL ("" for none) and interval in seconds. Read at every step, since both are settings. */
  target: () => { url: string; interval: number };
  /** Makes one request. @returns why it was withheld, null when it was sent @throws when it failed */
  work: (url: string, signal: AbortSignal) => Promise<string | null>;
  onResult: (result: RequestResult) => void;
}

/** A request at an interval, never twice at a time. Logs the first failure, then the recovery. */
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

  /** Starts the request when it is due. Call it every RECURRING_STEP_MS. */
  step(): void {
    const { url, interval } = this.work.target();
    const now = this.clock.now();
    if (url !== this.#url) this.#lastStart = Number.NEGATIVE_INFINITY;
    this.#url = url;
    // A clock that was set back must not delay the next request.
    const isDue = now - this.#lastStart >= interval || now < this.#lastStart;
    if (url === "" || !isDue || this.#running || this.#stop.signal.aborted) return;
    this.#lastStart = now;
    this.#running = this.#run(url).finally(() => {
      this.#running = null;
    });
  }

  /** Resolves when no request is running. */
  async idle(): Promise<void> {
    await this.#running;
  }

  /** Prevents further requests and aborts the running one. */
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
      reason = reasonOf(error);
      result = "failed";
    }
    if (this.#stop.signal.aborted) return;
    onResult(result);
    if (reason !== null && !this.#failing) this.log.warn(`${name} failed`, { reason });
    if (reason === null && this.#failing) this.log.info(`${name} works again`);
    this.#failing = reason !== null;
  }
}
