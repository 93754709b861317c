import { useSignal } from "@preact/signals";
import { MAX_FLAP_COUNT, MAX_FLAP_MINUTES, MAX_MINUTES } from "../../src/alerting/rules/rule-bounds.ts";
import { Field } from "../ui/fields.tsx";
import { Check } from "../ui/select.tsx";
import { TimeZoneField } from "../ui/time-zone-field.tsx";
import { DaysChoice } from "./choices.tsx";
import { RULES } from "./rules.texts.ts";
import type { NewRule, QuietHours } from "./types.ts";

const ALL_DAYS: readonly number[] = [0, 1, 2, 3, 4, 5, 6];

function Minutes({ label, name, value, hint }: { label: string; name: string; value: number; hint: string }) {
  return (
    <Field
      label={label}
      name={name}
      type="number"
      min={0}
      max={MAX_MINUTES}
      defaultValue={String(value)}
      hint={hint}
    />
  );
}

/** Delay and reminders of an ongoing failure. */
function LastingFailureFields({ rule }: { rule: NewRule }) {
  return (
    <div class="fields">
      <Minutes label={RULES.delay} name="delay" value={rule.delay} hint={RULES.delayHint} />
      <Minutes label={RULES.repeat} name="repeat" value={rule.repeat} hint={RULES.repeatHint} />
    </div>
  );
}

function FlapFields({ rule }: { rule: NewRule }) {
  return (
    <div class="fields">
      <Field
        label={RULES.flapCount}
        name="flapcount"
        type="number"
        min={0}
        max={MAX_FLAP_COUNT}
        defaultValue={String(rule.flapcount)}
        hint={RULES.flapCountHint}
      />
      <Field
        label={RULES.flapWindow}
        name="flapwindow"
        type="number"
        min={1}
        max={MAX_FLAP_MINUTES}
        defaultValue={String(rule.flapwindow)}
        hint={RULES.flapWindowHint}
        required
      />
    </div>
  );
}

function QuietHoursFields({ quiet }: { quiet: QuietHours | null }) {
  const on = useSignal(quiet !== null);
  return (
    <>
      <Check
        label={RULES.quiet}
        name="quiet"
        checked={on.value}
        onChange={(checked) => {
          on.value = checked;
        }}
      />
      {on.value && (
        <>
          <DaysChoice name="quietdays" days={quiet?.days ?? ALL_DAYS} />
          <div class="fields">
            <Field
              label={RULES.quietFrom}
              name="quietfrom"
              type="time"
              defaultValue={quiet?.from ?? "22:00"}
              required
            />
            <Field
              label={RULES.quietTo}
              name="quietto"
              type="time"
              defaultValue={quiet?.to ?? "07:00"}
              required
            />
            <TimeZoneField label={RULES.timezone} name="quiettimezone" value={quiet?.timezone} />
          </div>
        </>
      )}
    </>
  );
}

/** When a rule notifies, how often, and when it waits. */
export function RuleTimingFields({ rule }: { rule: NewRule }) {
  return (
    <fieldset>
      <legend>{RULES.when}</legend>
      <LastingFailureFields rule={rule} />
      <FlapFields rule={rule} />
      <Check label={RULES.recovery} name="recovery" checked={rule.recovery} />
      <QuietHoursFields quiet={rule.quiet} />
    </fieldset>
  );
}
