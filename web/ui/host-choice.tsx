import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HostStatus, HostStatusList, Rights } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { PickOne } from "./combobox.tsx";
import { UI } from "./ui.texts.ts";

const SUGGESTIONS = 20;
/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 200;

interface HostChoiceProps {
  /** Id of the chosen host; "" for all. */
  value: string;
  onChange: (id: string) => void;
  /** Label, name and placeholder of the input. */
  label?: string;
  name?: string;
  placeholder?: string;
  /** The right that the user must have for suggested hosts. */
  right?: keyof Rights;
  /** See `PickOne`. */
  adds?: boolean;
}

/** Name of a host in the suggestions, with its id if other hosts have the same name. */
function suggestionOf(host: HostStatus, hosts: readonly HostStatus[]): string {
  const isAlone = hosts.every((other) => other.id === host.id || other.hostname !== host.hostname);
  return isAlone ? host.hostname : `${host.hostname} (${host.id})`;
}

/** A choice among any number of hosts: an input that suggests a few matching ones. */
export function HostChoice({
  value,
  onChange,
  label = UI.host,
  name,
  placeholder = UI.allHosts,
  right = "view",
  adds = false,
}: HostChoiceProps) {
  const { session } = useMuster();
  const searchText = useSignal("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const chosen = useResource<HostStatusList>("/status/hosts/list", { hostid: value || 0, results: 1 });
  const suggested = useResource<HostStatusList>(
    "/status/hosts/list",
    { hostpattern: searchText.value, hostgroupid: session.groupsOf(right), results: SUGGESTIONS },
    { keepPrevious: true },
  );
  const hosts = suggested.data.value?.records ?? [];
  const host = chosen.data.value?.records[0] ?? hosts.find(({ id }) => String(id) === value);
  const onType = (text: string) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      searchText.value = text;
    }, SETTLED_MS);
  };
  return (
    <PickOne
      label={label}
      {...(name && { name })}
      placeholder={placeholder}
      value={value}
      text={value === "" ? "" : (host?.hostname ?? UI.hostOf(value))}
      options={hosts.map((host) => [String(host.id), suggestionOf(host, hosts)] as const)}
      onChange={onChange}
      onType={onType}
      adds={adds}
    />
  );
}
