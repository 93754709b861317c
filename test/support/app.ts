/** The real app on an in-memory database made by the real migrations, with a clock that tests step. */

import { existsSync, writeFileSync } from "node:fs";
import type { Hono } from "hono";
import { COMMAND_LINE } from "../../src/accounts/audit/actor.ts";
import type { OidcOptions } from "../../src/accounts/openid/oidc-options.ts";
import type { ProxyLoginOptions } from "../../src/accounts/sign-in/external-users.service.ts";
import { md5 } from "../../src/accounts/users/password.ts";
import { insertUser } from "../../src/accounts/users/users.repository.ts";
import { apiOperations, createApp } from "../../src/app.ts";
import { CollectorCredential } from "../../src/monitoring/agent-keys/collector-credential.ts";
import { InlineLargeMessages } from "../../src/monitoring/collector/large-messages.ts";
import type { HostCacheLimits } from "../../src/monitoring/ingest/host-cache.ts";
import { assemble, type Muster } from "../../src/muster.ts";
import { recount } from "../../src/operations/doctor/counts.repository.ts";
import { setUpFirstStart } from "../../src/operations/first-start/first-start.ts";
import { migrationsFolder } from "../../src/platform/assets.ts";
import { NetworkEgress, type NetworkOptions } from "../../src/platform/egress/network-egress.ts";
import type { IdentityHeaders } from "../../src/platform/http/client-info.ts";
import type { AppEnv } from "../../src/platform/http/context.ts";
import type { Operation } from "../../src/platform/http/operation.ts";
import type { ServedCertificate } from "../../src/platform/http/tls-files.ts";
import { createLog } from "../../src/platform/log.ts";
import { type CidrBlock, TrustedProxies } from "../../src/platform/net/client-address.ts";
import { inlineQueries } from "../../src/platform/queries/queries.ts";
import { SecretBox } from "../../src/platform/secrets/secret-box.ts";
import { Settings } from "../../src/platform/settings/settings.service.ts";
import { DatabaseFile } from "../../src/platform/storage/database-file.ts";
import { type Db, openDatabase } from "../../src/platform/storage/open.ts";
import { migrateDatabase } from "../../src/platform/storage/sqlite-migrations.ts";
import type { Runtime } from "../../src/runtime.ts";
import type { AgentXml } from "./agent-messages.ts";
import { TestClient } from "./client.ts";
import { TestClock } from "./clock.ts";
import { bytesOf, copyDatabase, isOnPostgres, testDatabase } from "./database.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, USER_PASSWORD } from "./passwords.ts";

export { ADMIN_PASSWORD, COLLECTOR_PASSWORD, USER_PASSWORD };

/** What an app has stored, and when. */
export interface Snapshot {
  database: Uint8Array;
  time: number;
}

export interface TestOptions {
  /** Another app's, on which this one starts. */
  snapshot?: Snapshot;
  /** Milliseconds; by default the clock's. */
  monotonic?: () => number;
  baseUrl?: string;
  trustedProxy?: CidrBlock[];
  identity?: IdentityHeaders;
  proxyLogin?: ProxyLoginOptions;
  oidc?: OidcOptions;
  queueLimit?: number;
  hostCache?: HostCacheLimits;
  /** How channels get out; by default as far as this machine, without programs. */
  egress?: Partial<NetworkOptions>;
  /** A database that the test made; by default a new one. */
  db?: Db;
  /** The nodes of the database, where it is a server. */
  nodes?: Runtime["nodes"];
  /** Path of a data folder; by default there is none. */
  folder?: string;
  /** How backups are made; by default none are. */
  backupMeans?: Runtime["backupMeans"];
  /** The certificate that Muster serves; by default none. */
  servedCertificate?: ServedCertificate;
  /** How queries run; by default inline. */
  runQueries?: Runtime["runQueries"];
  /** How exports and imports read; by default inline. */
  runTransfers?: Runtime["runTransfers"];
  /** File of the database; in memory without one. */
  database?: string;
}

const newBox = () => new SecretBox(Buffer.alloc(32, 7));

