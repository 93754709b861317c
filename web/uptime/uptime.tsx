import { useMemo } from "preact/hooks";
import { apiUrl } from "../api/client.ts";
import type { HostStatusList, UptimeItem, UptimeReport } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { match } from "../state/router.ts";
import {
  formatMinute,
  formatMinuteNear,
  formatNumber,
  formatUptime,
  fromLocalInput,
  toLocalInput,
} from "../text/format.ts";
import { UPTIME_RANGES } from "../text/names.ts";
import { Field } from "../ui/form.tsx";
import { Icon } from "../ui/icon.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Column, SortedTable } from "../ui/table.tsx";
import { TagFilter, tagsIn } from "../ui/tag-field.tsx";
import { UPTIME } from "./uptime.texts.ts";
import { UptimeBar } from "./uptime-bar.tsx";

const LIVE_SECONDS = 30;
/** Code of the range whose dates the user chooses. */
const CUSTOM = 12;
const DAY_SECONDS = 86_400;
/** Of each timeline. */
const CELLS = 60;
/** A cell of a timeline in which no time was counted. */
const NOT_COUNTED = 0;

/** The uptime of a time of which at least one cell was counted, otherwise a dash. */
function uptimeText(uptime: number, items: readonly UptimeItem[]): string {
  const isCounted = items.some(({ cells = [] }) => cells.some((cell) => cell !== NOT_COUNTED));
  return isCounted ? formatUptime(uptime) : UPTIME.none;
}

function columns(ofHost: string | undefined): readonly Column<UptimeItem>[] {
  const events = (item: UptimeItem) => formatNumber(item.events, 0);
  return [
    {
      key: "name",
      label: ofHost ? UPTIME.columns.service : UPTIME.columns.host,
      header: true,
      class: "name",
      order: (a, b) => a.name.localeCompare(b.name),
      cell: (item) => (
        <>
          {ofHost ? (
            <a href={`/hosts/${ofHost}/services/${item.id}`}>{item.name}</a>
          ) : (
            <a href={`/uptime/${item.id}${location.search}`}>{item.name}</a>
          )}
          {item.active === 0 && <span class="tag">{UPTIME.notMonitored}</span>}
        </>
      ),
    },
    {
      key: "uptime",
      label: UPTIME.columns.uptime,
      class: "number",
      order: (a, b) => a.uptime - b.uptime,
      cell: (item) => uptimeText(item.uptime, [item]),
    },
    {
      key: "bar",
      label: UPTIME.columns.bar,
      class: "grow wide",
      cell: (item) => <UptimeBar cells={item.cells ?? []} />,
    },
    { key: "downtime", label: UPTIME.columns.downtime, class: "number", cell: (item) => item.downtime },
    {
      key: "events",
      label: UPTIME.columns.events,
      class: "number wide",
      firstDir: "desc",
      order: (a, b) => a.events - b.events,
      cell: (item) =>
        item.events > 0 && (ofHost ? events(item) : <a href={`/events?hostid=${item.id}`}>{events(item)}</a>),
    },
  ];
}

function CustomDates() {
  const { router, now } = useMuster();
  const query = router.address.value.query;
  const from = Number(query.get("datefrom")) || now.peek() - DAY_SECONDS;
  const to = Number(query.get("dateto")) || now.peek();
  const set = (name: string) => (event: { currentTarget: HTMLInputElement }) => {
    const at = fromLocalInput(event.currentTarget.value);
    if (at !== null) router.setQuery({ [name]: String(at) });
  };
  return (
    <>
      <Field
        label={UPTIME.from}
        type="datetime-local"
        value={toLocalInput(from)}
        onChange={set("datefrom")}
      />
      <Field label={UPTIME.until} type="datetime-local" value={toLocalInput(to)} onChange={set("dateto")} />
    </>
  );
}

function RangeChoice({ range, tag }: { range: number; tag: string | null }) {
  const { router, now } = useMuster();
  const choose = (code: number) =>
    router.setQuery({
      range: String(code),
      datefrom: code === CUSTOM ? String(now.peek() - DAY_SECONDS) : null,
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
      {range === CUSTOM && <CustomDates />}
      {tag !== null && (
        <TagFilter
          label={UPTIME.tags}
          name="tag"
          placeholder={UPTIME.tagsHint}
          value={tag}
          onChange={(value) => router.setQuery({ tag: value })}
        />
      )}
    </div>
  );
}

function Report({ report, hostId }: { report: UptimeReport; hostId: string | undefined }) {
  return (
    <>
      <p class="headline">
        <strong>{uptimeText(report.uptime, report.items)}</strong> {UPTIME.average}
        <span class="muted">{UPTIME.averageDowntime(report.downtime)}</span>
        <span class="muted">
          {UPTIME.span(formatMinute(report.datefrom), formatMinuteNear(report.dateto, report.datefrom))}
        </span>
      </p>
      {report.items.length === 0 ? (
        <Empty>{hostId ? UPTIME.noServices : UPTIME.noHosts}</Empty>
      ) : (
        <SortedTable
          caption={hostId ? UPTIME.captionOfServices : UPTIME.captionOfHosts}
          columns={columns(hostId)}
          rows={report.items}
          rowKey={(item) => item.id}
          initial={{ key: "uptime", dir: "asc" }}
        />
      )}
    </>
  );
}

/** Uptime of all hosts, or of the services of one. Range and dates are in the address. */
function UptimeScreen({ hostId }: { hostId?: string }) {
  const { router, now } = useMuster();
  const query = router.address.value.query;
  const range = UPTIME_RANGES.find(([code]) => String(code) === query.get("range"))?.[0] ?? 0;
  const opened = useMemo(() => now.peek(), [now]);
  const dates = { datefrom: query.get("datefrom") ?? opened - DAY_SECONDS, dateto: query.get("dateto") };
  const path = hostId ? "/reports/uptime/get" : "/reports/uptime/list";
  const tag = hostId ? null : (query.get("tag") ?? "");
  const args = { id: hostId, range, tag: tagsIn(tag ?? ""), ...(range === CUSTOM ? dates : {}) };
  const report = useResource<UptimeReport>(
    path,
    { ...args, cells: CELLS },
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const host = useResource<HostStatusList>("/status/hosts/list", { hostid: hostId, results: 1 });
  const name = host.data.value?.records[0]?.hostname;
  return (
    <Page
      title={hostId ? (name ? UPTIME.titleOf(name) : UPTIME.unknownHost(hostId)) : UPTIME.title}
      {...(hostId ? { breadcrumbs: [[UPTIME.title, `/uptime${location.search}`]] as const } : {})}
      aside={
        <>
          <a class="button" href={apiUrl(path, { ...args, format: "csv" })} download>
            <Icon name="download" />
            {UPTIME.csv}
          </a>
          <button type="button" onClick={() => print()}>
            <Icon name="print" />
            {UPTIME.print}
          </button>
        </>
      }
    >
      <RangeChoice range={range} tag={tag} />
      {/* The name of the host is in the heading, whose height depends on it. */}
      <Loaded from={host}>
        {() => <Loaded from={report}>{(data) => <Report report={data} hostId={hostId} />}</Loaded>}
      </Loaded>
    </Page>
  );
}

/** The uptime of the host in the address, or of all hosts. */
export function UptimeOfAddress() {
  const { router } = useMuster();
  const id = match("/uptime/:id", router.address.value.path)?.id;
  return <UptimeScreen key={id ?? "all"} {...(id && { hostId: id })} />;
}
