/** Two PostgreSQL servers: a primary, and a synchronous standby that can be promoted. */
import { PostgresServer } from "../../support/postgres-server.ts";
import { eventually } from "../support.ts";

export class PostgresPair implements AsyncDisposable {
  private constructor(
    /** In the order in which Muster gets them. */
    readonly servers: [PostgresServer, PostgresServer],
    public primaryIndex: 0 | 1,
  ) {}

  static async start(): Promise<PostgresPair> {
    const primary = await PostgresServer.start(["cluster_name=peer"]);
    const pair = new PostgresPair([primary, await PostgresServer.standbyOf(primary)], 0);
    await pair.#synchronize();
    return pair;
  }

  get primary(): PostgresServer {
    return this.servers[this.primaryIndex];
  }

  get standby(): PostgresServer {
    return this.servers[this.primaryIndex === 0 ? 1 : 0];
  }

  /** From now on, a commit waits for the standby. */
  async #synchronize(): Promise<void> {
    // From here on commits wait, though for a server that does not exist yet: no commit slips through until it is the
    // standby.
    await this.primary.waitForStandby("nobody");
    await this.primary.setStandbyNames("peer");
    await eventually(
      "the standby is synchronous",
      async () => (await this.primary.ask("select sync_state from pg_stat_replication")) === "sync",
    );
  }

  /** Makes the standby the primary. The old one is gone, or is cut off. */
  async promote(): Promise<void> {
    await this.standby.ask("select pg_promote()");
    this.primaryIndex = this.primaryIndex === 0 ? 1 : 0;
  }

  /** Replaces the old primary by a new standby. */
  async rebuild(): Promise<void> {
    const old = this.primaryIndex === 0 ? 1 : 0;
    await this.servers[old][Symbol.asyncDispose]();
    this.servers[old] = await PostgresServer.standbyOf(this.primary);
    await this.#synchronize();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const server of this.servers) await server[Symbol.asyncDispose]();
  }
}
