/**
 * Replies of the API, derived from the schemas of its operations. Only types come from there, and no code.
 */
import type { InferOutput } from "valibot";
import type { listReply as auditListReply } from "../../src/accounts/audit/audit.schemas.ts";
import type { grantsReply, rightsReply } from "../../src/accounts/grants/grants.schemas.ts";
import type { sessionListReply } from "../../src/accounts/sessions/user-sessions.routes.ts";
import type { loginReply, methodsReply } from "../../src/accounts/sign-in/login.routes.ts";
import type { beginReply, confirmReply } from "../../src/accounts/sign-in/second-factor.routes.ts";
import type { token, createReply as tokenCreateReply } from "../../src/accounts/tokens/tokens.schemas.ts";
import type { callerReply, userListReply, userReply } from "../../src/accounts/users/users.schemas.ts";
import type { listReply as contactListReply } from "../../src/alerting/contacts/contacts.schemas.ts";
import type { dependency } from "../../src/alerting/dependencies/dependencies.schemas.ts";
import type { forgottenListReply } from "../../src/alerting/forgotten/forgotten.schemas.ts";
import type { incidentListReply, incidentReply } from "../../src/alerting/incidents/incidents.schemas.ts";
import type { movedReply } from "../../src/alerting/incidents/moved.schemas.ts";
import type { publicNoteListReply } from "../../src/alerting/public-notes/public-notes.schemas.ts";
import type {
  helperReply as actionHelperReply,
  listReply as queuedActionsReply,
} from "../../src/monitoring/actions/actions.schemas.ts";
import type {
  agentKey,
  hostsReply as agentKeyHostsReply,
} from "../../src/monitoring/agent-keys/agent-keys.schemas.ts";
import type { budgetReply } from "../../src/monitoring/budget/budget.schemas.ts";
import type { rejectedMessageListReply } from "../../src/monitoring/collector/rejected-messages.schemas.ts";
import type {
  codesReply,
  createReply as newCodeReply,
} from "../../src/monitoring/enrolment/enrolment.schemas.ts";
import type { eventChangesReply } from "../../src/monitoring/events/event-changes.schemas.ts";
import type {
  eventListReply,
  eventReply,
  eventSummaryReply,
} from "../../src/monitoring/events/events.schemas.ts";
import type {
  expectedHost,
  previewReply as expectedPreviewReply,
} from "../../src/monitoring/expected/expected.schemas.ts";
import type { forecastGetReply, forecastListReply } from "../../src/monitoring/forecast/forecast.schemas.ts";
import type { glanceReply } from "../../src/monitoring/glance/glance.schemas.ts";
import type {
  listReply as groupListReply,
  statusListReply as groupStatusListReply,
} from "../../src/monitoring/groups/groups.schemas.ts";
import type { compareReply, topReply } from "../../src/monitoring/history/fleet-numbers.schemas.ts";
import type { historyReply } from "../../src/monitoring/history/history.schemas.ts";
import type { listReply as deletedHostListReply } from "../../src/monitoring/hosts/deleted-hosts.schemas.ts";
import type { hostReply as hostSettingsReply, testReply } from "../../src/monitoring/hosts/hosts.schemas.ts";
import type { momentReply } from "../../src/monitoring/moment/moment.schemas.ts";
import type { searchReply } from "../../src/monitoring/search/search.schemas.ts";
import type { listReply as serviceGroupListReply } from "../../src/monitoring/service-groups/service-groups.routes.ts";
import type { hostListReply, hostReply, summaryReply } from "../../src/monitoring/status/status.schemas.ts";
import type { tagListReply } from "../../src/monitoring/tags/tags.schemas.ts";
import type { barsReply, uptimeReply } from "../../src/monitoring/uptime/uptime.schemas.ts";
import type { backupsReply } from "../../src/operations/backups/backups.schemas.ts";
import type { healthReply } from "../../src/operations/health/health.schemas.ts";
import type { nodesReply } from "../../src/operations/nodes/nodes.schemas.ts";
import type { importReply } from "../../src/operations/transfer/transfer.routes.ts";
import type { collectorReply, settingsReply } from "../../src/platform/settings/settings.schemas.ts";
import type { filter } from "../../src/publishing/filters/filters.schemas.ts";
import type { statusPage } from "../../src/publishing/status-pages/status-pages.schemas.ts";
import type {
  view,
  tokenListReply as viewTokenListReply,
  wallReply,
} from "../../src/publishing/views/views.schemas.ts";

export type DeletedHostList = InferOutput<typeof deletedHostListReply>;
export type DeletedHost = DeletedHostList["records"][number];
export type HostStatusList = InferOutput<typeof hostListReply>;
export type HostStatus = HostStatusList["records"][number];
export type LedCode = HostStatus["led"];
export type HostsSummary = InferOutput<typeof summaryReply>;
export type HostDetail = InferOutput<typeof hostReply>;
export type Glance = InferOutput<typeof glanceReply>;
export type GlanceRecord = Glance["records"][number];
export type HostGroups = InferOutput<typeof groupStatusListReply>;
export type TagList = InferOutput<typeof tagListReply>;
export type HostOfDetail = HostDetail["records"]["host"];
export type Service = HostOfDetail["services"][number];
export type Unreadable = HostOfDetail["unreadable"];
export type Statistic = Service["statistics"][number];
export type ConnectionTestResult = InferOutput<typeof testReply>;
export type DependencyList = InferOutput<(typeof dependency)["list"]>;
export type Dependency = DependencyList["records"][number];
export type HostSettings = InferOutput<typeof hostSettingsReply>;

