/** The database of the service on a server that several nodes share, of which one is active. */
import { hostname } from "node:os";
import { systemClock } from "../../platform/clock.ts";
import type { Log } from "../../platform/log.ts";
import type { DataFolder, OpenFolder } from "../../platform/storage/data-folder.ts";
import { DatabaseServer, ServerAway, ServerFull } from "../../platform/storage/database-server.postgres.ts";
import { type Lease, STANDBY_STEP_MS } from "../../platform/storage/lease.postgres.ts";
import { NODE_SEEN_MS, Nodes } from "../../platform/storage/nodes.postgres.ts";
import { startPostgresDriver } from "../../platform/storage/open-postgres.ts";
import type { PostgresOptions } from "../../platform/storage/postgres/options.ts";
import type { OnTrouble } from "../../platform/storage/postgres/session.ts";
import { VERSION } from "../../platform/version.ts";
import { KeptLease } from "./kept-lease.ts";
import type { ServiceContext, ServiceDatabase } from "./service-database.types.ts";
import { Standby } from "./standby.ts";

/** How long a statement of the service may take before the server counts as away, milliseconds. */
const STATEMENT_LIMIT_MS = 5000;

/** Logs each reason why there is no connection, once per absence of the server. */
export function connectionLog(log: Log): OnTrouble {
  const reasons = new Set<string>();
  return (trouble) => {
    if (trouble === null) {
      if (reasons.size > 0) log.info("the database server can be reached again");
      reasons.clear();
      return;
    }
    const { reason, isDenied } = trouble;
    if (reasons.has(reason)) return;
    reasons.add(reason);
    log.warn(isDenied ? "the database server rejects this node" : "the database server cannot be reached", {
      reason,
    });
  };
}

/** A node on its way to be the active one. */
class WaitingNode {
  readonly standby: Standby;
  readonly #stopped: Promise<null>;
  /** The active node that was last logged. */
  #loggedHolder: string | null = null;
  #loggedReason = "";
  /** Whether it stopped in the middle of a transaction, so that no other statement may run on the connection. */
  isInterrupted = false;

  constructor(
    private readonly options: PostgresOptions,
    private readonly folder: DataFolder,
    private readonly context: ServiceContext,
  ) {
    const { config, stop } = context;
    this.standby = new Standby(config, systemClock);
    this.#stopped = new Promise((resolve) => {
      if (stop.aborted) resolve(null);
      else stop.addEventListener("abort", () => resolve(null), { once: true });
    });
  }

  /** Connects to the server, and waits for it as long as it is away. @returns null when it is to stop */
  async connect(): Promise<DatabaseServer | null> {
    const { log, stop } = this.context;
    const driver = startPostgresDriver();
    const connection = { driver, limitMs: STATEMENT_LIMIT_MS, onTrouble: connectionLog(log) };
    while (!stop.aborted) {
      let server: DatabaseServer | null = null;
      try {
        server = DatabaseServer.open(this.options, this.folder, connection);
        if (server.isEmpty) {
          await this.standby.enter("upgrade");
          log.info("the tables are being created", { version: VERSION });
          await this.#unlessStopped(server.create());
        }
        return server;
      } catch (error) {
        server?.close();
        if (!(error instanceof ServerAway)) throw error;
        await this.standby.enter("database", error.message);
        this.#logWaiting(error);
      }
      await Bun.sleep(STANDBY_STEP_MS);
    }
    return null;
  }

  /** Waits until this node is the active one. @returns null when it is to stop */
  async activate(server: DatabaseServer, nodes: Nodes): Promise<{ open: OpenFolder; lease: Lease } | null> {
    const { stop } = this.context;
    let seenAt = Number.NEGATIVE_INFINITY;
    while (!stop.aborted) {
      try {
        const lease = server.takeLease(nodes.name);
        if (lease) {
          const open = await this.#unlessStopped(this.#open(server, lease));
          return open && { open, lease };
        }
        // A server that accepts no writes would not let it become active.
        if (performance.now() - seenAt >= NODE_SEEN_MS) {
          this.standby.knows(server.standBy(nodes));
          seenAt = performance.now();
        }
        await this.#standBy(server.lastHolder());
      } catch (error) {
        if (!(error instanceof ServerAway)) throw error;
        await this.standby.enter("database", error.message);
        // The connection itself logs that there is none.
        if (error instanceof ServerFull) this.#logWaiting(error);
      }
      await Bun.sleep(STANDBY_STEP_MS);
    }
    return null;
  }

  /** Logs a reason once, until this node is a standby. */
  #logWaiting({ message }: ServerAway): void {
    if (message === this.#loggedReason) return;
    this.#loggedReason = message;
    this.context.log.warn("waiting for the database server", { reason: message });
  }

  async #standBy(holder: string): Promise<void> {
    await this.standby.enter("standby");
    this.#loggedReason = "";
    if (holder === this.#loggedHolder) return;
    this.#loggedHolder = holder;
    this.context.log.info("another Muster is active; this one is a standby", {
      active: holder,
      listen: this.standby.addresses,
    });
  }

  async #open(server: DatabaseServer, lease: Lease): Promise<OpenFolder> {
    const { log } = this.context;
    try {
      if (server.isOlder()) await this.standby.enter("upgrade");
      return await server.open(lease, (nth, count) =>
        log.info("the database is being migrated to this version", {
          version: VERSION,
          statement: `${nth} of ${count}`,
        }),
      );
    } catch (error) {
      const isAway = error instanceof ServerAway && !(error instanceof ServerFull);
      if (!isAway) server.whenEnding(() => lease.release());
      throw error;
    }
  }

  /**
   * The result of some work; null if the node is to stop first. The server then rolls back what is not complete, as the
   * connection ends.
   */
  async #unlessStopped<T>(work: Promise<T>): Promise<T | null> {
    let isOver = false;
    const watched = work.finally(() => {
      isOver = true;
    });
    const result = await Promise.race([watched, this.#stopped]);
    this.isInterrupted = !isOver;
    return result;
  }
}

/** Opens the database on a server, once no other node is active. @returns null when `stop` came first */
export async function openShared(
  options: PostgresOptions,
  folder: DataFolder,
  context: ServiceContext,
): Promise<ServiceDatabase | null> {
  const waiting = new WaitingNode(options, folder, context);
  try {
    const server = await waiting.connect();
    if (!server) return null;
    const nodes = new Nodes(server.db, context.config.node ?? hostname(), VERSION);
    const activated = await waiting.activate(server, nodes);
    if (!activated) {
      if (!waiting.isInterrupted) server.whenEnding(() => nodes.leave());
      server.close();
      return null;
    }
    const { open, lease } = activated;
    const keptLease = new KeptLease(lease, nodes, context.log, () => performance.now());
    return {
      ...open,
      file: null,
      nodes,
      readPlace: { kind: "server", options },
      replaced: keptLease.replaced,
      close: () => {
        server.whenEnding(() => nodes.leave());
        server.whenEnding(() => keptLease.release());
        keptLease.stop();
        server.close();
      },
    };
  } finally {
    await waiting.standby.close();
  }
}
