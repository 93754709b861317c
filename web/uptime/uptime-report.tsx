import { MutedMark } from "../alerting/muted.tsx";
import type { UptimeBudget, UptimeItem, UptimeReport } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { itemsOf } from "../text/comma-list.ts";
import {
  formatDuration,
  formatMinute,
  formatMinuteNear,
  formatNumber,
  formatUptime,
} from "../text/format.ts";
import { Facts } from "../ui/facts.tsx";
import { NoHosts } from "../ui/no-hosts.tsx";
import { Empty } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { UPTIME } from "./uptime.texts.ts";
import { UptimeBar } from "./uptime-bar.tsx";

/** A cell of a timeline in which no time was counted. */
const NOT_COUNTED = 0;

/** A report of hosts, or of the services of a host. */
export type Report = UptimeBudget | UptimeReport;
/** A row of either report. */
interface Row extends Pick<UptimeItem, "id" | "active" | "name" | "events" | "cells" | "muted"> {
  /** Percent; null if no time was counted. */
  uptime: number | null;
  /** Seconds. */
  down: number;
  budget?: number | undefined;
  left?: number | undefined;
}

/** Whether a report is one of hosts. */
export function isOfHosts(report: Report): report is UptimeBudget {
  return "hostgroup" in report;
}

function isCounted({ cells = [] }: UptimeItem): boolean {
  return cells.some((cell) => cell !== NOT_COUNTED);
}

function rowsOf(report: Report): readonly Row[] {
  if (isOfHosts(report)) return report.items;
  return report.items.map((item) => ({
    ...item,
    uptime: isCounted(item) ? item.uptime : null,
    down: item.downseconds,
  }));
}

/** Mean downtime of the items with data, seconds. */
function averageDown(items: readonly UptimeItem[]): number {
  const counted = items.filter(isCounted);
  return counted.reduce((sum, { downseconds }) => sum + downseconds, 0) / Math.max(1, counted.length);
}

function percentText(uptime: number | null): string {
  return uptime === null ? UPTIME.none : formatUptime(uptime);
}

const BUDGET_COLUMNS: readonly Column<Row>[] = [
  {
    key: "allowed",
    label: UPTIME.columns.allowed,
    class: "number wide",
    cell: ({ budget = 0 }) => UPTIME.minutes(budget),
  },
  {
    key: "left",
    label: UPTIME.columns.left,
    class: "number",
    order: (a, b) => (a.left ?? 0) - (b.left ?? 0),
    cell: ({ left = 0 }) => <span class={left < 0 ? "tone-bad" : undefined}>{UPTIME.minutes(left)}</span>,
  },
];

function columns(hostId: string | undefined, withBudget: boolean): readonly Column<Row>[] {
  const events = (item: Row) => formatNumber(item.events, 0);
  return [
    {
      key: "name",
      label: hostId ? UPTIME.columns.service : UPTIME.columns.host,
      header: true,
      class: "name",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: (item) => (
        <>
          {hostId ? (
            <a href={`/hosts/${hostId}/services/${item.id}`}>{item.name}</a>
          ) : (
            <a href={`/uptime/${item.id}${location.search}`}>{item.name}</a>
          )}
          <MutedMark muted={item.muted} />
          {item.active === 0 && <span class="tag">{UPTIME.notMonitored}</span>}
        </>
      ),
    },
    {
      key: "uptime",
      label: UPTIME.columns.uptime,
      class: "number",
      order: (a, b) => (a.uptime ?? 101) - (b.uptime ?? 101),
      cell: (item) => percentText(item.uptime),
    },
    {
      key: "bar",
      label: UPTIME.columns.bar,
      class: "grow wide",
      cell: (item) => <UptimeBar cells={item.cells ?? []} />,
    },
    {
      key: "downtime",
      label: UPTIME.columns.downtime,
      class: withBudget ? "number wide" : "number",
      order: (a, b) => a.down - b.down,
      firstDir: "desc",
      cell: ({ down }) => (withBudget ? UPTIME.minutes(down) : formatDuration(down)),
    },
    ...(withBudget ? BUDGET_COLUMNS : []),
    {
      key: "events",
      label: UPTIME.columns.events,
      class: "number wide",
      firstDir: "desc",
      order: (a, b) => a.events - b.events,
      cell: (item) =>
        item.events > 0 && (hostId ? events(item) : <a href={`/events?hostid=${item.id}`}>{events(item)}</a>),
    },
  ];
}

