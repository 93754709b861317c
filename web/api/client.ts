import { type ReadonlySignal, signal } from "@preact/signals";

type ArgumentValue = string | number | boolean | null | undefined;
/** Arguments by name. A list repeats its name; null and undefined are left out, and so is "" in a query. */
export type CallArguments = Record<string, ArgumentValue | readonly (string | number)[]>;

const PREFIX = "/api/1";
const READ_TIMEOUT_MS = 20_000;
/** Longer than for a read, as an action waits for the agent. */
const WRITE_TIMEOUT_MS = 60_000;
/** Longer than the largest import takes on a slow line. Muster finishes an import even if the browser gives up. */
const UPLOAD_TIMEOUT_MS = 900_000;
/** Code of the error when a write has another token than the session. */
const CSRF_TOKEN = "csrf.token";
const JSON_HEADERS = { "Content-Type": "application/json" };

/** The argument that an error reply names: "delay must be ..." */
function argumentIn(code: string, message: string): string | null {
  if (!code.startsWith("argument.")) return null;
  return /^(\S+) (?:must be|is required)/.exec(message)?.[1] ?? null;
}

/**
 * Why a request failed, with a message for people. The status is that of HTTP, or 0 when the service could
 * not be reached, or -1 when the page itself failed.
 */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    /** The argument at fault, by name or path, as in "steps[0].after"; null if the error names none. */
    readonly argument: string | null = argumentIn(code, message),
  ) {
    super(message);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }
}

/** Any thrown value as an error that can be shown. */
export function asApiError(error: unknown): ApiError {
  return error instanceof ApiError ? error : new ApiError(-1, "page", `This page failed: ${String(error)}`);
}

export interface Connection {
  /** When the service last answered without an error, in milliseconds of the browser's clock; null before that. */
  at: number | null;
  /** The last request did not reach the service. */
  lost: boolean;
  /** Seconds to add to the browser's clock to get the service's. */
  clockOffset: number;
}

type WriteBody = URLSearchParams | FormData | string;

export type ReadResult<T> = { notModified: true } | { notModified: false; data: T; etag: string | null };

function encode(args: CallArguments, keepEmpty: boolean): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      if (item === null || item === undefined || (item === "" && !keepEmpty)) continue;
      out.append(name, String(item));
    }
  }
  return out;
}

/** URL of a read operation with its arguments, for a request or a link. */
export function apiUrl(path: string, args: CallArguments = {}): string {
  const query = encode(args, false).toString();
  return `${PREFIX}${path}${query ? `?${query}` : ""}`;
}

async function errorOf(reply: Response): Promise<ApiError> {
  const body: unknown = await reply.json().catch(() => null);
  if (body && typeof body === "object" && "error" in body) {
    const code = "code" in body ? String(body.code) : "unknown";
    return new ApiError(reply.status, code, String(body.error));
  }
  // A reverse proxy answers for a service that is down, and not in JSON.
  if ([502, 503, 504].includes(reply.status))
    return new ApiError(0, "unreachable", "The service does not answer");
  // A proxy that refuses a body of this size does not answer in JSON, either.
  if (reply.status === 413)
    return new ApiError(413, "unknown", "The proxy in front of the service refuses a file of this size");
  return new ApiError(
    reply.status,
    "unknown",
    `The service answered ${reply.status} ${reply.statusText}`.trim(),
  );
}

/**
 * How far the clock of the service is ahead of the browser's, by the date of a reply, seconds. A few count as none: the
 * date has whole seconds, and the network adds delay.
 */
function clockOffsetOf(reply: Response): number {
  const date = Date.parse(reply.headers.get("Date") ?? "");
  const offset = Number.isNaN(date) ? 0 : Math.round((date - Date.now()) / 1000);
  return Math.abs(offset) > 5 ? offset : 0;
}

/** Client of /api/1. It holds the CSRF token and knows whether the service can be reached. */
export class Api {
  csrfToken = "";
  /** Called when a reply says that nobody is signed in. */
  onSignedOut: () => void = () => undefined;
  /** Called when a reply says that the user may not do this: someone may have changed their rights. */
  onForbidden: () => void = () => undefined;
  /**
   * Called when a write is refused because the session has another token, as after a sign-in in another tab. Returns
   * whether the user is still the same, and the token is renewed.
   */
  onOtherToken: () => Promise<boolean> = async () => {
    await this.refreshToken();
    return true;
  };
  /** Whether the page shows a moment in the past, so that nothing is changed from it. */
  isPast: () => boolean = () => false;
  /** Called after a write, because cached replies may be out of date now. */
  onWritten: () => void = () => undefined;
  readonly #connection = signal<Connection>({ at: null, lost: false, clockOffset: 0 });

