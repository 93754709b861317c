import { useSignal } from "@preact/signals";
import { useId } from "preact/hooks";
import { HOUR } from "../../src/platform/clock.ts";
import { fromLocalInput, toLocalInput } from "../text/format.ts";
import { textOf } from "./form-values.ts";
import { UI } from "./ui.texts.ts";

const MORNING = 9;

/** Nine o'clock of the next day in the browser's time zone, unix seconds. */
function tomorrowMorning(now: number): number {
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
  /** When the form was opened, unix seconds. */
  opened: number;
}

/** The custom end that a form proposes, unix seconds. @param opened when the form was opened, unix seconds */
const proposedEnd = (opened: number) => opened + 2 * HOUR;

/** A choice of when something ends. */
export function UntilChoice({ legend, choices, opened }: UntilChoiceProps) {
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
            defaultValue={toLocalInput(proposedEnd(opened))}
            min={toLocalInput(opened)}
            required
          />
        </div>
      )}
    </fieldset>
  );
}

/** How much later a time comes again when clocks go back, seconds: an hour nearly everywhere, or half of one. */
const REPEATED_AFTER = [0, HOUR / 2, HOUR];

/** The custom end. A time that clocks repeat is the first one that is not over. */
function customEnd(text: string, now: number, opened: number): number | null {
  const first = fromLocalInput(text, proposedEnd(opened));
  if (first === null) return null;
  const meanings = REPEATED_AFTER.map((later) => first + later);
  return meanings.find((at) => at >= now && toLocalInput(at) === text) ?? first;
}

/**
 * The chosen end, unix seconds; null: when it recovers.
 * @param opened that of the `UntilChoice`
 */
export function chosenUntil(values: FormData, now: number, opened: number): number | null {
  const until = textOf(values, "until");
  if (until === "hour") return now + HOUR;
  if (until === "hours") return now + 4 * HOUR;
  if (until === "tomorrow") return tomorrowMorning(now);
  if (until === "custom") return customEnd(textOf(values, "untildate"), now, opened);
  return null;
}
