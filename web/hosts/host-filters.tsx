import type { ComponentChildren } from "preact";
import { sortKey } from "../../src/platform/sort-key.ts";
import { type FilterNameOf, filterNames } from "../../src/publishing/filters/list-addresses.ts";
import type { HostGroups, HostStatus } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { itemsOf } from "../text/comma-list.ts";
import { isInState } from "../text/host-conditions.ts";
import { LED_NAMES } from "../text/names.ts";
import { Field } from "../ui/fields.tsx";
import { GroupFilter } from "../ui/group-filter.tsx";
import { Select } from "../ui/select.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { HOST_FIELDS } from "./host-fields.texts.ts";
import { HOSTS } from "./hosts.texts.ts";

const NAMES = filterNames("hosts");

/** The filter in the address; "" for each part that is absent. */
export type HostFilter = Readonly<Record<FilterNameOf<"hosts">, string>>;

/** The filter of the list of hosts in an address. Values are not checked. */
export function hostFilterOf(query: URLSearchParams): HostFilter {
  return Object.fromEntries(NAMES.map((name) => [name, query.get(name) ?? ""])) as HostFilter;
}

/** The part of the filter that the service applies, as arguments. The page itself filters by text and state. */
export function argumentsOf({ group, tag }: HostFilter) {
  return { hostgroupid: group, tag: itemsOf(tag) };
}

/** An empty filter. */
export const NO_FILTER: HostFilter = hostFilterOf(new URLSearchParams());

const LED_OPTIONS = [
  ["", HOSTS.anyState],
  ...([0, 1, 2, 3] as const).map((led) => [String(led), LED_NAMES[led]] as const),
] as const;

/** Whether a host has a service or a group whose name contains a part of the text. */
export type NamedBy = (part: string, hostId: number) => boolean;

/** Hosts in this state whose name, state, tags, services or groups contain every word of the text. */
export function filterHosts(
  hosts: readonly HostStatus[],
  { text, led, state }: Pick<HostFilter, "text" | "led" | "state">,
  wordsOf: (host: HostStatus) => string,
  isNamedBy: NamedBy = () => false,
): readonly HostStatus[] {
  const words = sortKey(text).split(/\s+/).filter(Boolean);
  return hosts.filter((host) => {
    if (led !== "" && host.led !== Number(led)) return false;
    if (!isInState(host, state)) return false;
    if (words.length === 0) return true;
    const searched = sortKey([host.hostname, wordsOf(host), ...host.tags].join(" "));
    return words.every((word) => searched.includes(word) || isNamedBy(word, host.id));
  });
}

interface FiltersProps {
  filter: HostFilter;
  groups: HostGroups["records"];
  /** How many hosts are shown, beside the filters. */
  children: ComponentChildren;
}

/** The filter of the list of hosts, kept in the address, and the style of the list, kept in the browser. */
export function HostFilters({ filter, groups, children }: FiltersProps) {
  const { router, view } = useMuster();
  return (
    <search class="filters">
      <Field
        label={HOSTS.search}
        name="text"
        type="search"
        placeholder={HOSTS.searchHint}
        value={filter.text}
        onInput={(event) => router.setQuery({ text: event.currentTarget.value })}
      />
      <Select
        label={HOSTS.state}
        name="led"
        value={filter.led}
        options={LED_OPTIONS}
        onChange={(led) => router.setQuery({ led })}
      />
      {groups.length > 0 && (
        <GroupFilter
          label={HOSTS.group}
          value={filter.group}
          onChange={(group) => router.setQuery({ group })}
        />
      )}
      <TagFilter
        label={HOST_FIELDS.tags}
        name="tag"
        placeholder={HOSTS.tagsHint}
        value={filter.tag}
        onChange={(value) => router.setQuery({ tag: value })}
      />
      {children}
      <div class="filters-view">
        {groups.length > 0 && <Toggle on={view.sections} icon="groups" label={HOSTS.sections} />}
        <Toggle on={view.dense} icon="events" label={HOSTS.dense} />
      </div>
    </search>
  );
}
