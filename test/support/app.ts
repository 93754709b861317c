/** The real app on an in-memory database made by the real migrations, with a clock that tests step. */

import type { Hono } from "hono";
import type { OidcOptions } from "../../src/accounts/openid/oidc-login.ts";
import type { ProxyLoginOptions } from "../../src/accounts/sign-in/proxy-login.ts";
import { md5 } from "../../src/accounts/users/password.ts";
import { insertUser } from "../../src/accounts/users/users.repository.ts";
import { alertSubscriber } from "../../src/alerting/notifications/matched-alerts.service.ts";
import { type AppParts, apiOperations, createApp } from "../../src/app.ts";
import { CollectorCredential } from "../../src/monitoring/collector/collector-credential.ts";
import { InlineLargeMessages } from "../../src/monitoring/collector/large-messages.ts";
import { EventLog } from "../../src/monitoring/events/event-log.service.ts";
import { Heartbeat } from "../../src/monitoring/heartbeat/heartbeat.service.ts";
import { HostCache, type HostCacheLimits } from "../../src/monitoring/ingest/host-cache.ts";
import { Ingest } from "../../src/monitoring/ingest/ingest.ts";
import { IngestQueue } from "../../src/monitoring/ingest/queue.ts";
import { recount } from "../../src/operations/doctor/counts.repository.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { makeParts } from "../../src/parts.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { NetworkEgress, type NetworkOptions } from "../../src/platform/egress/network-egress.ts";
import type { AppEnv } from "../../src/platform/http/context.ts";
import type { IdentityHeaders } from "../../src/platform/http/identity-headers.ts";
import type { Operation } from "../../src/platform/http/operation.ts";
import { createLog } from "../../src/platform/log.ts";
import { type CidrBlock, TrustedProxies } from "../../src/platform/net/client-address.ts";
import { inlineQueries } from "../../src/platform/queries/queries.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { DatabaseFile } from "../../src/platform/storage/database-file.ts";
import { migrateDatabase } from "../../src/platform/storage/migrate.ts";
import { type Db, openDatabase } from "../../src/platform/storage/open.ts";
import { StorageHealth } from "../../src/platform/storage/storage-health.ts";
import { allQueries } from "../../src/queries.ts";
import type { AgentXml } from "./agent-messages.ts";
import { TestClient } from "./client.ts";
import { TestClock } from "./clock.ts";

export const ADMIN_PASSWORD = "admin secret";
export const USER_PASSWORD = "user secret";
export const COLLECTOR_PASSWORD = "collector secret";

export interface TestOptions {
  baseUrl?: string;
  trustedProxy?: CidrBlock[];
  identity?: IdentityHeaders;
  proxyLogin?: ProxyLoginOptions;
  oidc?: OidcOptions;
  queueLimit?: number;
  hostCache?: HostCacheLimits;
  /** How channels get out; by default as far as this machine, without programs. */
  egress?: Partial<NetworkOptions>;
  /** File of the database; in memory without one. */
  database?: string;
  /** Folder of the users' pictures; tests that store some give one of their own. */
  uploads?: string;
}

export class TestApp {
  readonly clock = new TestClock();
  readonly logged: string[] = [];
  readonly db: Db;
  readonly box = new SecretBox(Buffer.alloc(32, 7));
  readonly hostCache: HostCache;
  readonly events: EventLog;
  readonly heartbeat: Heartbeat;
  readonly storage: StorageHealth;
  readonly queue: IngestQueue;
  readonly settings: Settings;
  readonly credential: CollectorCredential;
  readonly parts: AppParts;
  readonly app: Hono<AppEnv>;

  constructor(options: TestOptions = {}) {
    const { clock, box } = this;
    const log = createLog((line) => this.logged.push(line));
    const monotonic = () => clock.now() * 1000;
    const db = openDatabase(options.database ?? ":memory:");
    migrateDatabase(db, migrationsFolder());
    this.db = db;
    this.settings = new Settings(db, box);
    this.credential = new CollectorCredential(this.settings, clock);
    setUpFirstStart(db, box, this.credential, {
      adminPassword: ADMIN_PASSWORD,
      collectorPassword: COLLECTOR_PASSWORD,
    });
    insertUser(db, {
      uname: "user",
      fullname: "A User",
      passwordMd5: box.seal(md5(USER_PASSWORD)),
      admin: false,
    });
    this.hostCache = new HostCache(db, options.hostCache);
    this.events = new EventLog(db, alertSubscriber(db));
    const ingest = new Ingest(db, this.hostCache, box, this.events);
    this.storage = new StorageHealth({
      ...{ db, clock, monotonic, log },
      file: options.database ? new DatabaseFile(options.database) : null,
    });
    const { hostCache, storage } = this;
    this.queue = new IngestQueue({ db, ingest, hostCache, storage, log, monotonic }, options.queueLimit);
    this.heartbeat = new Heartbeat({
      ...{ db, clock, monotonic, log, storage },
      hostCache: this.hostCache,
      events: this.events,
      settings: this.settings,
    });
    this.heartbeat.start();
    this.parts = makeParts({
      ...{ db, box, clock, monotonic, log },
      settings: this.settings,
      credential: this.credential,
      hostCache: this.hostCache,
      storage,
      queue: this.queue,
      largeMessages: new InlineLargeMessages(),
      queries: inlineQueries(allQueries(db, this.settings, clock)),
      egress: new NetworkEgress({ reach: "loopback", exec: false, clock, ...options.egress }),
      clientInfo: {
        proxies: new TrustedProxies(options.trustedProxy ?? []),
        baseUrl: options.baseUrl ? new URL(options.baseUrl) : null,
        tls: false,
        identity: options.identity ?? null,
      },
      oidc: options.oidc ?? null,
      proxyLogin: options.proxyLogin ?? null,
      uploads: options.uploads ?? "/nonexistent/uploads",
      web: new Map(),
    });
    this.app = createApp(this.parts);
  }

  get operations(): Operation[] {
    return apiOperations(this.parts);
  }

  /** A client that is not signed in. */
  client(address = "192.0.2.10"): TestClient {
    const incoming = { socket: { remoteAddress: address, remotePort: 40_000, remoteFamily: "IPv4" } };
    return new TestClient((request) => this.app.request(request, undefined, { incoming } as never));
  }

  signedIn(uname: string, password: string): Promise<TestClient> {
    return this.client().signIn(uname, password);
  }

  admin(): Promise<TestClient> {
    return this.signedIn("admin", ADMIN_PASSWORD);
  }

  user(): Promise<TestClient> {
    return this.signedIn("user", USER_PASSWORD);
  }

  /** Posts a message as an agent at `address` does. */
  report(
    message: AgentXml | string | Uint8Array<ArrayBuffer>,
    address = "198.51.100.7",
    headers: Record<string, string> = {},
  ): Promise<Response> {
    return this.client(address).report(message, COLLECTOR_PASSWORD, headers);
  }

  /** Lets time pass in ticks of a second, as the running service does. */
  pass(seconds: number): void {
    for (let i = 0; i < seconds; i++) {
      this.clock.step(1);
      this.heartbeat.tick();
    }
  }

  /** Counts events and hosts anew, after a test stored or deleted some by statements of its own. */
  recount(): void {
    recount(this.db);
  }

  /** Rows of a table as they are stored, to check what changed and what did not. */
  rows<T = Record<string, unknown>>(sql: string): T[] {
    return this.db.$client.query(sql).all() as T[];
  }
}
