import { type ReadonlySignal, signal } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { type Api, apiUrl, asProblem, type CallArguments, type Problem } from "../api/client.ts";
import type { ReplyCache } from "../api/reply-cache.ts";
import { useMuster } from "./muster.ts";

/** One read operation, kept current: data stays when the service goes away, and `problem` says so. */
export class Resource<T> {
  readonly #data = signal<T | null>(null);
  readonly #problem = signal<Problem | null>(null);
  #etag: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #watched = false;
  #underWay: Promise<void> | null = null;

  constructor(
    readonly url: string,
    private readonly api: Api,
    /** Null: replies are not kept for coming back. */
    private readonly cache: ReplyCache | null,
    /** Seconds between two readings; 0: read once. */
    private readonly every: number,
    placeholder: T | null,
  ) {
    const known = cache?.get(url);
    if (known) {
      this.#data.value = known.data as T;
      this.#etag = known.etag;
    } else this.#data.value = placeholder;
  }

  get data(): ReadonlySignal<T | null> {
    return this.#data;
  }

  get problem(): ReadonlySignal<Problem | null> {
    return this.#problem;
  }

  /** Reads now. Never throws: what went wrong is in `problem`. */
  refresh(): Promise<void> {
    this.#underWay ??= this.#read().finally(() => {
      this.#underWay = null;
    });
    return this.#underWay;
  }

  async #read(): Promise<void> {
    clearTimeout(this.#timer);
    try {
      const result = await this.api.read<T>(this.url, this.#etag);
      if (!result.same) {
        this.#etag = result.etag;
        this.#data.value = result.data;
        this.cache?.set(this.url, { data: result.data, etag: result.etag });
      }
      this.#problem.value = null;
    } catch (error) {
      this.#problem.value = asProblem(error);
    }
    this.#plan();
  }

  #plan(): void {
    clearTimeout(this.#timer);
    if (!this.#watched || this.every === 0 || document.hidden) return;
    this.#timer = setTimeout(() => void this.refresh(), this.every * 1000);
  }

  /** Reads now and from then on until the function it returns is called; rests while the page is hidden. */
  watch(): () => void {
    const wake = () => {
      if (document.hidden) clearTimeout(this.#timer);
      else if (this.every > 0) void this.refresh();
    };
    this.#watched = true;
    document.addEventListener("visibilitychange", wake);
    void this.refresh();
    return () => {
      this.#watched = false;
      clearTimeout(this.#timer);
      document.removeEventListener("visibilitychange", wake);
    };
  }
}

interface ResourceOptions {
  /** Seconds between two readings; 0 (default): read once. */
  every?: number;
  /** Keep showing the last reply of the same operation until the one for new arguments is there. */
  keep?: boolean;
  /** The address moves on with time, so that nobody comes back to it. */
  fleeting?: boolean;
}

/** A read operation for as long as the component is shown. New arguments make a new reading. */
export function useResource<T>(
  path: string,
  args: CallArguments = {},
  options: ResourceOptions = {},
): Resource<T> {
  const { api, replies } = useMuster();
  const { every = 0, keep = false, fleeting = false } = options;
  const url = apiUrl(path, args);
  const previous = useRef<{ path: string; resource: Resource<T> } | null>(null);
  const resource = useMemo(() => {
    const before = keep && previous.current?.path === path ? previous.current.resource.data.peek() : null;
    return new Resource<T>(url, api, fleeting ? null : replies, every, before);
  }, [api, replies, url, path, every, keep, fleeting]);
  previous.current = { path, resource };
  useEffect(() => resource.watch(), [resource]);
  return resource;
}
