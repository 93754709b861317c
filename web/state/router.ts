import { type ReadonlySignal, signal } from "@preact/signals";
import { isPagePath } from "./paths.ts";

export interface Address {
  path: string;
  query: URLSearchParams;
}

function addressOf(location: Location): Address {
  return { path: location.pathname, query: new URLSearchParams(location.search) };
}

/** The clicked link if it leads to a page of the UI; null if the browser follows it. */
function pageLink(event: MouseEvent): HTMLAnchorElement | null {
  const link = event.target instanceof Element ? event.target.closest("a") : null;
  if (event.defaultPrevented || !link?.href || link.target || link.hasAttribute("download")) return null;
  return link.origin === location.origin && isPagePath(link.pathname) ? link : null;
}

/** The whole number in an argument of an address; 0 if it has none, as people may type anything there. */
export function wholeNumber(argument: string | null): number {
  return Math.min(Number.MAX_SAFE_INTEGER, Math.max(0, Math.floor(Number(argument)) || 0));
}

/** Whether the browser opens the clicked link elsewhere, as in a new tab, or shows a menu for it. */
function isForBrowser({ type, metaKey, ctrlKey, shiftKey, altKey }: MouseEvent): boolean {
  return type !== "click" || metaKey || ctrlKey || shiftKey || altKey;
}

/** How far a page was scrolled when it was left, pixels; 0 for a page that was not left by a link. */
function scrollOf(state: unknown): number {
  return state && typeof state === "object" && "scrollY" in state ? Number(state.scrollY) : 0;
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
  /** The address of the page that is shown. After the back button, `location` already has the next one. */
  #shown = location.pathname + location.search;
  /** How far to scroll the page that the back button opens, once it has its content; null: not at all. */
  #scroll: number | null = null;
  /** Values of the arguments that are kept. */
  readonly #values = new Map<string, string>();
  /** The link that the browser was about to open elsewhere, and its own address. */
  #completed: { link: HTMLAnchorElement; href: string } | null = null;

  constructor(private readonly kept: readonly Kept[]) {
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
    const onPop = ({ state }: PopStateEvent) => {
      const requested = location.pathname + location.search;
      // An anchor within the page, such as that of the skip link.
      if (requested === this.#shown) return;
      if (this.#unsaved.size === 0) {
        this.#scroll = scrollOf(state);
        this.#show();
        return;
      }
      history.pushState(null, "", this.#shown);
      this.#pending.value = requested;
    };
    const onUnload = (event: BeforeUnloadEvent) => {
      if (this.#unsaved.size > 0) event.preventDefault();
    };
    const onClick = (event: MouseEvent) => {
      this.#restoreLink();
      const link = pageLink(event);
      // The browser itself follows a link to an anchor of the same page.
      if (!link || (link.hash && link.pathname === location.pathname && link.search === location.search))
        return;
      if (isForBrowser(event)) {
        this.#completeLink(link);
        return;
      }
      event.preventDefault();
      this.go(link.pathname + link.search);
    };
    const clicks = ["click", "auxclick", "contextmenu"] as const;
    addEventListener("popstate", onPop);
    addEventListener("beforeunload", onUnload);
    for (const type of clicks) document.addEventListener(type, onClick);
    return () => {
      removeEventListener("popstate", onPop);
      removeEventListener("beforeunload", onUnload);
      for (const type of clicks) document.removeEventListener(type, onClick);
    };
  }

  /** Adds the kept arguments to a link that the browser is about to open elsewhere. */
  #completeLink(link: HTMLAnchorElement): void {
    this.#completed = { link, href: link.getAttribute("href") ?? "" };
    link.setAttribute("href", this.#withKept(link.pathname + link.search) + link.hash);
  }

  #restoreLink(): void {
    this.#completed?.link.setAttribute("href", this.#completed.href);
    this.#completed = null;
  }

  /** Opens a path with query as a new entry of the history. */
  go(url: string): void {
    if (this.#unsaved.size > 0) {
      this.#pending.value = url;
      return;
    }
    history.replaceState({ scrollY }, "");
    history.pushState(null, "", this.#withKept(url));
    this.#scroll = null;
    this.#show();
    scrollTo(0, 0);
  }

  /** Returns to the place at which the page was left, which has its content by now. */
  restoreScroll(): void {
    if (this.#scroll !== null) scrollTo(0, this.#scroll);
    this.#scroll = null;
  }

  #keep(): void {
    const query = new URLSearchParams(location.search);
    for (const { pages, names } of this.kept) {
      if (!pages.test(location.pathname)) continue;
      for (const name of names) {
        const value = query.get(name);
        if (value === null) this.#values.delete(name);
        else this.#values.set(name, value);
      }
    }
  }

  /** The address with the kept arguments that its page shares with earlier pages, unless it has any of its own. */
  #withKept(url: string): string {
    const { pathname, searchParams } = new URL(url, location.origin);
    for (const { pages, names } of this.kept) {
      if (!pages.test(pathname) || names.some((name) => searchParams.has(name))) continue;
      for (const name of names) {
        const value = this.#values.get(name);
        if (value !== undefined) searchParams.set(name, value);
      }
    }
    return searchParams.size > 0 ? `${pathname}?${searchParams}` : pathname;
  }

  #show(): void {
    this.#restoreLink();
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

/** An id in an address. It is negative for a record that exists only at a past moment. */
const ID = /^-?\d+$/;

/** Whether a text of an address can be an id. */
export const isId = (text: string) => ID.test(text);

/**
 * Values of the `:name` parts of a pattern such as "/hosts/:id"; null if the path does not match. Only an id matches
 * ":id".
 */
export function match(pattern: string, path: string): Record<string, string> | null {
  const parts = pattern.split("/");
  const segments = path.replace(/(.)\/+$/, "$1").split("/");
  if (parts.length !== segments.length) return null;
  const values: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const value = segments[i] ?? "";
    if (part === ":id" && !isId(value)) return null;
    if (part.startsWith(":")) values[part.slice(1)] = value;
    else if (part !== value) return null;
  }
  return values;
}
