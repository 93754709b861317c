/** Registers every route of Muster, in order. */
import { Hono } from "hono";
import { TrieRouter } from "hono/router/trie-router";
import { auditOperations } from "./accounts/audit/audit.routes.ts";
import { audited } from "./accounts/audit/audited.ts";
import { grantOperations } from "./accounts/grants/grants.routes.ts";
import { oidcRoutes } from "./accounts/openid/oidc.routes.ts";
import { authenticate } from "./accounts/sessions/authenticate.ts";
import { sessionOperations } from "./accounts/sessions/sessions.routes.ts";
import { userSessionOperations } from "./accounts/sessions/user-sessions.routes.ts";
import { loginOperations } from "./accounts/sign-in/login.routes.ts";
import { secondFactorOperations } from "./accounts/sign-in/second-factor.routes.ts";
import { tokenOperations } from "./accounts/tokens/tokens.routes.ts";
import { pictureOperations, pictureRoutes } from "./accounts/users/pictures.routes.ts";
import { userOperations } from "./accounts/users/users.routes.ts";
import { acknowledgeLinkRoutes } from "./alerting/acknowledge-links/acknowledge-links.routes.ts";
import { LINKS_PATH } from "./alerting/acknowledge-links/acknowledge-links.service.ts";
import { channelOperations } from "./alerting/channels/channels.routes.ts";
import { contactOperations } from "./alerting/contacts/contacts.routes.ts";
import { dependencyOperations } from "./alerting/dependencies/dependencies.routes.ts";
import { forgottenOperations } from "./alerting/forgotten/forgotten.routes.ts";
import { incidentOperations } from "./alerting/incidents/incidents.routes.ts";
import { mailReportOperations } from "./alerting/mail-reports/mail-reports.routes.ts";
import { maintenanceOperations } from "./alerting/maintenance/maintenance.routes.ts";
import { muteOperations } from "./alerting/maintenance/mutes.routes.ts";
import { deliveryOperations } from "./alerting/notifications/deliveries.routes.ts";
import { previewOperations } from "./alerting/notifications/preview.routes.ts";
import { onCallOperations } from "./alerting/on-call/on-call.routes.ts";
import { problemOperations } from "./alerting/problems/problems.routes.ts";
import { publicNoteOperations } from "./alerting/public-notes/public-notes.routes.ts";
import { rehearsalOperations } from "./alerting/rehearsals/rehearsals.routes.ts";
import { ruleOperations } from "./alerting/rules/rules.routes.ts";
import { queuedActionOperations } from "./monitoring/actions/actions.routes.ts";
import { agentActionRoutes } from "./monitoring/actions/agent-actions.routes.ts";
import { agentKeyOperations } from "./monitoring/agent-keys/agent-keys.routes.ts";
import { budgetOperations } from "./monitoring/budget/budget.routes.ts";
import { bulkOperations } from "./monitoring/bulk/bulk.routes.ts";
import { collectorRoutes, noteMisdirected } from "./monitoring/collector/collector.routes.ts";
import { rejectedMessageOperations } from "./monitoring/collector/rejected-messages.routes.ts";
import { enrolmentOperations } from "./monitoring/enrolment/enrolment.routes.ts";
import { scriptRoutes } from "./monitoring/enrolment/script.routes.ts";
import { eventOperations } from "./monitoring/events/events.routes.ts";
import { expectedOperations } from "./monitoring/expected/expected.routes.ts";
import { forecastOperations } from "./monitoring/forecast/forecast.routes.ts";
import { glanceOperations } from "./monitoring/glance/glance.routes.ts";
import { groupOperations } from "./monitoring/groups/groups.routes.ts";
import { historyOperations } from "./monitoring/history/history.routes.ts";
import { deletedHostOperations } from "./monitoring/hosts/deleted-hosts.routes.ts";
import { hostOperations } from "./monitoring/hosts/hosts.routes.ts";
import { importedEventOperations } from "./monitoring/imported-events/imported-events.routes.ts";
import { limitOperations } from "./monitoring/limits/limits.routes.ts";
import { momentOperations } from "./monitoring/moment/moment.routes.ts";
import { searchOperations } from "./monitoring/search/search.routes.ts";
import { serviceGroupOperations } from "./monitoring/service-groups/service-groups.routes.ts";
import { statusOperations } from "./monitoring/status/status.routes.ts";
import { tagOperations } from "./monitoring/tags/tags.routes.ts";
import { uptimeOperations } from "./monitoring/uptime/uptime.routes.ts";
import type { Muster } from "./muster.ts";
import { backupOperations } from "./operations/backups/backups.routes.ts";
import { healthOperations } from "./operations/health/health.routes.ts";
import { healthMetrics } from "./operations/health/health-metrics.ts";
import { nodeOperations } from "./operations/nodes/nodes.routes.ts";
import { settingsOperations } from "./operations/settings/settings.routes.ts";
import { transferOperations } from "./operations/transfer/transfer.routes.ts";
import { clientInfo } from "./platform/http/client-info.ts";
import type { AppContext, AppEnv } from "./platform/http/context.ts";
import { ApiError, errors } from "./platform/http/errors.ts";
import { healthRoutes } from "./platform/http/healthz.ts";
import { mount } from "./platform/http/mount.ts";
import type { Operation } from "./platform/http/operation.ts";
import { pageStyle } from "./platform/http/page-style.ts";
import { withoutChanges } from "./platform/http/read-only.ts";
import { jsonReply } from "./platform/http/reply.ts";
import { securityHeaders } from "./platform/http/security-headers.ts";
import { serveStatic } from "./platform/http/static.ts";
import type { Log } from "./platform/log.ts";
import { UnreadableSecret } from "./platform/secrets/secret-box.ts";
import { databaseError } from "./platform/storage/database-error.ts";
import { capitalised } from "./platform/text.ts";
import { filterOperations } from "./publishing/filters/filters.routes.ts";
import { serveLegacyApi } from "./publishing/legacy-api/legacy-api.routes.ts";
import { translateArguments } from "./publishing/legacy-api/translation.ts";
import { rejectUnknownPaths } from "./publishing/legacy-api/unknown-paths.ts";
import { mcpRoutes } from "./publishing/mcp/mcp.routes.ts";
import { fleetRoutes } from "./publishing/metrics/fleet.routes.ts";
import { measured, metricsRoutes } from "./publishing/metrics/metrics.routes.ts";
import { referenceRoutes, withDescription } from "./publishing/openapi/openapi.routes.ts";
import { publicPageRoutes } from "./publishing/status-pages/public-pages.routes.ts";
import { PAGES_PATH } from "./publishing/status-pages/status.page.ts";
import { statusPageOperations } from "./publishing/status-pages/status-pages.routes.ts";
import { viewOperations } from "./publishing/views/views.routes.ts";

