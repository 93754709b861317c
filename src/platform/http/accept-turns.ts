/**
 * Bounds the turns of the event loop in which connections are accepted. The runtime accepts until the queue is empty,
 * and reads and answers each request on the way. If clients connect as fast as they are accepted, the turn never ends:
 * no timer runs, other requests wait, and memory of closed connections is not freed. Over TLS the runtime reports a
 * connection only after its handshake, which takes further turns, so a flood of handshakes is not bounded here.
 */
import type { AcceptQueues } from "./accept-queue.ts";

/** Milliseconds after which no further connection is accepted until the turn ends. */
const MAX_ACCEPTING = 100;

/** The turns of all listening sockets of a process. Call `accepted` for each connection. */
export class AcceptTurns {
  /** When the first connection of this turn was accepted; null if none was. */
  #since: number | null = null;
  #isPaused = false;

  /** @param monotonic milliseconds of a clock that never jumps */
  constructor(
    private readonly queues: Pick<AcceptQueues, "pause" | "resume">,
    private readonly monotonic: () => number,
  ) {}

  /** A connection was accepted. */
  accepted(): void {
    if (this.#since === null) {
      this.#since = this.monotonic();
      setImmediate(() => this.#end());
    } else if (!this.#isPaused && this.monotonic() - this.#since > MAX_ACCEPTING) {
      this.#isPaused = true;
      this.queues.pause();
    }
  }

  #end(): void {
    this.#since = null;
    if (this.#isPaused) this.queues.resume();
    this.#isPaused = false;
  }
}
