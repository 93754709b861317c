/** Bodies of requests while they come in: what they hold of the memory, all together and by source. */
import { isLoopback, sourceOf } from "../net/client-address.ts";
import { errors } from "./errors.ts";
import { TimeSlices } from "./time-slices.ts";

/** Largest body of a caller who has not proved who he is, bytes: a login takes a few hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 64 * 1024;

export interface BodyLimits {
  /** Bytes of all bodies that are not whole yet. */
  maxBytes: number;
  /** The same from one source, but for this machine. */
  maxBytesPerSource: number;
}

const LIMITS: BodyLimits = {
  // 48 of the largest messages.
  maxBytes: 192 * 1024 * 1024,
  maxBytesPerSource: 64 * 1024 * 1024,
};

const tooMuch = () => errors.busy("Too much is being sent at the moment");

/** Shorter pieces are put together in blocks of this size, bytes: each piece by itself would take a hundred more. */
const BLOCK_BYTES = 16 * 1024;

/** Of bodies that were cut, bytes: after as many their memory is asked back, which the runtime would put off too long. */
const COLLECT_AFTER_BYTES = 64 * 1024 * 1024;

/** Longer bodies are read piece by piece, each in a time slice of its own, bytes. Shorter ones are not kept waiting. */
const LONG_BYTES = 64 * 1024;
/** Pieces of long bodies that are read in one turn of the event loop. Each is up to 512 KiB, which takes 0.5 ms. */
const LONG_READS_PER_TURN = 8;

/** One body that comes in. */
export class IncomingBody {
  #pieces: Uint8Array[] = [];
  /** What is left of the last block for short pieces. */
  #room = new Uint8Array();
  #size = 0;
  #held = 0;
  #isCut = false;
  /** What stops reading it, once it is being read. */
  onCut: (() => void) | null = null;

  constructor(
    private readonly bodies: Bodies,
    readonly source: string,
    private readonly limit: number,
  ) {}

  /** Bytes of memory that it holds. */
  get held(): number {
    return this.#held;
  }

  /** @throws ApiError 413 when it becomes longer than its limit, 503 when it was cut to make room for others */
  add(chunk: Uint8Array): void {
    if (this.#isCut) throw tooMuch();
    this.#size += chunk.byteLength;
    if (this.#size > this.limit) throw errors.bodyTooLarge(this.limit);
    const isFirstOrLong = this.#held === 0 || chunk.byteLength >= BLOCK_BYTES;
    if (isFirstOrLong) this.#endBlock();
    const more = isFirstOrLong ? this.#keep(chunk) : this.#copy(chunk);
    this.#held += more;
    this.bodies.changed(this, more);
    if (this.#isCut) throw tooMuch();
  }

  /** Whether its next piece is to be read with `readInTurn`. */
  get isLong(): boolean {
    return this.#size > LONG_BYTES;
  }

  /**
   * Has the next piece read, in this turn of the event loop or in a later one. Hundreds of long bodies that were read
   * whenever something of them arrived would keep every other request waiting.
   */
  readInTurn(read: () => void): void {
    this.bodies.longReads.begin(read);
  }

  /** The body, once all of it came. @throws ApiError 503 when it was cut to make room for others */
  whole(): Uint8Array {
    if (this.#isCut) throw tooMuch();
    const [only] = this.#pieces;
    if (this.#pieces.length === 1 && only) return only.subarray(0, this.#size);
    return Buffer.concat(this.#pieces, this.#size);
  }

  /** Gives up what came of it. */
  cut(): void {
    this.#isCut = true;
    this.#pieces = [];
    this.#room = new Uint8Array();
    this.onCut?.();
  }

  /** What comes next is no part of the last block. */
  #endBlock(): void {
    const room = this.#room.byteLength;
    const block = room > 0 ? this.#pieces.pop() : undefined;
    if (block) this.#pieces.push(block.subarray(0, block.byteLength - room));
    this.#room = new Uint8Array();
  }

  #keep(piece: Uint8Array): number {
    this.#pieces.push(piece);
    return piece.byteLength;
  }

  /** @returns bytes of memory that this took */
  #copy(chunk: Uint8Array): number {
    const fitting = chunk.subarray(0, this.#room.byteLength);
    this.#room.set(fitting);
    this.#room = this.#room.subarray(fitting.byteLength);
    const rest = chunk.subarray(fitting.byteLength);
    if (rest.byteLength === 0) return 0;
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(rest);
    this.#room = block.subarray(rest.byteLength);
    return this.#keep(block);
  }
}

/**
 * The bodies that come in. When they hold too much, the one that has been coming in for the longest time is cut, of the
 * source that holds too much or else of all: it is most likely one that was stalled to keep others out.
 */
export class Bodies {
  /** Oldest first. */
  readonly #open = new Set<IncomingBody>();
  readonly #ofSource = new Map<string, number>();
  readonly longReads = new TimeSlices(LONG_READS_PER_TURN);
  #bytes = 0;
  #cutBytes = 0;

  constructor(private readonly limits: BodyLimits = LIMITS) {}

  /** Bytes that all of them hold. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Begins a body. Give it to `close` in any case.
   * @param address of the client
   * @param limit bytes that it may have
   */
  open(address: string, limit: number): IncomingBody {
    const body = new IncomingBody(this, isLoopback(address) ? "" : sourceOf(address), limit);
    this.#open.add(body);
    return body;
  }

  /** It is read, and counts no more. */
  close(body: IncomingBody): void {
    if (!this.#open.delete(body)) return;
    this.#count(body.source, -body.held);
  }

  /** Counts what a body takes more. */
  changed(body: IncomingBody, more: number): void {
    if (!this.#open.has(body)) return;
    this.#count(body.source, more);
    const { maxBytes, maxBytesPerSource } = this.limits;
    const isGreedy = body.source !== "" && (this.#ofSource.get(body.source) ?? 0) > maxBytesPerSource;
    if (isGreedy) this.#cutOldest(({ source }) => source === body.source);
    if (this.#bytes > maxBytes) this.#cutOldest(() => true);
  }

  #cutOldest(isMeant: (body: IncomingBody) => boolean): void {
    for (const body of this.#open) {
      if (!isMeant(body)) continue;
      this.close(body);
      this.#cutBytes += body.held;
      body.cut();
      if (this.#cutBytes >= COLLECT_AFTER_BYTES) {
        this.#cutBytes = 0;
        Bun.gc(true);
      }
      return;
    }
  }

  #count(source: string, more: number): void {
    this.#bytes += more;
    const held = (this.#ofSource.get(source) ?? 0) + more;
    if (held > 0) this.#ofSource.set(source, held);
    else this.#ofSource.delete(source);
  }
}
