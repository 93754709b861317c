/** The operations of a running server that `muster mute` calls. */
import * as v from "valibot";
import type { muteArguments } from "../../alerting/maintenance/mutes.schemas.ts";
import type { ApiClient } from "./api-client.ts";

const created = v.object({ id: v.number() });

/** Creates, renews and ends mutes on a server, with the rights of the token's user. */
export class MuteClient {
  constructor(private readonly server: ApiClient) {}

  /** @returns the id of the mute @throws StartupError */
  async create(mute: v.InferInput<typeof muteArguments>): Promise<number> {
    return (await this.server.call("POST", "mutes/create", created, mute)).id;
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
