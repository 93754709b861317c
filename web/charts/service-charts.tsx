import { useMemo } from "preact/hooks";
import { STATISTIC as S } from "../../src/monit/statistic-types.ts";
import type { HistoryReply, Service, Statistic } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { distinctLabels, headline } from "../text/statistics.ts";
import { CHARTS } from "./charts.texts.ts";
import { Charts } from "./charts.tsx";
import { isChartable, servicePanels } from "./panels.ts";
import type { TimeSpan } from "./range.ts";

const INITIAL_CHARTS = 4;

/** Sizes that hardly ever change, so their chart is of no use. */
const CONSTANT: readonly number[] = [S.spaceTotal.code, S.inodeTotal.code, S.filesMaximum.code];

/** Ids of the statistics drawn initially: those of the headline. */
function initial(service: Service, charted: readonly Statistic[]): ReadonlySet<number> {
  const headlined = headline(service).map(({ id }) => id);
  const first = charted.filter(({ id, type }) => headlined.includes(id) && !CONSTANT.includes(type));
  return new Set((first.length > 0 ? first : charted).slice(0, INITIAL_CHARTS).map(({ id }) => id));
}

interface ServiceChartsProps {
  hostId: number;
  service: Service;
  /** The time shown at first; by default the last day. */
  around?: TimeSpan;
}

/** Charts of a service's statistics. The address says which. */
export function ServiceCharts({ hostId, service, around }: ServiceChartsProps) {
  const { router } = useMuster();
  const charted = service.statistics.filter(({ type, text }) => text === undefined && isChartable(type));
  const shownIds = router.address.value.query.get("show");
  const chosenIds = shownIds === null ? initial(service, charted) : new Set(shownIds.split(".").map(Number));
  const shown = charted.filter(({ id }) => chosenIds.has(id));
  const ids = shown.map(({ id }) => id).join(".");
  const types = [...new Set(shown.map(({ type }) => type))];
  const panelsOf = useMemo(() => {
    const idsInAddress = new Set(ids.split(".").map(Number));
    return (reply: HistoryReply) =>
      servicePanels({ ...reply, series: reply.series.filter(({ id }) => idsInAddress.has(id)) });
  }, [ids]);
  if (charted.length === 0) return null;
  const labels = distinctLabels(charted);
  const toggle = (id: number) => {
    const next = charted.filter((statistic) => chosenIds.has(statistic.id) !== (statistic.id === id));
    router.setQuery({ show: next.map((statistic) => statistic.id).join(".") || "0" });
  };
  return (
    <Charts
      hostId={hostId}
      filter={{ serviceid: service.id, type: types.length > 0 ? types : [charted[0]?.type ?? 0] }}
      panelsOf={panelsOf}
      service={service}
      around={around}
    >
      <fieldset class="choices">
        <legend class="sr-only">{CHARTS.drawn}</legend>
        {charted.map((statistic, i) => (
          <button
            key={statistic.id}
            type="button"
            class="small chip"
            aria-pressed={chosenIds.has(statistic.id)}
            onClick={() => toggle(statistic.id)}
          >
            {labels[i]}
          </button>
        ))}
      </fieldset>
    </Charts>
  );
}