  get connection(): ReadonlySignal<Connection> {
    return this.#connection;
  }

  async #send(url: string, init: RequestInit, timeout: number): Promise<Response> {
    let reply: Response;
    try {
      reply = await fetch(url, {
        credentials: "same-origin",
        cache: "no-store",
        signal: AbortSignal.timeout(timeout),
        ...init,
      });
    } catch {
      this.#note({ lost: true });
      throw new ApiError(0, "unreachable", "The service cannot be reached");
    }
    if (reply.ok || reply.status === 304) {
      this.#note({ clockOffset: clockOffsetOf(reply) });
      return reply;
    }
    const error = await errorOf(reply);
    this.#note(error.unreachable ? { lost: true } : { lost: false, clockOffset: clockOffsetOf(reply) });
    if (error.status === 401 && !error.code.startsWith("login.")) this.onSignedOut();
    if (error.status === 403 && error.code !== CSRF_TOKEN) this.onForbidden();
    throw error;
  }

  #note(changes: Partial<Connection>): void {
    this.#connection.value = { ...this.#connection.peek(), ...changes };
  }

  #answered(): void {
    this.#note({ at: Date.now(), lost: false });
  }

  /**
   * The content of a reply. A reply that cannot be read, as it breaks off or is a page of a proxy, does not count as an
   * answer of the service.
   */
  async #contentOf<T>(reply: Response): Promise<T> {
    try {
      const content = (await reply.json()) as T;
      this.#answered();
      return content;
    } catch {
      this.#note({ lost: true });
      throw new ApiError(0, "unreachable", "The reply of the service cannot be read");
    }
  }

  /** Reads. With the ETag of an earlier reply, the result can be that nothing has changed since. */
  async read<T>(url: string, etag: string | null): Promise<ReadResult<T>> {
    const headers: Record<string, string> = etag ? { "If-None-Match": etag } : {};
    const reply = await this.#send(url, { headers }, READ_TIMEOUT_MS);
    if (reply.status === 304) {
      this.#answered();
      return { notModified: true };
    }
    return { notModified: false, data: await this.#contentOf<T>(reply), etag: reply.headers.get("ETag") };
  }

  async get<T>(path: string, args: CallArguments = {}): Promise<T> {
    const result = await this.read<T>(apiUrl(path, args), null);
    if (result.notModified) throw new ApiError(304, "unknown", "The service answered without content");
    return result.data;
  }

  /** @throws ApiError if the page shows the past, unless the write is about the session of the user */
  #assertPresent(path: string): void {
    if (this.isPast() && !/^\/(login|session)\b/.test(path))
      throw new ApiError(-1, "moment.past", "The past cannot be changed. Go back to now first.");
  }

  async #write<T>(path: string, body: WriteBody, headers?: Record<string, string>): Promise<T> {
    this.#assertPresent(path);
    const reply = await this.#sendBody<T>(path, body, headers);
    this.onWritten();
    return reply;
  }

  async #sendBody<T>(path: string, body: WriteBody, headers?: Record<string, string>): Promise<T> {
    const send = () =>
      this.#send(
        PREFIX + path,
        { method: "POST", body, headers: { ...headers, CSRFToken: this.csrfToken } },
        body instanceof FormData ? UPLOAD_TIMEOUT_MS : WRITE_TIMEOUT_MS,
      );
    try {
      return await this.#contentOf<T>(await send());
    } catch (error) {
      if (!(error instanceof ApiError && error.code === CSRF_TOKEN)) throw error;
      if (!(await this.onOtherToken()))
        throw new ApiError(-1, "session.other", "Another user has signed in, so nothing was changed");
      return await this.#contentOf<T>(await send());
    }
  }

  /** Calls a write operation with form-encoded arguments. */
  post<T = unknown>(path: string, args: CallArguments = {}): Promise<T> {
    return this.#write<T>(path, encode(args, true));
  }

  /** Calls a write operation that takes JSON. */
  send<T = unknown>(path: string, args: object): Promise<T> {
    return this.#write<T>(path, JSON.stringify(args), JSON_HEADERS);
  }

  /** Calls an operation that takes JSON and changes nothing, such as a preview. */
  ask<T>(path: string, args: object): Promise<T> {
    return this.#sendBody<T>(path, JSON.stringify(args), JSON_HEADERS);
  }

  /** Calls a write operation with a file. */
  upload<T = unknown>(path: string, form: FormData): Promise<T> {
    return this.#write<T>(path, form);
  }

  /** Fetches the CSRF token of the session, and returns all attributes of the session. */
  async refreshToken(): Promise<Record<string, string>> {
    const attributes = await this.get<Record<string, string>>("/session/get");
    this.csrfToken = attributes.CSRFToken ?? "";
    return attributes;
  }
}
