import { ApiError, errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import type { Log } from "../log.ts";
import type { Db } from "../storage/open.ts";
import { CLOSE, CLOSED, type FromWorker, type ToWorker } from "./protocol.ts";
import { type AsyncQueries, type Queries, queriesBy } from "./queries.ts";
import { newestIds } from "./size.repository.ts";

/** Most queries in progress, including the running one. */
const MAX_WAITING = 64;
/** Time limit of a query, milliseconds; its caller then gets an error. */
const TIME_LIMIT_MS = 30_000;
/** The worker is terminated after this many milliseconds without a query, to free its memory. */
const IDLE_MS = 180_000;
/** A worker that does not close within this many milliseconds, because it runs a long query, is terminated. */
const CLOSE_MS = 2000;

/** Below these numbers of hosts and events every query is short, and a worker would only cost memory. */
const SMALL = { host: 100, event: 10_000 };

/** Whether the database is too small to justify a worker. */
export function isSmall(db: Db): boolean {
  const { host, event } = newestIds(db);
  return host <= SMALL.host && event <= SMALL.event;
}

export interface QueryWorkerOptions<Q extends Queries> {
  /** Starts the worker thread. */
  start: () => Worker;
  queries: Q;
  /** Runs queries on this thread, for databases too small for a worker. */
  inline: AsyncQueries<Q>;
  isSmall: () => boolean;
  log: Log;
  idleMs?: number;
  timeLimitMs?: number;
}

interface Waiting {
  resolve: (reply: PreparedReply) => void;
  reject: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Runs long queries on a worker thread, which starts with the first query. A query sees everything
 * acknowledged before it was sent.
 */
export class QueryWorker<Q extends Queries> {
  readonly queries: AsyncQueries<Q>;
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | null = null;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();

  constructor(private readonly options: QueryWorkerOptions<Q>) {
    this.queries = queriesBy(options.queries, (name, args) => this.#run(name, args));
  }

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  async #run(name: keyof Q & string, args: readonly never[]): Promise<object> {
    if (this.options.isSmall()) return this.options.inline[name](...(args as Parameters<Q[typeof name]>));
    if (this.#waiting.size >= MAX_WAITING) throw errors.busy("Too many long queries are waiting");
    const worker = this.#started();
    const id = this.#next++;
    const limit = this.options.timeLimitMs ?? TIME_LIMIT_MS;
    return new Promise<PreparedReply>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#take(id)?.reject(errors.busy("The answer takes too long: ask for less")),
        limit,
      );
      this.#waiting.set(id, { resolve, reject, timer });
      this.#say(worker, { id, name, args, until: Date.now() + limit });
    });
  }

  /** Stops the worker; pending queries fail with 503. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#forget(worker, "Muster is stopping");
    if (worker) await this.#end(worker);
  }

  #say(worker: Worker, message: ToWorker): void {
    worker.postMessage(message);
  }

  #started(): Worker {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#worker) return this.#worker;
    const worker = this.options.start();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#crashed(worker, event.message);
    });
    worker.addEventListener("close", () => this.#crashed(worker, "it ended"));
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromWorker): void {
    if (message === CLOSED) return;
    const waiting = this.#take(message.id);
    if (!waiting) return;
    if ("body" in message) waiting.resolve(new PreparedReply(message.body, message.headers));
    else if (message.kind === "refused")
      waiting.reject(new ApiError(message.status, message.code, message.message));
    else if (message.kind === "unavailable") {
      this.options.log.warn("query failed", { reason: message.message });
      waiting.reject(errors.busy(`The database cannot be used: ${message.message}`));
    } else waiting.reject(new Error(message.message));
  }

  /** Removes a pending query. Removing the last one starts the idle timer. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#worker)
      this.#idle = setTimeout(() => void this.stop(), this.options.idleMs ?? IDLE_MS);
    return waiting;
  }

  /** Handles the unexpected end of a worker. The next query starts another one. */
  #crashed(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.options.log.error("the query worker failed", { reason });
    this.#forget(worker, "The query could not be run");
  }

  #forget(worker: Worker | null, message: string): void {
    if (this.#worker === worker) this.#worker = null;
    for (const id of [...this.#waiting.keys()]) this.#take(id)?.reject(errors.busy(message));
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
  }

  async #end(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("message", ({ data }: MessageEvent<FromWorker>) => {
      if (data === CLOSED) resolve();
    });
    worker.addEventListener("close", () => resolve());
    const timer = setTimeout(resolve, CLOSE_MS);
    this.#say(worker, CLOSE);
    await promise;
    clearTimeout(timer);
    worker.terminate();
  }
}
