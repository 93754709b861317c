import type { AgentMessage } from "../../monit/message.types.ts";
import {
  type FromMessageWorker,
  messageOf,
  outcomeOf,
  type ToMessageWorker,
} from "../../monit/message-worker.protocol.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";

/** Large messages that may wait, the one at hand included: each takes its body's memory, 4 MiB at most. */
const MAX_WAITING = 8;
/** A message that is not read after so many milliseconds is given up, and the thread with it. Agents wait for 5 s. */
const TIME_LIMIT_MS = 10_000;
/** The thread, and its memory, is given back after so many milliseconds without a large message. */
const IDLE_MS = 60_000;

/** Reads messages that would keep everything else waiting. */
export interface LargeMessages {
  /** @throws RejectedMessage; ApiError 400, 413; 503 when too many are waiting or it takes too long */
  read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage>;
}

/** Reads them at once, where nothing else can be kept waiting. */
export class InlineLargeMessages implements LargeMessages {
  async read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage> {
    return messageOf(outcomeOf(body, isGzipped));
  }
}

interface Waiting {
  resolve: (message: AgentMessage) => void;
  reject: (error: unknown) => void;
}

/** Reads them on a thread of their own, which is started with the first of them. */
export class WorkerLargeMessages implements LargeMessages {
  #worker: Worker | null = null;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #next = 1;
  /** In the order in which they came, which is the one in which they are read. */
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

  /** Ends the thread; messages that wait are answered 503. */
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
      this.log.error("the thread for large messages failed", { reason });
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

  /** Of the message that is read now, or else of the thread that has nothing to do. */
  #watch(): void {
    if (this.#timer) clearTimeout(this.#timer);
    const { timeMs, idleMs } = this.limits;
    this.#timer =
      this.#waiting.size === 0
        ? setTimeout(() => this.#end(""), idleMs)
        : setTimeout(() => {
            this.log.warn("a large message takes too long to read and is given up");
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
