import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { FleetComparison, HistoryReply } from "../api/types.ts";
import { Chart } from "../charts/chart.tsx";
import { LoadFailure, plotModule, RangeChoice, useThemeName } from "../charts/charts.tsx";
import { CustomRange } from "../charts/custom-range.tsx";
import { NO_MARKS } from "../charts/marks.ts";
import type { Panel, PanelSeries } from "../charts/panels.ts";
import { useChartWindow } from "../charts/use-window.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { Empty, Loaded } from "../ui/states.tsx";
import { FLEET } from "./fleet.texts.ts";
import { type Compared, comparedText, type FleetMetric, METRICS } from "./metrics.ts";

const POINTS = 300;
const NOTHING_HIDDEN: ReadonlySet<number> = new Set();

/** A comparison as one chart: a line for each host or service. */
function panelOf({ series }: FleetComparison, metric: FleetMetric): Panel {
  const { text, types, descriptor = "" } = metric;
  const type = types[0] ?? 0;
  return {
    key: "compare",
    title: text,
    type,
    stacked: false,
    ...(types.length > 1 && { limit: METRICS.includes(metric) ? metric.key : null }),
    series: series.map(({ hostid, hostname, serviceid, servicename, mean }, i) => ({
      id: i,
      hostId: hostid,
      serviceid,
      servicename,
      type,
      descriptor,
      min: mean,
      mean,
      max: mean,
      label:
        servicename === "" || servicename === hostname
          ? hostname || String(hostid)
          : FLEET.ofService(servicename, hostname),
    })),
  };
}

/** With more lines than this, each has a chart of its own. */
const MOST_LINES = 3;

/**
 * A comparison as charts: one with all lines if they are few, otherwise one for each on the same scale, the highest latest
 * value first.
 */
function panelsOf(panel: Panel): readonly Panel[] {
  if (panel.series.length <= MOST_LINES) return [panel];
  const top = Math.max(0, ...panel.series.flatMap(({ mean }) => mean.map((value) => value ?? 0)));
  const latest = ({ mean }: PanelSeries) => mean.findLast((value) => value !== null) ?? -1;
  return panel.series
    .toSorted((a, b) => latest(b) - latest(a))
    .map((series) => ({ ...panel, key: String(series.id), title: series.label, series: [series], top }));
}

interface ComparisonProps {
  metric: FleetMetric;
  comparison: FleetComparison;
  /** Whether many lines are drawn as a chart each. */
  apart?: boolean;
  /** Called with the index of the series that was chosen in the legend. */
  onChoose?: (series: number) => void;
  onZoom?: (from: number, to: number) => void;
  onReset?: () => void;
  /** Called if the code that draws could not be loaded. */
  onFailed?: () => void;
}

const doNothing = () => undefined;

/** The charts themselves. Without handlers they cannot be operated. */
export function Comparison({ metric, comparison, apart = false, ...handlers }: ComparisonProps) {
  const { onChoose = doNothing, onZoom = doNothing, onReset = doNothing, onFailed = doNothing } = handlers;
  const pointer = useSignal<number | null>(null);
  const theme = useThemeName();
  const panels = useMemo(() => {
    const panel = panelOf(comparison, metric);
    return apart ? panelsOf(panel) : [panel];
  }, [comparison, metric, apart]);
  const reply = useMemo(
    (): HistoryReply => ({ ...comparison, hostid: 0, hostname: "", series: [] }),
    [comparison],
  );
  if (comparison.series.every(({ mean }) => mean.every((value) => value === null)))
    return <Empty>{FLEET.values}</Empty>;
  return (
    <div class={panels.length > 1 ? "charts" : "charts charts-one"}>
      {panels.map((panel) => (
        <Chart
          key={panel.key}
          panel={panel}
          reply={reply}
          pointer={pointer}
          theme={theme}
          plotModule={plotModule}
          onChoose={onChoose}
          chooseHint={FLEET.removeHint}
          onZoom={onZoom}
          onReset={onReset}
          onFailed={onFailed}
          marks={NO_MARKS}
          hidden={NOTHING_HIDDEN}
        />
      ))}
    </div>
  );
}

interface CompareChartProps {
  metric: FleetMetric;
  compared: Compared;
}

/** One metric of several hosts or services. The range is in the address. */
export function CompareChart({ metric, compared }: CompareChartProps) {
  const { router } = useMuster();
  const failed = useSignal(false);
  const { span, range, args, onZoom, onReset } = useChartWindow();
  const comparison = useResource<FleetComparison>(
    "/reports/history/compare",
    {
      hostid: compared.hosts,
      serviceid: compared.services,
      type: metric.types,
      descriptor: metric.descriptor,
      ...args,
      points: POINTS,
    },
    { keepPrevious: true, cached: false },
  );
  const remove = ({ hostid, serviceid }: FleetComparison["series"][number]) => {
    const { hosts, services } = compared;
    const rest = services.includes(serviceid)
      ? { hosts, services: services.filter((id) => id !== serviceid) }
      : { hosts: hosts.filter((id) => id !== hostid), services };
    router.setQuery({ compare: comparedText(rest) });
  };
  return (
    <>
      <div class="filters chart-filters">
        <RangeChoice chosen={range} />
        <CustomRange {...span} range={range} />
        <button type="button" class="small" onClick={() => router.setQuery({ compare: null })}>
          {FLEET.clear}
        </button>
      </div>
      {failed.value && <LoadFailure />}
      <Loaded from={comparison}>
        {(data) => (
          <Comparison
            metric={metric}
            comparison={data}
            apart
            onChoose={(i) => {
              const series = data.series[i];
              if (series) remove(series);
            }}
            onZoom={onZoom}
            onReset={onReset}
            onFailed={() => {
              failed.value = true;
            }}
          />
        )}
      </Loaded>
    </>
  );
}
