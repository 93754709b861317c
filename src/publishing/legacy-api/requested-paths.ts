/** Remembers which path a client requested before it got the login page. */
import { LruMap } from "../../platform/lru-map.ts";

/** The most paths that are remembered, one per session id; the oldest is dropped first. */
const MAX_PATHS = 1000;
/** Longer paths are not remembered, UTF-16 units. */
const MAX_LENGTH = 2048;

/** Names of arguments that may hold a secret: all those of the login, and any password or token. */
const SECRET = /^z_|password|token|secret/i;

/**
 * Path and query of an address, without arguments that may hold a secret. A client that passes its
 * credentials in the address must not get its password back in the login page or in the redirect after login.
 */
export function withoutSecrets(address: URL): string {
  const url = new URL(address);
  const names = [...url.searchParams.keys()].filter((name) => SECRET.test(name));
  for (const name of names) url.searchParams.delete(name);
  return url.pathname + url.search;
}

/** By session id, for clients that send a login form of their own. The form of the login page contains the path. */
export class RequestedPaths {
  readonly #paths = new LruMap<string, string>(MAX_PATHS);

  remember(sessionId: string, path: string): void {
    if (path.length <= MAX_LENGTH) this.#paths.set(sessionId, path);
  }

  /** Returns and forgets the path that the client requested last; "" if there is none. */
  take(sessionId: string): string {
    const path = this.#paths.get(sessionId) ?? "";
    this.#paths.delete(sessionId);
    return path;
  }
}
