/** The operations of a running server that `muster mute` calls. */
import * as v from "valibot";
import { StartupError } from "../../platform/startup-error.ts";
import type { ApiClient, Fields } from "./api-client.ts";

const named = (name: string) => v.object({ id: v.number(), [name]: v.string() });
const hostList = v.object({ records: v.array(named("hostname")) });
const groupList = v.object({ groups: v.array(named("name")) });
const created = v.object({ id: v.number() });

export class MuteClient {
  constructor(private readonly server: ApiClient) {}

  /** The ids of hosts with these names. @throws StartupError for an unknown name */
  async hostIds(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const { records } = await this.server.call("GET", "status/hosts/list", hostList);
    return idsNamed("host", names, new Map(records.map(({ id, hostname }) => [hostname, id])));
  }

  /** The ids of host groups with these names. @throws StartupError for an unknown name */
  async groupIds(names: readonly string[]): Promise<number[]> {
    if (names.length === 0) return [];
    const { groups } = await this.server.call("GET", "admin/groups/list", groupList);
    return idsNamed("host group", names, new Map(groups.map(({ id, name }) => [name, id])));
  }

  /** @returns the id of the mute @throws StartupError */
  async create(fields: Fields): Promise<number> {
    return (await this.server.call("POST", "mutes/create", created, fields)).id;
  }

  /** @throws StartupError */
  async renew(id: number): Promise<void> {
    await this.server.call("POST", "mutes/renew", v.unknown(), { id });
  }

  /** @throws StartupError */
  async release(id: number): Promise<void> {
    await this.server.call("POST", "mutes/release", v.unknown(), { id });
  }
}

function idsNamed(what: string, names: readonly string[], known: ReadonlyMap<unknown, unknown>): number[] {
  return names.map((name) => {
    const id = known.get(name);
    if (typeof id !== "number") throw new StartupError(`there is no ${what} "${name}"`);
    return id;
  });
}
