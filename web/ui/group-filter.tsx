import type { HostGroups } from "../api/types.ts";
import { useResource } from "../state/polled-resource.ts";
import { PickOne } from "./combobox.tsx";
import { UI } from "./ui.texts.ts";

interface GroupFilterProps {
  label: string;
  /** Id of the chosen host group; "" for all. */
  value: string;
  onChange: (id: string) => void;
}

/** A choice among any number of host groups. */
export function GroupFilter({ label, value, onChange }: GroupFilterProps) {
  const list = useResource<HostGroups>("/status/hostgroups/list");
  const groups = list.data.value?.records ?? [];
  const name = groups.find(({ id }) => String(id) === value)?.name ?? UI.groupOf(value);
  return (
    <PickOne
      label={label}
      placeholder={UI.allGroups}
      value={value}
      text={value === "" ? "" : name}
      options={groups.map((group) => [String(group.id), group.name] as const)}
      onChange={onChange}
      reads={[list]}
    />
  );
}
