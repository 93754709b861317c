/** Bodies of requests while they come in: what they hold of the memory, all together and by source. */
import { isLoopback, sourceOf } from "./client-address.ts";
import { errors } from "./errors.ts";

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

/** One body that comes in, in one piece of memory: a body that drips in would cost a hundred times its length. */
export class IncomingBody {
  #bytes: Uint8Array<ArrayBufferLike> = new Uint8Array();
  #size = 0;
  /** What stops reading it, once it is being read. */
  onCut: (() => void) | null = null;
  isCut = false;

  constructor(
    private readonly bodies: Bodies,
    readonly source: string,
    private readonly limit: number,
  ) {}

  /** Bytes of memory that it holds. */
  get held(): number {
    return this.#bytes.byteLength;
  }

  /** @throws ApiError 413 when it becomes longer than its limit, 503 when it was cut to make room for others */
  add(chunk: Uint8Array): void {
    if (this.isCut) throw tooMuch();
    const size = this.#size + chunk.byteLength;
    if (size > this.limit) throw errors.bodyTooLarge(this.limit);
    if (this.#size === 0) this.#hold(chunk);
    else {
      if (size > this.held) this.#grow(size);
      this.#bytes.set(chunk, this.#size);
    }
    this.#size = size;
    if (this.isCut) throw tooMuch();
  }

  /** The body, once all of it came. @throws ApiError 503 when it was cut to make room for others */
  whole(): Uint8Array {
    if (this.isCut) throw tooMuch();
    return this.#bytes.subarray(0, this.#size);
  }

  #hold(bytes: Uint8Array): void {
    const before = this.held;
    this.#bytes = bytes;
    this.bodies.changed(this, bytes.byteLength - before);
  }

  #grow(size: number): void {
    const larger = new Uint8Array(Math.min(this.limit, Math.max(size, 2 * this.held)));
    larger.set(this.#bytes.subarray(0, this.#size));
    this.#hold(larger);
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
  #bytes = 0;

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
      body.isCut = true;
      body.onCut?.();
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
