/** Builds every part of Muster once. Nothing is started or opened here: serve.ts and tests do that. */
import { Audit } from "./accounts/audit/audit.service.ts";
import { Grants } from "./accounts/grants/grants.service.ts";
import { OidcLogin } from "./accounts/openid/oidc-login.ts";
import { Sessions } from "./accounts/sessions/sessions.service.ts";
import { UserSessions } from "./accounts/sessions/user-sessions.service.ts";
import { ExternalUsers } from "./accounts/sign-in/external-users.service.ts";
import { Login } from "./accounts/sign-in/login.service.ts";
import { LoginThrottle } from "./accounts/sign-in/login-throttle.service.ts";
import { SecondFactor } from "./accounts/sign-in/second-factor.service.ts";
import { Tokens } from "./accounts/tokens/tokens.service.ts";
import { Users } from "./accounts/users/users.service.ts";
import { AcknowledgeLinks } from "./alerting/acknowledge-links/acknowledge-links.service.ts";
import { ChannelReads } from "./alerting/channels/channel-reads.ts";
import { Channels } from "./alerting/channels/channels.service.ts";
import { ListedChannels } from "./alerting/channels/listed-channels.ts";
import { Contacts } from "./alerting/contacts/contacts.service.ts";
import { deadManPing } from "./alerting/dead-man-ping/dead-man-ping.ts";
import { Dependencies } from "./alerting/dependencies/dependencies.service.ts";
import { FirstMoves } from "./alerting/incidents/first-moves.service.ts";
import { MailReports } from "./alerting/mail-reports/mail-reports.service.ts";
import { ReportSender } from "./alerting/mail-reports/report-sender.service.ts";
import { currentMutes } from "./alerting/maintenance/current-mutes.ts";
import { MaintenanceWindows } from "./alerting/maintenance/maintenance.service.ts";
import { Mutes } from "./alerting/maintenance/mutes.service.ts";
import { Deliveries, deliveryRetention } from "./alerting/notifications/deliveries.service.ts";
import { DeliveryMessages } from "./alerting/notifications/delivery-messages.service.ts";
import { Dispatcher } from "./alerting/notifications/dispatcher.service.ts";
import { alertSubscriber } from "./alerting/notifications/matched-alerts.service.ts";
import { eventToNotify } from "./alerting/notifications/outbox.repository.ts";
import { Sender } from "./alerting/notifications/sender.service.ts";
import { OnCall } from "./alerting/on-call/on-call.service.ts";
import { usesOfUser } from "./alerting/on-call/uses-of-user.ts";
import { HealthProblems } from "./alerting/problems/health-problems.service.ts";
import { Problems } from "./alerting/problems/problems.service.ts";
import { PublicNotes } from "./alerting/public-notes/public-notes.service.ts";
import { Rehearsals, rehearsalRetention } from "./alerting/rehearsals/rehearsals.service.ts";
import { WeeklyRehearsals } from "./alerting/rehearsals/weekly.service.ts";
import { Rules } from "./alerting/rules/rules.service.ts";
import { ShiftNotices } from "./alerting/shifts/shift-notices.service.ts";
import { Actions } from "./monitoring/actions/actions.service.ts";
import { AgentKeys } from "./monitoring/agent-keys/agent-keys.service.ts";
import { AgentLogins } from "./monitoring/agent-keys/agent-logins.ts";
import { CollectorCredential } from "./monitoring/agent-keys/collector-credential.ts";
import { GuessThrottle } from "./monitoring/agent-keys/guess-throttle.ts";
import { KeyRing } from "./monitoring/agent-keys/key-ring.ts";
import { Bulk } from "./monitoring/bulk/bulk.service.ts";
import { Collector } from "./monitoring/collector/collector.ts";
import { RejectedMessages } from "./monitoring/collector/rejected-messages.ts";
import { Enrolment } from "./monitoring/enrolment/enrolment.service.ts";
import { EventLog } from "./monitoring/events/event-log.service.ts";
import { Events } from "./monitoring/events/events.service.ts";
import { GroupCounts } from "./monitoring/events/group-counts.service.ts";
import { Arrivals } from "./monitoring/expected/arrivals.ts";
import { ExpectedHosts } from "./monitoring/expected/expected.service.ts";
import { ForecastPass } from "./monitoring/forecast/forecast-pass.service.ts";
import { Groups, hostGroupsOf } from "./monitoring/groups/groups.service.ts";
import { type GroupReferences, UnusedGroups } from "./monitoring/groups/unused-groups.service.ts";
import { Heartbeat } from "./monitoring/heartbeat/heartbeat.service.ts";
import { Compaction } from "./monitoring/history/compaction.service.ts";
import { DeletedHosts } from "./monitoring/hosts/deleted-hosts.service.ts";
import { Hosts } from "./monitoring/hosts/hosts.service.ts";
import { ImportedEvents } from "./monitoring/imported-events/imported-events.service.ts";
import { HostCache } from "./monitoring/ingest/host-cache.ts";
import { Ingest } from "./monitoring/ingest/ingest.ts";
import { IngestQueue } from "./monitoring/ingest/queue.ts";
import { LimitEvaluation } from "./monitoring/limits/limit-evaluation.service.ts";
import { Limits } from "./monitoring/limits/limits.service.ts";
import { Retention } from "./monitoring/retention/retention.service.ts";
import { Status } from "./monitoring/status/status.service.ts";
import { HostTags } from "./monitoring/tags/tags.service.ts";
import { Uptime } from "./monitoring/uptime/uptime.service.ts";
import { Backups } from "./operations/backups/backups.service.ts";
import { findingRetention } from "./operations/health/findings.service.ts";
import { Health } from "./operations/health/health.service.ts";
import { Cluster } from "./operations/nodes/nodes.service.ts";
import { SettingsAdmin } from "./operations/settings/settings-admin.service.ts";
import type { TransferDependencies } from "./operations/transfer/section.ts";
import { ServedTransfer } from "./operations/transfer/served-transfer.service.ts";
import { transferQueries } from "./operations/transfer/transfer.queries.ts";
import { Transfer } from "./operations/transfer/transfer.service.ts";
import { pastQueries } from "./past-queries.ts";
import { Bodies } from "./platform/http/bodies.ts";
import { healthCheck } from "./platform/http/healthz.ts";
import type { AsyncQueries } from "./platform/queries/queries.ts";
import { Collection } from "./platform/resources/collection.ts";
import { References } from "./platform/resources/references.ts";
import type { SecretBox } from "./platform/secrets/secret-box.ts";
import { readExternalLevels } from "./platform/settings/external-levels.ts";
import { Settings, savedBaseUrl } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import { StorageHealth } from "./platform/storage/storage-health.ts";
import { SavedFilters } from "./publishing/filters/filters.service.ts";
import { FleetMetrics } from "./publishing/metrics/fleet-metrics.ts";
import { ServiceMetrics } from "./publishing/metrics/service-metrics.ts";
import { otlpPush } from "./publishing/otlp/otlp-push.ts";
import { StatusPages } from "./publishing/status-pages/status-pages.service.ts";
import { Views } from "./publishing/views/views.service.ts";
import { allQueries, type QueryList } from "./queries.ts";
import { REFERRED_KINDS } from "./references.ts";
import { offlineRuntime, type Runtime } from "./runtime.ts";

