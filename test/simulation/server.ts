/** One run of the server: all of it but its sockets and threads, on a file that may have been there before. */

import { deliveryRetention } from "../../src/alerting/notifications/deliveries.service.ts";
import { Dispatcher } from "../../src/alerting/notifications/dispatcher.service.ts";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { Sender } from "../../src/alerting/notifications/sender.service.ts";
import { type AppParts, createApp } from "../../src/app.ts";
import { CollectorCredential } from "../../src/monitoring/collector/collector-credential.ts";
import { InlineLargeMessages } from "../../src/monitoring/collector/large-messages.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { GroupCounts } from "../../src/monitoring/events/group-counts.service.ts";
import { Heartbeat } from "../../src/monitoring/heartbeat/heartbeat.service.ts";
import { Compaction } from "../../src/monitoring/history/compaction.service.ts";
import { Fleet } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { IngestQueue } from "../../src/monitoring/ingest/queue.ts";
import { Retention } from "../../src/monitoring/retention/retention.service.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { makeParts } from "../../src/parts.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { createLog } from "../../src/platform/log.ts";
import { TrustedProxies } from "../../src/platform/net/client-address.ts";
import { inlineQueries } from "../../src/platform/queries/queries.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { databaseTrouble } from "../../src/platform/storage/database-error.ts";
import { DatabaseFile } from "../../src/platform/storage/database-file.ts";
import { migrateDatabase } from "../../src/platform/storage/migrate.ts";
import { closeDatabase, type Db, openDatabase } from "../../src/platform/storage/open.ts";
import { StorageHealth } from "../../src/platform/storage/storage-health.ts";
import { allQueries } from "../../src/queries.ts";
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

/** Work that goes on by itself, in the order of a second. */
export type Work = "alerts" | "deliveries" | "compaction" | "counts of groups" | "retention";

/** Steps of one second at the most, of work that has more to do. */
const MAX_STEPS = 50;

export class Server {
  readonly rows: Rows;
  readonly db: Db;
  readonly parts: AppParts;
  readonly #heartbeat: Heartbeat;
  readonly #sender: Sender;
  readonly #egress;
  readonly #work: Readonly<Record<Work, () => boolean>>;
  /** When work that found nothing to do looks again, unix seconds. */
  readonly #restsUntil = new Map<Work, number>();
  readonly app;

  /** Puts it together. @param onLine takes each line of the log */
  constructor(
    private readonly clock: VirtualClock,
    disk: Disk,
    network: Network,
    onLine: (line: string) => void,
  ) {
    const monotonic = () => clock.monotonic();
    const log = createLog(onLine);
    const box = new SecretBox(Buffer.alloc(32, 7));
    const db = openDatabase(disk.file);
    migrateDatabase(db, migrationsFolder());
    this.db = db;
    this.rows = new Rows(db.$client);
    const settings = new Settings(db, box);
    const credential = new CollectorCredential(settings, clock);
    setUpFirstStart(db, box, credential, {
      adminPassword: ADMIN_PASSWORD,
      collectorPassword: COLLECTOR_PASSWORD,
    });
    disk.attach(db);
    const fleet = new Fleet(db);
    const events = new EventLog(db, alertSubscriber(db));
    const ingest = new Ingest(db, fleet, box, events);
    const storage = new StorageHealth({ db, clock, monotonic, log, file: new DatabaseFile(disk.file) });
    const queue = new IngestQueue({ db, ingest, fleet, storage, log, monotonic });
    this.#heartbeat = new Heartbeat({ db, clock, monotonic, log, storage, fleet, events, settings });
    this.#egress = network.egress();
    this.parts = makeParts({
      ...{ db, box, clock, monotonic, log, settings, credential, fleet, storage, queue },
      largeMessages: new InlineLargeMessages(),
      queries: inlineQueries(allQueries(db, settings, clock)),
      outlet: this.#egress,
      outside: { proxies: new TrustedProxies([]), baseUrl: null, tls: false, identity: null },
      oidc: null,
      proxyLogin: null,
      uploads: "/nonexistent/uploads",
      web: new Map(),
    });
    this.app = createApp(this.parts);
    const { channels } = this.parts;
    const dispatcher = new Dispatcher({ db, channels, clock, log });
    const sender = new Sender({ db, box, channels, clock, log, baseUrl: () => null, timeZone: () => "UTC" });
    const compaction = new Compaction({ db, settings, clock, log, monotonic });
    const groupCounts = new GroupCounts(db, monotonic);
    const retention = new Retention(db, settings, clock, [deliveryRetention(db)]);
    this.#work = {
      alerts: () => dispatcher.step(),
      deliveries: () => {
        sender.step();
        return false;
      },
      compaction: () => compaction.step(),
      "counts of groups": () => groupCounts.step(),
      retention: () => retention.step(),
    };
    this.#sender = sender;
  }

  /** Begins to look for silent hosts and to send. */
  start(): void {
    this.#heartbeat.start();
    this.#sender.start();
  }

  /** A message of an agent. @returns the status of the answer; 0: there is none */
  async post(message: string, address: string): Promise<number> {
    try {
      await this.parts.collector.receive({
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
      if (databaseTrouble(error) !== null) return 503;
      throw error;
    }
  }

  /** Looks for silent hosts. @returns false when that could not be stored */
  tick(): boolean {
    return this.#safely(() => {
      for (let steps = 0; this.#heartbeat.tick() && steps < MAX_STEPS; steps++);
    });
  }

  /** One round of work that goes on by itself. @returns false when it could not be stored */
  work(what: Work, idle = 1): boolean {
    const now = this.clock.monotonic() / 1000;
    if (now < (this.#restsUntil.get(what) ?? 0)) return true;
    return this.#safely(() => {
      for (let steps = 0; this.#work[what](); steps++) if (steps === MAX_STEPS) return;
      this.#restsUntil.set(what, now + idle);
    });
  }

  #safely(work: () => void): boolean {
    try {
      work();
      return true;
    } catch (error) {
      if (error instanceof Killed) throw error;
      if (databaseTrouble(error) === null) throw error;
      return false;
    }
  }

  /** An administrator who is signed in. */
  administrator(): Promise<TestClient> {
    const incoming = { socket: { remoteAddress: "192.0.2.10", remotePort: 40_000, remoteFamily: "IPv4" } };
    const send = (request: Request) => this.app.request(request, undefined, { incoming } as never);
    return new TestClient(send).signIn("admin", ADMIN_PASSWORD);
  }

  /** Ends it as an administrator does. */
  stop(): void {
    this.#egress.cut();
    this.#heartbeat.stop();
    closeDatabase(this.db);
  }

  /** It is gone already: nothing of it reaches the network or the file. */
  bury(): void {
    this.#egress.cut();
    this.db.$client.close();
  }
}
