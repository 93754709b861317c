/** Replies of the API, derived from the schemas of its operations. Only types come from there, and no code. */
import type { InferOutput } from "valibot";
import type { listReply as auditListReply } from "../../src/accounts/audit/audit.schemas.ts";
import type { sessionListReply } from "../../src/accounts/sessions/user-sessions.schemas.ts";
import type { listReply as tokenListReply } from "../../src/accounts/tokens/tokens.schemas.ts";
import type { userListReply, userReply } from "../../src/accounts/users/users.schemas.ts";
import type { refusalListReply } from "../../src/monitoring/collector/rejected-messages.schemas.ts";
import type {
  eventListReply,
  eventReply,
  eventSummaryReply,
} from "../../src/monitoring/events/events.schemas.ts";
import type { listReply as groupListReply } from "../../src/monitoring/groups/groups.schemas.ts";
import type { historyReply } from "../../src/monitoring/history/history.schemas.ts";
import type { hostReply as hostSettingsReply } from "../../src/monitoring/hosts/hosts.schemas.ts";
import type { hostListReply, hostReply, summaryReply } from "../../src/monitoring/status/status.schemas.ts";
import type { barsReply, uptimeReply } from "../../src/monitoring/uptime/uptime.schemas.ts";
import type { collectorReply, settingsReply } from "../../src/platform/settings/settings.schemas.ts";

export type HostStatusList = InferOutput<typeof hostListReply>;
export type HostStatus = HostStatusList["records"][number];
export type LedCode = HostStatus["led"];
export type HostsSummary = InferOutput<typeof summaryReply>;
export type HostDetail = InferOutput<typeof hostReply>;
export type HostOfDetail = HostDetail["records"]["host"];
export type Service = HostOfDetail["services"][number];
export type Unreadable = HostOfDetail["unreadable"];
export type Statistic = Service["statistics"][number];
export type HostSettings = InferOutput<typeof hostSettingsReply>;

export type EventList = InferOutput<typeof eventListReply>;
export type EventRecord = EventList["records"][number];
export type EventDetail = InferOutput<typeof eventReply>;
export type EventsSummary = InferOutput<typeof eventSummaryReply>;

export type UptimeReport = InferOutput<typeof uptimeReply>;
export type UptimeItem = UptimeReport["items"][number];
export type UptimeBars = InferOutput<typeof barsReply>;
export type HistoryReply = InferOutput<typeof historyReply>;
export type HistorySeries = HistoryReply["series"][number];

export type GroupList = InferOutput<typeof groupListReply>;
export type UserRecord = InferOutput<typeof userListReply>[number];
export type UserDetail = InferOutput<typeof userReply>;
export type TokenRecord = InferOutput<typeof tokenListReply>["records"][number];
export type SessionList = InferOutput<typeof sessionListReply>;
export type SessionRecord = SessionList["records"][number];

export type SettingsReply = InferOutput<typeof settingsReply>;
export type Setting = SettingsReply["settings"][number];
export type CollectorLine = InferOutput<typeof collectorReply>;
export type RejectedMessageList = InferOutput<typeof refusalListReply>;
export type AuditList = InferOutput<typeof auditListReply>;
export type AuditEntry = AuditList["records"][number];
