/** What Muster gets from outside: its database, clocks, network, threads and configuration. */
import type { OidcOptions } from "./accounts/openid/oidc-options.ts";
import type { ProxyLoginOptions } from "./accounts/sign-in/external-users.service.ts";
import { InlineLargeMessages, type LargeMessages } from "./monitoring/collector/large-messages.ts";
import type { HostCache } from "./monitoring/ingest/host-cache.ts";
import type { BackupMeans } from "./operations/backups/backups.service.ts";
import type { TransferQueryList } from "./operations/transfer/transfer.queries.ts";
import { type Clock, systemClock } from "./platform/clock.ts";
import type { Egress } from "./platform/egress/egress.ts";
import { NetworkEgress } from "./platform/egress/network-egress.ts";
import type { ClientInfoOptions } from "./platform/http/client-info.ts";
import type { StaticFiles } from "./platform/http/static.ts";
import type { ServedCertificate } from "./platform/http/tls-files.ts";
import { createLog, type Log } from "./platform/log.ts";
import { TrustedProxies } from "./platform/net/client-address.ts";
import { type AsyncQueries, inlineQueries, type QueriesAt } from "./platform/queries/queries.ts";
import type { SecretBox } from "./platform/secrets/secret-box.ts";
import type { DatabaseFile } from "./platform/storage/database-file.ts";
import type { Nodes } from "./platform/storage/nodes.postgres.ts";
import type { Db } from "./platform/storage/open.ts";
import type { QueryList } from "./queries.ts";

/** External resources and configuration of Muster. */
export interface Runtime {
  db: Db;
  /** The file of the database; null for one in memory. */
  file: DatabaseFile | null;
  /** Path of the data folder; null without one. */
  folder: string | null;
  /** The certificate that Muster serves; null if it serves none. */
  servedCertificate: () => ServedCertificate | null;
  /** The nodes that share the database; null for a file. */
  nodes: Nodes | null;
  box: SecretBox;
  clock: Clock;
  /** Milliseconds of a monotonic clock. */
  monotonic: () => number;
  log: Log;
  egress: Egress;
  clientInfo: ClientInfoOptions;
  largeMessages: LargeMessages;
  /** Runs queries, on query workers or inline. */
  runQueries: (queries: QueryList, queriesAt: QueriesAt<QueryList>) => AsyncQueries<QueryList>;
  /** Runs what exports and imports read, on a thread of its own or inline. */
  runTransfers: (queries: TransferQueryList) => AsyncQueries<TransferQueryList>;
  /** How this process makes backups; null: not at all. */
  backupMeans: BackupMeans | null;
  /** Null: sign-in with OpenID Connect is off. */
  oidc: OidcOptions | null;
  proxyLogin: ProxyLoginOptions | null;
  web: StaticFiles;
  /** Set for a demonstration that strangers may look at: its API changes nothing. */
  readOnly?: boolean;
  /** Overrides of limits, for tests. */
  limits?: {
    queue?: number | undefined;
    hostCache?: ConstructorParameters<typeof HostCache>[1] | undefined;
  };
}

/** A runtime without network access and threads, for commands that use Muster without serving. */
export function offlineRuntime(db: Db, box: SecretBox): Runtime {
  const clock = systemClock;
  return {
    db,
    box,
    clock,
    file: null,
    folder: null,
    servedCertificate: () => null,
    nodes: null,
    backupMeans: null,
    oidc: null,
    proxyLogin: null,
    web: new Map(),
    monotonic: () => performance.now(),
    log: createLog(() => undefined),
    egress: new NetworkEgress({ reach: "public", exec: false, clock }),
    clientInfo: { proxies: new TrustedProxies([]), baseUrl: null, tls: false },
    largeMessages: new InlineLargeMessages(),
    runQueries: inlineQueries,
    runTransfers: inlineQueries,
  };
}
