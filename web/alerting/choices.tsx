import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { useMuster } from "../state/muster.ts";
import { Field } from "../ui/form.tsx";
import { HostChoice } from "../ui/host-choice.tsx";
import { Icon } from "../ui/icon.tsx";
import { TagField } from "../ui/tag-field.tsx";
import { DAYS } from "./descriptions.texts.ts";
import type { References } from "./references.ts";
import { SCOPE } from "./scope.texts.ts";
import type { Scope } from "./types.ts";

/** A value and its label. */
export type Option = readonly [value: string | number, text: string];

interface CheckboxGroupProps {
  legend: string;
  name: string;
  options: readonly Option[];
  chosen: readonly (string | number)[];
  /** Shown when there is nothing to choose from. */
  none?: ComponentChildren;
  hint?: string;
  /** Why the form is not sent while none is chosen; without it, none need be. */
  required?: string | undefined;
}

/** Sets what the browser says of a group of checkboxes in which none is checked. */
function useRequired(required: string | undefined) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const check = () => {
    const boxes = [...(frame.current?.querySelectorAll("input") ?? [])];
    const isMissing = required !== undefined && !boxes.some(({ checked }) => checked);
    boxes[0]?.setCustomValidity(isMissing ? required : "");
  };
  useEffect(check);
  return { frame, check };
}

/** A choice of several among a few options. */
export function CheckboxGroup({ legend, name, options, chosen, none, hint, required }: CheckboxGroupProps) {
  const { frame, check } = useRequired(required);
  return (
    <fieldset ref={frame} class="checks" onChange={check}>
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

/** A choice of several among any number of hosts. */
function HostsChoice({ ids, references }: { ids: readonly number[]; references: References }) {
  const chosen = useSignal(ids);
  const frame = useRef<HTMLDivElement>(null);
  const remove = (id: number) => {
    chosen.value = chosen.peek().filter((other) => other !== id);
    // The button that had the focus is removed with the host.
    frame.current?.querySelector<HTMLElement>("input[type=search]")?.focus();
  };
  return (
    <div ref={frame} class="hosts-choice">
      <HostChoice
        label={SCOPE.hosts}
        right="manage"
        placeholder={chosen.value.length === 0 ? SCOPE.allHosts : SCOPE.addHost}
        value=""
        onChange={(id) => {
          if (id !== "" && !chosen.peek().includes(Number(id))) chosen.value = [...chosen.peek(), Number(id)];
        }}
      />
      <ul class="chips">
        {chosen.value.map((id) => (
          <li key={id}>
            <input type="hidden" name="hostid" value={id} />
            <button
              type="button"
              class="small chip"
              aria-label={SCOPE.removeHost(references.names.host(id))}
              onClick={() => remove(id)}
            >
              {references.names.host(id)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Fields of a scope. Nothing chosen means everything. */
export function ScopeFields({ scope, references }: { scope: Scope; references: References }) {
  const { session } = useMuster();
  const { groups, names } = references;
  // A manager of host groups has to name some of them.
  const isBound = session.groupsOf("manage") !== null;
  const only = isBound && groups.length === 1 ? groups.map(({ id }) => id) : [];
  const deleted = (scope.hostgroups ?? []).filter((id) => !groups.some((group) => group.id === id));
  return (
    <>
      <CheckboxGroup
        legend={SCOPE.groups}
        name="hostgroupid"
        options={[
          ...groups.map(({ id, name }) => [id, name] as const),
          ...deleted.map((id) => [id, names.group(id)] as const),
        ]}
        chosen={scope.hostgroups ?? only}
        none={SCOPE.noGroup}
        required={isBound ? SCOPE.chooseGroup : undefined}
      />
      <TagField label={SCOPE.tags} name="tag" value={(scope.tags ?? []).join(", ")} hint={SCOPE.tagsHint} />
      <HostsChoice ids={scope.hosts ?? []} references={references} />
      <Field
        label={SCOPE.services}
        name="servicename"
        defaultValue={(scope.servicenames ?? []).join(", ")}
        hint={SCOPE.servicesHint}
      />
    </>
  );
}

export function DaysChoice({ name, days }: { name: string; days: readonly number[] }) {
  // Monday first, as most calendars have it; the code of Sunday is 0.
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

/** The conditions that name something. Absent ones match anything. */
export function withoutEmpty<T extends Record<string, readonly unknown[]>>(conditions: T): Partial<T> {
  return Object.fromEntries(Object.entries(conditions).filter(([, items]) => items.length > 0)) as Partial<T>;
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

/** A list as an argument of an update: an empty text empties it, while an absent argument would keep it. */
export function listArgument<T>(items: readonly T[]): readonly (T | "")[] {
  return items.length > 0 ? items : [""];
}

/** The items of a text field, which commas separate. */
export function commaSeparated(values: FormData, name: string): string[] {
  return String(values.get(name) ?? "")
    .split(",")
    .map((one) => one.trim())
    .filter((one) => one !== "");
}

/** The checked values of a `CheckboxGroup`. */
export function checkedValues(values: FormData, name: string): string[] {
  return values.getAll(name).map(String);
}

/** The values of `ScopeFields` as arguments. */
export function scopeArguments(values: FormData) {
  return {
    hostid: listArgument(checkedValues(values, "hostid")),
    hostgroupid: listArgument(checkedValues(values, "hostgroupid")),
    tag: listArgument(commaSeparated(values, "tag")),
    servicename: listArgument(commaSeparated(values, "servicename")),
  };
}
