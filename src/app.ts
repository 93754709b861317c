/** The table of contents of everything Muster answers. */
import { Hono } from "hono";
import { auditOperations } from "./accounts/audit/audit.routes.ts";
import type { Audit } from "./accounts/audit/audit.service.ts";
import { audited } from "./accounts/audit/audited.ts";
import { oidcRoutes } from "./accounts/openid/oidc.routes.ts";
import type { OidcLogin } from "./accounts/openid/oidc-login.ts";
import { authenticate } from "./accounts/sessions/authenticate.ts";
import { sessionOperations } from "./accounts/sessions/sessions.routes.ts";
import type { Sessions } from "./accounts/sessions/sessions.service.ts";
import { userSessionOperations } from "./accounts/sessions/user-sessions.routes.ts";
import type { UserSessions } from "./accounts/sessions/user-sessions.service.ts";
import { loginOperations, type OtherLogins } from "./accounts/sign-in/login.routes.ts";
import type { Login } from "./accounts/sign-in/login.service.ts";
import { secondFactorOperations } from "./accounts/sign-in/second-factor.routes.ts";
import type { SecondFactor } from "./accounts/sign-in/second-factor.service.ts";
import { tokenOperations } from "./accounts/tokens/tokens.routes.ts";
import type { Tokens } from "./accounts/tokens/tokens.service.ts";
import type { PictureFiles } from "./accounts/users/pictures.files.ts";
import { pictureOperations, pictureRoutes } from "./accounts/users/pictures.routes.ts";
import { userOperations } from "./accounts/users/users.routes.ts";
import type { Users } from "./accounts/users/users.service.ts";
import { channelOperations } from "./alerting/channels/channels.routes.ts";
import type { Channels } from "./alerting/channels/channels.service.ts";
import { maintenanceOperations } from "./alerting/maintenance/maintenance.routes.ts";
import type { MaintenanceWindows } from "./alerting/maintenance/maintenance.service.ts";
import { deliveryOperations } from "./alerting/notifications/deliveries.routes.ts";
import type { Deliveries } from "./alerting/notifications/deliveries.service.ts";
import { previewOperations } from "./alerting/notifications/preview.routes.ts";
import { ruleOperations } from "./alerting/rules/rules.routes.ts";
import type { Rules } from "./alerting/rules/rules.service.ts";
import { collectorRoutes } from "./monitoring/collector/collector.routes.ts";
import type { Collector } from "./monitoring/collector/collector.ts";
import type { CollectorCredential } from "./monitoring/collector/collector-credential.ts";
import { rejectedMessageOperations } from "./monitoring/collector/rejected-messages.routes.ts";
import type { RejectedMessages } from "./monitoring/collector/rejected-messages.ts";
import { eventOperations } from "./monitoring/events/events.routes.ts";
import type { Events } from "./monitoring/events/events.service.ts";
import { groupOperations } from "./monitoring/groups/groups.routes.ts";
import type { Groups } from "./monitoring/groups/groups.service.ts";
import { historyOperations } from "./monitoring/history/history.routes.ts";
import { hostOperations } from "./monitoring/hosts/hosts.routes.ts";
import type { Hosts } from "./monitoring/hosts/hosts.service.ts";
import type { IngestQueue } from "./monitoring/ingest/queue.ts";
import { serviceGroupOperations } from "./monitoring/service-groups/service-groups.routes.ts";
import { statusOperations } from "./monitoring/status/status.routes.ts";
import type { Status } from "./monitoring/status/status.service.ts";
import { uptimeOperations } from "./monitoring/uptime/uptime.routes.ts";
import { settingsOperations } from "./operations/settings/settings.routes.ts";
import type { SettingsAdmin } from "./operations/settings/settings-admin.service.ts";
import { transferOperations } from "./operations/transfer/transfer.routes.ts";
import type { Transfer } from "./operations/transfer/transfer.service.ts";
import type { Bodies } from "./platform/http/bodies.ts";
import type { AppContext, AppEnv } from "./platform/http/context.ts";
import { ApiError, errors } from "./platform/http/errors.ts";
import { healthCheck, healthRoutes } from "./platform/http/healthz.ts";
import { mount } from "./platform/http/mount.ts";
import type { Operation } from "./platform/http/operation.ts";
import { type ClientInfoOptions, clientInfo } from "./platform/http/outside.ts";
import { jsonReply } from "./platform/http/reply.ts";
import { securityHeaders } from "./platform/http/security-headers.ts";
import { type StaticFiles, serveStatic } from "./platform/http/static.ts";
import type { Log } from "./platform/log.ts";
import { databaseError } from "./platform/storage/database-error.ts";
import type { Db } from "./platform/storage/open.ts";
import type { StorageHealth } from "./platform/storage/storage-health.ts";
import { serveLegacyApi } from "./publishing/legacy-api/legacy-api.routes.ts";
import { translateArguments } from "./publishing/legacy-api/translation.ts";
import { refuseUnknownPaths } from "./publishing/legacy-api/unknown-paths.ts";
import { fleetRoutes } from "./publishing/metrics/fleet.routes.ts";
import type { FleetMetrics } from "./publishing/metrics/fleet-metrics.ts";
import { measured, metricsRoutes } from "./publishing/metrics/metrics.routes.ts";
import type { ServiceMetrics } from "./publishing/metrics/service-metrics.ts";
import { referenceRoutes, withDescription } from "./publishing/openapi/openapi.routes.ts";
import { publicPageRoutes } from "./publishing/status-pages/public-pages.routes.ts";
import { statusPageOperations } from "./publishing/status-pages/status-pages.routes.ts";
import type { StatusPages } from "./publishing/status-pages/status-pages.service.ts";
import type { AllQueries } from "./queries.ts";

