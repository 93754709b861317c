/** Programs of the kind that speak the older dialect, with the habits they have. */
import type { TestApp } from "../../support/app.ts";
import { type Fields, formOf, type Reply } from "../../support/client.ts";

export interface Habits {
  /** Sends back the whole line of the first Set-Cookie, instead of its first part. */
  echoesLine?: boolean;
  followsRedirects?: boolean;
  /** Sent with every request. */
  headers?: Record<string, string>;
}

/** Keeps the cookie of the first reply that set one, for ever. */
export class LegacyClient {
  cookie = "";
  /** The status of each reply so far, redirects included. */
  readonly seen: number[] = [];

  constructor(
    private readonly app: TestApp,
    private readonly habits: Habits = {},
  ) {}

  get(path: string, fields: Fields = {}): Promise<Reply> {
    const query = formOf(fields).toString();
    return this.#ask("GET", query ? `${path}?${query}` : path);
  }

  post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Reply> {
    return this.#ask("POST", path, fields, headers);
  }

  /** Signs in with the CSRF protection off, as most of them do. */
  login(uname: string, password: string, more: Fields = { z_csrf_protection: "off" }): Promise<Reply> {
    return this.post("/z_security_check", { z_username: uname, z_password: password, ...more });
  }

  async #ask(
    method: string,
    path: string,
    fields?: Fields,
    more: Record<string, string> = {},
  ): Promise<Reply> {
    const headers: Record<string, string> = { ...this.habits.headers, ...more };
    if (this.cookie) headers.Cookie = this.cookie;
    if (fields) headers["Content-Type"] = "application/x-www-form-urlencoded";
    const body = fields ? formOf(fields).toString() : null;
    // Another client for each request: none but this one keeps a cookie.
    const response = await this.app.client().raw(path, { method, headers, body });
    this.seen.push(response.status);
    const [line] = response.headers.getSetCookie();
    if (this.cookie === "" && line) this.cookie = this.habits.echoesLine ? line : (line.split(";")[0] ?? "");
    const to = response.headers.get("Location");
    if (to && this.habits.followsRedirects) return this.#ask("GET", to);
    const text = await response.text();
    const isJson = response.headers.get("Content-Type") === "application/json";
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }
}
