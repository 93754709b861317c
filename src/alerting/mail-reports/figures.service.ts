import { eventTypeNames, HEARTBEAT } from "../../monit/event-types.ts";
import { errorBudget } from "../../monitoring/budget/error-budget.ts";
import { Forecasts } from "../../monitoring/forecast/forecast.service.ts";
import { type Availability, uptimePercent } from "../../monitoring/uptime/availability.ts";
import { checkKey } from "../../monitoring/uptime/downtime.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { Uptime } from "../../monitoring/uptime/uptime.service.ts";
import type { Clock } from "../../platform/clock.ts";
import { isNothing, type Scope } from "../../platform/http/scope.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { ForgottenReads } from "../forgotten/forgotten.queries.ts";
import { actedSince } from "./acted.ts";
import {
  failuresInWindow,
  groupsOfReport,
  messagesInWindow,
  type NamedCheck,
  type ReportedHosts,
} from "./figures.repository.ts";
import type { ReportFigures } from "./figures.schemas.ts";
import { daysText } from "./period.ts";

/** The most rows of each list except groups. */
const LISTED = 10;
const MAX_GROUPS = 50;
/** Lists the checks that together sent this share of the messages, percent. */
const MOST = 80;
/** How far forecasts are listed, days. */
const FORECAST_DAYS = 30;

/** The content of a report, before its figures. Plain data, since query workers need it. */
export interface ReportSubject extends ReportedHosts {
  window: Interval;
  /** The previous period, for comparison. */
  before: Interval;
  /** Percent. */
  target: number;
  /** The hosts whose rules its reader may change. */
  manage: Scope;
  /** Whether it lists what may be forgotten. */
  listsForgotten: boolean;
}

type Times = readonly { id: number; name: string; time: Availability }[];

/** Up- and downtime of hosts together, seconds. */
function sumOf(times: Times): Availability {
  const sum = (value: (time: Availability) => number) =>
    times.reduce((total, { time }) => total + value(time), 0);
  return { up: sum(({ up }) => up), down: sum(({ down }) => down), excluded: 0 };
}

/** Percent; null if no time was counted. */
function countedUptime(time: Availability | undefined): number | null {
  return time === undefined || time.up + time.down === 0 ? null : uptimePercent(time);
}

/** Uptime of hosts together, weighted by the counted time of each. */
function uptimeOf(times: Times, timesBefore: Times, target: number) {
  const time = sumOf(times);
  const { up, down } = time;
  return {
    hosts: times.length,
    uptime: countedUptime(time),
    uptimebefore: countedUptime(sumOf(timesBefore)),
    counted: up + down,
    down,
    budget: errorBudget(up + down, target),
  };
}

function checkOf({ hostId, hostname, service, eventType, limitName }: NamedCheck) {
  const failure = eventType === HEARTBEAT ? "No report" : (limitName ?? eventTypeNames(eventType).join(", "));
  return { hostid: hostId, hostname, servicename: service, failure };
}

const byPlace = (a: NamedCheck, b: NamedCheck) =>
  a.hostId - b.hostId ||
  a.service.localeCompare(b.service) ||
  a.eventType - b.eventType ||
  a.limitId - b.limitId;