function platform({ db, file, box, clock, monotonic, log, clientInfo }: Runtime) {
  const storage = new StorageHealth({ db, clock, monotonic, log, file });
  const settings = new Settings(db, box);
  return {
    settings,
    /** Public origin of Muster; null if not configured. */
    baseUrl: () => clientInfo.baseUrl ?? savedBaseUrl(settings),
    /** Whether enrolment codes are accepted over plain http. */
    allowsPlainEnrolment: () => settings.get("enrolplain") === 1,
    references: new References(db, REFERRED_KINDS),
    storage,
    bodies: new Bodies(),
    healthy: healthCheck(db, storage, monotonic),
  };
}

type Platform = Runtime & ReturnType<typeof platform>;

function accounts(base: Platform) {
  const { db, box, clock, monotonic, log, settings, storage, oidc, proxyLogin } = base;
  const audit = new Audit(db, clock);
  const secondFactor = new SecondFactor(db, box, clock);
  const throttle = new LoginThrottle({ db, box, clock, audit, storage, monotonic });
  const grants = new Grants(db, settings, hostGroupsOf(db));
  const externalUsers = new ExternalUsers(db, audit, grants, clock);
  return {
    audit,
    grants,
    secondFactor,
    users: new Users(db, box, (userId) => usesOfUser(db, userId, clock.now()), clock),
    sessions: new Sessions({ db, box, settings, clock, storage }),
    userSessions: new UserSessions(db, box, settings, clock),
    tokens: new Tokens(db, clock, storage),
    login: new Login({ db, box, throttle, audit, secondFactor, storage, log }),
    otherLogins: {
      oidc: oidc && new OidcLogin(oidc, { box, clock, log, users: externalUsers }),
      proxy: proxyLogin && externalUsers.proxyLogin(proxyLogin),
    },
  };
}

