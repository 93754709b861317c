import type { AgentMessage } from "../../monit/message.types.ts";
import {
  type FromMessageWorker,
  messageOf,
  outcomeOf,
  type ToMessageWorker,
} from "../../monit/message-worker.protocol.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";

/** Most large messages in progress or waiting. Each holds its body in memory, up to 4 MiB. */
const MAX_WAITING = 8;
/**
 * A message that takes longer to read, milliseconds, is abandoned and the worker is terminated. Agents wait
 * 5 s.
 */
const TIME_LIMIT_MS = 10_000;
/** The worker is terminated after this time without a large message, milliseconds, to release its memory. */
const IDLE_MS = 60_000;

/** Reads messages that would block the main thread. */
export interface LargeMessages {
  /** @throws RejectedMessage; ApiError 400, 413; 503 if too many messages wait or reading takes too long */
  read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage>;
}

/** Reads large messages synchronously, for commands and tests. */
export class InlineLargeMessages implements LargeMessages {
  async read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage> {
    return messageOf(outcomeOf(body, isGzipped));
  }
}

interface Waiting {
  resolve: (message: AgentMessage) => void;
  reject: (error: unknown) => void;
}

/** Reads large messages on a worker thread, which is started on demand. */
export class WorkerLargeMessages implements LargeMessages {
  #worker: Worker | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #next = 1;
  /** Messages in order of arrival, which is the order in which they are read. */
  readonly #waiting = new Map<number, Waiting>();

  /** @param start starts the thread */
  constructor(
    private readonly start: () => Worker,
    private readonly log: Log,
    private readonly limits = { timeMs: TIME_LIMIT_MS, idleMs: IDLE_MS },
  ) {}

  get isRunning(): boolean {
    return this.#worker !== null;
  }

  async read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage> {
    if (this.#waiting.size >= MAX_WAITING) throw errors.busy("Too many large messages came at once");
    const worker = this.#started();
    const id = this.#next++;
    return new Promise<AgentMessage>((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      const message: ToMessageWorker = { id, body, isGzipped };
      worker.postMessage(message);
      if (this.#waiting.size === 1) this.#watch();
    });
  }

  /** Terminates the worker. Waiting messages fail with 503. */
  stop(): void {
    this.#end("Muster is stopping");
  }

  #started(): Worker {
    if (this.#worker) return this.#worker;
    const worker = this.start();
    worker.addEventListener("message", ({ data }: MessageEvent<FromMessageWorker>) => {
      if (this.#worker === worker) this.#receive(data);
    });
    const crashed = (reason: string) => {
      if (this.#worker !== worker) return;
      this.log.error("the large-message worker failed", { reason });
      this.#end("The message could not be read");
    };
    worker.addEventListener("error", (event) => {
      event.preventDefault();
      crashed(event.message);
    });
    worker.addEventListener("close", () => crashed("it ended"));
    this.#worker = worker;
    return worker;
  }

  #receive(outcome: FromMessageWorker): void {
    const waiting = this.#waiting.get(outcome.id);
    this.#waiting.delete(outcome.id);
    this.#watch();
    try {
      waiting?.resolve(messageOf(outcome));
    } catch (error) {
      waiting?.reject(error);
    }
  }

  /** Restarts the timer: the time limit of the current message, or the idle time if there is none. */
  #watch(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const { timeMs, idleMs } = this.limits;
    this.#timer =
      this.#waiting.size === 0
        ? setTimeout(() => this.#end(""), idleMs)
        : setTimeout(() => {
            this.log.warn("a large message took too long to read and was abandoned");
            this.#end("The message takes too long to read");
          }, timeMs);
  }

  #end(reason: string): void {
    if (this.#timer) clearTimeout(this.#timer);
    this.#timer = null;
    const worker = this.#worker;
    this.#worker = null;
    worker?.terminate();
    for (const { reject } of this.#waiting.values()) reject(errors.busy(reason));
    this.#waiting.clear();
  }
}
