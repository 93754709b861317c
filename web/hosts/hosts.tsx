import { useSignal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import { MuteButton } from "../alerting/mute-dialog.tsx";
import { groupTarget } from "../alerting/mute-target.ts";
import { MutesBanner } from "../alerting/muted.tsx";
import type { HostGroups, HostStatus, HostStatusList } from "../api/types.ts";
import { SavedFilterList } from "../filters/saved-filters.tsx";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { hostWords } from "../text/status-words.ts";
import { Icon } from "../ui/icon.tsx";
import { NoHosts } from "../ui/no-hosts.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded, Unread } from "../ui/states.tsx";
import type { Sort } from "../ui/table.tsx";
import { HostCounts } from "./host-counts.tsx";
import { argumentsOf, filterHosts, HostFilters, hostFilterOf, NO_FILTER } from "./host-filters.tsx";
import { inOrder } from "./host-order.ts";
import { rowsOf, sectionsOf } from "./host-sections.ts";
import { HostTable } from "./host-table.tsx";
import { HOSTS } from "./hosts.texts.ts";
import { useNamed } from "./use-named.ts";
import { useProblemsByHost } from "./use-problems.ts";
import { useRanking } from "./use-ranking.ts";

const LIVE_SECONDS = 5;
/** Debounce of the announcement of the number of matches, milliseconds. */
const SETTLED_MS = 600;
const NO_GROUPS: HostGroups["records"] = [];

/** The hosts that the address asks for: filter, group and order. */
export function useHostList() {
  const { router, now } = useMuster();
  const { query } = router.address.value;
  const filter = hostFilterOf(query);
  const sort: Sort = { key: query.get("sort") ?? "led", dir: query.get("dir") === "desc" ? "desc" : "asc" };
  const hosts = useResource<HostStatusList>("/status/hosts/list", argumentsOf(filter), {
    every: LIVE_SECONDS,
    keepPrevious: true,
  });
  const records = hosts.data.value?.records;
  const { ranking, top } = useRanking(sort.key);
  // Sorting many hosts takes longer than filtering them, and typing into the filter does not require it.
  const sortedHosts = useMemo(
    () => inOrder(records ?? [], { key: sort.key, dir: sort.dir }, ranking),
    [records, sort.key, sort.dir, ranking],
  );
  const { isNamedBy, search } = useNamed(filter.text);
  const rows = useMemo(
    () => filterHosts(sortedHosts, filter, (host) => hostWords(host, now.peek()), isNamedBy),
    [sortedHosts, filter.text, filter.led, filter.state, isNamedBy],
  );
  const filtered = Object.values(filter).some((value) => value !== "");
  return { hosts, total: sortedHosts.length, rows, filter, sort, filtered, search, top };
}

/** The rows of the table: in sections if the user wants them and there is more than one. */
function useRows(hosts: readonly HostStatus[], groups: HostGroups["records"]) {
  const { view } = useMuster();
  const closed = useSignal<ReadonlySet<number>>(new Set());
  const inSections = view.sections.value && groups.length > 0;
  const rows = useMemo(
    () =>
      inSections
        ? rowsOf(sectionsOf(hosts, groups, HOSTS.withoutGroup), closed.value)
        : hosts.map((host) => ({ host, section: 0 })),
    [hosts, groups, inSections, closed.value],
  );
  const toggle = (id: number) => {
    const next = new Set(closed.peek());
    if (!next.delete(id)) next.add(id);
    closed.value = next;
  };
  return { rows, toggle };
}

/** Links to expected and deleted hosts, and to the change of all listed ones, for those who may use them. */
function HostLinks() {
  const { session } = useMuster();
  return (
    <>
      {session.may("manage") && (
        <a class="button" href="/hosts/expected">
          <Icon name="hosts" />
          {HOSTS.expected}
        </a>
      )}
      {session.isAdmin && (
        <>
          <a class="button" href="/hosts/deleted">
            <Icon name="trash" />
            {HOSTS.deleted}
          </a>
          <a class="button" href={`/hosts/change${location.search}`}>
            <Icon name="settings" />
            {HOSTS.change}
          </a>
        </>
      )}
    </>
  );
}

/** Says why there are no rows. */
function NoRows({ filtered }: { filtered: boolean }) {
  return filtered ? <Empty>{HOSTS.noneMatches}</Empty> : <NoHosts none={HOSTS.none} />;
}

/** The list of hosts, with or without sections for groups. Its filter is in the address. */
export function HostsScreen() {
  const { router } = useMuster();
  const announce = useAnnounce();
  const { hosts, total, rows: shown, filter, sort, filtered, search, top } = useHostList();
  const groups = useResource<HostGroups>("/status/hostgroups/list");
  const { rows, toggle } = useRows(shown, groups.data.value?.records ?? NO_GROUPS);
  const { byHost, problems } = useProblemsByHost();
  const count = HOSTS.count(shown.length, total);
  /** How often the filters were cleared. As the key of the inputs, it also removes text that was not applied. */
  const clears = useSignal(0);
  const clear = () => {
    router.setQuery({ ...NO_FILTER });
    clears.value++;
  };

  useEffect(() => {
    if (!filtered) return;
    const timer = setTimeout(() => announce(HOSTS.announced(count)), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [filtered, count]);

  return (
    <Page title={HOSTS.title} aside={<HostLinks />}>
      <MutesBanner />
      <HostCounts chosen={filter.state} />
      <Loaded from={groups}>
        {({ records }) => (
          <HostFilters key={clears.value} filter={filter} groups={records}>
            <p class="filters-result">
              {hosts.data.value && count}
              {filtered && (
                <button type="button" onClick={clear}>
                  {HOSTS.clear}
                </button>
              )}
            </p>
          </HostFilters>
        )}
      </Loaded>
      <SavedFilterList screen="hosts" filtered={filtered} />
      <Unread from={search} what={HOSTS.named} />
      <Unread from={top} what={HOSTS.sortedBy} />
      <Unread from={problems} what={HOSTS.allProblems} />
      <Loaded from={hosts}>
        {() =>
          shown.length === 0 ? (
            <NoRows filtered={filtered} />
          ) : (
            <HostTable
              caption={HOSTS.caption}
              rows={rows}
              problems={byHost}
              sort={sort}
              onSort={({ key, dir }) => router.setQuery({ sort: key, dir })}
              onToggle={toggle}
              controls={({ id, name }) => (
                <MuteButton small target={groupTarget({ id, name })} groups={[{ id }]} />
              )}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
