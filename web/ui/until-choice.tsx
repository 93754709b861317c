import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { HOUR } from "../../src/platform/clock.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { textOf } from "./form.tsx";
import { UI } from "./ui.texts.ts";

const MORNING = 9;

/** Nine o'clock of the next day in the browser's time zone, unix seconds. */
export function tomorrowMorning(now: number): number {
  const date = new Date(now * 1000);
  date.setDate(date.getDate() + 1);
  date.setHours(MORNING, 0, 0, 0);
  return Math.floor(date.getTime() / 1000);
}

export type Until = keyof typeof UI.until;

interface UntilChoiceProps {
  legend: string;
  /** The first one is selected initially. */
  choices: readonly Until[];
  now: number;
}

/** A choice of when something ends. */
export function UntilChoice({ legend, choices, now }: UntilChoiceProps) {
  const chosen = useSignal<Until>(choices[0] ?? "hour");
  const id = useId();
  return (
    <fieldset class="until">
      <legend>{legend}</legend>
      <div class="until-choices">
        {choices.map((until) => (
          <label key={until} class="radio-chip">
            <input
              type="radio"
              name="until"
              value={until}
              checked={chosen.value === until}
              onChange={() => {
                chosen.value = until;
              }}
            />
            <span>{UI.until[until]}</span>
          </label>
        ))}
      </div>
      {chosen.value === "custom" && (
        <div class="field">
          <label for={id}>{UI.untilDate}</label>
          <input
            id={id}
            type="datetime-local"
            name="untildate"
            defaultValue={toLocalInput(now + 2 * HOUR)}
            min={toLocalInput(now)}
            required
          />
        </div>
      )}
    </fieldset>
  );
}

/** The chosen end, unix seconds; null: when it recovers. */
export function chosenUntil(values: FormData, now: number): number | null {
  const until = textOf(values, "until");
  if (until === "hour") return now + HOUR;
  if (until === "hours") return now + 4 * HOUR;
  if (until === "tomorrow") return tomorrowMorning(now);
  if (until === "custom") return fromLocalInput(textOf(values, "untildate"));
  return null;
}