/** What decides whose messages are stored, and what a new host gets. */
function ofNewAgents(
  { db, box, references, clock, monotonic, queries }: Platform & { queries: AsyncQueries<QueryList> },
  hostCache: HostCache,
  credential: CollectorCredential,
) {
  const keyRing = new KeyRing(db, box, clock);
  const agentKeys = new AgentKeys({ db, box, references, clock, ring: keyRing, hostCache });
  const arrivals = new Arrivals(db);
  return {
    keyRing,
    agentKeys,
    logins: new AgentLogins({ credential, keyRing, guessThrottle: new GuessThrottle(monotonic) }),
    enrolment: new Enrolment({ db, box, clock, monotonic, keys: agentKeys, ring: keyRing }),
    arrivals,
    expectedHosts: new ExpectedHosts({ db, references, clock, arrivals, queries }),
  };
}

function monitoring(base: Platform & ReturnType<typeof accounts> & { queries: AsyncQueries<QueryList> }) {
  const { db, box, clock, monotonic, log, settings, storage, audit } = base;
  const { largeMessages, limits, references, queries } = base;
  const credential = new CollectorCredential(settings, clock);
  const hostCache = new HostCache(db, limits?.hostCache);
  const newAgents = ofNewAgents(base, hostCache, credential);
  const events = new EventLog(db, alertSubscriber(db));
  const limitEvaluation = new LimitEvaluation(db, events);
  const ingest = new Ingest(db, hostCache, box, events, limitEvaluation, newAgents.arrivals);
  const queue = new IngestQueue({ db, ingest, hostCache, storage, log, monotonic }, limits?.queue);
  const rejectedMessages = new RejectedMessages(clock);
  const groups = new Groups(db, hostCache, clock);
  const hosts = new Hosts(db, hostCache, box, clock, audit);
  const compaction = new Compaction({ db, settings, clock, log, monotonic });
  const deletedHosts = new DeletedHosts({ db, hostCache, clock, audit, compaction, limits: limitEvaluation });
  return {
    credential,
    hostCache,
    eventLog: events,
    ingest,
    queue,
    rejectedMessages,
    ...newAgents,
    actions: new Actions({ db, clock, audit }),
    collector: new Collector({
      logins: newAgents.logins,
      queue,
      hostCache,
      largeMessages,
      rejectedMessages,
      clock,
    }),
    limitEvaluation,
    statisticLimits: new Limits({ db, references, clock, evaluation: limitEvaluation, hostCache, monotonic }),
    heartbeat: new Heartbeat({
      db,
      hostCache,
      events,
      limits: limitEvaluation,
      settings,
      storage,
      clock,
      monotonic,
      log,
    }),
    groups,
    tags: new HostTags(db, references, hostCache, clock),
    hosts,
    deletedHosts,
    bulk: new Bulk({ db, references, hosts, deletedHosts, groups, audit, queries }),
    status: new Status(db, clock, currentMutes(db, clock)),
    events: new Events(db, clock, currentMutes(db, clock)),
    uptime: new Uptime(db, settings, clock),
    importedEvents: new ImportedEvents({ db, clock, settings, failures: events.failures, hostCache }),
    compaction,
    groupCounts: new GroupCounts(db, monotonic),
    retention: new Retention(db, settings, clock, {
      rules: [deliveryRetention(db), rehearsalRetention(db), findingRetention(db)],
      usedEvents: eventToNotify,
      isGivenUp: (hostId) => compaction.isGivenUp(hostId),
    }),
  };
}

type People = Pick<ReturnType<typeof accounts>, "audit" | "grants">;

function alerting(base: Platform & People & { queries: AsyncQueries<QueryList> }) {
  const { db, box, clock, monotonic, log, settings, egress, baseUrl, grants, queries, references } = base;
  const channels = new Channels({ db, box, references, egress, settings, clock, monotonic, log, baseUrl });
  const problems = new Problems(db, clock);
  const healthProblems = new HealthProblems(db, clock);
  // Read before the heartbeat records the present time.
  const aliveAt = settings.get("aliveat");
  const rehearsals = new Rehearsals({ db, references, channels, clock, log, baseUrl, aliveAt });
  const shiftNotices = new ShiftNotices({ db, channels, clock });
  const acknowledgeLinks = new AcknowledgeLinks({
    db,
    clock,
    monotonic,
    problems,
    healthProblems,
    rehearsals,
    audit: base.audit,
  });
  const firstMoves = new FirstMoves({ db, clock, log, queries });
  const rightsOf: Grants["rightsOf"] = (user) => grants.rightsOf(user);
  const reportSender = new ReportSender({ db, settings, clock, queries, rightsOf });
  const messages = new DeliveryMessages({
    db,
    box,
    baseUrl,
    sources: { report: reportSender, rehearsal: rehearsals, shift: shiftNotices },
    firstMoves: (eventId) => firstMoves.of(eventId),
    acknowledgeLink: (deliveryId, url) => acknowledgeLinks.issue(deliveryId, url),
    visibleTo: (uname) => grants.visibleTo(uname),
    timeZone: () => settings.get("timezone"),
  });
  return {
    channels,
    listedChannels: new ListedChannels(new ChannelReads(db, box), queries),
    mailReports: new MailReports({ db, references, settings, clock }),
    reportSender,
    rehearsals,
    shiftNotices,
    weeklyRehearsals: new WeeklyRehearsals({ db, references, settings, clock }),
    rules: new Rules({ db, references, settings, clock }),
    maintenance: new MaintenanceWindows({ db, references, settings, clock }),
    mutes: new Mutes(db, references, clock),
    problems,
    healthProblems,
    dependencies: new Dependencies(db, references, clock),
    publicNotes: new PublicNotes({ db, references, clock }),
    onCall: new OnCall({
      db,
      references,
      settings,
      clock,
      watching: (scheduleId, change) => shiftNotices.watching(scheduleId, change),
    }),
    contacts: new Contacts(db),
    deliveries: new Deliveries(db, clock),
    acknowledgeLinks,
    firstMoves,
    dispatcher: new Dispatcher({ db, channels, clock, log, aliveAt }),
    sender: new Sender({ db, channels, messages, clock, log }),
  };
}

