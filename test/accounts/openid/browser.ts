import type { TestApp } from "../../support/app.ts";

export const ORIGIN = "https://muster.test";

export interface Page {
  url: URL;
  status: number;
  headers: Headers;
  text: string;
}

/**
 * The parts of a browser that a sign-in needs: cookies by origin and path, and redirects, between Muster and a
 * provider.
 */
export class TestBrowser {
  readonly #jars = new Map<string, Map<string, { value: string; path: string }>>();

  constructor(private readonly app: TestApp) {}

  #jarOf(url: URL) {
    const jar = this.#jars.get(url.origin) ?? new Map<string, { value: string; path: string }>();
    this.#jars.set(url.origin, jar);
    return jar;
  }

  cookie(name: string): string | undefined {
    return this.#jarOf(new URL(ORIGIN)).get(name)?.value;
  }

  setCookie(name: string, value: string, path = "/"): void {
    this.#jarOf(new URL(ORIGIN)).set(name, { value, path });
  }

  /** One request, without following redirects. */
  async open(address: string | URL): Promise<Page> {
    const url = new URL(address, ORIGIN);
    const jar = this.#jarOf(url);
    const cookies = [...jar].filter(([, { path }]) => url.pathname.startsWith(path));
    const headers = { Cookie: cookies.map(([name, { value }]) => `${name}=${value}`).join("; ") };
    const request = new Request(url, { headers, redirect: "manual" });
    const incoming = { socket: { remoteAddress: "192.0.2.10", remotePort: 40_000, remoteFamily: "IPv4" } };
    const reply = await (url.origin === ORIGIN
      ? this.app.app.request(request, undefined, { incoming } as never)
      : fetch(request));
    for (const line of reply.headers.getSetCookie()) {
      const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      const path = /; path=([^;]*)/i.exec(line)?.[1] ?? "/";
      if (value === "" || /max-age=0|expires=thu, 01 jan 1970/i.test(line)) jar.delete(name);
      else jar.set(name, { value, path });
    }
    return { url, status: reply.status, headers: reply.headers, text: await reply.text() };
  }

  /** Follows redirects until there is a page, or an address that `until` accepts. */
  async follow(address: string | URL, until: (url: URL) => boolean = () => false): Promise<Page> {
    let page = await this.open(address);
    for (let i = 0; i < 10; i++) {
      const location = page.headers.get("Location");
      if (page.status < 300 || page.status >= 400 || location === null) return page;
      const next = new URL(location, page.url);
      if (until(next)) return { ...page, url: next };
      page = await this.open(next);
    }
    throw new Error(`redirected for ever: ${page.url}`);
  }

  /** Up to the address with which the provider sends the browser back. */
  async upToCallback(next = "/"): Promise<URL> {
    const page = await this.follow(`/login/oidc?next=${encodeURIComponent(next)}`, isCallback);
    if (!isCallback(page.url)) throw new Error(`the provider shows a page: ${page.status} ${page.text}`);
    return page.url;
  }

  /** A whole sign-in. */
  async signIn(next = "/"): Promise<Page> {
    return this.open(await this.upToCallback(next));
  }

  /** The API's answer to who is signed in; null for nobody. */
  async user(): Promise<{ uname: string; fullname: string; admin: boolean } | null> {
    const page = await this.open("/api/1/session/user");
    return page.status === 200 ? JSON.parse(page.text) : null;
  }
}

function isCallback(url: URL): boolean {
  return url.origin === ORIGIN && url.pathname === "/login/oidc/callback";
}

/** The address to which a page redirects automatically. */
export function goesOnTo({ text }: Page): string | undefined {
  return /<meta http-equiv="refresh" content="0;url=([^"]*)">/.exec(text)?.[1]?.replaceAll("&#38;", "&");
}
