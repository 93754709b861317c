/**
 * The router of the app. Nearly all of its thousand routes are literal paths, which are kept in a map: adding them to a
 * trie takes ten times as long, and so does the first request after a start.
 */
import { METHOD_NAME_ALL, type Params, type Result, type Router } from "hono/router";
import { TrieRouter } from "hono/router/trie-router";

interface Route<T> {
  method: string;
  handler: T;
  /** Position among all routes. Handlers run in the order in which they were added. */
  position: number;
}

const PATTERN = /[*:{}?]/;
const NO_PARAMS: Params = Object.freeze({});

export class PathRouter<T> implements Router<T> {
  readonly name = "PathRouter";
  readonly #literal = new Map<string, Route<T>[]>();
  readonly #patterns = new TrieRouter<Route<T>>();
  #count = 0;

  add(method: string, path: string, handler: T): void {
    const route = { method, handler, position: this.#count++ };
    if (PATTERN.test(path)) {
      this.#patterns.add(method, path, route);
      return;
    }
    const routes = this.#literal.get(path);
    if (routes) routes.push(route);
    else this.#literal.set(path, [route]);
  }

  match(method: string, path: string): Result<T> {
    const literal = (this.#literal.get(path) ?? []).filter(
      (route) => route.method === method || route.method === METHOD_NAME_ALL,
    );
    const patterns = this.#patterns.match(method, path)[0] as [Route<T>, Params][];
    const matches = [...literal.map((route): [Route<T>, Params] => [route, NO_PARAMS]), ...patterns];
    matches.sort(([a], [b]) => a.position - b.position);
    return [matches.map(([{ handler }, params]): [T, Params] => [handler, params])];
  }
}
