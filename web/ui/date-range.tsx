import { useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { browserTimeZone, fromZonedInput, toZonedInput } from "../text/zoned-time.ts";
import { Field } from "./fields.tsx";
import { useOutsideChange } from "./outside-change.ts";
import { UI } from "./ui.texts.ts";

interface DateRangeProps {
  /** Start and end, unix seconds; null: open. */
  from: number | null;
  until: number | null;
  /** Called with each range whose end is after its start. */
  onChange?: (from: number | null, until: number | null) => void;
  /** Both are required; the form around them reads them as `from` and `to`. */
  required?: boolean;
  /** An IANA name; that of the browser if absent. */
  timeZone?: string | undefined;
}

/** Two inputs for the start and the end of a range. An end before the start is an error of the second. */
export function DateRange({ from, until, onChange, required = false, timeZone }: DateRangeProps) {
  const zone = timeZone ?? browserTimeZone();
  const inputText = (at: number | null) => (at === null ? "" : toZonedInput(at, zone));
  const start = useSignal(inputText(from));
  const end = useSignal(inputText(until));
  const frame = useRef<HTMLDivElement>(null);
  const rangeText = (a: number | null, b: number | null) => `${a} ${b} ${zone}`;
  const sends = useOutsideChange(rangeText(from, until), () => {
    start.value = inputText(from);
    end.value = inputText(until);
  });
  /** The time of an input. One that was not changed is exact, also in the hour that clocks repeat in autumn. */
  const timeOf = (text: string, initial: number | null) =>
    text === inputText(initial) ? initial : fromZonedInput(text, zone);
  const [first, last] = [timeOf(start.value, from), timeOf(end.value, until)];
  const error = first !== null && last !== null && first >= last ? UI.range.wrong : "";
  useEffect(() => {
    frame.current?.querySelector<HTMLInputElement>("input[name=to]")?.setCustomValidity(error);
  }, [error]);
  const tell = () => {
    const [a, b] = [timeOf(start.peek(), from), timeOf(end.peek(), until)];
    // A date whose year is being typed is not an open end.
    if ((a === null && start.peek() !== "") || (b === null && end.peek() !== "")) return;
    if (a !== null && b !== null && a >= b) return;
    sends(rangeText(a, b));
    onChange?.(a, b);
  };
  const common = { type: "datetime-local", required, onChange: tell } as const;
  return (
    <div ref={frame} class="date-range">
      <Field
        {...common}
        label={UI.range.from}
        name="from"
        value={start.value}
        onInput={(event) => {
          start.value = event.currentTarget.value;
        }}
      />
      <Field
        {...common}
        label={UI.range.until}
        name="to"
        value={end.value}
        onInput={(event) => {
          end.value = event.currentTarget.value;
        }}
        {...(error && { error })}
      />
    </div>
  );
}
