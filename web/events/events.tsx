import { useSignal } from "@preact/signals";
import type { EventList } from "../api/types.ts";
import { SavedFilterList } from "../filters/saved-filters.tsx";
import { useMuster, useNotify } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { wholeNumber } from "../state/router.ts";
import { itemsOf } from "../text/comma-list.ts";
import { NothingOfHosts } from "../ui/no-hosts.tsx";
import { Page } from "../ui/page.tsx";
import { Pager } from "../ui/pager.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { EventFilters, FILTER_NAMES } from "./event-filters.tsx";
import { DismissSelected, selectColumn, useCanDismiss } from "./event-selection.tsx";
import { EventTable } from "./event-table.tsx";
import { EVENTS } from "./events.texts.ts";

const LIVE_SECONDS = 5;
const PAGE_SIZE = 50;

/** The list of events that the address asks for: filter, order and start. */
function useEventList() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const start = wholeNumber(query.get("startindex"));
  const sort = {
    key: query.get("sort") ?? "date",
    dir: query.get("dir") === "asc" ? "asc" : "desc",
  } as const;
  const filter = Object.fromEntries(FILTER_NAMES.map((name) => [name, query.get(name)]));
  const events = useResource<EventList>(
    "/reports/events/list",
    {
      ...filter,
      tag: itemsOf(filter.tag ?? ""),
      sort: sort.key,
      dir: sort.dir,
      results: PAGE_SIZE,
      startindex: start,
      // Freezes the set of events, so that paging is stable while new events arrive.
      maxid: start > 0 ? query.get("maxid") : null,
    },
    { every: start > 0 ? 0 : LIVE_SECONDS, keepPrevious: true, still: true },
  );
  const goTo = (to: number) => {
    const maxid = query.get("maxid") ?? events.data.peek()?.maxid;
    router.setQuery({
      startindex: to > 0 ? String(to) : null,
      maxid: to > 0 && maxid ? String(maxid) : null,
    });
    scrollTo(0, 0);
  };
  const filtered = Object.values(filter).some((value) => value !== null);
  return { events, sort, filtered, goTo };
}

interface ToolbarProps {
  /** Whether an event of this page can be dismissed. */
  dismissable: boolean;
  selected: number;
  total: number;
  onDismiss: () => void;
}

function Toolbar({ dismissable, selected, total, onDismiss }: ToolbarProps) {
  return (
    <div class="toolbar">
      {dismissable && (
        <button type="button" disabled={selected === 0} onClick={onDismiss}>
          {EVENTS.dismissSelected}
        </button>
      )}
      <span class="muted">
        {dismissable && selected > 0 ? EVENTS.selected(selected, total) : EVENTS.count(total)}
      </span>
    </div>
  );
}

function NoEvents({ filtered }: { filtered: boolean }) {
  const { at } = useMuster();
  if (filtered) return <Empty>{EVENTS.noneMatches}</Empty>;
  return <NothingOfHosts none={at.value === null ? EVENTS.none : EVENTS.noneThen} />;
}

/** Events by every filter that the API has. Filter, order and page are in the address. */
export function EventsScreen() {
  const { api, router } = useMuster();
  const notify = useNotify();
  const canDismiss = useCanDismiss();
  const selectedIds = useSignal<ReadonlySet<number>>(new Set());
  const confirming = useSignal(false);
  const { events, sort, filtered, goTo } = useEventList();
  const rows = events.data.value?.records ?? [];
  const selected = rows.filter((event) => canDismiss(event) && selectedIds.value.has(event.id));
  const choose = (ids: ReadonlySet<number>) => {
    selectedIds.value = ids;
  };
  const onClose = (done: boolean) => {
    confirming.value = false;
    if (!done) return;
    const ids = selected.map(({ id }) => id);
    const undo = async () => {
      await api.post("/reports/events/undismiss", { id: ids });
      await events.refresh();
    };
    notify(EVENTS.dismissed(ids.length), { undo });
    choose(new Set());
    void events.refresh();
  };
  return (
    <Page title={EVENTS.title}>
      <EventFilters />
      <SavedFilterList screen="events" filtered={filtered} />
      <Loaded from={events}>
        {({ records, totalRecords, startIndex, pageSize }) =>
          totalRecords === 0 ? (
            <NoEvents filtered={filtered} />
          ) : (
            <>
              <Toolbar
                dismissable={records.some(canDismiss)}
                selected={selected.length}
                total={totalRecords}
                onDismiss={() => {
                  confirming.value = true;
                }}
              />
              <EventTable
                caption={EVENTS.title}
                rows={records}
                sort={sort}
                onSort={({ key, dir }) => router.setQuery({ sort: key, dir, startindex: null, maxid: null })}
                {...(records.some(canDismiss) && {
                  first: selectColumn(records, canDismiss, selectedIds.value, choose),
                })}
              />
              <Pager
                start={startIndex}
                size={pageSize}
                total={totalRecords}
                onGo={(to) => {
                  choose(new Set());
                  goTo(to);
                }}
              />
            </>
          )
        }
      </Loaded>
      {confirming.value && <DismissSelected events={selected} onClose={onClose} />}
    </Page>
  );
}
