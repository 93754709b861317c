import type { AgentMessage } from "../../monit/message.types.ts";
import {
  type FromMessageWorker,
  type MessageRequest,
  messageOf,
  outcomeOf,
} from "../../monit/message-worker.protocol.ts";
import type { Log } from "../../platform/log.ts";
import { WorkerClient } from "../../platform/workers/worker-client.ts";

/** The most large messages in progress or waiting. Each holds its body in memory, up to 4 MiB. */
const MAX_WAITING = 8;
/** A message that takes longer to read, milliseconds, is abandoned and the worker is terminated. Agents wait 5 s. */
const TIME_LIMIT_MS = 10_000;
/** The worker is terminated after this time without a large message, milliseconds, to release its memory. */
const IDLE_MS = 60_000;

/** Reads messages that would block the main thread. */
export interface LargeMessages {
  /**
   * Inflates and parses a message.
   * @throws RejectedMessage; ApiError 400, 413; 503 if too many messages wait or reading takes too long
   */
  read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage>;
}

/** Reads large messages synchronously, for commands and tests. */
export class InlineLargeMessages implements LargeMessages {
  async read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage> {
    return messageOf(outcomeOf(body, isGzipped));
  }
}

/** Reads large messages on a worker thread, which is started on demand. */
export class WorkerLargeMessages
  extends WorkerClient<MessageRequest, FromMessageWorker>
  implements LargeMessages
{
  /** @param start starts the thread */
  constructor(start: () => Worker, log: Log, limits = { timeMs: TIME_LIMIT_MS, idleMs: IDLE_MS }) {
    super({
      start,
      log,
      name: "large-message worker",
      maxWaiting: MAX_WAITING,
      timeLimitMs: limits.timeMs,
      idleMs: limits.idleMs,
      reasons: {
        tooMany: "Too many large messages came at once",
        tooSlow: "The message takes too long to read",
        failed: "The message could not be read",
      },
    });
  }

  async read(body: Uint8Array, isGzipped: boolean): Promise<AgentMessage> {
    return messageOf(await this.request({ body, isGzipped }));
  }
}
