import { ApiError, errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import type { Log } from "../log.ts";
import type { Db } from "../storage/open.ts";
import { CLOSE, CLOSED, type FromWorker, type ToWorker } from "./protocol.ts";
import { type AsyncQueries, type Queries, queriesBy } from "./queries.ts";
import { newestIds } from "./size.repository.ts";

/** Queries that may wait, the running one included. */
const MAX_WAITING = 64;
/** A query that takes more milliseconds is given up by those who wait for it. */
const TIME_LIMIT_MS = 30_000;
/** The thread, and its memory, is given back after so many milliseconds without a query. */
const IDLE_MS = 180_000;
/** A thread that is told to end and does not, since it is in the middle of a long query, is ended after this. */
const CLOSE_MS = 2000;

/** With so few hosts and events every query is short, and the thread would only cost memory. */
const SMALL = { host: 100, event: 10_000 };

/** Whether there is so little to read that no thread is worth it. */
export function isSmall(db: Db): boolean {
  const { host, event } = newestIds(db);
  return host <= SMALL.host && event <= SMALL.event;
}

export interface QueryWorkerOptions<Q extends Queries> {
  /** Starts the thread. */
  start: () => Worker;
  queries: Q;
  /** Runs the queries on this thread, where that takes less than to ask the other one. */
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
 * Runs long queries on a thread of their own, which is started with the first of them. A query sees everything that was
 * acknowledged before it was asked for.
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

  /** Ends the thread; queries that wait are answered 503. */
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
      this.options.log.warn("query refused", { reason: message.message });
      waiting.reject(errors.busy(`The database cannot be used: ${message.message}`));
    } else waiting.reject(new Error(message.message));
  }

  /** Takes a query off the list; with the last one the time without queries begins. */
  #take(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#worker)
      this.#idle = setTimeout(() => void this.stop(), this.options.idleMs ?? IDLE_MS);
    return waiting;
  }

  /** The next query starts another thread. */
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