/** The uptime of the hosts as a whole, and whether it meets the target. */
function GroupFigures({ report }: { report: UptimeBudget }) {
  const { target, budget, left, down } = report;
  if (target === null || budget === undefined || left === undefined || report.uptime === null) return null;
  const { facts, met, missed, onTrack } = UPTIME;
  const verdict = left < 0 ? missed : report.running ? onTrack : met;
  return (
    <Facts
      facts={[
        [facts.target, <strong class={left < 0 ? "tone-bad" : "tone-good"}>{verdict(target)}</strong>],
        [facts.allowed, UPTIME.minutes(budget)],
        [facts.used, UPTIME.used(down, budget)],
        [facts.left, UPTIME.left(left)],
      ]}
    />
  );
}

/** Explains how the figures are computed. */
function Method({ report }: { report: UptimeBudget }) {
  const { how, howBudget, howRunning } = UPTIME;
  const sentences =
    report.target === null ? [how] : [how, howBudget, ...(report.running ? [howRunning] : [])];
  return <p class="method muted">{sentences.join(" ")}</p>;
}

/** The hosts in a printed report and its date, since paper does not show the filters. */
function PrintedNote({ timeZone }: { timeZone: string }) {
  const { router, now } = useMuster();
  const tags = itemsOf(router.address.value.query.get("tag") ?? "").join(", ");
  const at = formatMinute(now.value, timeZone);
  return (
    <p class="print-only">
      {tags !== "" && UPTIME.taggedWith(tags)} {UPTIME.madeAt(at)}
    </p>
  );
}

function Headline({ report }: { report: Report }) {
  const { datefrom, dateto, timezone } = report;
  const [from, to] = [formatMinute(datefrom, timezone), formatMinuteNear(dateto, datefrom, timezone)];
  const [percent, label, downtime] = isOfHosts(report)
    ? [report.uptime, UPTIME.uptimeOf(report.hosts), UPTIME.totalDowntime(formatDuration(report.down))]
    : [
        report.items.some(isCounted) ? report.uptime : null,
        UPTIME.average,
        UPTIME.averageDowntime(formatDuration(averageDown(report.items))),
      ];
  return (
    <p class="headline">
      <strong>{percentText(percent)}</strong> {label}
      <span class="muted">{downtime}</span>
      <span class="muted">{UPTIME.span(from, to, timezone)}</span>
      {isOfHosts(report) && report.running && <span class="tag">{UPTIME.running}</span>}
    </p>
  );
}

/** Says why the report has no rows. */
function NoItems({ ofHost }: { ofHost: boolean }) {
  const { query } = useMuster().router.address.value;
  if (ofHost) return <Empty>{UPTIME.noServices}</Empty>;
  const isFiltered = query.has("group") || query.has("tag");
  return isFiltered ? <Empty>{UPTIME.noneMatches}</Empty> : <NoHosts none={UPTIME.noHosts} />;
}

/** A report: its figures as a whole, and a row for each host or service. */
export function ReportBody({ report, hostId }: { report: Report; hostId: string | undefined }) {
  const group = isOfHosts(report) ? report : null;
  return (
    <>
      <PrintedNote timeZone={report.timezone} />
      <Headline report={report} />
      {group && <GroupFigures report={group} />}
      {report.items.length === 0 ? (
        <NoItems ofHost={hostId !== undefined} />
      ) : (
        <SortedTable
          caption={hostId ? UPTIME.captionOfServices : UPTIME.captionOfHosts}
          columns={columns(hostId, group !== null && group.target !== null)}
          rows={rowsOf(report)}
          rowKey={(item) => item.id}
          initial={{ key: "uptime", dir: "asc" }}
        />
      )}
      {group && <Method report={group} />}
    </>
  );
}
