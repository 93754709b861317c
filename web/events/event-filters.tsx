import type { GroupList, HostDetail } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/resource.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { EVENT_STATES, EVENT_TYPES, SERVICE_TYPES } from "../text/names.ts";
import { Field, Select } from "../ui/form.tsx";
import { HostChoice } from "../ui/host-choice.tsx";

/** Arguments of the event list that the address carries under the same names. */
export const FILTER_NAMES = [
  "active",
  "state",
  "hostid",
  "hostgroupid",
  "servicenameid",
  "servicegroupid",
  "servicetype",
  "eventtype",
  "datefrom",
  "dateto",
] as const;
type FilterName = (typeof FILTER_NAMES)[number];
type Options = readonly (readonly [value: string, text: string])[];

const ACTIVE: Options = [
  ["", "All events"],
  ["2", "Active problems"],
  ["1", "Active problems and dismissed ones"],
];
const STATES: Options = [
  ["", "Any state"],
  ...EVENT_STATES.map((name, code) => [String(code), name] as const),
];
const TYPES: Options = [
  ["", "Any type"],
  ...SERVICE_TYPES.map((name, code) => [String(code), name] as const),
];
const CLASSES: Options = [
  ["", "Any class"],
  ...EVENT_TYPES.map(([bit, name]) => [String(bit), name] as const),
];

/** Choices with the present one among them, even when it is not on the list any more. */
function withPresent(options: Options, present: string, what: string): Options {
  if (present === "" || options.some(([value]) => value === present)) return options;
  return [...options, [present, `${what} ${present}`]];
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
      label="Service"
      name="servicenameid"
      value={value}
      options={withPresent([["", "All services"], ...services], value, "Service")}
      onChange={onChange}
    />
  );
}

function GroupChoice({ value, onChange }: ChoiceProps) {
  const groups = useResource<GroupList>("/admin/groups/list").data.value?.groups ?? [];
  const options: Options = [
    ["", "All groups"],
    ...groups.map((group) => [String(group.id), group.name] as const),
  ];
  return (
    <Select
      label="Host group"
      name="hostgroupid"
      value={value}
      options={withPresent(options, value, "Group")}
      onChange={onChange}
    />
  );
}

interface ServiceGroups {
  records: { id: number; name: string; hostid: number }[];
}

function ServiceGroupChoice({ value, onChange }: ChoiceProps) {
  const groups = useResource<ServiceGroups>("/status/servicegroups/list").data.value?.records ?? [];
  if (groups.length === 0 && value === "") return null;
  const options: Options = [
    ["", "All service groups"],
    ...groups.map(({ id, name }) => [String(id), name] as const),
  ];
  return (
    <Select
      label="Service group"
      name="servicegroupid"
      value={value}
      options={withPresent(options, value, "Group")}
      onChange={onChange}
    />
  );
}

/** Every filter of the event list. What is seldom used is folded away until one of it is in force. */
export function EventFilters() {
  const { router, session } = useMuster();
  const query = router.place.value.query;
  const value = (name: FilterName) => query.get(name) ?? "";
  const set = (changes: Partial<Record<FilterName, string>>) =>
    router.setQuery({ ...changes, startindex: null, maxid: null });
  const to = (name: FilterName) => (chosen: string) => set({ [name]: chosen });
  const date = (name: FilterName) => (value(name) ? toLocalInput(Number(value(name))) : "");
  const folded: readonly FilterName[] = [
    "hostgroupid",
    "servicegroupid",
    "servicetype",
    "eventtype",
    "datefrom",
    "dateto",
  ];
  const inForce = folded.filter((name) => value(name) !== "").length;
  return (
    <search class="filters">
      <Select label="Show" name="active" value={value("active")} options={ACTIVE} onChange={to("active")} />
      <Select label="State" name="state" value={value("state")} options={STATES} onChange={to("state")} />
      <HostChoice value={value("hostid")} onChange={(hostid) => set({ hostid, servicenameid: "" })} />
      {value("hostid") && (
        <ServiceChoice
          hostId={value("hostid")}
          value={value("servicenameid")}
          onChange={to("servicenameid")}
        />
      )}
      <details class="more-filters" open={inForce > 0}>
        <summary>More filters{inForce > 0 && ` (${inForce})`}</summary>
        <div class="filters">
          {session.user.value?.admin && (
            <GroupChoice value={value("hostgroupid")} onChange={to("hostgroupid")} />
          )}
          <ServiceGroupChoice value={value("servicegroupid")} onChange={to("servicegroupid")} />
          <Select
            label="Service type"
            name="servicetype"
            value={value("servicetype")}
            options={TYPES}
            onChange={to("servicetype")}
          />
          <Select
            label="Event class"
            name="eventtype"
            value={value("eventtype")}
            options={withPresent(CLASSES, value("eventtype"), "Classes")}
            onChange={to("eventtype")}
          />
          {(["datefrom", "dateto"] as const).map((name) => (
            <Field
              key={name}
              label={name === "datefrom" ? "From" : "Until"}
              type="datetime-local"
              value={date(name)}
              onChange={(event) => set({ [name]: String(fromLocalInput(event.currentTarget.value) ?? "") })}
            />
          ))}
        </div>
      </details>
      {FILTER_NAMES.some((name) => value(name) !== "") && (
        <p class="filters-result">
          <button
            type="button"
            onClick={() => set(Object.fromEntries(FILTER_NAMES.map((name) => [name, ""])))}
          >
            Clear filter
          </button>
        </p>
      )}
    </search>
  );
}
