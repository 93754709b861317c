import { useSignal } from "@preact/signals";
import { useEffect, useId, useRef } from "preact/hooks";
import type { HostStatus, HostStatusList } from "../api/types.ts";
import { useResource } from "../state/resource.ts";

const SUGGESTIONS = 20;
/** Pause in typing after which hosts are looked for. */
const SETTLED_MS = 200;

interface HostChoiceProps {
  /** Id of the chosen host; "" for all. */
  value: string;
  onChange: (id: string) => void;
  /** What the field is called, and what it says while it is empty. */
  label?: string;
  placeholder?: string;
}

/** What a host is called in the list of suggestions: with its id where others have the same name. */
function suggestionOf(host: HostStatus, all: readonly HostStatus[]): string {
  const isAlone = all.every((other) => other.id === host.id || other.hostname !== host.hostname);
  return isAlone ? host.hostname : `${host.hostname} (${host.id})`;
}

/** A choice among hosts, however many there are: a few that match what is typed are suggested. */
export function HostChoice({ value, onChange, label = "Host", placeholder = "All hosts" }: HostChoiceProps) {
  const id = useId();
  /** What is typed since the last choice; null when nothing is. */
  const typed = useSignal<string | null>(null);
  const sought = useSignal("");
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const chosen = useResource<HostStatusList>("/status/hosts/list", { hostid: value || 0, results: 1 });
  const name = value === "" ? "" : (chosen.data.value?.records[0]?.hostname ?? `Host ${value}`);
  const found = useResource<HostStatusList>(
    "/status/hosts/list",
    { hostpattern: sought.value, results: SUGGESTIONS },
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
  // The name was typed faster than it was found.
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
          // It chooses a host; a form sent off with half a name would do without one.
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
