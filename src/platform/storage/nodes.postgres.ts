/**
 * The nodes that share a database on a server. Each stores its own name and version there and when it last
 * did so, by the database's clock. A node of another version reads and writes the same rows, so the columns
 * of this table stay what they are.
 */
import { IS_HELD } from "./lease.postgres.ts";
import type { Db } from "./open.ts";
import type { PostgresClient } from "./postgres/client.ts";

/** How often a node says that it runs, milliseconds. */
export const NODE_SEEN_MS = 5000;

/** A node that was not seen for so long is forgotten, and so are all but the newest. */
const FORGET_DAYS = 7;
const MAX_NODES = 100;

const NOW = "extract(epoch from clock_timestamp())::bigint";

export interface ClusterNode {
  name: string;
  version: string;
  isActive: boolean;
  /** When it last said that it runs, unix seconds. */
  seenAt: number;
}

export class Nodes {
  readonly #client: PostgresClient;

  /** @param name of this node, which no other node has @param version of this executable */
  constructor(
    db: Db,
    readonly name: string,
    private readonly version: string,
  ) {
    this.#client = db.$client as unknown as PostgresClient;
  }

  /** Stores that this node runs, active or not, and forgets nodes that are gone. */
  seen(): void {
    this.#client.unchecked(
      `insert into muster_nodes (name, version, seen_at) values (?, ?, ${NOW})
       on conflict (name) do update set version = excluded.version, seen_at = excluded.seen_at`,
      this.name,
      this.version,
    );
    this.#client.unchecked(
      `delete from muster_nodes where seen_at < ${NOW} - 86400 * ? or name in
         (select name from muster_nodes order by seen_at desc, name offset ?)`,
      FORGET_DAYS,
      MAX_NODES,
    );
  }

  /**
   * Stores that this node became the active one. Call it in a transaction.
   * @returns the node that was active before it; null if there was none or it was this one
   */
  activated(): string | null {
    const [before] = this.#client
      .query("select name from muster_nodes where epoch is not null order by epoch desc limit 1")
      .all();
    this.#client.run(
      `insert into muster_nodes (name, version, seen_at, epoch)
       values (?, ?, ${NOW}, (select epoch from muster_lease))
       on conflict (name) do update
         set version = excluded.version, seen_at = excluded.seen_at, epoch = excluded.epoch`,
      [this.name, this.version],
    );
    return before === undefined || before.name === this.name ? null : String(before.name);
  }

  /** All nodes, by name. */
  list(): ClusterNode[] {
    const rows = this.#client
      .query(
        `select n.name, n.version, n.seen_at, l.epoch is not null as active
         from muster_nodes n left join muster_lease l on l.epoch = n.epoch and ${IS_HELD}
         order by n.name`,
      )
      .all();
    return rows.map((row) => ({
      name: String(row.name),
      version: String(row.version),
      isActive: row.active === 1,
      seenAt: Number(row.seen_at),
    }));
  }
}
