import { type ReadonlySignal, signal } from "@preact/signals";

export type ArgumentValue = string | number | boolean | null | undefined;
/** Arguments of a call by name; a list is sent repeated, null, undefined and "" in a query are left out. */
export type CallArguments = Record<string, ArgumentValue | readonly (string | number)[]>;

const PREFIX = "/api/1";
const READ_TIMEOUT_MS = 20_000;
/** A write may wait for an agent to answer. */
const WRITE_TIMEOUT_MS = 60_000;

/** A call that did not succeed, with a sentence for people. Status 0: the service could not be reached. */
export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
  ) {
    super(message);
  }

  get unreachable(): boolean {
    return this.status === 0;
  }
}

/** Whatever was caught, as a problem that can be shown. */
export function asProblem(error: unknown): Problem {
  return error instanceof Problem ? error : new Problem(-1, "page", `This page failed: ${String(error)}`);
}

export interface Contact {
  /** When the service last answered, milliseconds of the browser's clock; null before the first answer. */
  at: number | null;
  /** The last call found nobody. */
  lost: boolean;
  /** Seconds to add to the browser's clock to get the service's. */
  clockOffset: number;
}

export type ReadResult<T> = { same: true } | { same: false; data: T; etag: string | null };

function encode(args: CallArguments, keepEmpty: boolean): URLSearchParams {
  const out = new URLSearchParams();
  for (const [name, value] of Object.entries(args)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one === null || one === undefined || (one === "" && !keepEmpty)) continue;
      out.append(name, String(one));
    }
  }
  return out;
}

/** Address of a read operation with its arguments, for fetching or linking. */
export function apiUrl(path: string, args: CallArguments = {}): string {
  const query = encode(args, false).toString();
  return `${PREFIX}${path}${query ? `?${query}` : ""}`;
}

async function problemOf(reply: Response): Promise<Problem> {
  const body: unknown = await reply.json().catch(() => null);
  if (body && typeof body === "object" && "error" in body) {
    const code = "code" in body ? String(body.code) : "unknown";
    return new Problem(reply.status, code, String(body.error));
  }
  // A proxy in between answers for a service that is away, and not in JSON.
  if ([502, 503, 504].includes(reply.status))
    return new Problem(0, "unreachable", "The service does not answer");
  return new Problem(
    reply.status,
    "unknown",
    `The service answered ${reply.status} ${reply.statusText}`.trim(),
  );
}

/** Speaks /api/1 for the signed-in user, and knows whether the service is there. */
export class Api {
  csrfToken = "";
  /** Called when a call is refused because nobody is signed in. */
  onSignedOut: () => void = () => undefined;
  /** Called when something was changed, so that what was read before may be wrong. */
  onWritten: () => void = () => undefined;
  readonly #contact = signal<Contact>({ at: null, lost: false, clockOffset: 0 });

  get contact(): ReadonlySignal<Contact> {
    return this.#contact;
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
      this.#contact.value = { ...this.#contact.peek(), lost: true };
      throw new Problem(0, "unreachable", "The service cannot be reached");
    }
    if (reply.ok || reply.status === 304) {
      this.#answered(reply);
      return reply;
    }
    const problem = await problemOf(reply);
    if (problem.unreachable) this.#contact.value = { ...this.#contact.peek(), lost: true };
    else this.#answered(reply);
    if (problem.status === 401 && !problem.code.startsWith("login.")) this.onSignedOut();
    throw problem;
  }

  #answered(reply: Response): void {
    const at = Date.now();
    const date = Date.parse(reply.headers.get("Date") ?? "");
    const offset = Number.isNaN(date) ? 0 : Math.round((date - at) / 1000);
    // The Date header has whole seconds and the way takes time: small differences are no difference.
    this.#contact.value = { at, lost: false, clockOffset: Math.abs(offset) > 5 ? offset : 0 };
  }

  /** Reads; with the tag of an earlier reply the answer may be that nothing changed. */
  async read<T>(url: string, etag: string | null): Promise<ReadResult<T>> {
    const headers: Record<string, string> = etag ? { "If-None-Match": etag } : {};
    const reply = await this.#send(url, { headers }, READ_TIMEOUT_MS);
    if (reply.status === 304) return { same: true };
    return { same: false, data: (await reply.json()) as T, etag: reply.headers.get("ETag") };
  }

  async get<T>(path: string, args: CallArguments = {}): Promise<T> {
    const result = await this.read<T>(apiUrl(path, args), null);
    if (result.same) throw new Problem(304, "unknown", "The service answered without content");
    return result.data;
  }

  async #write<T>(path: string, body: URLSearchParams | FormData): Promise<T> {
    const reply = await this.#sendForm<T>(path, body);
    this.onWritten();
    return reply;
  }

  async #sendForm<T>(path: string, body: URLSearchParams | FormData): Promise<T> {
    const send = () =>
      this.#send(
        PREFIX + path,
        { method: "POST", body, headers: { CSRFToken: this.csrfToken } },
        WRITE_TIMEOUT_MS,
      );
    try {
      return (await (await send()).json()) as T;
    } catch (error) {
      if (!(error instanceof Problem && error.code === "csrf.token")) throw error;
      // Signed in anew in another tab: the session has another token now.
      await this.refreshToken();
      return (await (await send()).json()) as T;
    }
  }

  /** A write operation, as a form. */
  post<T = unknown>(path: string, args: CallArguments = {}): Promise<T> {
    return this.#write<T>(path, encode(args, true));
  }

  /** A write operation that carries a file. */
  upload<T = unknown>(path: string, form: FormData): Promise<T> {
    return this.#write<T>(path, form);
  }

  /** Learns the session's CSRF token; gives all attributes of the session. */
  async refreshToken(): Promise<Record<string, string>> {
    const attributes = await this.get<Record<string, string>>("/session/get");
    this.csrfToken = attributes.CSRFToken ?? "";
    return attributes;
  }
}
