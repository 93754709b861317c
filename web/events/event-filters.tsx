import { useSignal } from "@preact/signals";
import { type FilterNameOf, filterNames } from "../../src/publishing/filters/list-addresses.ts";
import type { HostDetail, ServiceGroupList } from "../api/types.ts";
import { timeIn } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { EVENT_STATES } from "../text/names.ts";
import { EVENT_TYPES, SERVICE_TYPES } from "../text/type-names.ts";
import { DateRange } from "../ui/date-range.tsx";
import { useDebounce } from "../ui/debounce.ts";
import { Field } from "../ui/fields.tsx";
import { GroupFilter } from "../ui/group-filter.tsx";
import { HostChoice } from "../ui/host-choice.tsx";
import { useOutsideChange } from "../ui/outside-change.ts";
import { Select } from "../ui/select.tsx";
import { Unread } from "../ui/states.tsx";
import { TagFilter } from "../ui/tag-field.tsx";
import { UI } from "../ui/ui.texts.ts";
import { EVENTS } from "./events.texts.ts";

/** Filter arguments of the event list. The address of the page carries them under the same names. */
export const FILTER_NAMES = filterNames("events");
/** Debounce of the text search, milliseconds. */
const SETTLED_MS = 250;

type FilterName = FilterNameOf<"events">;
type Options = readonly (readonly [value: string, text: string])[];

const STATES: Options = [
  ["", EVENTS.anyState],
  ...EVENT_STATES.map((name, code) => [String(code), name] as const),
];
const TYPES: Options = [
  ["", EVENTS.anyType],
  ...SERVICE_TYPES.map((name, code) => [String(code), name] as const),
];
const CLASSES: Options = [
  ["", EVENTS.anyClass],
  ...EVENT_TYPES.map(([bit, name]) => [String(bit), name] as const),
];

/** The options, including the chosen value even if it has been deleted. */
function withChosen(options: Options, chosen: string, nameOf: (id: string) => string): Options {
  if (chosen === "" || options.some(([value]) => value === chosen)) return options;
  return [...options, [chosen, nameOf(chosen)]];
}

interface ChoiceProps {
  value: string;
  onChange: (value: string) => void;
}

function ServiceChoice({ hostId, value, onChange }: ChoiceProps & { hostId: string }) {
  const host = useResource<HostDetail>("/status/hosts/get", { id: hostId }).data.value?.records.host;
  const services = host?.services.map((service) => [String(service.nameid), service.name] as const) ?? [];
  return (
    <Select
      label={EVENTS.service}
      name="servicenameid"
      value={value}
      options={withChosen([["", EVENTS.allServices], ...services], value, EVENTS.unknownService)}
      onChange={onChange}
    />
  );
}

function ServiceGroupChoice({ value, onChange }: ChoiceProps) {
  const list = useResource<ServiceGroupList>("/status/servicegroups/list");
  const groups = list.data.value?.records ?? [];
  if (groups.length === 0 && value === "") return <Unread from={list} what={EVENTS.serviceGroups} />;
  const options: Options = [
    ["", EVENTS.allServiceGroups],
    ...groups.map(({ id, name }) => [String(id), name] as const),
  ];
  return (
    <Select
      label={EVENTS.serviceGroup}
      name="servicegroupid"
      value={value}
      options={withChosen(options, value, UI.groupOf)}
      onChange={onChange}
    />
  );
}

/** The filters in the address. Changing one leads back to the first page. */
function useFilters() {
  const { router } = useMuster();
  const { query } = router.address.value;
  const value = (name: FilterName) => query.get(name) ?? "";
  const set = (changes: Partial<Record<FilterName, string>>) =>
    router.setQuery({ ...changes, startindex: null, maxid: null });
  const setter = (name: FilterName) => (chosen: string) => set({ [name]: chosen });
  return { query, value, set, setter };
}

type Filters = ReturnType<typeof useFilters>;

