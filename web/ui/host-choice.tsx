import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { HostStatus, HostStatusList, Rights } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { useResource } from "../state/polled-resource.ts";
import { UI } from "./ui.texts.ts";

const SUGGESTIONS = 20;
/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 200;

interface HostChoiceProps {
  /** Id of the chosen host; "" for all. */
  value: string;
  onChange: (id: string) => void;
  /** Label and placeholder of the input. */
  label?: string;
  placeholder?: string;
  /** What the user must have the right for, with the hosts that are suggested. */
  right?: keyof Rights;
}

/** Name of a host in the suggestions, with its id where other hosts have the same name. */
function suggestionOf(host: HostStatus, all: readonly HostStatus[]): string {
  const isAlone = all.every((other) => other.id === host.id || other.hostname !== host.hostname);
  return isAlone ? host.hostname : `${host.hostname} (${host.id})`;
}

/** A choice among any number of hosts: an input that suggests a few matching ones. */
export function HostChoice({
  value,
  onChange,
  label = UI.host,
  placeholder = UI.allHosts,
  right = "view",
}: HostChoiceProps) {
  const { session } = useMuster();
  const id = useId();
  /** Text typed since the last choice; null when none. */
  const typed = useSignal<string | null>(null);
  const sought = useSignal("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const chosen = useResource<HostStatusList>("/status/hosts/list", { hostid: value || 0, results: 1 });
  const name = value === "" ? "" : (chosen.data.value?.records[0]?.hostname ?? UI.hostOf(value));
  const found = useResource<HostStatusList>(
    "/status/hosts/list",
    { hostpattern: sought.value, hostgroupid: session.groupsOf(right), results: SUGGESTIONS },
    { keepPrevious: true },
  );
  const hosts = found.data.value?.records ?? [];
  const choose = (text: string) => {
    const host = hosts.find((one) => suggestionOf(one, hosts) === text);
    if (text !== "" && !host) return;
    typed.value = null;
    onChange(host ? String(host.id) : "");
  };
  const onInput = (text: string) => {
    typed.value = text;
    clearTimeout(timer.current);
    timer.current = setTimeout(() => {
      sought.value = text;
    }, SETTLED_MS);
    choose(text);
  };
  // A full name may be typed before the suggestions arrive.
  useEffect(() => {
    if (typed.peek()) choose(typed.peek() ?? "");
  }, [found.data.value]);
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="search"
        list={`${id}-hosts`}
        autoComplete="off"
        placeholder={placeholder}
        value={typed.value ?? name}
        onInput={(event) => onInput(event.currentTarget.value)}
        onKeyDown={(event) => {
          // Enter chooses a host. Submitting the form with half a name would submit it without a host.
          if (event.key === "Enter") event.preventDefault();
        }}
        onBlur={() => {
          typed.value = null;
        }}
      />
      <datalist id={`${id}-hosts`}>
        {hosts.map((host) => (
          <option key={host.id} value={suggestionOf(host, hosts)} />
        ))}
      </datalist>
    </div>
  );
}
