import { type AgentXml, agentXml } from "./agent-messages.ts";
import { takesJson } from "./json-operations.ts";

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // biome-ignore lint/suspicious/noExplicitAny: a reply's shape is what tests assert
  json: any;
}

/** Arguments of an operation: texts, numbers, flags and lists of a form, or what the JSON of a resource holds. */
export type Fields = Record<string, unknown>;

export function formOf(fields: Fields): URLSearchParams {
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(fields))
    for (const each of Array.isArray(value) ? value : [value]) form.append(name, String(each));
  return form;
}

/** A browser or program that talks to Muster: keeps its cookie, sends its CSRF token. */
export class TestClient {
  cookie = "";
  csrfToken = "";

  /** @param send how a request gets there: into the app without a socket, or over the network to `origin` */
  constructor(
    private readonly send: (request: Request) => Response | Promise<Response>,
    private readonly origin = "http://muster.test",
  ) {}

  async raw(path: string, init: RequestInit & { headers?: Record<string, string> } = {}): Promise<Response> {
    const headers = new Headers({ Host: new URL(this.origin).host, ...init.headers });
    if (this.cookie && !headers.has("Cookie")) headers.set("Cookie", this.cookie);
    const request = new Request(`${this.origin}${path}`, { ...init, headers });
    const response = await this.send(request);
    const set = response.headers.get("Set-Cookie");
    if (set) this.cookie = set.split(";")[0] ?? "";
    return response;
  }

  async #reply(response: Response): Promise<Reply> {
    const text = await response.text();
    const isJson = response.headers.get("Content-Type")?.startsWith("application/json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  }

  async get(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const query = formOf(fields).toString();
    return this.#reply(await this.raw(query ? `${path}?${query}` : path, { headers }));
  }

  /**
   * Posts arguments as the operation expects them, with the CSRF token of the session unless `headers` say otherwise.
   */
  async post(path: string, fields: Fields = {}, headers: Record<string, string> = {}): Promise<Reply> {
    const token: Record<string, string> = this.csrfToken ? { CSRFToken: this.csrfToken } : {};
    const [type, body] = takesJson(path)
      ? ["application/json", JSON.stringify(fields)]
      : ["application/x-www-form-urlencoded", formOf(fields).toString()];
    const response = await this.raw(path, {
      method: "POST",
      body,
      headers: { "Content-Type": type, ...token, ...headers },
    });
    return this.#reply(response);
  }

  /** Posts a form with a file. */
  async upload(path: string, form: FormData, headers: Record<string, string> = {}): Promise<Reply> {
    const allHeaders = { ...(this.csrfToken && { CSRFToken: this.csrfToken }), ...headers };
    return this.#reply(await this.raw(path, { method: "POST", body: form, headers: allHeaders }));
  }

  /** @throws when the user cannot sign in */
  async signIn(uname: string, password: string): Promise<this> {
    const reply = await this.post("/api/1/login", { z_username: uname, z_password: password });
    if (reply.status !== 200) throw new Error(`${uname} cannot sign in: ${reply.status}`);
    this.csrfToken = String(reply.json.CSRFToken);
    return this;
  }

  /** Posts a message as an agent does. */
  report(
    message: AgentXml | string | Uint8Array<ArrayBuffer>,
    password: string,
    headers: Record<string, string> = {},
  ): Promise<Response> {
    const credentials = Buffer.from(`monit:${password}`).toString("base64");
    return this.raw("/collector", {
      method: "POST",
      body: typeof message === "string" || message instanceof Uint8Array ? message : agentXml(message),
      headers: { "Content-Type": "text/xml", Authorization: `Basic ${credentials}`, ...headers },
    });
  }
}
