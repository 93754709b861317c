/** Reads a server that speaks the same API, with the login session of one of its users. */
import * as v from "valibot";
import { fetchFailure } from "../../platform/net/fetch-failure.ts";
import { StartupError } from "../../platform/startup-error.ts";
import { jsonIn } from "../../platform/text.ts";
import {
  eventDetail,
  eventList,
  groupList,
  hostList,
  hostSettings,
  type PredecessorEventDetail,
  type PredecessorGroup,
  type PredecessorHost,
  type PredecessorUser,
  user,
  userList,
} from "./predecessor.schemas.ts";

/** Longest wait for a reply, milliseconds. */
const TIMEOUT_MS = 60_000;
/** Events in one reply. */
const PAGE = 500;
/** Where the API may be, below the address. */
const MOUNTS = ["", "api/2/", "api/1/"];

export interface PredecessorLogin {
  uname: string;
  password: string;
}

/** Selects events of a list. */
export interface EventSelection {
  hostid?: number;
  /** An event type code. */
  eventtype?: number;
  /** Newest, unix seconds. */
  dateto: number;
}

export interface PredecessorEvent {
  id: number;
  date: number;
  service: string;
  /** 0 success, 1 error, 2 change. */
  state: number;
}

type Query = Record<string, string | number | undefined>;

/** The server answered, but not what was asked for. */
export class RefusedRequest extends StartupError {}

/** The other server, which is only read. All methods throw StartupError if a reply is not as expected. */
export class Predecessor {
  readonly #base: URL;
  readonly #cookies = new Map<string, string>();
  #mount = "";

  private constructor(
    url: URL,
    private readonly login: PredecessorLogin,
  ) {
    this.#base = new URL(url);
    if (!this.#base.pathname.endsWith("/")) this.#base.pathname += "/";
  }

  /** Signs in. @throws StartupError unless the user is an administrator of such a server */
  static async open(url: URL, login: PredecessorLogin): Promise<Predecessor> {
    const server = new Predecessor(url, login);
    await server.#signIn();
    for (const mount of MOUNTS) {
      const reply = await server.#ask(`${mount}admin/hosts/list`, {});
      server.#mount = mount;
      if (v.is(hostList, reply.json)) return server;
    }
    throw new StartupError(
      `${url.origin} does not answer ${login.uname} as such a server answers an administrator`,
    );
  }

  async hosts(): Promise<PredecessorHost[]> {
    const { records } = await this.#get("admin/hosts/list", hostList);
    const hosts: PredecessorHost[] = [];
    for (const { id } of records) hosts.push(await this.#get("admin/hosts/get", hostSettings, { id }));
    return hosts;
  }

  async groups(): Promise<PredecessorGroup[]> {
    return (await this.#get("admin/groups/list", groupList)).groups;
  }

  async users(): Promise<PredecessorUser[]> {
    const users: PredecessorUser[] = [];
    for (const { uname } of await this.#get("admin/users/list", userList))
      users.push(await this.#get("admin/users/get", user, { uname }));
    return users;
  }

  /** Number of events. */
  async countEvents(selection: EventSelection): Promise<number> {
    const query = { ...selection, active: 0, results: 1, startindex: 0 };
    return (await this.#get("reports/events/list", eventList, query)).totalRecords;
  }

  /** Events, the oldest first, in pages. Each is read once, even if pages shift. */
  async *events(selection: EventSelection): AsyncGenerator<PredecessorEvent[]> {
    const seen = new Set<number>();
    for (let startindex = 0; ; ) {
      const { totalRecords, records } = await this.#get("reports/events/list", eventList, {
        ...selection,
        active: 0,
        sort: "date",
        dir: "asc",
        results: PAGE,
        startindex,
      });
      const page = records.filter(({ id }) => !seen.has(id));
      for (const { id } of page) seen.add(id);
      yield page.map(({ id, date, servicename, eventtype }) => ({
        id,
        date,
        service: servicename,
        state: eventtype,
      }));
      startindex += records.length;
      if (records.length === 0 || startindex >= totalRecords) return;
    }
  }

  /** The details of an event, which the list leaves out. */
  event(id: number): Promise<PredecessorEventDetail> {
    return this.#get("reports/events/get", eventDetail, { id });
  }

  async #get<S extends v.GenericSchema>(
    operation: string,
    schema: S,
    query: Query = {},
  ): Promise<v.InferOutput<S>> {
    const path = this.#mount + operation;
    let reply = await this.#ask(path, query);
    if (reply.json === undefined) {
      // The session has ended. These servers answer with a page then.
      await this.#signIn();
      reply = await this.#ask(path, query);
    }
    const result = v.safeParse(schema, reply.json);
    if (result.success && reply.status === 200) return result.output;
    const at = result.issues ? `: ${v.getDotPath(result.issues[0]) ?? "the reply"} is not as expected` : "";
    throw new RefusedRequest(
      `${operation} at ${this.#base.origin} answered with status ${reply.status}${at}`,
    );
  }

  async #signIn(): Promise<void> {
    const { uname, password } = this.login;
    // The first page gives the session that the login then belongs to.
    await this.#send("index.csp");
    const form = { z_username: uname, z_password: password, z_csrf_protection: "off" };
    const { status } = await this.#send("z_security_check", new URLSearchParams(form));
    if (status === 401) throw new StartupError(`${this.#base.origin} refuses the password of ${uname}`);
    if (status >= 400) throw new StartupError(`${this.#base.origin} answers a login with status ${status}`);
  }

  async #ask(path: string, query: Query): Promise<{ status: number; json: unknown }> {
    const parameters = Object.entries(query).flatMap(([name, value]) =>
      value === undefined ? [] : [[name, String(value)]],
    );
    const { status, text } = await this.#send(
      parameters.length > 0 ? `${path}?${new URLSearchParams(parameters)}` : path,
    );
    return { status, json: jsonIn(text) };
  }

  async #send(path: string, form?: URLSearchParams): Promise<{ status: number; text: string }> {
    const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    try {
      const response = await fetch(new URL(path, this.#base), {
        method: form ? "POST" : "GET",
        headers: cookie ? { Cookie: cookie } : {},
        body: form ?? null,
        // Following a redirect could hand the password to another server.
        redirect: "manual",
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      for (const line of response.headers.getSetCookie()) {
        const [, name, value] = /^([^=;]+)=([^;]*)/.exec(line) ?? [];
        if (name !== undefined && value !== undefined) this.#cookies.set(name.trim(), value.trim());
      }
      return { status: response.status, text: await response.text() };
    } catch (error) {
      throw new StartupError(`${this.#base.origin} cannot be read: ${fetchFailure(error)}`);
    }
  }
}
