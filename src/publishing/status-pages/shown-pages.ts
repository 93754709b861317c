import type { Clock } from "../../platform/clock.ts";
import type { ShownPage, StatusPageQueries } from "./status-pages.queries.ts";
import type { StatusPage } from "./status-pages.repository.ts";

/**
 * How long a page is shown before it is read again, seconds. It bounds the load that anonymous requests can cause.
 */
const FRESH_SECONDS = 10;
/** Greatest age of a copy that is shown while a page is being read, or cannot be read, seconds. */
const STALE_SECONDS = 300;
/** All pages share one turn: their visitors take at most one query worker. */
const TURN = "status pages";

interface Copy {
  /** When its reading began, unix seconds. */
  at: number;
  shown: ShownPage;
}

/** Copies of public pages. Each page is read by one query at a time, however many people request it. */
export class ShownPages {
  /** By the stored page, so that a change takes effect at once. */
  readonly #copies = new Map<string, Copy>();
  readonly #reading = new Map<string, Promise<ShownPage>>();

  constructor(
    private readonly clock: Clock,
    private readonly queries: Pick<StatusPageQueries, "publicPage">,
  ) {}

  /**
   * The page: at most 10 s old, or up to 5 minutes while it is being read for someone else or cannot be read.
   * @throws ApiError 503 if it cannot be read and there is no copy
   */
  async of(page: StatusPage, renews: boolean): Promise<ShownPage> {
    const key = JSON.stringify([page, renews]);
    const copy = this.#copies.get(key);
    const age = copy ? Math.abs(this.clock.now() - copy.at) : Infinity;
    if (copy && age < FRESH_SECONDS) return copy.shown;
    const stale = age < STALE_SECONDS ? copy?.shown : undefined;
    const reading = this.#reading.get(key);
    if (reading) return stale ?? (await reading);
    try {
      return await this.#read(key, page, renews);
    } catch (error) {
      if (stale) return stale;
      throw error;
    }
  }

  /** Forgets all copies, after pages were changed or deleted. */
  forget(): void {
    this.#copies.clear();
    this.#reading.clear();
  }

  async #read(key: string, page: StatusPage, renews: boolean): Promise<ShownPage> {
    const at = this.clock.now();
    const reading = this.queries.publicPage(TURN, page, renews).then(({ value }) => value);
    this.#reading.set(key, reading);
    try {
      const shown = await reading;
      if (this.#reading.get(key) === reading) this.#keep(key, { at, shown });
      return shown;
    } finally {
      if (this.#reading.get(key) === reading) this.#reading.delete(key);
    }
  }

  #keep(key: string, copy: Copy): void {
    for (const [otherKey, { at }] of this.#copies)
      if (copy.at - at >= STALE_SECONDS) this.#copies.delete(otherKey);
    this.#copies.set(key, copy);
  }
}
