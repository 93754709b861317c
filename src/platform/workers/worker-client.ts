import { errors } from "../http/errors.ts";
import type { Log } from "../log.ts";

export interface WorkerOptions {
  /** Name for the log. */
  name: string;
  /** Starts the thread. */
  start: () => Worker;
  log: Log;
  /** The most requests in progress, including the running one. */
  maxWaiting: number;
  /** Milliseconds from a request's turn after which the worker is terminated; null: no limit. */
  timeLimitMs: number | null;
  /** The worker is terminated after this many milliseconds without a request, to free its memory. */
  idleMs: number;
  /** Messages for callers: too many requests wait, one took too long, or the worker failed. */
  reasons: { tooMany: string; tooSlow: string; failed: string };
}

/** How long to wait for a worker's end, milliseconds: it first completes what runs outside JavaScript. */
const END_MS = 2000;

interface Waiting<Reply> {
  resolve: (reply: Reply) => void;
  reject: (error: unknown) => void;
  timer?: ReturnType<typeof setTimeout>;
}

/** Sends requests to a worker thread, which the first one starts. Replies are matched to requests by `id`. */
export class WorkerClient<Request extends object, Reply> {
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | undefined;
  #next = 1;
  /** In order of arrival. */
  readonly #waiting = new Map<number, Waiting<Reply>>();

  constructor(private readonly options: WorkerOptions) {}

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  /**
   * @param moved buffers of the request that are transferred without a copy, and are empty here afterwards
   * @throws ApiError 503 when too many wait, one takes too long, or the worker fails or ends
   */
  async request(request: Request, moved: ArrayBuffer[] = []): Promise<Reply> {
    const { maxWaiting, reasons } = this.options;
    if (this.#waiting.size >= maxWaiting) throw errors.busy(reasons.tooMany);
    const worker = this.#started();
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      worker.postMessage({ ...request, id }, moved);
      this.#startTimer();
    });
  }

  /** Ends the worker, which closes its database. Pending requests fail with 503. */
  async stop(): Promise<void> {
    const worker = this.#forget("Muster is stopping");
    if (!worker) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("close", () => resolve());
    const timer = setTimeout(resolve, END_MS);
    worker.terminate();
    await promise;
    clearTimeout(timer);
  }

  #started(): Worker {
    clearTimeout(this.#idle);
    if (this.#worker) return this.#worker;
    const { name, start, log, reasons } = this.options;
    const worker = start();
    const crashed = (reason: string) => {
      if (this.#worker !== worker) return;
      log.error(`the ${name} failed`, { reason });
      this.#forget(reasons.failed)?.terminate();
    };
    worker.addEventListener("message", ({ data }: MessageEvent<Reply & { id: number }>) => {
      if (this.#worker === worker) this.#take(data.id)?.resolve(data);
    });
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      crashed(event.message);
    });
    worker.addEventListener("close", () => crashed("it ended"));
    this.#worker = worker;
    return worker;
  }

  #startTimer(): void {
    const { timeLimitMs } = this.options;
    const [first] = this.#waiting.values();
    if (timeLimitMs !== null && first) first.timer ??= setTimeout(() => this.#tooSlow(), timeLimitMs);
  }

  #tooSlow(): void {
    const { name, log, reasons } = this.options;
    log.warn(`the ${name} took too long and was terminated`);
    this.#forget(reasons.tooSlow)?.terminate();
  }

  /** Removes a pending request. Removing the last one starts the idle timer. */
  #take(id: number): Waiting<Reply> | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    if (this.#waiting.size > 0) this.#startTimer();
    else this.#idle = setTimeout(() => void this.stop(), this.options.idleMs);
    return waiting;
  }

  /** Rejects pending requests with 503; the next one starts another worker. @returns the current one */
  #forget(reason: string): Worker | null {
    const worker = this.#worker;
    this.#worker = null;
    const pending = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { timer, reject } of pending) {
      clearTimeout(timer);
      reject(errors.busy(reason));
    }
    clearTimeout(this.#idle);
    return worker;
  }
}
