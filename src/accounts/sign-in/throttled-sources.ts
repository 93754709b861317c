/** Sources whose logins are refused before anything is read or looked up for them. Kept in memory alone. */

/** How long a source is held, milliseconds: what made it held is looked up again after that. */
const HOLD_MS = 60_000;
/** Refusals of a source within that time, each of which cost a look into the database. */
const MAX_REFUSALS = 20;
/** Sources that are known at a time; more push out those that were refused first. */
const MAX_SOURCES = 10_000;

interface Refused {
  /** When the first of them was, on the monotonic clock. */
  since: number;
  count: number;
  heldUntil: number;
}

export class ThrottledSources {
  readonly #refused = new Map<string, Refused>();

  /** @param monotonic milliseconds of a clock that never jumps */
  constructor(private readonly monotonic: () => number) {}

  /** Seconds until a source is listened to again; 0 when it is now. */
  wait(source: string): number {
    const left = (this.#refused.get(source)?.heldUntil ?? 0) - this.monotonic();
    return left > 0 ? Math.ceil(left / 1000) : 0;
  }

  /**
   * Notes that a login was refused for too many wrong ones.
   * @param seconds how long all logins of the source will be; 0 when others of it may be accepted
   */
  refused(source: string, seconds: number): void {
    const now = this.monotonic();
    const known = this.#refused.get(source);
    const refused = known && now - known.since < HOLD_MS ? known : { since: now, count: 0, heldUntil: 0 };
    refused.count++;
    if (refused.count >= MAX_REFUSALS) refused.heldUntil = now + HOLD_MS;
    if (seconds > 0) refused.heldUntil = now + Math.min(seconds * 1000, HOLD_MS);
    this.#refused.delete(source);
    this.#refused.set(source, refused);
    const oldest = this.#refused.keys().next().value;
    if (this.#refused.size > MAX_SOURCES && oldest !== undefined) this.#refused.delete(oldest);
  }
}
