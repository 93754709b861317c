import type { Forecast, ForecastList } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatPercent } from "../text/format.ts";
import { Section } from "../ui/page.tsx";
import { Unread } from "../ui/states.tsx";
import { type Column, Table } from "../ui/table.tsx";
import { FORECASTS } from "./forecasts.texts.ts";

/** Forecasts within this many days are shown. */
const WITHIN_DAYS = 30;
const SHOWN = 5;
/** Forecasts are made once a day. */
const REFRESH_SECONDS = 600;

const { columns } = FORECASTS;
const ServiceLink = ({ forecast: { hostid, serviceid, servicename } }: { forecast: Forecast }) => (
  <a href={`/hosts/${hostid}/services/${serviceid}`}>{servicename}</a>
);
const HostLink = ({ forecast: { hostid, hostname } }: { forecast: Forecast }) => (
  <a href={`/hosts/${hostid}`}>{hostname}</a>
);
const COLUMNS: readonly Column<Forecast>[] = [
  {
    key: "service",
    label: columns.service,
    header: true,
    class: "grow",
    cell: (forecast) => (
      <>
        <ServiceLink forecast={forecast} />
        <span class="narrow second">
          <HostLink forecast={forecast} /> <span>{FORECASTS.what(forecast.type)}</span>
        </span>
      </>
    ),
  },
  {
    key: "host",
    label: columns.host,
    class: "grow wide",
    cell: (forecast) => <HostLink forecast={forecast} />,
  },
  { key: "what", label: columns.what, class: "wide", cell: ({ type }) => FORECASTS.what(type) },
  { key: "usage", label: columns.usage, class: "number wide", cell: ({ usage }) => formatPercent(usage) },
  { key: "full", label: columns.full, class: "number", cell: FORECASTS.days },
];

/** Disks, inodes and memory of all hosts that are filling up; nothing if there are none. */
export function FullSoon() {
  const forecasts = useResource<ForecastList>(
    "/reports/forecasts/list",
    { days: WITHIN_DAYS, results: SHOWN },
    { every: REFRESH_SECONDS },
  );
  const list = forecasts.data.value;
  if (!list?.records.length) return <Unread from={forecasts} what={FORECASTS.all} />;
  const notShown = list.totalRecords - list.records.length;
  return (
    <Section title={FORECASTS.title}>
      <Table
        caption={FORECASTS.caption}
        columns={COLUMNS}
        rows={list.records}
        rowKey={({ serviceid, type }) => `${serviceid} ${type}`}
      />
      {notShown > 0 && <p class="more muted">{FORECASTS.more(notShown)}</p>}
    </Section>
  );
}
