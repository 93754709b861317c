import { useMemo } from "preact/hooks";
import { DAY } from "../../src/platform/clock.ts";
import { MutedMark } from "../alerting/muted.tsx";
import { apiUrl } from "../api/client.ts";
import type { HostStatusList, UptimeBudget, UptimeItem, UptimeReport } from "../api/types.ts";
import { timeIn } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import { itemsOf } from "../text/comma-list.ts";
import {
  formatDuration,
  formatMinute,
  formatMinuteNear,
  formatNumber,
  formatUptime,
} from "../text/format.ts";
import { DateRange } from "../ui/date-range.tsx";
import { Facts } from "../ui/facts.tsx";
import { GroupFilter } from "../ui/group-filter.tsx";
import { Icon } from "../ui/icon.tsx";
import { NoHosts } from "../ui/no-hosts.tsx";
import { Page } from "../ui/page.tsx";
import { printPage } from "../ui/printing.ts";
import { Select } from "../ui/select.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { useDialog } from "../ui/use-dialog.ts";
import { TargetDialog } from "./target-dialog.tsx";
import { UPTIME } from "./uptime.texts.ts";
import { UptimeBar } from "./uptime-bar.tsx";
import { CALENDAR_RANGES, UPTIME_RANGES } from "./uptime-ranges.ts";

const LIVE_SECONDS = 30;
/** Code of the range whose dates the user chooses. */
const CUSTOM = 12;
/** Cells of each timeline. */
const CELLS = 60;
/** A cell of a timeline in which no time was counted. */
const NOT_COUNTED = 0;

/** A report of hosts, or of the services of a host. */
type Report = UptimeBudget | UptimeReport;
/** A row of either report. */
interface Row extends Pick<UptimeItem, "id" | "active" | "name" | "events" | "cells" | "muted"> {
  /** Percent; null if no time was counted. */
  uptime: number | null;
  /** Seconds. */
  down: number;
  budget?: number | undefined;
  left?: number | undefined;
}

function isOfHosts(report: Report): report is UptimeBudget {
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

/** The dates of a range of one's own. @param timeZone that of the report; undefined until it is known */
function CustomDates({ timeZone }: { timeZone?: string | undefined }) {
  const { router, now } = useMuster();
  const query = router.address.value.query;
  // A range that moved with time would replace what is being typed.
  const opened = useMemo(() => now.peek(), []);
  return (
    <DateRange
      from={timeIn(query, "datefrom") ?? opened - DAY}
      until={timeIn(query, "dateto") ?? opened}
      timeZone={timeZone}
      onChange={(from, until) => {
        if (from !== null && until !== null)
          router.setQuery({ datefrom: String(from), dateto: String(until) });
      }}
    />
  );
}

/** Chooses hosts by group and tag. */
function HostsChoice() {
  const { router } = useMuster();
  const { query } = router.address.value;
  return (
    <>
      <GroupFilter
        label={UPTIME.group}
        value={query.get("group") ?? ""}
        onChange={(group) => router.setQuery({ group })}
      />
      <TagFilter
        label={UPTIME.tags}
        name="tag"
        placeholder={UPTIME.tagsHint}
        value={query.get("tag") ?? ""}
        onChange={(value) => router.setQuery({ tag: value })}
      />
    </>
  );
}

interface RangeChoiceProps {
  range: number;
  ofHost: boolean;
  timeZone: string | undefined;
}

function RangeChoice({ range, ofHost, timeZone }: RangeChoiceProps) {
  const { router, now } = useMuster();
  const choose = (code: number) =>
    router.setQuery({
      range: String(code),
      datefrom: code === CUSTOM ? String(now.peek() - DAY) : null,
      dateto: code === CUSTOM ? String(now.peek()) : null,
    });
  return (
    <div class="filters">
      <fieldset class="choices">
        <legend class="sr-only">{UPTIME.range}</legend>
        {UPTIME_RANGES.map(([code, text]) => (
          <button key={code} type="button" aria-pressed={range === code} onClick={() => choose(code)}>
            {text}
          </button>
        ))}
      </fieldset>
      <Select
        label={UPTIME.calendar}
        name="calendar"
        value={CALENDAR_RANGES.some(([code]) => code === range) ? String(range) : ""}
        options={[
          ["", UPTIME.noPeriod],
          ...CALENDAR_RANGES.map(([code, text]) => [String(code), text] as const),
        ]}
        onChange={(code) => choose(Number(code))}
      />
      {range === CUSTOM && <CustomDates timeZone={timeZone} />}
      {!ofHost && <HostsChoice />}
    </div>
  );
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

function ReportBody({ report, hostId }: { report: Report; hostId: string | undefined }) {
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

/** Uptime of all hosts or those of a group, or of the services of a host. Filters and range are in the address. */
function UptimeScreen({ hostId }: { hostId?: string }) {
  const { at, router, now, session } = useMuster();
  const query = router.address.value.query;
  const ranges = [...UPTIME_RANGES, ...CALENDAR_RANGES];
  const range = ranges.find(([code]) => String(code) === query.get("range"))?.[0] ?? 0;
  const opened = useMemo(() => now.peek(), [now]);
  const dates = { datefrom: query.get("datefrom") ?? opened - DAY, dateto: query.get("dateto") };
  const path = hostId ? "/reports/uptime/get" : "/reports/uptime/budget";
  const selected = hostId
    ? { id: hostId }
    : { hostgroupid: query.get("group"), tag: itemsOf(query.get("tag") ?? "") };
  const args = { ...selected, range, ...(range === CUSTOM ? dates : {}) };
  const report = useResource<Report>(
    path,
    { ...args, cells: CELLS },
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const host = useResource<HostStatusList>("/status/hosts/list", { hostid: hostId, results: 1 });
  const { dialog, open, onClose } = useDialog<{ group: { id: number; name: string }; target: number | null }>(
    () => report.refresh(),
  );
  const shown = report.data.value;
  const { hostgroup: group = null, target = null } = shown && isOfHosts(shown) ? shown : {};
  const name = hostId ? host.data.value?.records[0]?.hostname : group?.name;
  return (
    <Page
      title={name ? UPTIME.titleOf(name) : hostId ? UPTIME.unknownHost(hostId) : UPTIME.title}
      {...(hostId ? { breadcrumbs: [[UPTIME.title, `/uptime${location.search}`]] as const } : {})}
      aside={
        <div class={hostId && !name ? "awaited" : undefined}>
          {group && session.may("manage", [group]) && (
            <button type="button" onClick={open({ group, target })}>
              {UPTIME.setTarget}
            </button>
          )}
          <a class="button" href={apiUrl(path, { ...args, at: at.value, format: "csv" })} download>
            <Icon name="download" />
            {UPTIME.csv}
          </a>
          <button type="button" onClick={printPage}>
            <Icon name="print" />
            {UPTIME.print}
          </button>
        </div>
      }
    >
      <RangeChoice range={range} ofHost={hostId !== undefined} timeZone={shown?.timezone} />
      {/* The report waits for the name of the host, which is in the heading and determines its height. */}
      <Loaded from={host}>
        {() => <Loaded from={report}>{(data) => <ReportBody report={data} hostId={hostId} />}</Loaded>}
      </Loaded>
      {dialog && <TargetDialog {...dialog} onClose={onClose} />}
    </Page>
  );
}

/** The uptime of the host in the address, or of all hosts. */
export function UptimeOfAddress() {
  const { router } = useMuster();
  const id = match("/uptime/:id", router.address.value.path)?.id;
  return <UptimeScreen key={id ?? "all"} {...(id && { hostId: id })} />;
}
