import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Api, type ApiError, apiUrl, asApiError, type CallArguments } from "../api/client.ts";
import type { ReplyCache } from "../api/reply-cache.ts";
import { useMuster } from "./muster.ts";

interface Polling<T> {
  /** Poll interval in seconds; 0: read once. */
  every: number;
  /** Shown until the first reply, unless the cache has one. */
  placeholder: T | null;
}

/** The reply of one read operation, polled. When a request fails, `error` says why and the last data stays. */
export class Resource<T> {
  readonly #data = signal<T | null>(null);
  readonly #error = signal<ApiError | null>(null);
  readonly #every: number;
  #etag: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #inFlight: Promise<void> | null = null;
  /** The read that follows the one in flight. */
  #following: Promise<void> | null = null;

  constructor(
    readonly url: string,
    private readonly api: Api,
    /** Null: replies are not cached. */
    private readonly cache: ReplyCache | null,
    { every, placeholder }: Polling<T>,
  ) {
    this.#every = every;
    const cached = cache?.get(url);
    if (cached) {
      this.#data.value = cached.data as T;
      this.#etag = cached.etag;
    } else this.#data.value = placeholder;
  }

  get data(): ReadonlySignal<T | null> {
    return this.#data;
  }

  get error(): ReadonlySignal<ApiError | null> {
    return this.#error;
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
      const result = await this.api.read<T>(this.url, this.#etag);
      if (!result.notModified) {
        this.#etag = result.etag;
        this.#data.value = result.data;
        this.cache?.set(this.url, { data: result.data, etag: result.etag });
      }
      this.#error.value = null;
    } catch (error) {
      this.#error.value = asApiError(error);
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
    void this.refresh();
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
}

/** Reads an operation for as long as the component is mounted. New arguments start a new request. */
export function useResource<T>(
  path: string,
  args: CallArguments = {},
  options: ResourceOptions = {},
): Resource<T> {
  const { api, replies } = useMuster();
  const { every = 0, keepPrevious = false, cached = true, skip = false } = options;
  const url = apiUrl(path, args);
  const previous = useRef<{ path: string; resource: Resource<T> } | null>(null);
  const resource = useMemo(() => {
    const isSameOperation = previous.current?.path === path;
    const before = keepPrevious && isSameOperation ? previous.current?.resource.data.peek() : null;
    return new Resource<T>(url, api, cached ? replies : null, { every, placeholder: before ?? null });
  }, [api, replies, url, path, every, keepPrevious, cached]);
  previous.current = { path, resource };
  useEffect(() => (skip ? undefined : resource.watch()), [resource, skip]);
  return resource;
}
