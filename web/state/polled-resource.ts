import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Api, type ApiError, apiUrl, asApiError, type CallArguments } from "../api/client.ts";
import type { ReplyCache } from "../api/reply-cache.ts";
import { takesMoment } from "./moment.ts";
import { useMuster } from "./muster.ts";
import { afterPress } from "./release.ts";

interface Polling<T> {
  /** Poll interval in seconds; 0: read once. */
  every: number;
  /** Shown until the first reply, unless the cache has one. */
  placeholder: T | null;
  /** Whether the placeholder is about another moment, so that it is of no use if the read fails. */
  isOfOtherMoment: boolean;
  isCached: boolean;
  /** Whether the data stays as it is while a dialog is open. */
  isStill: boolean;
}

/** The reply of one read operation, polled. When a request fails, `error` says why and the last data stays. */
export class Resource<T> {
  readonly #data = signal<T | null>(null);
  readonly #error = signal<ApiError | null>(null);
  readonly #every: number;
  readonly #isCached: boolean;
  readonly #isStill: boolean;
  /** Whether a reply that was read ahead makes the first read unnecessary. */
  #isReadAhead: boolean;
  /** Whether the data is that of another moment. */
  #isOfOtherMoment: boolean;
  #etag: string | null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #inFlight: Promise<void> | null = null;
  /** The read that follows the one in flight. */
  #following: Promise<void> | null = null;

  constructor(
    readonly url: string,
    private readonly api: Api,
    private readonly replies: ReplyCache,
    { every, placeholder, isOfOtherMoment, isCached, isStill }: Polling<T>,
  ) {
    this.#every = every;
    this.#isCached = isCached;
    this.#isStill = isStill;
    const ahead = replies.readAhead(url);
    const reply = ahead ?? (isCached ? replies.get(url) : undefined);
    this.#isReadAhead = ahead !== undefined;
    this.#isOfOtherMoment = !reply && isOfOtherMoment;
    this.#data.value = reply ? (reply.data as T) : placeholder;
    this.#etag = reply?.etag ?? null;
  }

  get data(): ReadonlySignal<T | null> {
    return this.#data;
  }

  get error(): ReadonlySignal<ApiError | null> {
    return this.#error;
  }

  /** Whether the data must not change now. */
  get #isHeld(): boolean {
    const hasData = this.#data.peek() !== null && !this.#isOfOtherMoment;
    return this.#isStill && hasData && document.querySelector("dialog[open]") !== null;
  }

  /**
   * Reads now. During a request, reads again after it, as its reply may be older than a change by the caller. Never
   * rejects: `error` says what went wrong.
   */
  refresh(): Promise<void> {
    if (this.#inFlight) {
      this.#following ??= this.#inFlight.then(() => {
        this.#following = null;
        return this.refresh();
      });
      return this.#following;
    }
    this.#inFlight = this.#read().finally(() => {
      this.#inFlight = null;
    });
    return this.#inFlight;
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      // A row that it inserts must not come under the pointer of someone who is clicking.
      const result = await this.api.read<T>(this.url, this.#etag).finally(afterPress);
      if (!result.notModified && !this.#isHeld) {
        this.#etag = result.etag;
        this.#data.value = result.data;
        if (this.#isCached) this.replies.set(this.url, { data: result.data, etag: result.etag });
      }
      this.#isOfOtherMoment = false;
      this.#error.value = null;
    } catch (error) {
      this.#error.value = asApiError(error);
      if (this.#isOfOtherMoment) this.#data.value = null;
    }
    this.#schedule();
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    if (!this.#watched || this.#every === 0 || document.hidden) return;
    this.#timer = setTimeout(() => void this.refresh(), this.#every * 1000);
  }

  /** Reads now and polls until the returned function is called. A hidden page does not poll. */
  watch(): () => void {
    const onVisibilityChange = () => {
      if (document.hidden) clearTimeout(this.#timer);
      else if (this.#every > 0) void this.refresh();
    };
    this.#watched = true;
    document.addEventListener("visibilitychange", onVisibilityChange);
    if (this.#isReadAhead) this.#isReadAhead = false;
    else void this.refresh();
    return () => {
      this.#watched = false;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", onVisibilityChange);
    };
  }
}

interface ResourceOptions {
  /** Poll interval in seconds; 0 (default): read once. */
  every?: number;
  /** When the arguments change, show the previous reply until the new one has arrived. */
  keepPrevious?: boolean;
  /** False: replies are not cached, because the address changes with time and will not be requested again. */
  cached?: boolean;
  /** True: nothing is read, for example because the user lacks the right. */
  skip?: boolean;
  /**
   * True: it does not change while a dialog is open, since a dialog of one of its rows would disappear with the row.
   */
  still?: boolean;
  /** True: it is about the present, also on a page that shows a moment in the past. */
  present?: boolean;
}

/**
 * Reads an operation for as long as the component is mounted. New arguments start a new request. On a page that shows a
 * moment in the past, it reads what was true then, once; an operation that does not know the past is not read.
 */
export function useResource<T>(
  path: string,
  args: CallArguments = {},
  options: ResourceOptions = {},
): Resource<T> {
  const { api, replies, momentReads, at: shownMoment } = useMuster();
  const { every = 0, keepPrevious = false, cached = true, still = false, skip = false } = options;
  const { present = false } = options;
  const at = present ? null : shownMoment.value;
  const hasPast = at === null || takesMoment(path);
  const address = apiUrl(path, args);
  const url = apiUrl(path, { ...args, at });
  const previous = useRef<{ path: string; address: string; at: number | null; resource: Resource<T> } | null>(
    null,
  );
  const resource = useMemo(() => {
    const { current } = previous;
    // The old reply stays until the new one has come, so that what both have in common does not flicker.
    const isKept = hasPast && (current?.address === address || (keepPrevious && current?.path === path));
    return new Resource<T>(url, api, replies, {
      every: at === null ? every : 0,
      placeholder: isKept ? (current?.resource.data.peek() ?? null) : null,
      isOfOtherMoment: current?.at !== at,
      isCached: cached,
      isStill: still,
    });
  }, [api, replies, url, path, every, keepPrevious, cached, still]);
  previous.current = { path, address, at, resource };
  useEffect(() => {
    if (skip || !hasPast) return;
    const read = { path, args };
    if (at !== null) momentReads.add(read);
    const stop = resource.watch();
    return () => {
      momentReads.delete(read);
      stop();
    };
  }, [resource, skip, hasPast]);
  return resource;
}
