/** Writes the lines of the log to standard output without ever waiting for its reader. */
import { constants, fstatSync, openSync, writeSync } from "node:fs";

/** The most bytes that wait for a reader: some thousand lines. Beyond that, lines are dropped. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** Interval between attempts to write waiting lines, milliseconds. */
const RETRY_MS = 200;
/** How long the end of the process waits for a reader, milliseconds. */
const CLOSE_PATIENCE_MS = 1000;

/** Writes as many of these bytes as it can without waiting. @returns how many it wrote */
export type Send = (bytes: Uint8Array) => number;

/** Lines wait in memory while nobody reads them. Beyond a bound new ones are dropped, and counted. */
export class LogOutput {
  /** Bytes that are not written yet: whole lines, except that the first may have lost its beginning. */
  #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #dropped = 0;
  #retry: ReturnType<typeof setTimeout> | null = null;

  /** @param onDropped called with the number of dropped lines once lines can be written again */
  constructor(
    private readonly send: Send,
    private readonly onDropped: (lines: number) => void,
    private readonly maxWaitingBytes = MAX_WAITING_BYTES,
  ) {}

  /** Bytes that wait for a reader. */
  get waitingBytes(): number {
    return this.#waitingBytes;
  }

  /** Writes a line, keeps it for later, or drops it if too much waits. */
  write(line: string): void {
    const bytes = Buffer.from(`${line}\n`);
    if (this.#waitingBytes + bytes.length > this.maxWaitingBytes) {
      this.#dropped++;
      return;
    }
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    // Lines keep their order, so this one waits for those before it.
    if (this.#retry === null) this.#flush();
  }

  /** Gives the reader a moment to take the last lines before the process ends. @param patience milliseconds */
  async close(patience = CLOSE_PATIENCE_MS): Promise<void> {
    const deadline = performance.now() + patience;
    while (this.#waitingBytes > 0 && performance.now() < deadline) await Bun.sleep(RETRY_MS / 4);
    if (this.#retry !== null) clearTimeout(this.#retry);
  }

  #flush(): void {
    this.#retry = null;
    while (this.#waiting[0] !== undefined) {
      const bytesWritten = this.#attempt(this.#waiting[0]);
      this.#waitingBytes -= bytesWritten;
      if (bytesWritten < this.#waiting[0].length) {
        this.#waiting[0] = this.#waiting[0].subarray(bytesWritten);
        this.#retry = setTimeout(() => this.#flush(), RETRY_MS);
        return;
      }
      this.#waiting.shift();
    }
    const dropped = this.#dropped;
    this.#dropped = 0;
    if (dropped > 0) this.onDropped(dropped);
  }

  /** Bytes that cannot be written now, for example to a full disk, wait like those that nobody reads. */
  #attempt(bytes: Uint8Array): number {
    try {
      return this.send(bytes);
    } catch {
      return 0;
    }
  }
}

const STDOUT = 1;

/**
 * Standard output, written without blocking. A pipe or terminal is opened a second time, as non-blocking mode belongs
 * to the open file, which other processes share. Writing to a regular file never blocks. Others, such as the socket of
 * a service manager, go through the runtime's stream, which buffers what it cannot write.
 */
export function sendToStdout(): Send {
  const status = fstatSync(STDOUT);
  if (status.isFile()) return (bytes) => writeSync(STDOUT, bytes);
  if (status.isFIFO() || status.isCharacterDevice())
    try {
      const { O_WRONLY, O_NONBLOCK, O_NOCTTY } = constants;
      const descriptor = openSync("/proc/self/fd/1", O_WRONLY | O_NONBLOCK | O_NOCTTY);
      return (bytes) => writeSync(descriptor, bytes);
    } catch {
      // It belongs to another user, or the system has no such path.
    }
  const { stdout } = process;
  // The reader is gone; the server continues.
  stdout.on("error", () => undefined);
  return (bytes) => {
    if (stdout.writableNeedDrain) return 0;
    stdout.write(bytes);
    return bytes.length;
  };
}
