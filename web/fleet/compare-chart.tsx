import { useComputed, useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { FleetComparison, HistoryReply } from "../api/types.ts";
import { Chart } from "../charts/chart.tsx";
import { plotModule, RangeChoice, useThemeName } from "../charts/charts.tsx";
import { CustomRange } from "../charts/custom-range.tsx";
import { NO_MARKS } from "../charts/marks.ts";
import type { Panel } from "../charts/panels.ts";
import { type ChartWindow, chartWindow, resetZoom, zoomTo } from "../charts/range.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { FLEET } from "./fleet.texts.ts";
import { type Compared, comparedText, type FleetNumber } from "./numbers.ts";

const CUSTOM = 12;
const POINTS = 300;
const NOTHING_HIDDEN: ReadonlySet<number> = new Set();

/** A comparison as one chart: a line for each host or service. */
function panelOf({ series }: FleetComparison, { text, types }: FleetNumber): Panel {
  const type = types[0] ?? 0;
  return {
    key: "compare",
    title: text,
    type,
    stacked: false,
    series: series.map(({ hostid, hostname, serviceid, servicename, mean }, i) => ({
      ...{ id: i, serviceid, servicename, type, descriptor: "", min: mean, mean, max: mean },
      label:
        servicename === "" || servicename === hostname
          ? hostname || String(hostid)
          : FLEET.ofService(servicename, hostname),
    })),
  };
}

interface ComparisonProps {
  number: FleetNumber;
  comparison: FleetComparison;
  /** Called with the index of the series in the legend that was chosen. */
  onToggle?: (series: number) => void;
  onZoom?: (from: number, to: number) => void;
  onReset?: () => void;
  /** The code that draws could not be loaded. */
  onFailed?: () => void;
}

const nothing = () => undefined;

/** The chart itself. Without the handlers it only shows. */
export function Comparison({ number, comparison, ...handlers }: ComparisonProps) {
  const { onToggle = nothing, onZoom = nothing, onReset = nothing, onFailed = nothing } = handlers;
  const pointer = useSignal<number | null>(null);
  const theme = useThemeName();
  const panel = useMemo(() => panelOf(comparison, number), [comparison, number]);
  const reply = useMemo(
    (): HistoryReply => ({ ...comparison, hostid: 0, hostname: "", series: [] }),
    [comparison],
  );
  if (comparison.series.every(({ mean }) => mean.every((value) => value === null)))
    return <Empty>{FLEET.values}</Empty>;
  return (
    <div class="charts charts-one">
      <Chart
        {...{ panel, reply, pointer, theme, plotModule, onToggle, onZoom, onReset, onFailed }}
        marks={NO_MARKS}
        hidden={NOTHING_HIDDEN}
      />
    </div>
  );
}

interface CompareChartProps {
  number: FleetNumber;
  compared: Compared;
}

/** One number of several hosts or services in one chart. Its range is in the address. */
export function CompareChart({ number, compared }: CompareChartProps) {
  const { router, now } = useMuster();
  const shown = useComputed(() => JSON.stringify(chartWindow(router.address.value.query, now.value)));
  const { from, to, range } = JSON.parse(shown.value) as ChartWindow;
  const comparison = useResource<FleetComparison>(
    "/reports/history/compare",
    {
      ...{ hostid: compared.hosts, serviceid: compared.services, type: number.types },
      ...{ descriptor: number.descriptor, range: CUSTOM, datefrom: from, dateto: to, points: POINTS },
    },
    { keepPrevious: true, cached: false },
  );
  const remove = (name: string) => {
    const [kind, id] = [name.charAt(0), Number(name.slice(1))];
    const rest = {
      hosts: compared.hosts.filter((one) => kind !== "h" || one !== id),
      services: compared.services.filter((one) => kind !== "s" || one !== id),
    };
    router.setQuery({ compare: comparedText(rest) });
  };
  return (
    <>
      <div class="filters chart-filters">
        <RangeChoice chosen={range} />
        <CustomRange span={{ from, to }} />
        <button type="button" class="small" onClick={() => router.setQuery({ compare: null })}>
          {FLEET.clear}
        </button>
      </div>
      <Loaded from={comparison}>
        {(data) => (
          <Comparison
            number={number}
            comparison={data}
            onToggle={(i) => {
              const one = data.series[i];
              if (one)
                remove(compared.services.includes(one.serviceid) ? `s${one.serviceid}` : `h${one.hostid}`);
            }}
            onZoom={(start, end) => zoomTo(router, start, end)}
            onReset={() => resetZoom(router)}
            onFailed={() => location.reload()}
          />
        )}
      </Loaded>
    </>
  );
}
