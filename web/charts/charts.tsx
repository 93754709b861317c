import { useComputed, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import { apiUrl } from "../api/client.ts";
import type { HistoryReply } from "../api/types.ts";
import { addressAt } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { formatMinute, formatMinuteNear } from "../text/format.ts";
import { Icon } from "../ui/icon.tsx";
import { Section } from "../ui/page.tsx";
import { Empty, Loaded, Unread } from "../ui/states.tsx";
import { Chart, type ChartProps } from "./chart.tsx";
import { CHARTS } from "./charts.texts.ts";
import { CustomRange } from "./custom-range.tsx";
import { MarkLegend } from "./mark-legend.tsx";
import { type Hidden, hiddenAfter, type Panel } from "./panels.ts";
import { CHART_RANGES, chooseRange, fittedStart, POINTS, type TimeSpan } from "./range.ts";
import { useMarks } from "./use-marks.ts";
import { useChartWindow } from "./use-window.ts";

const PATH = "/reports/history/get";

/** Loaded with the first chart, which keeps the first load of the page small. */
export const plotModule = () => import("./plot.ts");

/** A value that changes whenever the colours may have changed. */
export function useThemeName() {
  const { theme } = useMuster();
  const dark = useSignal(matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => {
      dark.value = query.matches;
    };
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  return useComputed(() => `${theme.choice.value} ${dark.value}`);
}

/**
 * Buttons for the range of charts, which is kept in the address.
 * @param chosen null for a range from date to date
 */
export function RangeChoice({ chosen }: { chosen: string | null }) {
  const { router } = useMuster();
  return (
    <fieldset class="choices">
      <legend class="sr-only">{CHARTS.ranges}</legend>
      {CHART_RANGES.map(([key, text]) => (
        <button
          key={key}
          type="button"
          class="small"
          aria-pressed={chosen === key}
          onClick={() => chooseRange(router, key)}
        >
          {text}
        </button>
      ))}
    </fieldset>
  );
}

interface PanelsProps extends Omit<ChartProps, "panel" | "onChoose"> {
  panelsOf: (reply: HistoryReply) => readonly Panel[];
  /** Called with the ids of all series to hide. */
  onHide: (ids: readonly number[]) => void;
}

function Panels({ panelsOf, onHide, ...props }: PanelsProps) {
  const panels = useMemo(() => panelsOf(props.reply), [props.reply, panelsOf]);
  if (panels.length === 0) return <Empty>{CHARTS.noValues}</Empty>;
  return (
    <div class="charts">
      {panels.map((panel) => (
        <Chart
          key={panel.key}
          {...props}
          panel={panel}
          onChoose={(id, isOne) => {
            const ids = panel.series.map((series) => series.id);
            onHide(hiddenAfter(props.hidden, id, ids, isOne));
          }}
        />
      ))}
    </div>
  );
}

/** Says that the code that draws was not loaded: after an upgrade, an open page asks for files of the previous version. */
export function LoadFailure() {
  return (
    <p class="error-message" role="alert">
      {CHARTS.failed}
      <button type="button" onClick={() => location.reload()}>
        {CHARTS.reload}
      </button>
    </p>
  );
}

/** The hidden series, by their ids in the address. */
function useHidden() {
  const { router } = useMuster();
  const text = router.address.value.query.get("hide") ?? "";
  const hidden = useMemo((): Hidden => new Set(text.split(".").filter(Boolean).map(Number)), [text]);
  const hide = (ids: readonly number[]) => router.setQuery({ hide: ids.join(".") });
  return { hidden, hide };
}

/** Leaves out the time before the first value if most of the range is empty. */
function fitted(reply: HistoryReply): HistoryReply {
  const first = reply.times.findIndex((_, i) => reply.series.some(({ mean }) => (mean[i] ?? null) !== null));
  const start = fittedStart({ from: reply.datefrom, to: reply.dateto }, reply.times[first]);
  return start === reply.datefrom ? reply : { ...reply, datefrom: start };
}

interface ChartsProps {
  hostId: number;
  /** Statistics to request. */
  filter: { serviceid?: number; type: readonly number[] };
  panelsOf: (reply: HistoryReply) => readonly Panel[];
  /** The time shown at first; by default the last day. */
  around?: TimeSpan | undefined;
  /** The service whose charts are shown; absent for those of the whole host. */
  service?: { nameid: number; name: string };
  /** Further controls beside the choice of the range. */
  children?: ComponentChildren;
}

/** Charts of one host or service with a common time range, which is in the address. */
export function Charts({ hostId, filter, panelsOf, around, service, children }: ChartsProps) {
  const { at, now, router, session } = useMuster();
  const pointer = useSignal<number | null>(null);
  const failed = useSignal(false);
  const theme = useThemeName();
  const { span, range, onZoom, onReset, ...time } = useChartWindow(around);
  const args = { hostid: hostId, ...filter, ...time.args, points: POINTS };
  const history = useResource<HistoryReply>(PATH, args, { keepPrevious: true, cached: false });
  const { marks, total, events, muted } = useMarks(hostId, service ?? null, span);
  const { hidden, hide } = useHidden();
  const { query } = router.address.value;
  const isDefault = !around && !query.has("range") && !query.has("from");
  return (
    <Section
      title={CHARTS.title}
      aside={
        <a class="button small" href={apiUrl(PATH, { ...args, at: at.value, format: "csv" })} download>
          <Icon name="download" />
          {CHARTS.csv}
        </a>
      }
    >
      <div class="filters chart-filters">
        <RangeChoice chosen={range} />
        {range === null && (
          <p class="filters-result">
            {CHARTS.span(formatMinute(span.from), formatMinuteNear(span.to, span.from))}
            <button type="button" class="small" onClick={onReset}>
              {CHARTS.resetZoom}
            </button>
            {query.has("to") && span.to < now.peek() && (
              <a class="button small" href={addressAt(`/hosts/${hostId}`, span.to)}>
                {CHARTS.asItWasAt(formatMinuteNear(span.to, span.from))}
              </a>
            )}
          </p>
        )}
        <CustomRange {...span} range={range} />
        {children}
      </div>
      <MarkLegend marks={marks} total={total} hostId={hostId} nameId={service?.nameid ?? null} span={span} />
      <Unread from={events} what={CHARTS.marked.events} />
      <Unread from={muted} what={CHARTS.marked.mutes} />
      {failed.value && <LoadFailure />}
      <Loaded from={history}>
        {(reply) => (
          <Panels
            reply={isDefault ? fitted(reply) : reply}
            marks={marks}
            hidden={hidden}
            onHide={hide}
            panelsOf={panelsOf}
            pointer={pointer}
            theme={theme}
            plotModule={plotModule}
            onZoom={onZoom}
            onReset={onReset}
            onFailed={() => {
              failed.value = true;
            }}
          />
        )}
      </Loaded>
      <p class="hint">
        {CHARTS.hint} {session.mayOn("manage", hostId) ? CHARTS.limitHint : CHARTS.menuHint}
      </p>
    </Section>
  );
}