/**
 * All operations of /api/1, each with its audit entry. In a read-only Muster, those that change something are
 * refused.
 */
export function apiOperations(muster: Muster): Operation[] {
  const operations = withDescription([
    // PUBLIC
    ...loginOperations(muster.login, muster.otherLogins, muster.sessions),

    // SESSION: any user
    ...sessionOperations(muster.sessions),
    ...userSessionOperations(muster.userSessions),
    ...tokenOperations(muster.tokens),
    ...statusOperations(muster.queries),
    ...glanceOperations(muster.queries),
    ...searchOperations(muster.queries),
    ...serviceGroupOperations(muster.queries),
    ...eventOperations(muster.events, muster.queries),
    ...uptimeOperations(muster.queries),
    ...budgetOperations(muster.queries),
    ...historyOperations(muster.queries),
    ...forecastOperations(muster.queries),
    ...momentOperations(muster.queries),
    ...limitOperations(muster.statisticLimits, muster.queries),

    // ADMIN; every user may read and change their own account
    ...userOperations(muster.users, muster.login, muster.queries),
    ...grantOperations(muster.grants),
    ...secondFactorOperations(muster.secondFactor, muster.login),
    ...pictureOperations(muster.users),

    ...incidentOperations(muster.queries),
    ...publicNoteOperations(muster.publicNotes, muster.queries, muster.statusPages),
    ...problemOperations(muster.problems),
    ...muteOperations(muster.mutes, muster.queries),
    ...forgottenOperations(muster.queries),
    ...onCallOperations(muster.onCall, muster.queries),

    ...adminOperations(muster),
  ]);
  const offered = muster.readOnly ? withoutChanges(operations) : operations;
  return audited(offered, muster.db, muster.audit);
}

/** Operations of administrators, and of users whose level in some host group allows them. */
function adminOperations(muster: Muster): Operation[] {
  return [
    ...hostOperations(muster.hosts, muster.deletedHosts, muster.queries),
    ...queuedActionOperations(muster),
    ...deletedHostOperations(muster.deletedHosts, muster.queries),
    ...groupOperations(muster.groups, muster.queries),
    ...tagOperations(muster.tags, muster.queries),
    ...bulkOperations(muster.bulk),
    ...settingsOperations(muster.settingsAdmin, muster.credential),
    ...agentKeyOperations(muster.agentKeys, muster.queries, muster.baseUrl),
    ...enrolmentOperations(muster.enrolment, muster.baseUrl, muster.allowsPlainEnrolment),
    ...expectedOperations(muster.expectedHosts, muster.queries),
    ...channelOperations(muster.channels, muster.listedChannels),
    ...deliveryOperations(muster.deliveries, muster.queries),
    ...contactOperations(muster.contacts, muster.queries),
    ...dependencyOperations(muster.dependencies, muster.queries),
    ...ruleOperations(muster.rules, muster.queries),
    ...previewOperations(muster.rules, muster.queries),
    ...rehearsalOperations(muster.rehearsals, muster.weeklyRehearsals, muster.queries),
    ...maintenanceOperations(muster.maintenance, muster.queries),
    ...mailReportOperations(muster.mailReports, muster.reportSender, muster.queries),
    ...statusPageOperations(muster.statusPages, muster.queries),
    ...filterOperations(muster.savedFilters, muster.queries),
    ...viewOperations(muster.views, muster.queries),
    ...transferOperations(muster.servedTransfer),
    ...importedEventOperations(muster.importedEvents),
    ...rejectedMessageOperations(muster.rejectedMessages),
    ...auditOperations(muster.queries),
    ...nodeOperations(muster.cluster),
    ...backupOperations(muster.backups),
    ...healthOperations(muster.health, muster.healthProblems),
  ];
}