/** What the signed-in user may do with which hosts. */
export type Rights = InferOutput<typeof rightsReply>;
export type ContactList = InferOutput<typeof contactListReply>;
export type UserGrants = InferOutput<typeof grantsReply>;

export type EventList = InferOutput<typeof eventListReply>;
export type EventRecord = EventList["records"][number];
export type EventDetail = InferOutput<typeof eventReply>;
export type EventChanges = InferOutput<typeof eventChangesReply>;
export type EventChange = EventChanges["records"][number];
export type EventsSummary = InferOutput<typeof eventSummaryReply>;

export type ForgottenList = InferOutput<typeof forgottenListReply>;
export type IncidentList = InferOutput<typeof incidentListReply>;
export type IncidentRecord = IncidentList["records"][number];
export type IncidentDetail = InferOutput<typeof incidentReply>;
export type WhatMoved = InferOutput<typeof movedReply>;
export type MovedRecord = WhatMoved["records"][number];

export type PublicNoteList = InferOutput<typeof publicNoteListReply>;

export type SavedFilters = InferOutput<(typeof filter)["list"]>;
export type SavedViews = InferOutput<(typeof view)["list"]>;
export type ViewTokens = InferOutput<typeof viewTokenListReply>;
export type Wall = InferOutput<typeof wallReply>;
export type FleetTop = InferOutput<typeof topReply>;
export type FleetComparison = InferOutput<typeof compareReply>;

export type UptimeReport = InferOutput<typeof uptimeReply>;
export type UptimeItem = UptimeReport["items"][number];
export type UptimeBudget = InferOutput<typeof budgetReply>;
export type UptimeBars = InferOutput<typeof barsReply>;
export type HistoryReply = InferOutput<typeof historyReply>;
export type ForecastOfHost = InferOutput<typeof forecastGetReply>;
export type ForecastOfService = ForecastOfHost["records"][number];
export type ForecastList = InferOutput<typeof forecastListReply>;
export type Forecast = ForecastList["records"][number];
export type HistorySeries = HistoryReply["series"][number];

export type Moment = InferOutput<typeof momentReply>;
export type SearchReply = InferOutput<typeof searchReply>;
export type ServiceGroupList = InferOutput<typeof serviceGroupListReply>;
export type GroupList = InferOutput<typeof groupListReply>;
export type UserRecord = InferOutput<typeof userListReply>[number];
export type UserDetail = InferOutput<typeof userReply>;
export type SignedInUser = InferOutput<typeof callerReply>;
export type LoginMethods = InferOutput<typeof methodsReply>;
export type LoginReply = InferOutput<typeof loginReply>;
export type SecondFactorSecret = InferOutput<typeof beginReply>;
export type RecoveryCodes = InferOutput<typeof confirmReply>;
export type TokenList = InferOutput<(typeof token)["list"]>;
export type TokenRecord = TokenList["records"][number];
export type NewToken = InferOutput<typeof tokenCreateReply>;
export type SessionList = InferOutput<typeof sessionListReply>;
export type SessionRecord = SessionList["records"][number];

export type SettingsReply = InferOutput<typeof settingsReply>;
export type Setting = SettingsReply["settings"][number];
export type AgentKeyList = InferOutput<(typeof agentKey)["list"]>;
export type AgentKey = AgentKeyList["records"][number];
export type AgentKeyHosts = InferOutput<typeof agentKeyHostsReply>;
export type AgentKeyHost = AgentKeyHosts["records"][number];
export type ExpectedHostList = InferOutput<(typeof expectedHost)["list"]>;
export type ExpectedHost = ExpectedHostList["records"][number];
export type ExpectedPreview = InferOutput<typeof expectedPreviewReply>;
export type EnrolmentCodes = InferOutput<typeof codesReply>;
export type EnrolmentCode = EnrolmentCodes["records"][number];
export type NewEnrolmentCode = InferOutput<typeof newCodeReply>;
export type QueuedActions = InferOutput<typeof queuedActionsReply>;
export type QueuedAction = QueuedActions["records"][number];
export type ActionHelper = InferOutput<typeof actionHelperReply>;
export type CollectorLine = InferOutput<typeof collectorReply>;
export type RejectedMessageList = InferOutput<typeof rejectedMessageListReply>;
export type StatusPage = InferOutput<(typeof statusPage)["record"]>;
export type ImportResult = InferOutput<typeof importReply>;
export type MusterHealth = InferOutput<typeof healthReply>;
export type BackupList = InferOutput<typeof backupsReply>;
export type Backup = BackupList["records"][number];
export type NodeList = InferOutput<typeof nodesReply>;
export type ClusterNode = NodeList["records"][number];
export type AuditList = InferOutput<typeof auditListReply>;
export type AuditEntry = AuditList["records"][number];