/** What a first start does, and adds a user. Does nothing on any other start. */
function setUp(db: Db, box: SecretBox, credential: CollectorCredential): void {
  const passwords = { adminPassword: ADMIN_PASSWORD, collectorPassword: COLLECTOR_PASSWORD };
  if (setUpFirstStart({ db, box, credential }, passwords) === null) return;
  const passwordMd5 = box.seal(md5(USER_PASSWORD));
  insertUser(db, { uname: "user", fullname: "A User", passwordMd5, admin: false });
}

/** What `setUp` leaves in a new database. To copy it costs a third of doing it again, and a fifth with the migrations. */
let firstStart: Uint8Array | null = null;

function bytesOfFirstStart(): Uint8Array {
  const db = testDatabase();
  const box = newBox();
  setUp(db, box, new CollectorCredential(new Settings(db, box), new TestClock()));
  return bytesOf(db);
}

function databaseOf({ snapshot, database }: TestOptions): Db {
  if (snapshot) return copyDatabase(snapshot.database);
  if (isOnPostgres()) return database ? openDatabase(database) : testDatabase();
  firstStart ??= bytesOfFirstStart();
  if (!database) return copyDatabase(firstStart);
  if (!existsSync(database)) writeFileSync(database, firstStart);
  return openDatabase(database);
}

export class TestApp {
  readonly clock: TestClock;
  readonly logged: string[] = [];
  readonly db: Db;
  readonly box = newBox();
  readonly muster: Muster;
  readonly app: Hono<AppEnv>;

  constructor(options: TestOptions = {}) {
    const { snapshot } = options;
    this.clock = new TestClock(snapshot?.time);
    const { clock, box } = this;
    const db = options.db ?? databaseOf(options);
    if (options.database) migrateDatabase(db, migrationsFolder());
    this.db = db;
    this.muster = assemble({
      db,
      box,
      clock,
      nodes: options.nodes ?? null,
      backupMeans: options.backupMeans ?? null,
      folder: options.folder ?? null,
      servedCertificate: () => options.servedCertificate ?? null,
      file: options.database ? new DatabaseFile(options.database) : null,
      monotonic: options.monotonic ?? (() => clock.now() * 1000),
      log: createLog((line) => this.logged.push(line)),
      largeMessages: new InlineLargeMessages(),
      runQueries: options.runQueries ?? inlineQueries,
      runTransfers: options.runTransfers ?? inlineQueries,
      egress: new NetworkEgress({ reach: "loopback", exec: false, clock, ...options.egress }),
      clientInfo: {
        proxies: new TrustedProxies(options.trustedProxy ?? []),
        baseUrl: options.baseUrl ? new URL(options.baseUrl) : null,
        tls: false,
        identity: options.identity ?? null,
      },
      oidc: options.oidc ?? null,
      proxyLogin: options.proxyLogin ?? null,
      web: new Map(),
      limits: { queue: options.queueLimit, hostCache: options.hostCache },
    });
    setUp(db, box, this.credential);
    this.heartbeat.start();
    this.app = createApp(this.muster);
  }

  /** For apps that start with what this one has stored. Only on SQLite. */
  snapshot(): Snapshot {
    return { database: bytesOf(this.db), time: this.clock.now() };
  }

  get settings() {
    return this.muster.settings;
  }

  get credential() {
    return this.muster.credential;
  }

  get hostCache() {
    return this.muster.hostCache;
  }

  get events() {
    return this.muster.eventLog;
  }

  get heartbeat() {
    return this.muster.heartbeat;
  }

  get storage() {
    return this.muster.storage;
  }

  get queue() {
    return this.muster.queue;
  }

  get operations(): Operation[] {
    return apiOperations(this.muster);
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

  /** Deletes hosts at once. */
  deleteHosts(ids: readonly number[]): void {
    const { deletedHosts } = this.muster;
    deletedHosts.beginDeletion(ids, {}, COMMAND_LINE);
    while (deletedHosts.step());
  }

  /** Undoes the deletion of hosts at once. */
  restoreHosts(ids: readonly number[]): void {
    const { deletedHosts } = this.muster;
    deletedHosts.beginRestoration(ids, COMMAND_LINE);
    while (deletedHosts.step());
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
