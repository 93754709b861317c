import { type ReadonlySignal, signal } from "@preact/signals";

export interface Address {
  path: string;
  query: URLSearchParams;
}

function addressOf(location: Location): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The clicked link, if this page follows it itself; null if the browser does. */
function ownLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || link.target || link.hasAttribute("download")) return null;
  const isPage = !/^\/(api|login)(\/|$)/.test(link.pathname);
  return link.origin === location.origin && isPage ? link : null;
}

/** The address of the page, and changes of it. */
export class Router {
  readonly #address = signal<Address>(addressOf(location));

  get address(): ReadonlySignal<Address> {
    return this.#address;
  }

  /** Listens to the back button and to clicks on links. Returns the function that stops it. */
  listen(): () => void {
    const onPop = () => {
      this.#address.value = addressOf(location);
    };
    const onClick = (event: MouseEvent) => {
      const link = ownLink(event);
      // The browser itself follows a link to an anchor of the same page.
      if (!link || (link.hash && link.pathname === location.pathname && link.search === location.search))
        return;
      event.preventDefault();
      this.go(link.pathname + link.search);
    };
    addEventListener("popstate", onPop);
    document.addEventListener("click", onClick);
    return () => {
      removeEventListener("popstate", onPop);
      document.removeEventListener("click", onClick);
    };
  }

  /** Opens a path with query as a new entry of the history. */
  go(url: string): void {
    history.pushState(null, "", url);
    this.#address.value = addressOf(location);
    scrollTo(0, 0);
  }

  /** Changes arguments of the current address without a new entry of the history. null or "" removes one. */
  setQuery(changes: Record<string, string | null>): void {
    const query = new URLSearchParams(location.search);
    for (const [name, value] of Object.entries(changes)) {
      if (value === null || value === "") query.delete(name);
      else query.set(name, value);
    }
    const text = query.toString();
    history.replaceState(null, "", location.pathname + (text ? `?${text}` : ""));
    this.#address.value = addressOf(location);
  }
}

/** Values of the `:name` parts of a pattern such as "/hosts/:id"; null if the path does not match. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const parts = pattern.split("/");
  const given = path.replace(/(.)\/+$/, "$1").split("/");
  if (parts.length !== given.length) return null;
  const values: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const value = given[i] ?? "";
    if (part.startsWith(":")) values[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return values;
}
