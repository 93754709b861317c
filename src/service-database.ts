/** The database of the service: a file of its own, or a server that several nodes share. */
import { hostname } from "node:os";
import type { Config } from "./platform/config/config.definitions.ts";
import type { Listener } from "./platform/http/listener.ts";
import type { Log } from "./platform/log.ts";
import { type DataFolder, type OpenFolder, openForService } from "./platform/storage/data-folder.ts";
import { databaseError } from "./platform/storage/database-error.ts";
import { DatabaseFile } from "./platform/storage/database-file.ts";
import { DatabaseServer, ServerAway } from "./platform/storage/database-server.postgres.ts";
import { LEASE_STEP_MS, type Lease, STANDBY_STEP_MS } from "./platform/storage/lease.postgres.ts";
import { type ClusterNode, NODE_SEEN_MS, Nodes } from "./platform/storage/nodes.postgres.ts";
import { closeDatabase } from "./platform/storage/open.ts";
import { startPostgresDriver } from "./platform/storage/open-postgres.ts";
import type { PostgresOptions } from "./platform/storage/postgres/options.ts";
import { quickDamage } from "./platform/storage/quick-check.ts";
import type { ReadPlace } from "./platform/storage/read-place.ts";
import { VERSION } from "./platform/version.ts";
import { openStandbyListener } from "./standby.ts";

/** How long a statement of the service may take before the server counts as away, milliseconds. */
const STATEMENT_LIMIT_MS = 5000;

export interface ServiceDatabase extends OpenFolder {
  /** Null for a database on a server. */
  file: DatabaseFile | null;
  /** Null for a file. */
  nodes: Nodes | null;
  /** Where query workers find it. */
  readPlace: ReadPlace;
  /** Aborted when another node has become the active one: this one must end at once. */
  replaced: AbortSignal;
  close(): void;
}

/** Opens the database in the data folder. The caller holds the folder's lock. @throws StartupError */
function openFile(folder: DataFolder, log: Log): ServiceDatabase {
  const { db, box } = openForService(folder, (copy) =>
    log.info("the database is being migrated to this version", { version: VERSION, backup: copy }),
  );
  const finding = quickDamage(db);
  if (finding !== null)
    log.error("the database is damaged: run muster doctor; undamaged parts remain in use", { finding });
  return {
    ...{ db, box },
    file: new DatabaseFile(folder.database),
    nodes: null,
    readPlace: { kind: "file", path: folder.database },
    replaced: new AbortController().signal,
    close: () => closeDatabase(db),
  };
}

type Activated = NonNullable<ReturnType<DatabaseServer["activate"]>>;

interface Context {
  config: Config;
  log: Log;
  stop: AbortSignal;
}

/** Connects to the server, and waits for it as long as it is away. @returns null when `stop` came first */
async function awaitServer(
  options: PostgresOptions,
  { migrations }: DataFolder,
  { config, log, stop }: Context,
): Promise<DatabaseServer | null> {
  const driver = startPostgresDriver();
  let listener: Listener | null = null;
  let reason = "";
  try {
    while (!stop.aborted) {
      try {
        return DatabaseServer.open(options, driver, migrations, STATEMENT_LIMIT_MS);
      } catch (error) {
        if (!(error instanceof ServerAway)) throw error;
        listener ??= await openStandbyListener(config, () => null);
        if (error.message !== reason) log.warn("waiting for the database server", { reason: error.message });
        reason = error.message;
      }
      await Bun.sleep(STANDBY_STEP_MS);
    }
    return null;
  } finally {
    await listener?.close();
  }
}

/** Waits until this node is the active one. @returns null when `stop` came first */
async function activate(
  server: DatabaseServer,
  nodes: Nodes,
  folder: DataFolder,
  { config, log, stop }: Context,
): Promise<Activated | null> {
  let standby: Listener | null = null;
  let known: readonly ClusterNode[] = [];
  let seenAt = Number.NEGATIVE_INFINITY;
  try {
    while (!stop.aborted) {
      const activated = server.activate(nodes.name, folder);
      if (activated) return activated;
      if (!standby) {
        standby = await openStandbyListener(config, () => known);
        log.info("another Muster is active; this one is a standby", { listen: standby.addresses.join(",") });
      }
      if (performance.now() - seenAt >= NODE_SEEN_MS) {
        known = server.standBy(nodes) ?? known;
        seenAt = performance.now();
      }
      await Bun.sleep(STANDBY_STEP_MS);
    }
    return null;
  } finally {
    await standby?.close();
  }
}

/** Renews the lease, and says that the node runs. @returns a signal that is aborted when another node has it */
function keep(lease: Lease, nodes: Nodes, log: Log): { replaced: AbortSignal; stop: () => void } {
  const replaced = new AbortController();
  const timer = setInterval(() => {
    try {
      if (lease.renew()) nodes.seen();
      else replaced.abort();
    } catch (error) {
      // The heartbeat notices that the database is away.
      log.warn("the lease cannot be renewed", { reason: databaseError(error) ?? String(error) });
    }
  }, LEASE_STEP_MS);
  return { replaced: replaced.signal, stop: () => clearInterval(timer) };
}

/** Opens the database on a server, once no other node is active. @returns null when `stop` came first */
async function openShared(
  options: PostgresOptions,
  folder: DataFolder,
  context: Context,
): Promise<ServiceDatabase | null> {
  const server = await awaitServer(options, folder, context);
  if (!server) return null;
  const nodes = new Nodes(server.db, context.config.node ?? hostname(), VERSION);
  const activated = await activate(server, nodes, folder, context);
  if (!activated) {
    server.close();
    return null;
  }
  const { open, lease } = activated;
  const kept = keep(lease, nodes, context.log);
  return {
    ...open,
    file: null,
    nodes,
    readPlace: { kind: "server", options },
    replaced: kept.replaced,
    close: () => {
      kept.stop();
      lease.release();
      server.close();
    },
  };
}

/** @returns null when `stop` came before this node was needed @throws StartupError */
export async function openServiceDatabase(
  folder: DataFolder,
  context: Context,
): Promise<ServiceDatabase | null> {
  const { database } = context.config;
  return database === null ? openFile(folder, context.log) : openShared(database, folder, context);
}
