import { LruMap } from "../../platform/lru-map.ts";

/** How long a source is blocked, milliseconds. After that, the stored failures are checked again. */
const BLOCK_MS = 60_000;
/** Rejected logins of a source within that time, each with a database query, after which it is blocked. */
const MAX_REJECTIONS = 20;
/** The most sources to remember; beyond that the least recently rejected are forgotten. */
const MAX_SOURCES = 10_000;

interface Rejections {
  /** Time of the first rejection, by the monotonic clock. */
  since: number;
  count: number;
  blockedUntil: number;
}

/** Sources whose logins are rejected before any work is done for them. Kept in memory only. */
export class ThrottledSources {
  readonly #rejections = new LruMap<string, Rejections>(MAX_SOURCES);

  /** @param monotonic milliseconds of a monotonic clock */
  constructor(private readonly monotonic: () => number) {}

  /** Seconds until logins of a source are processed again; 0 when they are now. */
  wait(source: string): number {
    const blockedMs = (this.#rejections.peek(source)?.blockedUntil ?? 0) - this.monotonic();
    return blockedMs > 0 ? Math.ceil(blockedMs / 1000) : 0;
  }

  /**
   * Records a login that was rejected after too many failures.
   * @param seconds how long every login of the source would be rejected; 0 when other logins may succeed
   */
  rejected(source: string, seconds: number): void {
    const now = this.monotonic();
    const previous = this.#rejections.get(source);
    const rejections =
      previous && now - previous.since < BLOCK_MS ? previous : { since: now, count: 0, blockedUntil: 0 };
    rejections.count++;
    if (rejections.count >= MAX_REJECTIONS) rejections.blockedUntil = now + BLOCK_MS;
    if (seconds > 0) rejections.blockedUntil = now + Math.min(seconds * 1000, BLOCK_MS);
    this.#rejections.set(source, rejections);
  }
}
