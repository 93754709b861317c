/** One run of the whole server except its sockets and threads, on a file that may already exist. */

import { createApp } from "../../src/app.ts";
import { InlineLargeMessages } from "../../src/monitoring/collector/large-messages.ts";
import { assemble, type Muster } from "../../src/muster.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { TrustedProxies } from "../../src/platform/net/client-address.ts";
import { inlineQueries } from "../../src/platform/queries/queries.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { databaseError } from "../../src/platform/storage/database-error.ts";
import { closeDatabase, type Db, openDatabase, sqliteClient } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/app.ts";
import { TestClient } from "../support/client.ts";
import { type Disk, Killed } from "./disk.ts";
import type { Network } from "./network.ts";
import { Rows } from "./rows.ts";

export interface VirtualClock {
  now(): number;
  /** Milliseconds of a clock that never jumps. */
  monotonic(): number;
}

const AUTHORIZATION = `Basic ${Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64")}`;

/** Background work, in its order within a second. */
export type Work =
  | "alerts"
  | "deliveries"
  | "compaction"
  | "counts of groups"
  | "groups of agents"
  | "deleted hosts"
  | "retention";

/** Maximum number of steps per second of work that has more to do. */
const MAX_STEPS = 50;
/** Number of consecutive rounds that suffice to finish all work, given the few rows of a simulation. */
const MAX_ROUNDS = 100;

export class Server {
  readonly rows: Rows;
  readonly db: Db;
  readonly muster: Muster;
  readonly #egress;
  readonly #work: Readonly<Record<Work, () => boolean>>;
  /** When work that found nothing to do runs again, unix seconds. */
  readonly #restsUntil = new Map<Work, number>();
  /** Consecutive rounds after which work had more to do. */
  readonly #rounds = new Map<Work, number>();
  readonly app;

  /** Assembles the server. @param onLine receives each line of the log */
  constructor(
    private readonly clock: VirtualClock,
    disk: Disk,
    network: Network,
    onLine: (line: string) => void,
  ) {
    const box = new SecretBox(Buffer.alloc(32, 7));
    const db = openDatabase(disk.file);
    migrateDatabase(db, migrationsFolder());
    this.db = db;
    this.rows = new Rows(sqliteClient(db));
    this.#egress = network.egress();
    this.muster = assemble({
      db,
      box,
      clock,
      egress: this.#egress,
      // Nobody removes the file here, and checking for it would cost more than all else in a quiet second.
      file: null,
      folder: null,
      servedCertificate: () => null,
      nodes: null,
      backupMeans: null,
      monotonic: () => clock.monotonic(),
      log: createLog(onLine),
      largeMessages: new InlineLargeMessages(),
      runQueries: inlineQueries,
      runTransfers: inlineQueries,
      clientInfo: { proxies: new TrustedProxies([]), baseUrl: null, tls: false, identity: null },
      oidc: null,
      proxyLogin: null,
      web: new Map(),
    });
    const { dispatcher, sender, compaction, groupCounts, unusedGroups, deletedHosts, retention } =
      this.muster;
    setUpFirstStart(
      { db, box, credential: this.muster.credential },
      {
        adminPassword: ADMIN_PASSWORD,
        collectorPassword: COLLECTOR_PASSWORD,
      },
    );
    disk.attach(db);
    this.app = createApp(this.muster);
    this.#work = {
      alerts: () => dispatcher.step(),
      deliveries: () => {
        sender.step();
        return false;
      },
      compaction: () => compaction.step(),
      "counts of groups": () => groupCounts.step(),
      "groups of agents": () => unusedGroups.step(),
      "deleted hosts": () => deletedHosts.step(),
      retention: () => retention.step(),
    };
  }

  /** Starts looking for silent hosts and sending messages. */
  start(): void {
    this.muster.heartbeat.start();
    this.muster.sender.start();
  }

  /** Receives a message of an agent. @returns the status of the answer; 0 if there is none */
  async post(message: string, address: string): Promise<number> {
    try {
      await this.muster.collector.receive({
        authorization: AUTHORIZATION,
        contentType: "text/xml",
        contentEncoding: undefined,
        address,
        body: () => Promise.resolve(Buffer.from(message)),
      });
      return 200;
    } catch (error) {
      if (error instanceof Killed) return 0;
      const status = (error as { status?: number }).status;
      if (status !== undefined) return status;
      if (databaseError(error) !== null) return 503;
      throw error;
    }
  }

  /** Looks for silent hosts. @returns false when that could not be stored */
  tick(): boolean {
    return this.#safely(() => {
      for (let steps = 0; this.muster.heartbeat.tick() && steps < MAX_STEPS; steps++);
    });
  }

  /** One round of background work. @returns false when it could not be stored */
  work(kind: Work, idle = 1): boolean {
    const now = this.clock.monotonic() / 1000;
    if (now < (this.#restsUntil.get(kind) ?? 0)) return true;
    return this.#safely(() => {
      for (let steps = 0; this.#work[kind](); steps++) if (steps === MAX_STEPS) return this.#goOn(kind);
      this.#rounds.set(kind, 0);
      this.#restsUntil.set(kind, now + idle);
    });
  }

  #goOn(kind: Work): void {
    const rounds = (this.#rounds.get(kind) ?? 0) + 1;
    this.#rounds.set(kind, rounds);
    if (rounds > MAX_ROUNDS) throw new Error(`${kind}: there is always more to do`);
  }

  #safely(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof Killed) throw error;
      if (databaseError(error) === null) throw error;
      return false;
    }
  }

  /** A signed-in administrator. */
  administrator(): Promise<TestClient> {
    const incoming = { socket: { remoteAddress: "192.0.2.10", remotePort: 40_000, remoteFamily: "IPv4" } };
    const send = (request: Request) => this.app.request(request, undefined, { incoming } as never);
    return new TestClient(send).signIn("admin", ADMIN_PASSWORD);
  }

  /** Stops it as an administrator does. */
  async stop(): Promise<void> {
    this.muster.queue.drain();
    this.#egress.cut();
    await this.muster.sender.stop(1);
    this.muster.heartbeat.stop();
    closeDatabase(this.db);
  }

  /** Kills it: nothing more of it reaches the network or the file. */
  bury(): void {
    this.#egress.cut();
    this.db.$client.close();
  }
}
