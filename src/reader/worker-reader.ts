import type { Db } from "../database/open.ts";
import { ApiError, errors } from "../http/errors.ts";
import { PreparedReply } from "../http/prepared.ts";
import type { Log } from "../log.ts";
import { CLOSE, CLOSED, type FromReader, type ToReader } from "./protocol.ts";
import type { QuestionName, Questions } from "./questions.ts";
import type { Answer, Reader } from "./reader.ts";
import { newestIds } from "./size.repository.ts";

/** Questions that may wait, the one at hand included. */
const MAX_WAITING = 64;
/** A question that is not answered after so many milliseconds is given up by those who asked. */
const TIME_LIMIT_MS = 30_000;
/** The thread, and its memory, is given back after so many milliseconds without a question. */
const IDLE_MS = 180_000;
/** A thread that is told to end and does not, since it is in the middle of a long question, is ended after this. */
const CLOSE_MS = 2000;

/** With so few hosts and events every question is short, and the thread would only cost memory. */
const SMALL = { host: 100, event: 10_000 };

/** Whether there is so little to read that no thread is worth it. */
export function isSmall(db: Db): boolean {
  const { host, event } = newestIds(db);
  return host <= SMALL.host && event <= SMALL.event;
}

export interface WorkerReaderParts {
  /** Starts the thread. */
  start: () => Worker;
  /** Answers where that takes less than to ask the thread. */
  inline: Reader;
  isSmall: () => boolean;
  log: Log;
  idleMs?: number;
  timeLimitMs?: number;
}

interface Waiting {
  resolve: (answer: PreparedReply) => void;
  reject: (error: unknown) => void;
  timer: ReturnType<typeof setTimeout>;
}

/**
 * Answers long questions on a thread of their own, which is started with the first of them. What was acknowledged before
 * a question is seen by it: each begins to read after it was asked.
 */
export class WorkerReader implements Reader {
  #worker: Worker | null = null;
  #idle: ReturnType<typeof setTimeout> | null = null;
  #next = 1;
  readonly #waiting = new Map<number, Waiting>();

  constructor(private readonly parts: WorkerReaderParts) {}

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  async ask<K extends QuestionName>(name: K, ...args: Parameters<Questions[K]>): Promise<Answer<K>> {
    if (this.parts.isSmall()) return this.parts.inline.ask(name, ...args);
    if (this.#waiting.size >= MAX_WAITING) throw errors.busy("Too many long questions are waiting");
    const worker = this.#started();
    const id = this.#next++;
    const limit = this.parts.timeLimitMs ?? TIME_LIMIT_MS;
    return new Promise<PreparedReply>((resolve, reject) => {
      const timer = setTimeout(
        () => this.#settle(id)?.reject(errors.busy("The answer takes too long: ask for less")),
        limit,
      );
      this.#waiting.set(id, { resolve, reject, timer });
      this.#say(worker, { id, name, args, until: Date.now() + limit });
    });
  }

  /** Ends the thread; questions that wait are answered 503. */
  async stop(): Promise<void> {
    const worker = this.#worker;
    this.#forget(worker, "Muster is stopping");
    if (worker) await this.#end(worker);
  }

  #say(worker: Worker, message: ToReader): void {
    worker.postMessage(message);
  }

  #started(): Worker {
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
    if (this.#worker) return this.#worker;
    const worker = this.parts.start();
    worker.addEventListener("message", ({ data }: MessageEvent<FromReader>) => this.#receive(data));
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#crashed(worker, event.message);
    });
    worker.addEventListener("close", () => this.#crashed(worker, "it ended"));
    this.#worker = worker;
    return worker;
  }

  #receive(message: FromReader): void {
    if (message === CLOSED) return;
    const waiting = this.#settle(message.id);
    if (!waiting) return;
    if ("body" in message) waiting.resolve(new PreparedReply(message.body, message.headers));
    else if (message.kind === "refused")
      waiting.reject(new ApiError(message.status, message.code, message.message));
    else if (message.kind === "trouble") {
      this.parts.log.warn("question refused", { reason: message.message });
      waiting.reject(errors.busy(`The database cannot be used: ${message.message}`));
    } else waiting.reject(new Error(message.message));
  }

  /** Takes a question off the list; with the last one the time without questions begins. */
  #settle(id: number): Waiting | undefined {
    const waiting = this.#waiting.get(id);
    if (!waiting) return undefined;
    clearTimeout(waiting.timer);
    this.#waiting.delete(id);
    if (this.#waiting.size === 0 && this.#worker)
      this.#idle = setTimeout(() => void this.stop(), this.parts.idleMs ?? IDLE_MS);
    return waiting;
  }

  /** The next question starts another thread. */
  #crashed(worker: Worker, reason: string): void {
    if (this.#worker !== worker) return;
    this.parts.log.error("the thread for long questions failed", { reason });
    this.#forget(worker, "The question could not be answered");
  }

  #forget(worker: Worker | null, message: string): void {
    if (this.#worker === worker) this.#worker = null;
    for (const id of [...this.#waiting.keys()]) this.#settle(id)?.reject(errors.busy(message));
    if (this.#idle) clearTimeout(this.#idle);
    this.#idle = null;
  }

  async #end(worker: Worker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    worker.addEventListener("message", ({ data }: MessageEvent<FromReader>) => {
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
