/**
 * The nodes that share a database on a server. Each stores its name and version there, and when it last did so, by
 * the database's clock. Nodes of other versions read and write the same rows, so the columns of this table never
 * change.
 */

import { randomBytes } from "node:crypto";
import { StartupError } from "../startup-error.ts";
import { IS_HELD, LEASE_SECONDS } from "./lease.postgres.ts";
import type { Db } from "./open.ts";
import type { PostgresClient } from "./postgres/client.ts";

/** How often a node stores that it runs, milliseconds. */
export const NODE_SEEN_MS = 5000;

/** A node that was not seen for this many days is forgotten. */
const FORGET_DAYS = 7;
/** The most nodes that are remembered: those that were seen last. */
const MAX_NODES = 100;

const NOW = "extract(epoch from clock_timestamp())::bigint";

const SEEN = `insert into muster_nodes (name, version, instance, seen_at) values (?, ?, ?, ${NOW})
  on conflict (name) do update
    set version = excluded.version, instance = excluded.instance, seen_at = excluded.seen_at`;

export interface ClusterNode {
  name: string;
  version: string;
  isActive: boolean;
  /** When it last stored that it runs, unix seconds. */
  seenAt: number;
  /** Seconds since then. Both are by the clock of the database, which can differ from that of a node. */
  unseenFor: number;
}

/** The rows of all nodes, including this one. Standbys write them, too, so no lease is checked. */
export class Nodes {
  readonly #client: PostgresClient;
  /** Identifies this process. */
  readonly #instance = randomBytes(8).toString("hex");
  /** The other process with this name, as last seen. */
  #namesake: { instance: string; seenAt: number } | null = null;

  /** @param name of this node, unique among the nodes @param version of this executable */
  constructor(
    db: Db,
    readonly name: string,
    private readonly version: string,
  ) {
    this.#client = db.$client as unknown as PostgresClient;
  }

  /** Stores that this node runs and is the active one, and forgets nodes that are gone. */
  seen(): void {
    this.#client.unchecked(SEEN, this.name, this.version, this.#instance);
    this.#forget();
  }

  /**
   * Stores that this standby runs, and forgets nodes that are gone. It takes over the name of another process that was
   * not seen for the length of a lease, since that may be this node before a restart.
   * @throws StartupError when another process with this name runs
   */
  standsBy(): void {
    const stored = this.#client.unchecked(
      `${SEEN} where muster_nodes.instance is null or muster_nodes.instance = excluded.instance
         or abs(muster_nodes.seen_at - ${NOW}) > ${LEASE_SECONDS}
       returning name`,
      this.name,
      this.version,
      this.#instance,
    );
    if (stored.length === 0) this.#assertGone();
    this.#forget();
  }

  #assertGone(): void {
    const [row] = this.#client.unchecked(
      "select instance, seen_at from muster_nodes where name = ?",
      this.name,
    );
    const now = { instance: String(row?.instance), seenAt: Number(row?.seen_at) };
    if (this.#namesake?.instance === now.instance && now.seenAt > this.#namesake.seenAt)
      throw new StartupError(`another node is named ${this.name}, too: give each its own name with --node`);
    this.#namesake = now;
  }

  /** Releases the name, as this process ends. */
  leave(): void {
    this.#client.unchecked(
      "update muster_nodes set instance = null where name = ? and instance = ?",
      this.name,
      this.#instance,
    );
  }

  #forget(): void {
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
      `insert into muster_nodes (name, version, instance, seen_at, epoch)
       values (?, ?, ?, ${NOW}, (select epoch from muster_lease))
       on conflict (name) do update set version = excluded.version, instance = excluded.instance,
         seen_at = excluded.seen_at, epoch = excluded.epoch`,
      [this.name, this.version, this.#instance],
    );
    return before === undefined || before.name === this.name ? null : String(before.name);
  }

  /** All nodes, by name. */
  list(): ClusterNode[] {
    const rows = this.#client
      .query(
        `select n.name, n.version, n.seen_at, ${NOW} - n.seen_at as unseen_for, l.epoch is not null as active
         from muster_nodes n left join muster_lease l on l.epoch = n.epoch and ${IS_HELD}
         order by n.name`,
      )
      .all();
    return rows.map((row) => ({
      name: String(row.name),
      version: String(row.version),
      isActive: row.active === 1,
      seenAt: Number(row.seen_at),
      unseenFor: Number(row.unseen_for),
    }));
  }
}