/** The figures of reports. They take many rows to compute, and so run on query workers. */
export class FiguresOfReports {
  readonly #uptime: Uptime;
  readonly #forecasts: Forecasts;
  readonly #forgotten: ForgottenReads;

  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    clock: Clock,
  ) {
    this.#uptime = new Uptime(db, settings, clock);
    this.#forecasts = new Forecasts(db, clock);
    this.#forgotten = new ForgottenReads(db, settings, clock);
  }

  /** The figures of a report, within what its reader sees. */
  of({ window, before, target, manage, listsForgotten, ...reported }: ReportSubject): ReportFigures {
    const { about, scope } = reported;
    const times = this.#uptime.timeOfHosts(window, scope, about);
    const timesBefore = this.#uptime.timeOfHosts(before, scope, about);
    const groups = groupsOfReport(this.db, reported).map(({ id, name, hostIds, ...group }) => {
      const isMember = (host: { id: number }) => hostIds.has(host.id);
      const groupTarget = group.target ?? target;
      const uptime = uptimeOf(times.filter(isMember), timesBefore.filter(isMember), groupTarget);
      return { id, name, target: groupTarget, ...uptime };
    });
    const failures = failuresInWindow(this.db, window, reported);
    const failuresBefore = failuresInWindow(this.db, before, reported);
    const timezone = this.settings.get("timezone");
    return {
      datefrom: window.from,
      dateto: window.to,
      days: daysText(window, timezone),
      timezone,
      target,
      total: uptimeOf(times, timesBefore, target),
      groups: groups.sort((a, b) => (a.uptime ?? 101) - (b.uptime ?? 101)).slice(0, MAX_GROUPS),
      worst: worstOf(times, timesBefore, failures),
      failuretotal: numberOf(failures),
      failuretotalbefore: numberOf(failuresBefore),
      failures: mostFrequent(failures, failuresBefore),
      ...this.#noise(window, reported),
      messagesbefore: messageTotal(messagesInWindow(this.db, before, reported)),
      forecasts: this.#forecast(reported),
      forgotten: listsForgotten ? this.#forgottenIn(reported, manage) : null,
    };
  }

  #forgottenIn({ about, scope: view }: ReportedHosts, manage: Scope): ReportFigures["forgotten"] {
    const { records, ...list } = this.#forgotten.list({ about, view, manage });
    return { ...list, records: records.slice(0, LISTED) };
  }

  #noise(window: Interval, reported: ReportedHosts): Pick<ReportFigures, "messages" | "noise"> {
    const rows = messagesInWindow(this.db, window, reported);
    const total = messageTotal(rows);
    const checks = [...Map.groupBy(rows, checkKey).values()].flatMap((rowsOfCheck) => {
      const [first] = rowsOfCheck;
      const messages = rowsOfCheck.reduce((sum, row) => sum + row.messages, 0);
      const messagesPerCheck = rowsOfCheck.reduce((sum, row) => sum + row.messages / row.checks, 0);
      return first ? [{ ...first, messages, share: (100 * messagesPerCheck) / total }] : [];
    });
    checks.sort((a, b) => b.share - a.share || byPlace(a, b));
    const isActed = actedSince(this.db, window);
    const noise: ReportFigures["noise"] = [];
    let sent = 0;
    for (const check of checks) {
      // Shares are sums of fractions: without the margin, rounding could miss 80 percent.
      if (sent >= MOST - 1e-6 || noise.length === LISTED) break;
      const { messages, share } = check;
      noise.push({ ...checkOf(check), messages, share, acted: isActed(check) });
      sent += share;
    }
    return { messages: total, noise };
  }

  #forecast({ about, scope }: ReportedHosts): ReportFigures["forecasts"] {
    if (isNothing(about)) return [];
    const hostgroupid = about === "all" ? undefined : [...about.groups];
    const page = { results: LISTED, startindex: 0, days: FORECAST_DAYS, hostgroupid };
    return this.#forecasts
      .list(page, scope)
      .records.map(({ hostid, hostname, servicename, type, usage, days }) => ({
        hostid,
        hostname,
        servicename,
        type,
        usage,
        days,
      }));
  }
}

type FailureFigures = ReturnType<typeof failuresInWindow>;

/** How many messages there were. One that reports several checks is in several rows. */
function messageTotal(rows: ReturnType<typeof messagesInWindow>): number {
  return Math.round(rows.reduce((sum, { messages, checks }) => sum + messages / checks, 0));
}

/** How many failures began. */
function numberOf(failures: FailureFigures): number {
  return failures.reduce((sum, { times }) => sum + times, 0);
}

function worstOf(times: Times, timesBefore: Times, failures: FailureFigures): ReportFigures["worst"] {
  const before = new Map(timesBefore.map(({ id, time }) => [id, time]));
  const count = new Map<number, number>();
  for (const { hostId, times: n } of failures) count.set(hostId, (count.get(hostId) ?? 0) + n);
  const hosts = times.map(({ id, name, time }) => ({
    hostid: id,
    hostname: name,
    uptime: countedUptime(time),
    uptimebefore: countedUptime(before.get(id)),
    down: time.down,
    failures: count.get(id) ?? 0,
  }));
  return hosts
    .filter(({ down, failures: n }) => down > 0 || n > 0)
    .sort((a, b) => b.down - a.down || b.failures - a.failures)
    .slice(0, LISTED);
}

function mostFrequent(failures: FailureFigures, failuresBefore: FailureFigures): ReportFigures["failures"] {
  const before = new Map(failuresBefore.map((row) => [checkKey(row), row.times]));
  return failures
    .filter(({ times }) => times > 0)
    .sort((a, b) => b.times - a.times || b.seconds - a.seconds || byPlace(a, b))
    .slice(0, LISTED)
    .map((row) => ({
      ...checkOf(row),
      times: row.times,
      timesbefore: before.get(checkKey(row)) ?? 0,
      seconds: row.seconds,
    }));
}
