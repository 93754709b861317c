import type { ComponentChildren } from "preact";
import { useEffect, useMemo } from "preact/hooks";
import type { GroupList, HostStatus, HostStatusList } from "../api/types.ts";
import { useAnnounce, useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { counted, formatNumber } from "../text/format.ts";
import { HOST_CONDITIONS, LED_COLOURS, LED_NAMES } from "../text/names.ts";
import { Field, Select } from "../ui/form.tsx";
import { Page } from "../ui/page.tsx";
import { Empty, Loaded } from "../ui/states.tsx";
import { type Sort, sorted, Table } from "../ui/table.tsx";
import { HostCounts } from "./host-counts.tsx";
import { HOST_COLUMNS } from "./host-table.tsx";

const LIVE_SECONDS = 5;
/** Debounce of the announcement of the number of matches, milliseconds. */
const SETTLED_MS = 600;

const LED_OPTIONS = [
  ["", "Any light"],
  ...([0, 1, 2, 3] as const).map((led) => [String(led), `${LED_NAMES[led]} (${LED_COLOURS[led]})`] as const),
] as const;

interface Filter {
  text: string;
  led: string;
  state: string;
}

/**
 * Hosts that pass the filter: name or status contains every word of the text, and light and condition match.
 */
export function filterHosts(
  hosts: readonly HostStatus[],
  { text, led, state }: Filter,
): readonly HostStatus[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const condition = HOST_CONDITIONS.find(({ key }) => key === state);
  return hosts.filter((host) => {
    if (led !== "" && host.led !== Number(led)) return false;
    if (condition && !condition.has(host)) return false;
    const searched = `${host.hostname} ${host.status}`.toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

function GroupFilter({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const groups = useResource<GroupList>("/admin/groups/list").data.value?.groups ?? [];
  if (groups.length === 0) return null;
  const options = [
    ["", "All groups"],
    ...groups.map((group) => [String(group.id), group.name] as const),
  ] as const;
  return <Select label="Group" name="group" value={value} options={options} onChange={onChange} />;
}

/** The hosts that the address asks for: filter, group and order. */
function useHostList() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const filter: Filter = {
    text: query.get("text") ?? "",
    led: query.get("led") ?? "",
    state: query.get("state") ?? "",
  };
  const group = query.get("group") ?? "";
  const sort: Sort = { key: query.get("sort") ?? "name", dir: query.get("dir") === "desc" ? "desc" : "asc" };
  const hosts = useResource<HostStatusList>(
    "/status/hosts/list",
    { hostgroupid: group },
    { every: LIVE_SECONDS, keepPrevious: true },
  );
  const records = hosts.data.value?.records;
  // Sorting many hosts takes longer than filtering them, and a key typed into the filter does not need it.
  const all = useMemo(
    () => sorted(records ?? [], HOST_COLUMNS, { key: sort.key, dir: sort.dir }),
    [records, sort.key, sort.dir],
  );
  const rows = useMemo(() => filterHosts(all, filter), [all, filter.text, filter.led, filter.state]);
  const filtered = filter.text !== "" || filter.led !== "" || filter.state !== "" || group !== "";
  return { hosts, total: all.length, rows, filter, group, sort, filtered };
}

interface FiltersProps {
  filter: Filter;
  group: string;
  /** How many hosts are shown, beside the filters. */
  children: ComponentChildren;
}

function Filters({ filter, group, children }: FiltersProps) {
  const { router, session } = useMuster();
  return (
    <search class="filters">
      <Field
        label="Search"
        name="text"
        type="search"
        placeholder="Name or status"
        value={filter.text}
        onInput={(event) => router.setQuery({ text: event.currentTarget.value })}
      />
      <Select
        label="Light"
        name="led"
        value={filter.led}
        options={LED_OPTIONS}
        onChange={(led) => router.setQuery({ led })}
      />
      {session.user.value?.admin && (
        <GroupFilter value={group} onChange={(value) => router.setQuery({ group: value })} />
      )}
      {children}
    </search>
  );
}

export function HostsScreen() {
  const { router } = useMuster();
  const announce = useAnnounce();
  const { hosts, total, rows, filter, group, sort, filtered } = useHostList();
  const count =
    rows.length === total
      ? counted(total, "host")
      : `${formatNumber(rows.length, 0)} of ${counted(total, "host")}`;

  useEffect(() => {
    if (!filtered) return;
    const timer = setTimeout(() => announce(`${count} shown`), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [filtered, count]);

  return (
    <Page title="Hosts">
      <HostCounts chosen={filter.state} />
      <Filters filter={filter} group={group}>
        <p class="filters-result">
          {count}
          {filtered && (
            <button
              type="button"
              onClick={() => router.setQuery({ text: "", led: "", state: "", group: "" })}
            >
              Clear filter
            </button>
          )}
        </p>
      </Filters>
      <Loaded from={hosts}>
        {() =>
          rows.length === 0 ? (
            <Empty>{filtered ? "No host passes the filter." : "No host has reported yet."}</Empty>
          ) : (
            <Table
              caption="Hosts"
              columns={HOST_COLUMNS}
              rows={rows}
              rowKey={(host) => host.id}
              sort={sort}
              onSort={({ key, dir }) => router.setQuery({ sort: key, dir })}
            />
          )
        }
      </Loaded>
    </Page>
  );
}
