import { useSignal } from "@preact/signals";
import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import type { SearchReply } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { CheckboxGroup, checkedValues, commaSeparated, Picked, Several } from "../ui/choices.tsx";
import { ListField } from "../ui/combobox.tsx";
import { useDebounce } from "../ui/debounce.ts";
import { HostChoice } from "../ui/host-choice.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { DAYS } from "./descriptions.texts.ts";
import type { References } from "./references.ts";
import { SCOPE } from "./scope.texts.ts";
import type { Scope } from "./types.ts";

/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 200;
const SERVICES = 20;

/** Names of services, separated by commas. Existing ones are suggested, others accepted. */
function ServicesField({ names }: { names: readonly string[] }) {
  const { api } = useMuster();
  const existing = useSignal<readonly string[]>([]);
  const search = useDebounce(SETTLED_MS);
  const onType = (text: string) => {
    search.cancel();
    existing.value = [];
    if (text === "") return;
    search.delay(async () => {
      const reply = await api
        .get<SearchReply>("/status/search", { text: text.slice(0, 255), results: SERVICES })
        .catch(() => null);
      existing.value = [...new Set(reply?.services.map(({ name }) => name))];
    });
  };
  return (
    <ListField
      label={SCOPE.services}
      name="servicename"
      items={names}
      hint={SCOPE.servicesHint}
      suggestions={existing.value.map((name) => ({ value: name, text: name }))}
      onType={onType}
    />
  );
}

/** Fields of a filter by hosts and services. Nothing chosen means everything. */
export function ScopeFields({ scope, references }: { scope: Scope; references: References }) {
  const { session } = useMuster();
  const { groups, names } = references;
  // A manager of host groups has to name some of their groups.
  const isBound = session.groupsOf("manage") !== null;
  const only = isBound && groups.length === 1 ? groups.map(({ id }) => id) : [];
  const deleted = (scope.hostgroups ?? []).filter((id) => !groups.some((group) => group.id === id));
  return (
    <>
      <Several
        legend={SCOPE.groups}
        placeholder={SCOPE.allGroups}
        name="hostgroupid"
        options={[
          ...groups.map(({ id, name }) => [id, name] as const),
          ...deleted.map((id) => [id, names.group(id)] as const),
        ]}
        chosen={scope.hostgroups ?? only}
        none={SCOPE.noGroup}
        required={isBound ? SCOPE.chooseGroup : undefined}
      />
      <TagField label={SCOPE.tags} name="tag" tags={scope.tags} hint={SCOPE.tagsHint} />
      <Picked
        name="hostid"
        chosen={scope.hosts ?? []}
        textOf={(id) => names.host(Number(id))}
        placeholder={SCOPE.allHosts}
      >
        {(picker) => <HostChoice {...picker} label={SCOPE.hosts} right="manage" />}
      </Picked>
      <ServicesField names={scope.servicenames ?? []} />
    </>
  );
}

/** Boxes for the days of the week, Monday first. @param days codes of the checked ones; Sunday is 0 */
export function DaysChoice({ name, days }: { name: string; days: readonly number[] }) {
  // Monday first; the code of Sunday is 0.
  const order = [1, 2, 3, 4, 5, 6, 0];
  return (
    <CheckboxGroup
      legend={SCOPE.days}
      name={name}
      options={order.map((day) => [day, DAYS[day] ?? ""] as const)}
      chosen={days}
    />
  );
}

/** The filter of the form's scope, as resources take it. */
export function placeFilter(values: FormData) {
  return withoutEmpty({
    hosts: checkedValues(values, "hostid").map(Number),
    hostgroups: checkedValues(values, "hostgroupid").map(Number),
    tags: commaSeparated(values, "tag"),
    servicenames: commaSeparated(values, "servicename"),
  });
}
