/** Where clients wanted to go when they were shown the login page instead. */

/** Remembered at a time, one for each session id; the oldest goes first. */
const MAX_PATHS = 1000;
/** Longer ones are not remembered, UTF-16 units. */
const MAX_LENGTH = 2048;

/** Names of arguments that may hold a secret: all those of the login, and passwords and tokens whatever they are for. */
const SECRET = /^z_|password|token|secret/i;

/**
 * The path and the query of an address, without arguments that may hold a secret: a client that signs in by the address of
 * what it asks for must not be told its password back, by the login page or by the redirect after it.
 */
export function withoutSecrets(address: URL): string {
  const url = new URL(address);
  const names = [...url.searchParams.keys()].filter((name) => SECRET.test(name));
  for (const name of names) url.searchParams.delete(name);
  return url.pathname + url.search;
}

/** For clients that sign in with a form of their own: the one of the login page brings the path along. */
export class RequestedPaths {
  readonly #paths = new Map<string, string>();

  remember(sessionId: string, path: string): void {
    if (path.length > MAX_LENGTH) return;
    this.#paths.delete(sessionId);
    this.#paths.set(sessionId, path);
    const [oldest] = this.#paths.keys();
    if (oldest !== undefined && this.#paths.size > MAX_PATHS) this.#paths.delete(oldest);
  }

  /** The path that the client of a session asked for last, once; "" if there is none. */
  take(sessionId: string): string {
    const path = this.#paths.get(sessionId) ?? "";
    this.#paths.delete(sessionId);
    return path;
  }
}