/** Folded unless one of them is in use. */
const RARE_FILTERS: readonly FilterName[] = [
  "hostgroupid",
  "tag",
  "servicegroupid",
  "servicetype",
  "eventtype",
  "datefrom",
  "dateto",
];

function RareFilters({ filters: { query, value, set, setter } }: { filters: Filters }) {
  const inUse = RARE_FILTERS.filter((name) => value(name) !== "").length;
  // Stays open when the last filter is emptied: otherwise the input with the focus would be folded away.
  const isOpen = useSignal(inUse > 0);
  return (
    <details
      class="more-filters"
      open={isOpen.value || inUse > 0}
      onToggle={(event) => {
        isOpen.value = event.currentTarget.open;
      }}
    >
      <summary>{inUse > 0 ? EVENTS.moreFiltersInUse(inUse) : EVENTS.moreFilters}</summary>
      <div class="filters">
        <GroupFilter label={EVENTS.group} value={value("hostgroupid")} onChange={setter("hostgroupid")} />
        <TagFilter
          label={EVENTS.tags}
          name="tag"
          placeholder={EVENTS.tagsHint}
          value={value("tag")}
          onChange={setter("tag")}
        />
        <ServiceGroupChoice value={value("servicegroupid")} onChange={setter("servicegroupid")} />
        <Select
          label={EVENTS.type}
          name="servicetype"
          value={value("servicetype")}
          options={TYPES}
          onChange={setter("servicetype")}
        />
        <Select
          label={EVENTS.class}
          name="eventtype"
          value={value("eventtype")}
          options={withChosen(CLASSES, value("eventtype"), EVENTS.unknownClasses)}
          onChange={setter("eventtype")}
        />
        <DateRange
          from={timeIn(query, "datefrom")}
          until={timeIn(query, "dateto")}
          onChange={(from, until) => set({ datefrom: String(from ?? ""), dateto: String(until ?? "") })}
        />
      </div>
    </details>
  );
}

/** Words in events. The list is read when the user stops typing. */
function TextFilter({ value, onChange }: ChoiceProps) {
  const typing = useDebounce(SETTLED_MS);
  const typed = useSignal(value);
  const sends = useOutsideChange(value, () => {
    typing.cancel();
    typed.value = value;
  });
  const send = (text: string) => {
    sends(text);
    onChange(text);
  };
  return (
    <Field
      label={EVENTS.search}
      name="text"
      type="search"
      maxLength={255}
      placeholder={EVENTS.searchHint}
      value={typed.value}
      onInput={(event) => {
        const text = event.currentTarget.value;
        typed.value = text;
        typing.delay(() => send(text));
      }}
    />
  );
}

/** Every filter of the event list. */
export function EventFilters() {
  const filters = useFilters();
  const { value, set, setter } = filters;
  /** How often the filters were cleared. As the key of the inputs, it also removes text that was not applied. */
  const clears = useSignal(0);
  return (
    <search key={clears.value} class="filters">
      <TextFilter value={value("text")} onChange={setter("text")} />
      <Select
        label={EVENTS.show}
        name="active"
        value={value("active")}
        options={EVENTS.shown}
        onChange={setter("active")}
      />
      <Select
        label={EVENTS.state}
        name="state"
        value={value("state")}
        options={STATES}
        onChange={setter("state")}
      />
      <HostChoice value={value("hostid")} onChange={(hostid) => set({ hostid, servicenameid: "" })} />
      {value("hostid") && (
        <ServiceChoice
          hostId={value("hostid")}
          value={value("servicenameid")}
          onChange={setter("servicenameid")}
        />
      )}
      <RareFilters filters={filters} />
      {FILTER_NAMES.some((name) => value(name) !== "") && (
        <p class="filters-result">
          <button
            type="button"
            onClick={() => {
              set(Object.fromEntries(FILTER_NAMES.map((name) => [name, ""])));
              clears.value++;
            }}
          >
            {EVENTS.clear}
          </button>
        </p>
      )}
    </search>
  );
}
