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
import { useResource } from "../state/resource.ts";
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

interface CompareChartProps {
  number: FleetNumber;
  compared: Compared;
}

/** One number of several hosts or services in one chart. Its range is in the address. */
export function CompareChart({ number, compared }: CompareChartProps) {
  const { router, now } = useMuster();
  const pointer = useSignal<number | null>(null);
  const theme = useThemeName();
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
  const reply = comparison.data.value;
  const panel = useMemo(() => reply && panelOf(reply, number), [reply, number]);
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
        {(data) =>
          !panel || data.series.every(({ mean }) => mean.every((value) => value === null)) ? (
            <Empty>{FLEET.values}</Empty>
          ) : (
            <div class="charts charts-one">
              <Chart
                panel={panel}
                reply={{ ...data, hostid: 0, hostname: "", series: [] } satisfies HistoryReply}
                marks={NO_MARKS}
                hidden={NOTHING_HIDDEN}
                onToggle={(i) => {
                  const one = data.series[i];
                  if (one)
                    remove(
                      compared.services.includes(one.serviceid) ? `s${one.serviceid}` : `h${one.hostid}`,
                    );
                }}
                pointer={pointer}
                theme={theme}
                plotModule={plotModule}
                onZoom={(start, end) => zoomTo(router, start, end)}
                onReset={() => resetZoom(router)}
                onFailed={() => location.reload()}
              />
            </div>
          )
        }
      </Loaded>
    </>
  );
}
