/** Memory bounds for request bodies that are still being received: in total and per source. */
import { isLoopback, sourceOf } from "../net/client-address.ts";
import { errors } from "./errors.ts";
import { TasksPerTurn } from "./tasks-per-turn.ts";

/** Largest body of an unauthenticated caller, bytes. A login needs a few hundred. */
export const MAX_ANONYMOUS_BODY_BYTES = 64 * 1024;

export interface BodyLimits {
  /** Bytes of all incomplete bodies together. */
  maxBytes: number;
  /** Bytes of incomplete bodies per source. Loopback is exempt. */
  maxBytesPerSource: number;
}

const LIMITS: BodyLimits = {
  // Room for 24 of the largest messages.
  maxBytes: 96 * 1024 * 1024,
  // The largest body is an import of 64 MiB, with its form.
  maxBytesPerSource: 65 * 1024 * 1024,
};

const tooMuch = () => errors.busy("Too much is being sent at the moment");

/** Shorter chunks are copied into blocks of this size, bytes: each chunk has an overhead of about a hundred bytes. */
export const BLOCK_BYTES = 16 * 1024;

/** After discarding this many bytes of bodies, garbage collection is forced: the runtime would delay it too long. */
const COLLECT_AFTER_BYTES = 32 * 1024 * 1024;

/** Bodies longer than this, bytes, are read in time slices. Shorter ones are read immediately. */
const LONG_BYTES = 64 * 1024;
/** Chunks of long bodies read per turn of the event loop. Each is up to 512 KiB, which takes 0.5 ms. */
const LONG_READS_PER_TURN = 8;

const NO_ROOM = new Uint8Array();

/** A request body that is being received. */
export class IncomingBody {
  #pieces: Uint8Array[] = [];
  /** Free space at the end of the last block. */
  #room = NO_ROOM;
  #size = 0;
  #bytes = 0;
  #isCut = false;
  /** Stops the reader when the body is cut; null before reading begins. */
  onCut: (() => void) | null = null;

  constructor(
    private readonly bodies: Bodies,
    readonly source: string,
    private readonly limit: number,
  ) {}

  /** Bytes of memory in use. */
  get memory(): number {
    return this.#bytes;
  }

  /** Appends a chunk. @throws ApiError 413 when the body exceeds its limit, 503 when it was cut to free memory */
  add(chunk: Uint8Array): void {
    if (this.#isCut) throw tooMuch();
    this.#size += chunk.byteLength;
    if (this.#size > this.limit) throw errors.bodyTooLarge(this.limit);
    const isFirstOrLong = this.#bytes === 0 || chunk.byteLength >= BLOCK_BYTES;
    if (isFirstOrLong) this.#endBlock();
    const growth = isFirstOrLong ? this.#keep(chunk) : this.#copy(chunk);
    this.#bytes += growth;
    this.bodies.changed(this, growth);
    if (this.#isCut) throw tooMuch();
  }

  /** Whether the next chunk must be read with `readInTurn`. */
  get isLong(): boolean {
    return this.#size > LONG_BYTES;
  }

  /**
   * Schedules the read of the next chunk in this turn of the event loop or a later one. Otherwise hundreds of
   * long bodies would delay all other requests.
   */
  readInTurn(read: () => void): void {
    this.bodies.longReads.begin(read);
  }

  /** The complete body, which is no longer kept here. @throws ApiError 503 when it was cut to free memory */
  whole(): Uint8Array {
    if (this.#isCut) throw tooMuch();
    const pieces = this.#pieces;
    const [only] = pieces;
    this.#pieces = [];
    if (pieces.length !== 1 || !only) return Buffer.concat(pieces, this.#size);
    return only.byteLength === this.#size ? only : only.subarray(0, this.#size);
  }

  /** Discards the body and stops its reader. */
  cut(): void {
    this.#isCut = true;
    this.#pieces = [];
    this.#room = NO_ROOM;
    this.onCut?.();
  }

  /** Closes the current block; the next chunk starts a new one. */
  #endBlock(): void {
    const room = this.#room.byteLength;
    const block = room > 0 ? this.#pieces.pop() : undefined;
    if (block) this.#pieces.push(block.subarray(0, block.byteLength - room));
    this.#room = NO_ROOM;
  }

  #keep(piece: Uint8Array): number {
    this.#pieces.push(piece);
    return piece.byteLength;
  }

  /** Copies a chunk into blocks. @returns bytes of memory newly allocated */
  #copy(chunk: Uint8Array): number {
    const fitting = chunk.subarray(0, this.#room.byteLength);
    this.#room.set(fitting);
    this.#room = this.#room.subarray(fitting.byteLength);
    const overflow = chunk.subarray(fitting.byteLength);
    if (overflow.byteLength === 0) return 0;
    const block = new Uint8Array(BLOCK_BYTES);
    block.set(overflow);
    this.#room = block.subarray(overflow.byteLength);
    return this.#keep(block);
  }
}

/**
 * All bodies being received. When they exceed a bound, the oldest is cut: the oldest of the source that exceeds its own
 * bound, otherwise the oldest of all. The oldest is most likely to have been stalled on purpose.
 */
export class Bodies {
  /** Oldest first. */
  readonly #open = new Set<IncomingBody>();
  readonly #ofSource = new Map<string, number>();
  readonly longReads = new TasksPerTurn(LONG_READS_PER_TURN);
  #bytes = 0;
  #discarded = 0;

  constructor(private readonly limits: BodyLimits = LIMITS) {}

  /** Bytes that all bodies use together. */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Begins a body. The caller must pass it to `close` in every case.
   * @param address of the client
   * @param limit the most bytes of this body
   * @param account name under which the body is counted instead of its source
   */
  open(address: string, limit: number, account?: string): IncomingBody {
    const source = account ?? (isLoopback(address) ? "" : sourceOf(address));
    const body = new IncomingBody(this, source, limit);
    this.#open.add(body);
    return body;
  }

  /** Whether a body is still being received. */
  has(body: IncomingBody): boolean {
    return this.#open.has(body);
  }

  /** Stops counting a body that was received completely or failed. */
  close(body: IncomingBody): void {
    if (!this.#open.delete(body)) return;
    this.#count(body.source, -body.memory);
  }

  /** Adds to a body's memory and enforces the bounds. @param growth bytes */
  changed(body: IncomingBody, growth: number): void {
    if (!this.#open.has(body)) return;
    this.#count(body.source, growth);
    const { maxBytes, maxBytesPerSource } = this.limits;
    const isGreedy = body.source !== "" && (this.#ofSource.get(body.source) ?? 0) > maxBytesPerSource;
    if (isGreedy) this.#cutOldest(({ source }) => source === body.source);
    if (this.#bytes > maxBytes) this.#cutOldest(() => true);
  }

  #cutOldest(isMeant: (body: IncomingBody) => boolean): void {
    for (const body of this.#open) {
      if (!isMeant(body)) continue;
      this.close(body);
      body.cut();
      this.discarded(body.memory);
      return;
    }
  }

  /** Counts bytes that were read and are not kept: garbage collection is forced when there are many. */
  discarded(bytes: number): void {
    this.#discarded += bytes;
    if (this.#discarded < COLLECT_AFTER_BYTES) return;
    this.#discarded = 0;
    Bun.gc(true);
  }

  #count(source: string, growth: number): void {
    this.#bytes += growth;
    const bytes = (this.#ofSource.get(source) ?? 0) + growth;
    if (bytes > 0) this.#ofSource.set(source, bytes);
    else this.#ofSource.delete(source);
  }
}
