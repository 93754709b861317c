import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { HostStatus, HostStatusList, Rights } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { PickOne } from "./combobox.tsx";
import { UI } from "./ui.texts.ts";

const SUGGESTIONS = 20;
/** Longest name that is searched for. */
const MAX_NAME = 255;
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

/** What tells hosts of the same name apart, as far as it is typed. */
const ID_SUFFIX = / \(\d*\)?$/;

/** The hosts whose names contain a text, those of exactly this name first, as many others have it in theirs. */
function useHostsNamed(text: string, right: keyof Rights) {
  const { session } = useMuster();
  const reach = { hostgroupid: session.groupsOf(right), results: SUGGESTIONS };
  const reads = [
    useResource<HostStatusList>("/status/hosts/list", { hostname: text, ...reach }, { skip: text === "" }),
    useResource<HostStatusList>("/status/hosts/list", { hostpattern: text.replace(ID_SUFFIX, ""), ...reach }),
  ].slice(text === "" ? 1 : 0);
  const lists = reads.map(({ data }) => data.value);
  const failure = reads.find(({ error }) => error.value)?.error.value?.message;
  /** Shown until the next ones have been read. */
  const previous = useRef<readonly HostStatus[]>([]);
  const isRead = lists.every((list) => list !== null);
  if (isRead) {
    const found = new Map(lists.flatMap((list) => list?.records ?? []).map((host) => [host.id, host]));
    previous.current = [...found.values()];
  }
  return { hosts: previous.current, isReading: !isRead && failure === undefined, failure };
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
  const typed = useSignal("");
  /** The typed text, once the user has stopped typing. */
  const searchText = useSignal("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const chosen = useResource<HostStatusList>("/status/hosts/list", { hostid: value || 0, results: 1 });
  const { hosts, isReading, failure } = useHostsNamed(searchText.value, right);
  const host = chosen.data.value?.records[0] ?? hosts.find(({ id }) => String(id) === value);
  const onType = (text: string) => {
    typed.value = text.trim().slice(0, MAX_NAME);
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      searchText.value = typed.peek();
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
      isSearching={isReading || typed.value !== searchText.value}
      failure={failure}
      adds={adds}
    />
  );
}
