/** Where the past of each column is that a screen shows (docs/moment.md), so that a new column cannot be forgotten. */
import { beforeEach, describe, expect, test } from "bun:test";
import { getTableColumns, getTableName, is } from "drizzle-orm";
import { SQLiteTable } from "drizzle-orm/sqlite-core";
import { changeHost, findHost, presentServices } from "../../../src/monitoring/hosts/hosts.repository.ts";
import { changeService } from "../../../src/monitoring/ingest/services.repository.ts";
import { transaction } from "../../../src/platform/storage/open.ts";
import { REVISION_KINDS } from "../../../src/platform/storage/revisions.repository.ts";
import * as schema from "../../../src/platform/storage/schema.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { newRevisions } from "./new-revisions.ts";

/** Names of columns, by where their past is. */
interface Past {
  /** In revisions. */
  recorded?: string;
  /** Never changed. */
  constant?: string;
  /** In other columns or tables. */
  derived?: Record<string, string>;
  /** Nowhere: screens of the past say so. */
  unknown?: string;
  /** No screen that has a past shows them. */
  hidden?: string;
}

const SHOWN: Readonly<Record<string, Past>> = {
  hosts: {
    recorded: `hostname description keepname skew conflict poll incarnation agentVersion controlFile startDelay platformName
      platformRelease platformVersion platformMachine cpuCount memoryKb swapKb status stopped heartbeat`,
    constant: "id agentId createdAt",
    derived: {
      hostnameKey: "from the name",
      agentUptime: "recorded with each run",
      lastmodified: "the last value at or before the moment",
      led: "from the state and the services",
      statusText: "from the state and the services",
      servicesTotal: "from the services",
      servicesOk: "from the services",
      cpu: "values",
      mem: "values",
      events: "from the events",
    },
    unknown: "keyId groupsLeftOut unreadable",
    hidden: `ipaddrout portout sslout sslverify agentuser agentpassword credentialsSetByAdmin actionqueue nextKeyId keySecret
      groupsIgnored ipaddrin portin sslin earlierIncarnation clockOffset stopToldAt deadline importedUntil`,
  },
  services: {
    recorded: "type monitorState monitorMode onReboot every status statusHint",
    constant: "id hostId nameId createdAt",
    derived: {
      vanishedAt: "excluded time",
      limitLevel: "events of limits",
      led: "from the state",
      events: "from the events",
    },
  },
  names: { constant: "id name nameKey" },
  host_groups: { recorded: "name nameKey namedByHand target", constant: "id" },
  host_group_members: { recorded: "groupId hostId byHand byAgent" },
  host_tags: { derived: { hostId: "tags of the host", name: "tags of the host", value: "tags of the host" } },
  service_groups: { derived: { id: "of the host", hostId: "of the host", name: "of the host" } },
  service_group_members: { derived: { groupId: "of the host", serviceId: "of the host" } },
  events: {
    recorded: "dismissed dismissedFrom",
    constant: `id hostId nameId serviceType date collectedSec collectedUsec eventType state action message wordSetId limitId
      severity`,
    derived: { active: "failures", noted: "notes" },
  },
  event_notes: { constant: "id eventId date uname message" },
  acknowledgements: {
    constant: "id failedFrom uname note createdAt until endedAt",
    derived: { eventId: "the active error of the failure" },
  },
  downtime_intervals: {
    constant: "id hostId nameId eventType limitId startedAt endedAt",
    hidden: "incarnation clearCount clearSince clearCollectedSec",
  },
  excluded_intervals: { constant: "id hostId serviceId reason startedAt endedAt" },
  statistics: { constant: "id serviceId type descriptor", unknown: "text" },
  samples: { constant: "id hostId layoutId at values" },
  sample_layouts: { constant: "id hostId statisticIds" },
  history_blocks: { constant: "hostId resolution start payload" },
  output_changes: { constant: "id hostId serviceId date before after" },
  forecasts: { unknown: "statisticId hostId calculatedAt usage growth fullAt earliest latest" },
  limits: {
    recorded: `name enabled statistics descriptor perprocessor filter direction warning critical period timezone minutes
      clearvalue clearminutes missing downtime note runbook deleted`,
    constant: "id",
  },
  limit_states: {
    derived: Object.fromEntries(
      ["limitId", "hostId", "nameId", "level", "openedAt", "errorAt", "serviceType", "noData"].map((name) => [
        name,
        "events of limits",
      ]),
    ),
    hidden: "warningSince criticalSince clearSince easedSince valueAt missing",
  },
  rules: {
    recorded:
      "name enabled disabledAt filter delay repeat recovery final quiet stepMinutes flapcount flapwindow",
    constant: "id",
    unknown: "position",
  },
  rule_channels: { derived: { ruleId: "steps", step: "steps", channelId: "steps" } },
  rule_users: { derived: { ruleId: "steps", step: "steps", userId: "steps" } },
  rule_schedules: { derived: { ruleId: "steps", step: "steps", scheduleId: "steps" } },
  maintenance_windows: {
    recorded: "name enabled filter schedule leasedUntil",
    constant: "id createdAt mutedBy note grace",
  },
  on_call_schedules: {
    recorded: "name timezone rotations noticeminutes handovernotice",
    constant: "id createdAt",
  },
  on_call_overrides: { constant: "id scheduleId userId from to createdBy" },
  users: {
    recorded: "fullname",
    constant: "id uname",
    hidden: `passwordMd5 image title email phone mobile imname imtype admin restricted origin subject totpSecret totpEnabled
      totpStep`,
  },
  dependencies: { constant: "id hostId service causeHostId causeService" },
  alerts: {
    constant: "id ruleId eventId hostId nameId eventType limitId createdAt notifiedAt closedAt",
    unknown: "outcome",
    hidden: "dueAt escalations wasAcknowledged flappingAt followedFrom endedAt",
  },
  deliveries: {
    constant: "id ruleId channelId ruleName channelName recipient person kind createdAt finishedAt",
    derived: { status: "the times" },
    unknown: "attempts nextAt answer",
  },
  delivery_events: { constant: "deliveryId eventId" },
  agent_keys: {
    unknown: "name",
    hidden: "id secret secretNumber previous previousuntil hostgroups tags hostpattern ends created lastused",
  },
  public_notes: { constant: "id hostId eventId text uname createdAt endedAt endedBy" },
};

