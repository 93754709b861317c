/**
 * Replies about rules, channels, maintenance and deliveries, derived from the schemas of their operations.
 */
import type { InferOutput } from "valibot";
import type { channel, kindsReply, testReply } from "../../src/alerting/channels/channels.schemas.ts";
import type { report, viewReply } from "../../src/alerting/mail-reports/mail-reports.schemas.ts";
import type { maintenance } from "../../src/alerting/maintenance/maintenance.schemas.ts";
import type { muteHistoryReply, muteListReply } from "../../src/alerting/maintenance/mutes.schemas.ts";
import type {
  deliveryListReply,
  eventAlertsReply,
} from "../../src/alerting/notifications/deliveries.schemas.ts";
import type { calendarReply, nowReply, schedule } from "../../src/alerting/on-call/on-call.schemas.ts";
import type {
  rehearsalListReply,
  rehearsalReply,
  suggestionReply,
  weeklyRehearsal,
} from "../../src/alerting/rehearsals/rehearsals.schemas.ts";
import type {
  previewReply,
  RuleContent,
  rule,
  unmatchedReply,
} from "../../src/alerting/rules/rules.schemas.ts";
import type { placeFilter } from "../../src/monitoring/places/places.schemas.ts";
import type { ContentOf } from "../../src/platform/resources/resource.ts";

/** Which hosts and services a rule or maintenance window is about. */
export type Scope = InferOutput<typeof placeFilter>;
export type Rule = InferOutput<(typeof rule)["record"]>;
/** A rule that is not stored yet. */
export type NewRule = RuleContent;
export type EventFilter = Rule["filter"];
export type UnmatchedRules = InferOutput<typeof unmatchedReply>;
export type RuleStep = Rule["steps"][number];
export type QuietHours = NonNullable<Rule["quiet"]>;
export type Preview = InferOutput<typeof previewReply>;

export type ChannelKind = InferOutput<typeof kindsReply>["records"][number];
export type ChannelField = ChannelKind["fields"][number];
export type Channel = InferOutput<(typeof channel)["record"]>;
export type TestAnswer = InferOutput<typeof testReply>;

export type Maintenance = InferOutput<(typeof maintenance)["record"]>;
export type MuteList = InferOutput<typeof muteListReply>;
export type MuteHistory = InferOutput<typeof muteHistoryReply>;
export type Mute = MuteList["records"][number];
export type NewMaintenance = ContentOf<typeof maintenance>;
export type Schedule = Maintenance["schedule"];

export type OnCallNow = InferOutput<typeof nowReply>["records"][number];
export type OnCallCalendar = InferOutput<typeof calendarReply>["records"][number];
export type OnCallShift = OnCallCalendar["shifts"][number];
export type OnCallSchedule = InferOutput<(typeof schedule)["record"]>;
export type NewOnCallSchedule = ContentOf<typeof schedule>;
export type OnCallRotation = OnCallSchedule["rotations"][number];

export type MailReport = InferOutput<(typeof report)["record"]>;
export type NewMailReport = ContentOf<typeof report>;
/** The content of a report for a period. */
export type MailReportView = InferOutput<typeof viewReply>;

export type WeeklyRehearsal = InferOutput<(typeof weeklyRehearsal)["record"]>;
export type NewWeeklyRehearsal = ContentOf<typeof weeklyRehearsal>;
export type RehearsalList = InferOutput<typeof rehearsalListReply>;
export type Rehearsal = RehearsalList["records"][number];
export type RehearsalResult = InferOutput<typeof rehearsalReply>;
export type RehearsalMessage = RehearsalResult["messages"][number];
export type RehearsalSuggestions = InferOutput<typeof suggestionReply>;
export type RehearsalSuggestion = RehearsalSuggestions["records"][number];

export type DeliveryList = InferOutput<typeof deliveryListReply>;
export type Delivery = DeliveryList["records"][number];
export type EventNotifications = InferOutput<typeof eventAlertsReply>;
export type EventNotification = EventNotifications["records"][number];

export interface Records<T> {
  records: T[];
  totalRecords: number;
}
