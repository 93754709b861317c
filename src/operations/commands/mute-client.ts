/** The operations of a running server that `muster mute` calls. */
import * as v from "valibot";
import { StartupError } from "../../platform/startup-error.ts";
import { reasonOf } from "../../platform/text.ts";

/** Longest wait for a reply, milliseconds. */
const TIMEOUT_MS = 10_000;

const named = (name: string) => v.object({ id: v.number(), [name]: v.string() });
const hostList = v.object({ records: v.array(named("hostname")) });
const groupList = v.object({ groups: v.array(named("name")) });
const created = v.object({ id: v.number() });
const failed = v.object({ error: v.string() });

type Fields = Readonly<Record<string, string | number | readonly (string | number)[]>>;

export class MuteClient {
  constructor(
    private readonly url: URL,
    private readonly token: string,
  ) {}

  /** The ids of hosts with these names. @throws StartupError for an unknown name */
  async hostIds(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const { records } = await this.#call("GET", "status/hosts/list", hostList);
    return idsNamed("host", names, new Map(records.map(({ id, hostname }) => [hostname, id])));
  }

  /** The ids of host groups with these names. @throws StartupError for an unknown name */
  async groupIds(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const { groups } = await this.#call("GET", "admin/groups/list", groupList);
    return idsNamed("host group", names, new Map(groups.map(({ id, name }) => [name, id])));
  }

  /** @returns the id of the mute @throws StartupError */
  async create(fields: Fields): Promise<number> {
    return (await this.#call("POST", "mutes/create", created, fields)).id;
  }

  /** @throws StartupError */
  async renew(id: number): Promise<void> {
    await this.#call("POST", "mutes/renew", v.unknown(), { id });
  }

  /** @throws StartupError */
  async release(id: number): Promise<void> {
    await this.#call("POST", "mutes/release", v.unknown(), { id });
  }

  async #call<S extends v.GenericSchema>(
    method: string,
    operation: string,
    reply: S,
    fields: Fields = {},
  ): Promise<v.InferOutput<S>> {
    const body = new URLSearchParams();
    for (const [name, value] of Object.entries(fields))
      for (const one of Array.isArray(value) ? value : [value]) body.append(name, String(one));
    try {
      const response = await fetch(new URL(`/api/1/${operation}`, this.url), {
        method,
        headers: { Authorization: `Bearer ${this.token}` },
        signal: AbortSignal.timeout(TIMEOUT_MS),
        // Following a redirect could hand the token to another server.
        redirect: "error",
        ...(method === "POST" && { body }),
      });
      const json: unknown = await response.json();
      if (!response.ok) throw new Error(v.is(failed, json) ? json.error : `status ${response.status}`);
      return v.parse(reply, json);
    } catch (error) {
      throw new StartupError(`${operation} at ${this.url.origin}: ${reasonOf(error)}`);
    }
  }
}

function idsNamed(what: string, names: readonly string[], known: ReadonlyMap<unknown, unknown>): number[] {
  return names.map((name) => {
    const id = known.get(name);
    if (typeof id !== "number") throw new StartupError(`there is no ${what} "${name}"`);
    return id;
  });
}
