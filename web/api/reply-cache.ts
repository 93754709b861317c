/** Most replies kept, so that a page that was just left can be shown again at once. */
const REPLIES_KEPT = 40;

interface Reply {
  data: unknown;
  etag: string | null;
}

/** The last replies by URL. A page that is opened again shows them at once and then refreshes them. */
export class ReplyCache {
  readonly #replies = new Map<string, Reply>();

  get(url: string): Reply | undefined {
    return this.#replies.get(url);
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
