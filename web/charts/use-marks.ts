import { useMemo } from "preact/hooks";
import type { MuteHistory } from "../alerting/types.ts";
import type { EventList } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { type Marks, NO_MARKS } from "./marks.ts";
import type { TimeSpan } from "./range.ts";

/** With more events than this, no event is marked: the marks would hide the chart. */
const MAX_EVENTS = 200;
const OPTIONS = { keepPrevious: true, cached: false } as const;

/** The events and the maintenance of a host, or of one of its services, in a time span, up to the shown moment. */
export function useMarks(hostId: number, service: { nameid: number; name: string } | null, span: TimeSpan) {
  const { at } = useMuster();
  const end = at.value ?? Number.POSITIVE_INFINITY;
  const dates = { datefrom: span.from, dateto: span.to };
  const place = { hostid: hostId, ...dates };
  const events = useResource<EventList>(
    "/reports/events/list",
    { ...place, servicenameid: service?.nameid ?? null, results: MAX_EVENTS },
    OPTIONS,
  );
  const muted = useResource<MuteHistory>(
    "/mutes/history",
    { ...place, servicename: service?.name ?? null },
    { ...OPTIONS, present: true },
  );
  const list = events.data.value;
  const windows = muted.data.value;
  const marks = useMemo((): Marks => {
    if (!list) return NO_MARKS;
    return {
      events: list.records.map(({ date, eventtype }) => ({ at: date, state: eventtype })),
      maintenance: (windows?.records ?? [])
        .filter(({ from }) => from <= end)
        .map((window) => ({ ...window, to: Math.min(window.to, end) })),
    };
  }, [list, windows, end]);
  return { marks, total: list?.totalRecords ?? 0, events, muted };
}
