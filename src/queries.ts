/** The queries of all modules, for query workers. */
import { auditQueries } from "./accounts/audit/audit.queries.ts";
import { userQueries } from "./accounts/users/users.queries.ts";
import { channelQueries } from "./alerting/channels/channels.queries.ts";
import { contactQueries } from "./alerting/contacts/contacts.queries.ts";
import { dependencyQueries } from "./alerting/dependencies/dependencies.queries.ts";
import { forgottenQueries } from "./alerting/forgotten/forgotten.queries.ts";
import { incidentQueries } from "./alerting/incidents/incidents.queries.ts";
import { mailReportQueries } from "./alerting/mail-reports/mail-reports.queries.ts";
import { currentMutes } from "./alerting/maintenance/current-mutes.ts";
import { maintenanceQueries } from "./alerting/maintenance/maintenance.queries.ts";
import { muteQueries } from "./alerting/maintenance/mutes.queries.ts";
import { deliveryQueries } from "./alerting/notifications/deliveries.queries.ts";
import { previewQueries } from "./alerting/notifications/preview.queries.ts";
import { onCallQueries } from "./alerting/on-call/on-call.queries.ts";
import { publicNoteQueries } from "./alerting/public-notes/public-notes.queries.ts";
import { rehearsalQueries } from "./alerting/rehearsals/rehearsals.queries.ts";
import { ruleQueries } from "./alerting/rules/rules.queries.ts";
import { actionQueries } from "./monitoring/actions/actions.queries.ts";
import { agentKeyQueries } from "./monitoring/agent-keys/agent-keys.queries.ts";
import { budgetQueries } from "./monitoring/budget/budget.queries.ts";
import { eventQueries } from "./monitoring/events/events.queries.ts";
import { expectedQueries } from "./monitoring/expected/expected.queries.ts";
import { forecastQueries } from "./monitoring/forecast/forecast.queries.ts";
import { glanceQueries } from "./monitoring/glance/glance.queries.ts";
import { groupQueries } from "./monitoring/groups/groups.queries.ts";
import { historyQueries } from "./monitoring/history/history.queries.ts";
import { hostQueries } from "./monitoring/hosts/hosts.queries.ts";
import { limitQueries } from "./monitoring/limits/limits.queries.ts";
import { momentQueries } from "./monitoring/moment/moment.queries.ts";
import { searchQueries } from "./monitoring/search/search.queries.ts";
import { serviceGroupQueries } from "./monitoring/service-groups/service-groups.queries.ts";
import { statusQueries } from "./monitoring/status/status.queries.ts";
import { tagQueries } from "./monitoring/tags/tags.queries.ts";
import { uptimeQueries } from "./monitoring/uptime/uptime.queries.ts";
import { healthQueries } from "./operations/health/health.queries.ts";
import type { Clock } from "./platform/clock.ts";
import type { SettingsReader } from "./platform/settings/settings.service.ts";
import type { Db } from "./platform/storage/open.ts";
import { filterQueries } from "./publishing/filters/filters.queries.ts";
import { mapQueries } from "./publishing/legacy-api/maps.queries.ts";
import { fleetQueries } from "./publishing/metrics/fleet.queries.ts";
import { statusPageQueries } from "./publishing/status-pages/status-pages.queries.ts";
import { viewQueries } from "./publishing/views/views.queries.ts";

/** Every query that may take long, and so runs on query workers. */
export function allQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const mutes = currentMutes(db, clock);
  return {
    ...hostQueries(db, clock),
    ...groupQueries(db),
    ...tagQueries(db),
    ...agentKeyQueries(db, clock),
    ...actionQueries(db, clock),
    ...expectedQueries(db),
    ...searchQueries(db),
    ...serviceGroupQueries(db),
    ...statusQueries(db, clock, mutes),
    ...glanceQueries(db, settings, clock),
    ...eventQueries(db, clock, mutes),
    ...uptimeQueries(db, settings, clock, mutes),
    ...budgetQueries(db, settings, clock, mutes),
    ...limitQueries(db, clock),
    ...historyQueries(db, settings, clock, mutes),
    ...forecastQueries(db, clock),
    ...momentQueries(db, settings, clock),
    ...previewQueries(db, clock),
    ...mailReportQueries(db, settings, clock),
    ...onCallQueries(db, clock),
    ...muteQueries(db, clock),
    ...forgottenQueries(db, settings, clock),
    ...filterQueries(db),
    ...viewQueries(db),
    ...ruleQueries(db),
    ...rehearsalQueries(db, clock),
    ...maintenanceQueries(db, clock),
    ...dependencyQueries(db),
    ...contactQueries(db),
    ...channelQueries(db),
    ...deliveryQueries(db, clock),
    ...incidentQueries(db, clock, mutes),
    ...publicNoteQueries(db, clock),
    ...auditQueries(db, clock),
    ...userQueries(db),
    ...mapQueries(db),
    ...fleetQueries(db),
    ...statusPageQueries(db, settings, clock, mutes),
    ...healthQueries(db),
  };
}

export type QueryList = ReturnType<typeof allQueries>;
