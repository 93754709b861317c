import { useSignal } from "@preact/signals";
import { useRef } from "preact/hooks";
import type { HostStatus, HostStatusList, Rights } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { type PickerProps, PickOne } from "./combobox.tsx";
import { useDebounce } from "./debounce.ts";
import { UI } from "./ui.texts.ts";

const HOSTS = "/status/hosts/list";
const SUGGESTIONS = 20;
/** Longest name that is searched for. */
const MAX_NAME = 255;
/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 200;

interface HostChoiceProps extends Omit<PickerProps, "label"> {
  label?: string;
  /** The right that the user must have for suggested hosts. */
  right?: keyof Rights;
}

/** Name of a host in the suggestions, with its id if other hosts have the same name. */
function suggestionOf(host: HostStatus, hosts: readonly HostStatus[]): string {
  const isAlone = hosts.every((other) => other.id === host.id || other.hostname !== host.hostname);
  return isAlone ? host.hostname : UI.namesake(host.hostname, host.id);
}

/** The id behind a name that several hosts have, complete or still being typed. */
const ID_SUFFIX = / \((\d{0,15})\)?$/;

/**
 * Some of the hosts whose names contain a text. Hosts of exactly this name, and the one of an id behind it, are read
 * as well: the others may be too many to include them.
 * @param chosen name of the chosen host, whose namesakes are needed while nothing is typed
 */
function useHostsNamed(text: string, chosen: string, right: keyof Rights) {
  const { session } = useMuster();
  const reach = { hostgroupid: session.groupsOf(right), results: SUGGESTIONS };
  const hostname = text.replace(ID_SUFFIX, "") || chosen;
  const hostid = ID_SUFFIX.exec(text)?.[1] ?? "";
  const byId = useResource<HostStatusList>(HOSTS, { hostid, ...reach }, { skip: hostid === "" });
  const byName = useResource<HostStatusList>(HOSTS, { hostname, ...reach }, { skip: hostname === "" });
  const byPart = useResource<HostStatusList>(HOSTS, { hostpattern: text, ...reach });
  const reads = [...(hostid ? [byId] : []), ...(hostname ? [byName] : []), byPart];
  const lists = reads.map(({ data }) => data.value);
  /** Shown until the next ones have been read. */
  const previous = useRef<readonly HostStatus[]>([]);
  if (lists.every((list) => list !== null)) {
    const matching = new Map(lists.flatMap(({ records }) => records).map((host) => [host.id, host]));
    previous.current = [...matching.values()];
  }
  return { hosts: previous.current, reads };
}

/** A choice among any number of hosts: an input that suggests a few matching ones. */
export function HostChoice({ label = UI.host, right = "view", ...picker }: HostChoiceProps) {
  const { value, placeholder = UI.allHosts } = picker;
  const typed = useSignal("");
  /** The typed text, once the user has stopped typing. */
  const searchText = useSignal("");
  const search = useDebounce(SETTLED_MS);
  const chosen = useResource<HostStatusList>(HOSTS, { hostid: value, results: 1 }, { skip: value === "" });
  const host = chosen.data.value?.records[0];
  const { hosts, reads } = useHostsNamed(searchText.value, host?.hostname ?? "", right);
  const onType = (text: string) => {
    typed.value = text.trim().slice(0, MAX_NAME);
    search.delay(() => {
      searchText.value = typed.peek();
    });
  };
  return (
    <PickOne
      {...picker}
      label={label}
      placeholder={placeholder}
      text={host ? suggestionOf(host, hosts) : value && UI.hostOf(value)}
      options={hosts.map((host) => [String(host.id), suggestionOf(host, hosts)] as const)}
      reads={reads}
      onType={onType}
      isWaiting={typed.value !== searchText.value}
    />
  );
}
