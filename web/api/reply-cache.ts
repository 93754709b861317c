import { LruMap } from "../../src/platform/lru-map.ts";

/** The most replies kept, so that a page that was just left can be shown again at once. */
const REPLIES_KEPT = 40;
/** How long a reply that was read ahead is used in place of a new one, milliseconds. */
const AHEAD_MS = 60_000;

interface Reply {
  data: unknown;
  etag: string | null;
  /** When it was read before a page asked for it, milliseconds; absent if a page did. */
  aheadAt?: number;
}

/** The last replies by URL. A page that is opened again shows them at once and then refreshes them. */
export class ReplyCache {
  readonly #replies = new LruMap<string, Reply>(REPLIES_KEPT);

  get(url: string): Reply | undefined {
    return this.#replies.peek(url);
  }

  /** A reply that was read ahead a short time ago, so that it need not be read again. */
  readAhead(url: string): Reply | undefined {
    const reply = this.#replies.peek(url);
    return reply?.aheadAt !== undefined && Date.now() - reply.aheadAt < AHEAD_MS ? reply : undefined;
  }

  set(url: string, reply: Reply): void {
    this.#replies.set(url, reply);
  }

  clear(): void {
    this.#replies.clear();
  }
}