/** The path of a request for the log, without the secret part of a link or of the address of a status page. */
function loggedPath({ path }: AppContext["req"]): string {
  const place = [LINKS_PATH, PAGES_PATH].find((prefix) => path.startsWith(`${prefix}/`));
  return place === undefined ? path : `${place}/...`;
}

function errorReply(c: AppContext, error: unknown, log: Log): Response {
  if (error instanceof ApiError)
    return jsonReply(c, { error: error.message, code: error.code }, error.status, error.headers);
  const reason = databaseError(error);
  if (reason !== null) {
    log.warn("request refused", { path: loggedPath(c.req), reason });
    return errorReply(c, errors.busy(`The database cannot be used: ${reason}`), log);
  }
  log.error("request failed", { path: loggedPath(c.req), error });
  const { message, code, status } = errors.internal(
    error instanceof UnreadableSecret ? capitalised(error.message) : undefined,
  );
  return jsonReply(c, { error: message, code }, status);
}

function answerErrors(app: Hono<AppEnv>, { log, rejectedMessages }: Muster): void {
  app.onError((error, c) => errorReply(c, error, log));
  app.notFound((c) => {
    noteMisdirected(c, rejectedMessages);
    return errorReply(c, errors.noSuchPath(), log);
  });
}

/** Serves programs that read metrics, and programs that use language models. */
function servePrograms(app: Hono<AppEnv>, muster: Muster, operations: readonly Operation[]): void {
  app.use("/metrics/*", authenticate(muster));
  app.route(
    "/metrics",
    metricsRoutes(muster.metrics, () => healthMetrics(muster.health.last)),
  );
  app.route("/metrics/fleet", fleetRoutes(muster.fleetMetrics));
  app.use("/mcp", authenticate(muster));
  app.route("/mcp", mcpRoutes(app, operations));
}

/** Serves agents, and the scripts with which machines enrol. */
function serveAgents(app: Hono<AppEnv>, muster: Muster): void {
  app.route("/collector", collectorRoutes(muster.collector));
  app.route("/agent", agentActionRoutes(muster));
  app.route("/", scriptRoutes(muster.baseUrl, muster.allowsPlainEnrolment));
}

/**
 * The HTTP application with all its routes, in order: the first that matches answers. It listens to nothing.
 */
export function createApp(muster: Muster): Hono<AppEnv> {
  const app = new Hono<AppEnv>({ router: new TrieRouter() });
  answerErrors(app, muster);

  app.use(clientInfo(muster.clientInfo));
  app.use((c, next) => {
    c.set("bodies", muster.bodies);
    return next();
  });
  app.use("/collector", measured(muster.metrics, "collector", muster.monotonic));
  app.use("/api/*", measured(muster.metrics, "api", muster.monotonic));
  app.use(securityHeaders());

  // PUBLIC
  app.route("/healthz", healthRoutes(muster.healthy));

  const style = pageStyle(muster.web);

  // STATUS PAGES, for everyone who has their address
  app.route("/", publicPageRoutes(muster.statusPages, style));

  // LINKS IN MESSAGES, for everyone who has one
  app.route("/", acknowledgeLinkRoutes(muster.acknowledgeLinks, style));

  // If the database file was deleted, writes would be lost silently, so every request fails instead.
  for (const paths of ["/api/*", "/agent/*"])
    app.use(paths, (_c, next) => {
      muster.storage.assertInPlace();
      return next();
    });

  // AGENTS
  serveAgents(app, muster);

  // API
  app.use("/api/1/*", authenticate(muster));
  const operations = apiOperations(muster);
  mount(app, "/api/1", operations, { translate: translateArguments });
  app.route("/api", referenceRoutes(operations, style));

  // OTHER PROGRAMS
  servePrograms(app, muster, operations);

  // LEGACY API
  serveLegacyApi(app, muster, operations);
  app.all("/api/*", () => {
    throw errors.noSuchPath();
  });

  // SIGNING IN WITH A PROVIDER
  if (muster.otherLogins.oidc) app.route("/", oidcRoutes(muster.otherLogins.oidc, muster.sessions, style));

  // PICTURES
  app.use("/uploads/*", authenticate(muster));
  app.route("/uploads", pictureRoutes(muster.users));

  // UNKNOWN PATHS OF THE LEGACY API
  rejectUnknownPaths(app);

  // UI
  app.get("*", serveStatic(muster.web));
  return app;
}
