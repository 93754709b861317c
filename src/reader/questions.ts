/**
 * The questions that can take long, by name. They read only, take plain arguments and give plain answers, so that they
 * can be asked of another thread.
 */
import { Preview } from "../alerts/preview.service.ts";
import type { Clock } from "../clock.ts";
import type { Db } from "../database/open.ts";
import { mapOf } from "../dialect/maps.ts";
import type { EventListArguments } from "../events/events.schemas.ts";
import { Events } from "../events/events.service.ts";
import { groupList } from "../groups/groups.service.ts";
import { historyCsv } from "../history/history.csv.ts";
import { History, type HistoryQuestion } from "../history/history.service.ts";
import { hostList } from "../hosts/hosts.service.ts";
import type { Rule } from "../rules/rules.repository.ts";
import type { SettingsReader } from "../settings/settings.service.ts";
import { serviceGroupList } from "../status/service-groups.service.ts";
import type { HostListArguments } from "../status/status.schemas.ts";
import { Status } from "../status/status.service.ts";
import type { RangeArguments } from "../uptime/range.ts";
import { uptimeCsv } from "../uptime/uptime.csv.ts";
import { Uptime } from "../uptime/uptime.service.ts";

export type Format = "json" | "csv";

export function questionsOver(db: Db, settings: SettingsReader, clock: Clock) {
  const events = new Events(db, clock);
  const status = new Status(db);
  const uptime = new Uptime(db, settings, clock);
  const history = new History(db, settings, clock);
  const preview = new Preview(db, clock);
  return {
    hostList: () => hostList(db),
    groupList: () => groupList(db),
    serviceGroupList: () => serviceGroupList(db),
    map: (by: "id" | "name", branch: string) => mapOf(db, by, branch),
    eventList: (filter: EventListArguments) => events.list(filter),
    eventSummary: () => events.summary(),
    hostStatusList: (filter: HostListArguments) => status.list(filter),
    uptimeList: (range: RangeArguments, format: Format) => {
      const report = uptime.list(range);
      return format === "csv" ? uptimeCsv(report) : report;
    },
    uptimeOfServices: (hostId: number, range: RangeArguments, format: Format) => {
      const report = uptime.get(hostId, range);
      return format === "csv" ? uptimeCsv(report) : report;
    },
    uptimeBars: (hostId: number, service: string | undefined, range: RangeArguments, cells: number) =>
      uptime.bars(hostId, service, range, cells),
    rulePreview: (rule: Rule, days: number) => preview.of(rule, days),
    history: (question: HistoryQuestion, format: Format) => {
      const answer = history.get(question);
      return format === "csv" ? historyCsv(answer) : answer;
    },
  };
}

export type Questions = ReturnType<typeof questionsOver>;
export type QuestionName = keyof Questions;
