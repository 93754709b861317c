/**
 * The lease that makes one node the active one. It is in the database and measured by the database's clock, so it
 * needs no other service. A node that hung for longer than the lease cannot write anything.
 */
import { StartupError } from "../startup-error.ts";
import type { Db } from "./open.ts";
import type { PatientRun, PostgresClient } from "./postgres/client.ts";

/** How long a lease lasts without renewal, seconds. */
export const LEASE_SECONDS = 10;

/** How often the active node renews its lease, and a standby asks for it, milliseconds. */
export const LEASE_STEP_MS = 3000;
export const STANDBY_STEP_MS = 1000;

const UNTIL = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;

/**
 * Whether a node holds the lease, in SQL. An end further ahead than any node could have set comes from a wrong clock,
 * or from another server: with a server whose clock is an hour behind, no node could be active for an hour.
 */
export const IS_HELD = `until between clock_timestamp()
  and clock_timestamp() + interval '${2 * LEASE_SECONDS} seconds'`;

const clientOf = (db: Db) => db.$client as unknown as PostgresClient;

/** The right of one node to write. Its epoch is higher than that of earlier holders, whose late writes are refused by it. */
export class Lease {
  private constructor(
    private readonly client: PostgresClient,
    private readonly epoch: number,
  ) {}

  /**
   * Takes the lease if no node holds it, and if no transaction of its last holder, such as a migration, is under way.
   * From then on, each transaction that writes is checked against it.
   */
  static take(db: Db, node: string): Lease | null {
    const client = clientOf(db);
    const [row] = client.unchecked(
      `update muster_lease set epoch = epoch + 1, node = ?, until = ${UNTIL}
       where "only" in (select "only" from muster_lease where not (${IS_HELD}) for update skip locked)
       returning epoch`,
      node,
    );
    if (!row) return null;
    const epoch = Number(row.epoch);
    client.beforeWriting = {
      text: "select muster_hold_lease($1)",
      params: [epoch],
      name: "muster_hold_lease",
    };
    return new Lease(client, epoch);
  }

  /** Renews it, even if it has expired but no other node has taken it. @returns whether this node still holds it */
  renew(): boolean {
    const renewed = this.client.unchecked(
      `update muster_lease set until = ${UNTIL} where epoch = ? returning epoch`,
      this.epoch,
    );
    return renewed.length > 0;
  }

  /** Keeps other nodes from taking it, even when it has expired, until a patient transaction ends. */
  async hold(run: PatientRun): Promise<void> {
    await run("select muster_hold_lease($1)", this.epoch);
  }

  /** Renews it as of the end of a patient transaction that holds it. */
  async renewAtEnd(run: PatientRun): Promise<void> {
    await run(`update muster_lease set until = ${UNTIL} where epoch = $1`, this.epoch);
  }

  /** Releases it, so that another node can take it at once. */
  release(): void {
    this.client.unchecked("update muster_lease set until = clock_timestamp() where epoch = ?", this.epoch);
  }
}

/**
 * Ends the lease of a node that hung. Otherwise that node could continue, with outdated state, once it wakes up. Call
 * it outside a transaction: what a command then changes must not be committed before this is.
 */
export function endExpiredLease(db: Db): void {
  clientOf(db).unchecked(`update muster_lease set epoch = epoch + 1 where not (${IS_HELD})`);
}

/** Keeps any node from becoming active until the present transaction ends. @throws StartupError when one is */
export function assertNobodyActive(db: Db): void {
  const [row] = db.$client
    .query<{ node: string; held: number }>(`select node, ${IS_HELD} as held from muster_lease for share`)
    .all();
  if (row?.held) throw new StartupError(`another Muster is active on it (${row.node}): stop all nodes`);
}

/** The name of the node that took the lease last, even if it has expired; empty if none ever did. */
export function lastHolder(db: Db): string {
  const [row] = clientOf(db).unchecked("select node from muster_lease");
  return String(row?.node ?? "");
}

/** The name of the node that holds the lease; empty if none does. */
export function activeNode(db: Db): string {
  const [row] = clientOf(db).unchecked(`select node from muster_lease where ${IS_HELD}`);
  return String(row?.node ?? "");
}
