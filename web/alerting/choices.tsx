import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import { Field } from "../ui/form.tsx";
import { HostChoice } from "../ui/host-choice.tsx";
import { Icon } from "../ui/icon.tsx";
import type { Known } from "./known.ts";
import type { Place } from "./types.ts";
import { DAYS } from "./words.ts";

type Option = readonly [value: string | number, text: string];

interface ChecksProps {
  legend: string;
  name: string;
  options: readonly Option[];
  chosen: readonly (string | number)[];
  /** When there is nothing to choose from. */
  none?: ComponentChildren;
  hint?: string;
}

/** A choice of several among a few. */
export function Checks({ legend, name, options, chosen, none, hint }: ChecksProps) {
  return (
    <fieldset class="checks">
      <legend>{legend}</legend>
      {options.length === 0 && <p class="hint">{none}</p>}
      <div class="check-list">
        {options.map(([value, text]) => (
          <label key={value} class="check">
            <input type="checkbox" name={name} value={value} defaultChecked={chosen.includes(value)} />
            <span>{text}</span>
          </label>
        ))}
      </div>
      {hint && <p class="hint">{hint}</p>}
    </fieldset>
  );
}

/** A choice of several hosts, however many there are. */
function HostsChoice({ ids, known }: { ids: readonly number[]; known: Known }) {
  const chosen = useSignal(ids);
  const frame = useRef<HTMLDivElement>(null);
  const remove = (id: number) => {
    chosen.value = chosen.peek().filter((other) => other !== id);
    // The button that had the focus is gone.
    frame.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
  };
  return (
    <div ref={frame} class="hosts-choice">
      <HostChoice
        label="Hosts"
        placeholder={chosen.value.length === 0 ? "All hosts; type to add one" : "Type to add one"}
        value=""
        onChange={(id) => {
          if (id !== "" && !chosen.peek().includes(Number(id))) chosen.value = [...chosen.peek(), Number(id)];
        }}
      />
      <ul class="chips">
        {chosen.value.map((id) => (
          <li key={id}>
            <input type="hidden" name="hostid" value={id} />
            <button type="button" class="small chip" onClick={() => remove(id)}>
              <span class="unseen">Take away </span>
              {known.names.host(id)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Which hosts and services are meant; nothing chosen is everything. */
export function PlaceFields({ place, known }: { place: Place; known: Known }) {
  const { groups } = known;
  const gone = (place.hostgroupids ?? []).filter((id) => !groups.some((group) => group.id === id));
  return (
    <>
      <Checks
        legend="Host groups"
        name="hostgroupid"
        options={[
          ...groups.map(({ id, name }) => [id, name] as const),
          ...gone.map((id) => [id, known.names.group(id)] as const),
        ]}
        chosen={place.hostgroupids ?? []}
        none="There is no group yet."
      />
      <HostsChoice ids={place.hostids ?? []} known={known} />
      <Field
        label="Services"
        name="servicename"
        defaultValue={(place.servicenames ?? []).join(", ")}
        hint="Names with commas between; * stands for anything. Empty: all services"
      />
    </>
  );
}

export function DaysChoice({ name, days }: { name: string; days: readonly number[] }) {
  // Weeks begin on Monday for most; the code of Sunday is 0.
  const order = [1, 2, 3, 4, 5, 6, 0];
  return (
    <Checks
      legend="Days"
      name={name}
      options={order.map((day) => [day, DAYS[day] ?? ""] as const)}
      chosen={days}
    />
  );
}

/** A list for a call: an empty text takes away what was there. */
export function orNone<T>(items: readonly T[]): readonly (T | "")[] {
  return items.length > 0 ? items : [""];
}

/** The names in a text with commas between. */
export function namesIn(values: FormData, name: string): string[] {
  return String(values.get(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** What was chosen in `Checks`. */
export function chosenIn(values: FormData, name: string): string[] {
  return values.getAll(name).map(String);
}

export function placeArguments(values: FormData) {
  return {
    hostid: orNone(chosenIn(values, "hostid")),
    hostgroupid: orNone(chosenIn(values, "hostgroupid")),
    servicename: orNone(namesIn(values, "servicename")),
  };
}
