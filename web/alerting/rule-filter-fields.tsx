import { useMuster } from "../state/muster.ts";
import { listText } from "../text/comma-list.ts";
import { EVENT_TYPES, SERVICE_TYPES } from "../text/type-names.ts";
import { CheckboxGroup } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { Select } from "../ui/select.tsx";
import { ScopeFields } from "./choices.tsx";
import { MUSTER_SEVERITIES, RULE_SEVERITIES, RULE_STATES } from "./descriptions.texts.ts";
import type { References } from "./references.ts";
import { RULES } from "./rules.texts.ts";
import type { EventFilter } from "./types.ts";

/** States of a filter that names none: errors and changes. */
const DEFAULT_STATES: readonly number[] = [1, 2];

/** Filters that few rules need, folded away unless one of them is set. */
function RareFilters({ filter }: { filter: EventFilter }) {
  const inUse = filter.servicetypes ?? filter.eventtypes ?? filter.servicegroups;
  const mask = filter.eventtypes ?? 0;
  const classes = EVENT_TYPES.filter(([bit]) => (mask & bit) !== 0).map(([bit]) => bit);
  return (
    <details open={inUse !== undefined}>
      <summary>{RULES.rare}</summary>
      <div class="form">
        <Field
          label={RULES.serviceGroups}
          name="servicegroup"
          defaultValue={listText(filter.servicegroups ?? [])}
          hint={RULES.serviceGroupsHint}
        />
        <CheckboxGroup
          legend={RULES.serviceTypes}
          name="servicetype"
          options={SERVICE_TYPES.map((name, code) => [code, name] as const)}
          chosen={filter.servicetypes ?? []}
          hint={RULES.noneIsAll}
        />
        <CheckboxGroup
          legend={RULES.classes}
          name="eventtype"
          options={EVENT_TYPES}
          chosen={classes}
          hint={RULES.noneIsAll}
        />
      </div>
    </details>
  );
}

/** Severities of failures of Muster itself, without that of agents' events. */
const OF_MUSTER = MUSTER_SEVERITIES.map((name, code) => [code, name] as const).slice(1);

/** Which hosts, services and events a rule matches. */
function EventFields({ filter, references }: { filter: EventFilter; references: References }) {
  return (
    <>
      <ScopeFields scope={filter} references={references} />
      <CheckboxGroup
        legend={RULES.states}
        name="state"
        options={RULE_STATES.map((name, code) => [code, name] as const)}
        chosen={filter.states ?? DEFAULT_STATES}
        hint={RULES.statesHint}
      />
      <CheckboxGroup
        legend={RULES.severity}
        name="severity"
        options={RULE_SEVERITIES.map((name, code) => [code, name] as const)}
        chosen={filter.severities ?? []}
        hint={RULES.noneIsAll}
      />
      <RareFilters filter={filter} />
    </>
  );
}

interface RuleFilterProps {
  filter: EventFilter;
  references: References;
  /** Whether the rule is about Muster itself, as chosen in the form. */
  ofMuster: boolean;
  onOfMuster: (ofMuster: boolean) => void;
}

/** The filter of a rule. Only administrators create rules about Muster itself. */
export function RuleFilterFields({ filter, references, ofMuster, onOfMuster }: RuleFilterProps) {
  const { session } = useMuster();
  return (
    <fieldset>
      <legend>{RULES.appliesTo}</legend>
      {session.isAdmin && (
        <Select
          label={RULES.about}
          name="about"
          value={ofMuster ? "muster" : ""}
          options={RULES.subjects}
          onChange={(value) => onOfMuster(value === "muster")}
        />
      )}
      {ofMuster ? (
        <CheckboxGroup
          legend={RULES.severity}
          name="severity"
          options={OF_MUSTER}
          chosen={filter.severities ?? []}
          hint={RULES.noneIsAll}
        />
      ) : (
        <EventFields filter={filter} references={references} />
      )}
    </fieldset>
  );
}
