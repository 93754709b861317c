import { MAX_MINUTES, MAX_STEPS } from "../../src/alerting/rules/rule-bounds.ts";
import { ApiError } from "../api/client.ts";
import { CheckboxGroup, checkedValues, commaSeparated } from "../ui/choices.tsx";
import { Field } from "../ui/fields.tsx";
import { FieldsetError } from "../ui/form-error.tsx";
import { type FormPart, useFormParts } from "../ui/form-parts.ts";
import { textOf } from "../ui/form-values.ts";
import { ChannelFirst } from "./channel-first.tsx";
import { PeopleField } from "./people.tsx";
import type { References } from "./references.ts";
import { RULES } from "./rules.texts.ts";
import type { RuleStep } from "./types.ts";

/** Minutes from the last step to a new one, until someone changes them. */
const ADDED_AFTER = 30;

const NOBODY: Omit<RuleStep, "after"> = { channels: [], users: [], schedules: [] };

/** The channels to choose from, including those of the step that are hidden from the user. */
function channelOptions({ channels, names }: References, channelIds: readonly number[]) {
  const unseen = channelIds.filter((id) => !channels.some((channel) => channel.id === id));
  return [
    ...channels.map(({ id, name }) => [id, name] as const),
    ...unseen.map((id) => [id, names.channel(id)] as const),
  ];
}

interface StepProps {
  part: FormPart<RuleStep>;
  references: References;
}

function StepFields({ part: { key, initial: step }, references }: StepProps) {
  const schedules = references.schedules.map(({ id, name }) => [id, name] as const);
  return (
    <>
      <CheckboxGroup
        legend={RULES.channels}
        name={`channels${key}`}
        options={channelOptions(references, step.channels)}
        chosen={step.channels}
        none={
          <>
            {RULES.noChannel} <ChannelFirst>{RULES.createChannel}</ChannelFirst>
          </>
        }
      />
      {schedules.length > 0 && (
        <CheckboxGroup
          legend={RULES.schedules}
          name={`schedules${key}`}
          options={schedules}
          chosen={step.schedules}
        />
      )}
      <PeopleField label={RULES.users} name={`users${key}`} users={step.users} hint={RULES.usersHint} />
    </>
  );
}

/** Who is notified, in steps: first after the rule's delay, then after increasing minutes of failure. */
export function RuleStepFields({
  steps,
  references,
}: {
  steps: readonly RuleStep[];
  references: References;
}) {
  const first = steps.length > 0 ? steps : [{ after: 0, ...NOBODY }];
  const { parts, add, remove } = useFormParts("step", first, (last) => {
    const after = (last?.after ?? 0) + ADDED_AFTER;
    return { after: Math.min(after, MAX_MINUTES), ...NOBODY };
  });
  return (
    <fieldset data-list="step">
      <legend>{RULES.notify}</legend>
      {parts.map((part, i) => (
        <fieldset key={part.key}>
          <legend>{RULES.step(i + 1)}</legend>
          <input type="hidden" name="step" value={part.key} />
          <FieldsetError name={stepName(i)} />
          {i === 0 ? (
            <p class="hint">{RULES.firstStepHint}</p>
          ) : (
            <div class="fields">
              <Field
                label={RULES.after}
                name={`after${part.key}`}
                type="number"
                min={1}
                max={MAX_MINUTES}
                defaultValue={String(part.initial.after)}
                hint={RULES.afterHint}
                required
              />
            </div>
          )}
          <StepFields part={part} references={references} />
          {i > 0 && (
            <button type="button" class="small" onClick={remove(part)}>
              {RULES.removeStep(i + 1)}
            </button>
          )}
        </fieldset>
      ))}
      {parts.length < MAX_STEPS && (
        <button type="button" class="small" onClick={add}>
          {RULES.addStep}
        </button>
      )}
    </fieldset>
  );
}

/** The path of a step in errors. */
const stepName = (index: number) => `steps[${index}]`;

function stepIn(values: FormData, key: string): RuleStep {
  return {
    after: Number(textOf(values, `after${key}`)),
    channels: checkedValues(values, `channels${key}`).map(Number),
    users: commaSeparated(values, `users${key}`),
    schedules: checkedValues(values, `schedules${key}`).map(Number),
  };
}

/** The steps in the form of a rule, by their minutes. */
export function stepsIn(values: FormData): RuleStep[] {
  return checkedValues(values, "step")
    .map((key) => stepIn(values, key))
    .sort((a, b) => a.after - b.after);
}

/** @throws ApiError that names the first step without recipients */
export function refuseNobody(values: FormData): void {
  for (const [i, key] of checkedValues(values, "step").entries()) {
    const { channels, users, schedules } = stepIn(values, key);
    if (channels.length + users.length + schedules.length === 0)
      throw new ApiError(400, "argument.missing", RULES.nobody, stepName(i));
  }
}
