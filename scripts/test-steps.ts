import { bunTest, type Step } from "./test-run.ts";

/**
 * Tests that also run on PostgreSQL. The others use what only SQLite has, such as a full disk by pragma, or are about
 * code that both engines share.
 */
export const ON_POSTGRES = [
  "./test/accounts/tokens/tokens.test.ts",
  "./test/accounts/users",
  "./test/alerting/channels/shared-mail-server.test.ts",
  "./test/alerting/mail-reports/figures.test.ts",
  "./test/alerting/maintenance/left-mutes.test.ts",
  "./test/alerting/notifications/api.test.ts",
  "./test/alerting/notifications/deliveries.test.ts",
  "./test/alerting/notifications/rules.test.ts",
  "./test/alerting/on-call/on-call.test.ts",
  "./test/alerting/rules/changed-rules.test.ts",
  "./test/monitoring/events/list.test.ts",
  "./test/monitoring/events/text-search.test.ts",
  "./test/monitoring/groups",
  "./test/monitoring/heartbeat/by-hand.test.ts",
  "./test/monitoring/heartbeat/lifecycle.test.ts",
  "./test/monitoring/heartbeat/outage.test.ts",
  "./test/monitoring/history/compare.test.ts",
  "./test/monitoring/history/deleted-values.test.ts",
  "./test/monitoring/history/latest.test.ts",
  "./test/monitoring/history/top.test.ts",
  "./test/monitoring/hosts/deleted-hosts.test.ts",
  "./test/monitoring/ingest/flushes.test.ts",
  "./test/monitoring/ingest/recoveries.test.ts",
  "./test/monitoring/ingest/replays.test.ts",
  "./test/monitoring/limits/limit-end.test.ts",
  "./test/monitoring/limits/limits-api.test.ts",
  "./test/monitoring/limits/limits-ledger.test.ts",
  "./test/monitoring/moment/moments.test.ts",
  "./test/monitoring/moment/past-answers.test.ts",
  "./test/monitoring/moment/past-state.test.ts",
  "./test/monitoring/search",
  "./test/monitoring/status",
  "./test/operations/transfer/import-steps.test.ts",
  "./test/platform/http/resources.test.ts",
  "./test/platform/storage/rows.test.ts",
  "./test/publishing/filters",
  "./test/publishing/views",
  "./test/security/levels.test.ts",
];

/** A step that runs tests on PostgreSQL. @param tests some of `ON_POSTGRES`, and options of `bun test` */
export function onPostgres(...tests: string[]): Step {
  const preload = "--preload=./test/support/postgres-preload.ts";
  return { ...bunTest("tests on PostgreSQL", preload, ...tests), needs: "postgres" };
}