export interface AppParts {
  db: Db;
  log: Log;
  monotonic: () => number;
  clientInfo: ClientInfoOptions;
  credential: CollectorCredential;
  storage: StorageHealth;
  queue: IngestQueue;
  collector: Collector;
  bodies: Bodies;
  rejectedMessages: RejectedMessages;
  sessions: Sessions;
  userSessions: UserSessions;
  tokens: Tokens;
  login: Login;
  otherLogins: OtherLogins & { oidc: OidcLogin | null };
  secondFactor: SecondFactor;
  users: Users;
  pictures: PictureFiles;
  groups: Groups;
  hosts: Hosts;
  status: Status;
  events: Events;
  queries: AllQueries;
  settings: SettingsAdmin;
  channels: Channels;
  deliveries: Deliveries;
  rules: Rules;
  maintenance: MaintenanceWindows;
  statusPages: StatusPages;
  metrics: ServiceMetrics;
  transfer: Transfer;
  fleetMetrics: FleetMetrics;
  audit: Audit;
  web: StaticFiles;
}

/** Every operation of the API. */
export function apiOperations(parts: AppParts): Operation[] {
  const operations = withDescription([
    // PUBLIC
    ...loginOperations(parts.login, parts.otherLogins, parts.sessions),

    // SESSION: any user
    ...sessionOperations(parts.sessions),
    ...userSessionOperations(parts.userSessions),
    ...tokenOperations(parts.tokens),
    ...statusOperations(parts.status, parts.queries),
    ...serviceGroupOperations(parts.queries),
    ...eventOperations(parts.events, parts.queries),
    ...uptimeOperations(parts.queries),
    ...historyOperations(parts.queries),

    // ADMIN, except that everyone may see and change his own account
    ...userOperations(parts.users, parts.login),
    ...secondFactorOperations(parts.secondFactor, parts.login),
    ...pictureOperations(parts.users),

    // ADMIN
    ...hostOperations(parts.hosts, parts.queries),
    ...groupOperations(parts.groups, parts.queries),
    ...settingsOperations(parts.settings, parts.credential),
    ...channelOperations(parts.channels),
    ...deliveryOperations(parts.deliveries),
    ...ruleOperations(parts.rules),
    ...previewOperations(parts.rules, parts.queries),
    ...maintenanceOperations(parts.maintenance),
    ...statusPageOperations(parts.statusPages),
    ...transferOperations(parts.transfer),
    ...rejectedMessageOperations(parts.rejectedMessages),
    ...auditOperations(parts.audit),
  ]);
  return audited(operations, parts.db, parts.audit);
}

function errorReply(c: AppContext, error: unknown, log: Log): Response {
  if (error instanceof ApiError)
    return jsonReply(c, { error: error.message, code: error.code }, error.status, error.headers);
  const trouble = databaseError(error);
  if (trouble !== null) {
    log.warn("request refused", { path: c.req.path, reason: trouble });
    return errorReply(c, errors.busy(`The database cannot be used: ${trouble}`), log);
  }
  log.error("request failed", { path: c.req.path, error });
  const { message, code, status } = errors.internal();
  return jsonReply(c, { error: message, code }, status);
}

export function createApp(parts: AppParts): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.onError((error, c) => errorReply(c, error, parts.log));
  app.notFound((c) => errorReply(c, errors.noSuchPath(), parts.log));

  app.use(clientInfo(parts.clientInfo));
  app.use((c, next) => {
    c.set("bodies", parts.bodies);
    return next();
  });
  app.use("/collector", measured(parts.metrics, "collector", parts.monotonic));
  app.use("/api/*", measured(parts.metrics, "api", parts.monotonic));
  app.use(securityHeaders());

  // PUBLIC
  app.route("/healthz", healthRoutes(healthCheck(parts.db, parts.storage, parts.monotonic)));

  // STATUS PAGES, for everyone who has their address
  app.route("/", publicPageRoutes(parts.statusPages));

  // PROGRAMS ON THIS MACHINE, and those with an API token
  app.use("/metrics/*", authenticate(parts.sessions, parts.tokens));
  app.route("/metrics", metricsRoutes(parts.metrics));
  app.route("/metrics/fleet", fleetRoutes(parts.fleetMetrics));

  // What is stored in a file that is gone would be lost: better nothing works than that it seems to.
  app.use("/api/*", (_c, next) => {
    parts.storage.assertInPlace();
    return next();
  });

  // AGENTS
  app.route("/collector", collectorRoutes(parts.collector));

  // API
  app.use("/api/1/*", authenticate(parts.sessions, parts.tokens));
  const operations = apiOperations(parts);
  mount(app, "/api/1", operations, translateArguments);
  app.route("/api", referenceRoutes(operations));

  // OLDER DIALECT
  serveLegacyApi(app, parts, operations);
  app.all("/api/*", () => {
    throw errors.noSuchPath();
  });

  // SIGNING IN WITH A PROVIDER
  if (parts.otherLogins.oidc) app.route("/", oidcRoutes(parts.otherLogins.oidc, parts.sessions));

  // PICTURES
  app.use("/uploads/*", authenticate(parts.sessions, parts.tokens));
  app.route("/uploads", pictureRoutes(parts.pictures));

  // WHAT THE LEGACY API DOES NOT HAVE
  refuseUnknownPaths(app);

  // UI
  app.get("*", serveStatic(parts.web));
  return app;
}
