import type { ComponentChildren } from "preact";
import type { HostGroups, HostStatus } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { isInState, LED_NAMES } from "../text/names.ts";
import { Field, Select } from "../ui/form.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { Toggle } from "../ui/toggle.tsx";
import { HOSTS } from "./hosts.texts.ts";

export interface HostFilter {
  text: string;
  led: string;
  state: string;
}

const LED_OPTIONS = [
  ["", HOSTS.anyState],
  ...([0, 1, 2, 3] as const).map((led) => [String(led), LED_NAMES[led]] as const),
] as const;

/** Hosts whose name, state or tags contain every word of the text, and that are in the state. */
export function filterHosts(
  hosts: readonly HostStatus[],
  { text, led, state }: HostFilter,
  wordsOf: (host: HostStatus) => string,
): readonly HostStatus[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return hosts.filter((host) => {
    if (led !== "" && host.led !== Number(led)) return false;
    if (!isInState(host, state)) return false;
    if (words.length === 0) return true;
    const searched = [host.hostname, wordsOf(host), ...host.tags].join(" ").toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}

interface FiltersProps {
  filter: HostFilter;
  group: string;
  tag: string;
  groups: HostGroups["records"];
  /** How many hosts are shown, beside the filters. */
  children: ComponentChildren;
}

/** The filter of the list of hosts, which is in the address, and how the list looks, which the browser keeps. */
export function HostFilters({ filter, group, tag, groups, children }: FiltersProps) {
  const { router, view } = useMuster();
  const groupOptions = [
    ["", HOSTS.allGroups],
    ...groups.map(({ id, name }) => [String(id), name] as const),
  ] as const;
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
        <Select
          label={HOSTS.group}
          name="group"
          value={group}
          options={groupOptions}
          onChange={(value) => router.setQuery({ group: value })}
        />
      )}
      <TagFilter
        label={HOSTS.tags}
        name="tag"
        placeholder={HOSTS.tagsHint}
        value={tag}
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