/** Tables of which no screen with a past shows anything, or that only repeat others. */
const HIDDEN = `acknowledge_links alert_wakes api_tokens audit backups channels contacts database_sizes deleted_host_rows
  deleted_hosts delivery_findings enrolment_codes event_counts event_name_counts event_word_sets event_words expected_hosts
  finding_acknowledgements grants group_count_changes health_alerts health_findings host_counts limit_sums login_failures
  mail_report_groups mail_report_users mail_reports pictures queued_actions recovery_codes rehearsal_messages rehearsals
  report_deliveries revisions saved_filters saved_views session_attributes sessions settings shift_notices silent_recoveries
  status_pages suspected_failures view_tokens weekly_rehearsals`;

const words = (text = "") => text.split(/\s+/).filter((word) => word !== "");
const tables = Object.values(schema).filter((each) => is(each, SQLiteTable));

test("every table is shown as of a moment, or is not", () => {
  const listed = [...Object.keys(SHOWN), ...words(HIDDEN)];
  expect<string[]>(tables.map(getTableName).sort()).toEqual(listed.sort());
});

test.each(Object.entries(SHOWN))("the past of each column of %s is somewhere, or unknown", (name, past) => {
  const table = tables.find((each) => getTableName(each) === name);
  const listed = [past.recorded, past.constant, past.unknown, past.hidden].flatMap(words);
  const columns = Object.keys(table ? getTableColumns(table) : {});
  expect([...listed, ...Object.keys(past.derived ?? {})].sort()).toEqual(columns.sort());
});

test("tables with a recorded column have revisions", () => {
  const recorded = Object.entries(SHOWN).filter(([, past]) => past.recorded !== undefined);
  const kinds: readonly string[] = REVISION_KINDS;
  expect(recorded.map(([name]) => name).filter((name) => !kinds.includes(name))).toEqual([]);
});

describe("a column is recorded if it is listed as such:", () => {
  freshAppOfEachTest();
  beforeEach(() => app.report({ services: [{ name: "web" }] }));

  /** Another value of the same kind. */
  const other = (value: unknown) =>
    typeof value === "boolean" ? !value : typeof value === "string" ? `${value}x` : Number(value) + 1;

  test.each(Object.keys(getTableColumns(schema.hosts)).filter((name) => name !== "id"))(
    "%s of hosts",
    (name) => {
      const row = findHost(app.db, 1, "all") as Record<string, unknown> | undefined;
      transaction(app.db, () => changeHost(app.db, 1, { [name]: other(row?.[name]) }, app.clock.now()));
      const names = newRevisions(app).flatMap(({ content }) => Object.keys(content ?? {}));
      expect(names.includes(name)).toBe(words(SHOWN.hosts?.recorded).includes(name));
    },
  );

  test.each(words(SHOWN.services?.recorded))("%s of services", (name) => {
    const [{ service } = {}] = presentServices(app.db, 1);
    if (!service) throw new Error("there is no service");
    // A failure, of which the agent says later that it is only a change.
    const before = name === "statusHint" ? { ...service, status: 1 } : service;
    const after = { ...before, [name]: other(before[name as keyof typeof before]) };
    transaction(app.db, () => changeService(app.db, before, after, app.clock.now()));
    const isFailure = name === "status" || name === "statusHint";
    const names = isFailure ? ["status", "statusHint"] : [name];
    expect(newRevisions(app).map(({ content }) => Object.keys(content ?? {}))).toEqual([names]);
  });
});