function publishing(base: Platform & ReturnType<typeof monitoring> & { queries: AsyncQueries<QueryList> }) {
  const { db, clock, monotonic, log, settings, egress, queue, healthy } = base;
  const metrics = new ServiceMetrics({ db, queue, monotonic, nodes: base.nodes });
  const fleetMetrics = new FleetMetrics(base.eventLog, base.queries);
  return {
    metrics,
    fleetMetrics,
    savedFilters: new SavedFilters(db, base.references, clock),
    views: new Views(db, base.references, clock, base.storage),
    statusPages: new StatusPages(db, base.references, clock, base.queries),
    recurringRequests: [
      deadManPing({
        settings,
        egress,
        clock,
        log,
        healthy,
        heartbeat: metrics,
        onResult: (result) => metrics.countRequest("heartbeat", result),
      }),
      otlpPush({
        settings,
        egress,
        clock,
        log,
        fleet: fleetMetrics,
        onResult: (result) => metrics.countRequest("otlp", result),
      }),
    ],
  };
}

/** What refers to a host group otherwise than by a foreign key: objects by id, a setting by name. */
function groupReferences(parts: readonly unknown[], settings: Settings): GroupReferences {
  return {
    *ids() {
      for (const part of parts)
        if (part instanceof Collection || part instanceof Mutes) yield* part.refsTo("hostgroup");
    },
    names: () =>
      new Set((readExternalLevels(settings.get("externallevels")) ?? []).map(({ hostgroup }) => hostgroup)),
  };
}

/** Builds all services. @returns them by name */
export function assemble(runtime: Runtime) {
  const base = { ...runtime, ...platform(runtime) };
  const { db, box, clock, settings, clientInfo, runQueries } = base;
  const people = accounts(base);
  const queries = runQueries(allQueries(db, settings, clock), pastQueries(db, settings, clock));
  const core = { ...base, ...people, ...monitoring({ ...base, ...people, queries }) };
  const services = {
    ...core,
    queries,
    ...alerting({ ...base, ...people, queries }),
    ...publishing({ ...core, queries }),
  };
  const forecastPass = new ForecastPass({
    db,
    settings,
    clock,
    queries,
    log: base.log,
    monotonic: base.monotonic,
    onStored: (hostId) => core.hostCache.forget(hostId),
  });
  const backups = new Backups(base);
  const health = new Health({ ...services, forecastPass, backups, baseUrl: clientInfo.baseUrl });
  const settingsAdmin = new SettingsAdmin({
    db,
    settings,
    credential: core.credential,
    baseUrl: clientInfo.baseUrl,
    folder: runtime.folder,
  });
  const transferParts: TransferDependencies = { ...services, settings: settingsAdmin, box, clock };
  const transfers = runtime.runTransfers(transferQueries(db, assembleTransfer));
  return {
    ...services,
    unusedGroups: new UnusedGroups(db, groupReferences(Object.values(services), settings), clock),
    forecastPass,
    backups,
    health,
    settingsAdmin,
    cluster: new Cluster(db, runtime.nodes, people.audit),
    transferParts,
    transfer: new Transfer(transferParts),
    servedTransfer: new ServedTransfer(transferParts, transfers, base.monotonic),
  };
}

/** Builds what exports and imports need over a database that nobody is served from. */
export function assembleTransfer(db: Db, box: SecretBox): TransferDependencies {
  return assemble(offlineRuntime(db, box)).transferParts;
}

export type Muster = ReturnType<typeof assemble>;
