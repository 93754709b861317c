import { useSignal } from "@preact/signals";
import type { EventList, EventRecord } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted } from "../text/format.ts";
import { Confirm } from "../ui/confirm.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import type { Column } from "../ui/table.tsx";
import { EventFilters, FILTER_NAMES } from "./event-filters.tsx";
import { EventTable } from "./event-table.tsx";

const LIVE_SECONDS = 5;
const PAGE_SIZE = 50;

const canDismiss = (event: EventRecord) => event.active === 1 && event.dismissed === 0;

function selectColumn(
  rows: readonly EventRecord[],
  chosen: ReadonlySet<number>,
  choose: (ids: ReadonlySet<number>) => void,
): Column<EventRecord> {
  const errors = rows.filter(canDismiss);
  const all = errors.length > 0 && errors.every((event) => chosen.has(event.id));
  return {
    key: "select",
    label: "Select",
    class: "tight",
    head: (
      <input
        type="checkbox"
        aria-label="Select all active problems of this page"
        checked={all}
        indeterminate={!all && errors.some((event) => chosen.has(event.id))}
        onChange={() => choose(new Set(all ? [] : errors.map((event) => event.id)))}
      />
    ),
    cell: (event) =>
      canDismiss(event) && (
        <input
          type="checkbox"
          aria-label={`Select: ${event.hostname}, ${event.servicename}`}
          checked={chosen.has(event.id)}
          onChange={(change) => {
            const next = new Set(chosen);
            if (change.currentTarget.checked) next.add(event.id);
            else next.delete(event.id);
            choose(next);
          }}
        />
      ),
  };
}

function DismissSelected({
  events,
  onClose,
}: {
  events: readonly EventRecord[];
  onClose: (done: boolean) => void;
}) {
  const { api } = useMuster();
  return (
    <Confirm
      title={`Dismiss ${counted(events.length, "event")}?`}
      verb="Dismiss"
      act={() => api.post("/reports/events/dismiss", { id: events.map((event) => event.id) })}
      onClose={onClose}
    >
      <p>They leave the list of active problems, though the errors go on:</p>
      <ul class="names">
        {events.map((event) => (
          <li key={event.id}>
            {event.hostname} / {event.servicename}: {event.event}
          </li>
        ))}
      </ul>
    </Confirm>
  );
}

/** Events by every filter the API has; the filter is in the address. */
export function EventsScreen() {
  const { router } = useMuster();
  const announce = useAnnounce();
  const chosen = useSignal<ReadonlySet<number>>(new Set());
  const asking = useSignal(false);
  const query = router.place.value.query;
  const start = Number(query.get("startindex")) || 0;
  const sort = {
    key: query.get("sort") ?? "date",
    dir: query.get("dir") === "asc" ? "asc" : "desc",
  } as const;
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name)]));
  const events = useResource<EventList>(
    "/reports/events/list",
    {
      ...filter,
      sort: sort.key,
      dir: sort.dir,
      results: PAGE_SIZE,
      startindex: start,
      // Later pages stay what they were while new events arrive.
      maxid: start > 0 ? query.get("maxid") : null,
    },
    { every: start > 0 ? 0 : LIVE_SECONDS, keep: true },
  );
  const filtered = Object.values(filter).some((value) => value !== null);
  const rows = events.data.value?.records ?? [];
  const dismissable = rows.some(canDismiss);
  const selected = rows.filter((event) => canDismiss(event) && chosen.value.has(event.id));
  const choose = (ids: ReadonlySet<number>) => {
    chosen.value = ids;
  };
  const go = (to: number) => {
    const maxid = query.get("maxid") ?? events.data.peek()?.maxid;
    choose(new Set());
    router.setQuery({
      startindex: to > 0 ? String(to) : null,
      maxid: to > 0 && maxid ? String(maxid) : null,
    });
    scrollTo(0, 0);
  };
  const closed = (done: boolean) => {
    asking.value = false;
    if (!done) return;
    announce(`${counted(selected.length, "event")} dismissed`);
    choose(new Set());
    void events.refresh();
  };
  return (
    <Page title="Events">
      <EventFilters />
      <Loaded from={events}>
        {(data) =>
          data.totalRecords === 0 ? (
            <Empty>{filtered ? "No event passes the filter." : "No event yet."}</Empty>
          ) : (
            <>
              <div class="toolbar">
                {dismissable && (
                  <button
                    type="button"
                    disabled={selected.length === 0}
                    onClick={() => {
                      asking.value = true;
                    }}
                  >
                    Dismiss selected
                  </button>
                )}
                <span class="muted">
                  {dismissable && selected.length > 0
                    ? `${selected.length} of ${counted(data.totalRecords, "event")} selected`
                    : counted(data.totalRecords, "event")}
                </span>
              </div>
              <EventTable
                caption="Events"
                rows={rows}
                sort={sort}
                onSort={({ key, dir }) => router.setQuery({ sort: key, dir, startindex: null, maxid: null })}
                {...(dismissable ? { first: selectColumn(rows, chosen.value, choose) } : {})}
              />
              <Pager start={data.startIndex} size={data.pageSize} total={data.totalRecords} onGo={go} />
            </>
          )
        }
      </Loaded>
      {asking.value && <DismissSelected events={selected} onClose={closed} />}
    </Page>
  );
}
