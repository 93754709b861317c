import { useSignal } from "@preact/signals";
import type { ComponentChildren, TargetedMouseEvent } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { withoutEmpty } from "../../src/monitoring/places/place-filter.ts";
import type { SearchReply } from "../api/types.ts";
import { useMuster } from "../state/muster.ts";
import { ListField, PickOne } from "../ui/combobox.tsx";
import { touch, useDraftedItems } from "../ui/form.tsx";
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
  /** Why the form is not sent while nothing is chosen; absent if a choice is optional. */
  required?: string | undefined;
}

/** Sets the browser's message for a group of checkboxes in which none is checked. */
function useRequired(required: string | undefined) {
  const frame = useRef<HTMLFieldSetElement>(null);
  const check = () => {
    const boxes = [...(frame.current?.querySelectorAll("input") ?? [])];
    const isMissing = required !== undefined && !boxes.some(({ checked }) => checked);
    boxes[0]?.setCustomValidity(isMissing ? required : "");
  };
  useLayoutEffect(check);
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

interface PickedProps {
  name: string;
  chosen: readonly (string | number)[];
  textOf: (value: string) => string;
  required?: string | undefined;
  /** The control that adds a value. */
  children: (add: (value: string) => void, isEmpty: boolean) => ComponentChildren;
}

/** The chosen values, each with a button that removes it, below the control that adds one. */
function Picked({ name, chosen: initial, textOf, required, children }: PickedProps) {
  const chosen = useSignal<readonly string[]>(useDraftedItems(name) ?? initial.map(String));
  const frame = useRef<HTMLDivElement>(null);
  const input = () => frame.current?.querySelector<HTMLInputElement>("input[type=search]");
  const isEmpty = chosen.value.length === 0;
  useLayoutEffect(() => input()?.setCustomValidity((isEmpty && required) || ""));
  const add = (value: string) => {
    if (value !== "" && !chosen.peek().includes(value)) chosen.value = [...chosen.peek(), value];
  };
  const remove = (value: string, event: TargetedMouseEvent<HTMLButtonElement>) => {
    touch(event);
    chosen.value = chosen.peek().filter((other) => other !== value);
    // The button that had the focus is removed with its value.
    input()?.focus();
  };
  return (
    <div ref={frame} class="picked" data-list={name}>
      {children(add, isEmpty)}
      <ul class="chips">
        {chosen.value.map((value) => (
          <li key={value}>
            <input type="hidden" name={name} value={value} />
            <button
              type="button"
              class="small chip"
              aria-label={SCOPE.remove(textOf(value))}
              onClick={(event) => remove(value, event)}
            >
              {textOf(value)}
              <Icon name="close" />
            </button>
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Up to this many options are shown as checkboxes. More are found by typing. */
const MAX_BOXES = 12;

/** A choice of several among a few options or many. */
export function Several(props: CheckboxGroupProps & { placeholder: string }) {
  const { legend, name, options, chosen, required, hint, placeholder } = props;
  if (options.length <= MAX_BOXES) return <CheckboxGroup {...props} />;
  const texts = options.map(([value, text]) => [String(value), text] as const);
  const names = new Map(texts);
  return (
    <Picked name={name} chosen={chosen} textOf={(value) => names.get(value) ?? value} required={required}>
      {(add, isEmpty) => (
        <PickOne
          label={legend}
          placeholder={isEmpty ? placeholder : SCOPE.addAnother}
          value=""
          text=""
          options={texts}
          onChange={add}
          {...(hint && { hint })}
        />
      )}
    </Picked>
  );
}

/** Debounce of the search while the user types, milliseconds. */
const SETTLED_MS = 200;
const SERVICES = 20;

/** Names of services, separated by commas. Existing ones are suggested, others accepted. */
function ServicesField({ names }: { names: readonly string[] }) {
  const { api } = useMuster();
  const existing = useSignal<readonly string[]>([]);
  const timer = useRef<ReturnType<typeof setTimeout> | undefined>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  const onType = (text: string) => {
    clearTimeout(timer.current);
    existing.value = [];
    if (text === "") return;
    timer.current = setTimeout(async () => {
      const reply = await api
        .get<SearchReply>("/status/search", { text: text.slice(0, 255), results: SERVICES })
        .catch(() => null);
      existing.value = [...new Set(reply?.services.map(({ name }) => name))];
    }, SETTLED_MS);
  };
  return (
    <ListField
      label={SCOPE.services}
      name="servicename"
      value={names.join(", ")}
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
      <TagField label={SCOPE.tags} name="tag" value={(scope.tags ?? []).join(", ")} hint={SCOPE.tagsHint} />
      <Picked name="hostid" chosen={scope.hosts ?? []} textOf={(id) => names.host(Number(id))}>
        {(add, isEmpty) => (
          <HostChoice
            label={SCOPE.hosts}
            right="manage"
            placeholder={isEmpty ? SCOPE.allHosts : SCOPE.addAnother}
            value=""
            onChange={add}
          />
        )}
      </Picked>
      <ServicesField names={scope.servicenames ?? []} />
    </>
  );
}

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

/** The items of a text field, separated by commas. */
export function commaSeparated(values: FormData, name: string): string[] {
  return String(values.get(name) ?? "")
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");
}

/** The checked values of a `CheckboxGroup`. */
export function checkedValues(values: FormData, name: string): string[] {
  return values.getAll(name).map(String);
}
