import { useSignal } from "@preact/signals";
import { Check, Field } from "../ui/form.tsx";
import { CheckboxGroup, DaysChoice, type Option } from "./choices.tsx";
import type { QuietHours, Rule } from "./types.ts";

const MAX_MINUTES = 10_080; // a week
const MAX_FLAP_COUNT = 20;
const MAX_FLAP_MINUTES = 1440;
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

/** Delay, reminders and escalation of a failure that lasts. */
function LastingFailureFields({ rule, channels }: { rule: RuleTiming; channels: readonly Option[] }) {
  return (
    <>
      <div class="fields">
        <Minutes
          label="Wait before notifying (minutes)"
          name="delay"
          value={rule.delay}
          hint="0: notify immediately"
        />
        <Minutes
          label="Repeat every (minutes)"
          name="repeat"
          value={rule.repeat}
          hint="While it fails; 0: never"
        />
        <Minutes
          label="Escalate after (minutes)"
          name="escalateafter"
          value={rule.escalateafter}
          hint="Of failure; 0: never"
        />
      </div>
      {channels.length > 0 && (
        <CheckboxGroup
          legend="Escalate to"
          name="escalationchannelid"
          options={channels}
          chosen={rule.escalationchannels}
          hint="None chosen: the channels above"
        />
      )}
    </>
  );
}

function FlapFields({ rule }: { rule: RuleTiming }) {
  return (
    <div class="fields">
      <Field
        label="Flapping after (failures)"
        name="flapcount"
        type="number"
        min={0}
        max={MAX_FLAP_COUNT}
        defaultValue={String(rule.flapcount)}
        hint="These failures are notified once, as flapping; 0: each failure by itself"
      />
      <Field
        label="Within (minutes)"
        name="flapwindow"
        type="number"
        min={1}
        max={MAX_FLAP_MINUTES}
        defaultValue={String(rule.flapwindow)}
        hint="Flapping ends after as long without a new failure"
        required
      />
    </div>
  );
}

function QuietHoursFields({ quiet }: { quiet: QuietHours | null }) {
  const on = useSignal(quiet !== null);
  return (
    <>
      <label class="check">
        <input
          type="checkbox"
          name="quiet"
          checked={on.value}
          onChange={(event) => {
            on.value = event.currentTarget.checked;
          }}
        />
        <span>Quiet hours: hold notifications until they end</span>
      </label>
      {on.value && (
        <>
          <DaysChoice name="quietdays" days={quiet?.days ?? ALL_DAYS} />
          <div class="fields">
            <Field label="From" name="quietfrom" type="time" defaultValue={quiet?.from ?? "22:00"} required />
            <Field label="To" name="quietto" type="time" defaultValue={quiet?.to ?? "07:00"} required />
            <Field
              label="Time zone"
              name="quiettimezone"
              defaultValue={quiet?.timezone ?? Intl.DateTimeFormat().resolvedOptions().timeZone}
              required
            />
          </div>
        </>
      )}
    </>
  );
}

type RuleTiming = Omit<Rule, "id" | "position">;

/** When a rule notifies, how often, and when it waits. */
export function RuleTimingFields({ rule, channels }: { rule: RuleTiming; channels: readonly Option[] }) {
  return (
    <fieldset>
      <legend>When</legend>
      <LastingFailureFields rule={rule} channels={channels} />
      <FlapFields rule={rule} />
      <Check label="Notify on recovery" name="recovery" checked={rule.recovery} />
      <QuietHoursFields quiet={rule.quiet} />
    </fieldset>
  );
}
