import { type ReadonlySignal, signal } from "@preact/signals";

export interface Address {
  path: string;
  query: URLSearchParams;
}

function addressOf(location: Location): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The clicked link if this page handles it; null if the browser does. */
function ownLink(event: MouseEvent): HTMLAnchorElement | null {
  if (event.defaultPrevented || event.button !== 0) return null;
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return null;
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (!link?.href || link.target || link.hasAttribute("download")) return null;
  const isPage = !/^\/(api|docs|licenses|login)(\/|$)/.test(link.pathname);
  return link.origin === location.origin && isPage ? link : null;
}

/** Arguments that are kept from page to page. */
interface Kept {
  /** The paths of the pages that share them. */
  pages: RegExp;
  names: readonly string[];
}

/** The address of the page, and changes of it. */
export class Router {
  readonly #address = signal<Address>(addressOf(location));
  /** The address requested while a form has unsaved changes. */
  readonly #pending = signal<string | null>(null);
  readonly #unsaved = new Set<object>();
  /** The address of the page that is shown, which the back button has already changed. */
  #shown = location.pathname + location.search;
  /** Values of the arguments that are kept. */
  readonly #kept = new Map<string, string>();

  constructor(private readonly kept: Kept) {
    this.#keep();
  }

  get pending(): ReadonlySignal<string | null> {
    return this.#pending;
  }

  /** Notes whether a form has unsaved changes. Leaving the page then requires confirmation. */
  setUnsaved(form: object, isUnsaved: boolean): void {
    if (isUnsaved) this.#unsaved.add(form);
    else this.#unsaved.delete(form);
  }

  stay(): void {
    this.#pending.value = null;
  }

  /** Discards unsaved changes and opens the requested address. */
  leave(): void {
    const url = this.#pending.peek();
    this.#pending.value = null;
    this.#unsaved.clear();
    if (url !== null) this.go(url);
  }

  get address(): ReadonlySignal<Address> {
    return this.#address;
  }

  /** Listens to the back button and to clicks on links. Returns the function that stops it. */
  listen(): () => void {
    const onPop = () => {
      if (this.#unsaved.size === 0) {
        this.#show();
        return;
      }
      const requested = location.pathname + location.search;
      history.pushState(null, "", this.#shown);
      this.#pending.value = requested;
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (this.#unsaved.size > 0) event.preventDefault();
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
    addEventListener("beforeunload", onUnload);
    document.addEventListener("click", onClick);
    return () => {
      removeEventListener("popstate", onPop);
      removeEventListener("beforeunload", onUnload);
      document.removeEventListener("click", onClick);
    };
  }

  /** Opens a path with query as a new entry of the history. */
  go(url: string): void {
    if (this.#unsaved.size > 0) {
      this.#pending.value = url;
      return;
    }
    history.pushState(null, "", this.#withKept(url));
    this.#show();
    scrollTo(0, 0);
  }

  #keep(): void {
    if (!this.kept.pages.test(location.pathname)) return;
    const query = new URLSearchParams(location.search);
    this.#kept.clear();
    for (const name of this.kept.names) {
      const value = query.get(name);
      if (value !== null) this.#kept.set(name, value);
    }
  }

  /** Adds the arguments of the last page that shares them to an address, unless it has its own. */
  #withKept(url: string): string {
    const { pathname, searchParams } = new URL(url, location.origin);
    const { pages, names } = this.kept;
    if (!pages.test(pathname) || names.some((name) => searchParams.has(name))) return url;
    for (const [name, value] of this.#kept) searchParams.set(name, value);
    return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
  }

  #show(): void {
    this.#shown = location.pathname + location.search;
    this.#keep();
    this.#address.value = addressOf(location);
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
    this.#show();
  }
}

/** Values of the `:name` parts of a pattern such as "/hosts/:id"; null if the path does not match. */
export function match(pattern: string, path: string): Record<string, string> | null {
  const parts = pattern.split("/");
  const segments = path.replace(/(.)\/+$/, "$1").split("/");
  if (parts.length !== segments.length) return null;
  const values: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const value = segments[i] ?? "";
    if (part.startsWith(":")) values[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return values;
}
