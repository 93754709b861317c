/** Most replies kept, so that a page that was just left can be shown again at once. */
const REPLIES_KEPT = 40;
/** For how long a reply that was read ahead is as good as a new one, milliseconds. */
const AHEAD_MS = 60_000;

interface Reply {
  data: unknown;
  etag: string | null;
  /** When it was read before a page asked for it, milliseconds; absent if a page did. */
  aheadAt?: number;
}

/** The last replies by URL. A page that is opened again shows them at once and then refreshes them. */
export class ReplyCache {
  readonly #replies = new Map<string, Reply>();

  get(url: string): Reply | undefined {
    return this.#replies.get(url);
  }

  /** A reply that was read ahead a short time ago, so that it need not be read again. */
  readAhead(url: string): Reply | undefined {
    const reply = this.#replies.get(url);
    return reply?.aheadAt !== undefined && Date.now() - reply.aheadAt < AHEAD_MS ? reply : undefined;
  }

  set(url: string, reply: Reply): void {
    this.#replies.delete(url);
    this.#replies.set(url, reply);
    const oldest = this.#replies.keys().next();
    if (this.#replies.size > REPLIES_KEPT && !oldest.done) this.#replies.delete(oldest.value);
  }

  clear(): void {
    this.#replies.clear();
  }
}
