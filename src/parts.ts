/** The parts of the app, each built once from what it stands on. */

import { Audit } from "./accounts/audit/audit.service.ts";
import { OidcLogin, type OidcOptions } from "./accounts/openid/oidc-login.ts";
import { Sessions } from "./accounts/sessions/sessions.service.ts";
import { UserSessions } from "./accounts/sessions/user-sessions.service.ts";
import { ExternalUsers } from "./accounts/sign-in/external-users.service.ts";
import { Login } from "./accounts/sign-in/login.service.ts";
import { LoginThrottle } from "./accounts/sign-in/login-throttle.service.ts";
import { ProxyLogin, type ProxyLoginOptions } from "./accounts/sign-in/proxy-login.ts";
import { SecondFactor } from "./accounts/sign-in/second-factor.service.ts";
import { Tokens } from "./accounts/tokens/tokens.service.ts";
import { PictureFiles } from "./accounts/users/pictures.files.ts";
import { Users } from "./accounts/users/users.service.ts";
import { Channels } from "./alerting/channels/channels.service.ts";
import { MaintenanceWindows } from "./alerting/maintenance/maintenance.service.ts";
import { Deliveries } from "./alerting/notifications/deliveries.service.ts";
import { Rules } from "./alerting/rules/rules.service.ts";
import type { AppParts } from "./app.ts";
import { Collector } from "./monitoring/collector/collector.ts";
import type { CollectorCredential } from "./monitoring/collector/collector-credential.ts";
import type { LargeMessages } from "./monitoring/collector/large-messages.ts";
import { RejectedMessages } from "./monitoring/collector/rejected-messages.ts";
import { Events } from "./monitoring/events/events.service.ts";
import { Groups } from "./monitoring/groups/groups.service.ts";
import { Hosts } from "./monitoring/hosts/hosts.service.ts";
import type { HostCache } from "./monitoring/ingest/host-cache.ts";
import type { IngestQueue } from "./monitoring/ingest/queue.ts";
import { Status } from "./monitoring/status/status.service.ts";
import { Uptime } from "./monitoring/uptime/uptime.service.ts";
import { SettingsAdmin } from "./operations/settings/settings-admin.service.ts";
import { Transfer } from "./operations/transfer/transfer.service.ts";
import type { Clock } from "./platform/clock.ts";
import type { Egress } from "./platform/egress/egress.ts";
import { Bodies } from "./platform/http/bodies.ts";
import type { ClientInfoOptions } from "./platform/http/outside.ts";
import type { StaticFiles } from "./platform/http/static.ts";
import type { Log } from "./platform/log.ts";
import type { SecretBox } from "./platform/secrets/secret-box.ts";
import { type Settings, savedBaseUrl } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import type { StorageHealth } from "./platform/storage/storage-health.ts";
import { FleetMetrics } from "./publishing/metrics/fleet-metrics.ts";
import { ServiceMetrics } from "./publishing/metrics/service-metrics.ts";
import { StatusPages } from "./publishing/status-pages/status-pages.service.ts";
import type { AllQueries } from "./queries.ts";

/** What everything stands on: state that is shared, and how Muster was set up. */
export interface Foundation {
  db: Db;
  box: SecretBox;
  clock: Clock;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
  log: Log;
  settings: Settings;
  credential: CollectorCredential;
  hostCache: HostCache;
  storage: StorageHealth;
  queue: IngestQueue;
  queries: AllQueries;
  largeMessages: LargeMessages;
  egress: Egress;
  clientInfo: ClientInfoOptions;
  /** Null: nobody signs in this way. */
  oidc: OidcOptions | null;
  proxyLogin: ProxyLoginOptions | null;
  /** Folder of the users' pictures. */
  uploads: string;
  web: StaticFiles;
}

export function makeParts(foundation: Foundation): AppParts {
  const { db, box, clock, monotonic, log, settings, credential, hostCache, storage, queue, clientInfo } =
    foundation;
  const { oidc, proxyLogin, largeMessages, queries, egress, uploads, web } = foundation;
  const { baseUrl } = clientInfo;
  const audit = new Audit(db, clock);
  const pictures = new PictureFiles(uploads);
  const rejectedMessages = new RejectedMessages(clock);
  const secondFactor = new SecondFactor(db, box, clock);
  const throttle = new LoginThrottle(db, box, clock, audit, storage, monotonic);
  const externalUsers = new ExternalUsers(db, audit);
  const parts = {
    db,
    log,
    monotonic,
    clientInfo,
    credential,
    storage,
    queue,
    bodies: new Bodies(),
    collector: new Collector({ credential, queue, hostCache, largeMessages, rejectedMessages, clock }),
    rejectedMessages,
    sessions: new Sessions(db, box, settings, clock, storage),
    userSessions: new UserSessions(db, box, settings, clock),
    tokens: new Tokens(db, clock, storage),
    login: new Login(db, box, throttle, audit, secondFactor, storage, log),
    otherLogins: {
      oidc: oidc && new OidcLogin(oidc, { box, clock, log, users: externalUsers }),
      proxy: proxyLogin && new ProxyLogin(externalUsers, proxyLogin),
    },
    secondFactor,
    users: new Users(db, box, pictures),
    pictures,
    groups: new Groups(db, hostCache),
    hosts: new Hosts(db, hostCache, box, clock, audit),
    audit,
    status: new Status(db),
    statusPages: new StatusPages(db, clock, new Uptime(db, settings, clock)),
    events: new Events(db, clock),
    queries,
    settings: new SettingsAdmin(db, settings, credential, baseUrl),
    channels: new Channels({
      db,
      box,
      egress,
      clock,
      monotonic,
      log,
      baseUrl: () => baseUrl ?? savedBaseUrl(settings),
    }),
    deliveries: new Deliveries(db, clock),
    rules: new Rules(db, settings),
    maintenance: new MaintenanceWindows(db, settings, clock),
    metrics: new ServiceMetrics({ db, queue, monotonic }),
    fleetMetrics: new FleetMetrics(db, monotonic),
    web,
  };
  return { ...parts, transfer: new Transfer({ ...parts, box, clock }) };
}
