import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { showMoment } from "../state/moment.ts";
import { useMuster } from "../state/muster.ts";
import { fromLocalInput, toLocalSeconds } from "../text/format.ts";
import { Field } from "../ui/fields.tsx";
import { keepFocus } from "../ui/use-dialog.ts";
import { MOMENT } from "./moment.texts.ts";

/** Offered steps, seconds. */
const STEPS = [
  ["minute", 60],
  ["hour", 3600],
  ["day", 86_400],
] as const;

interface StepsProps {
  label: string;
  textOf: (length: string) => string;
  /** 1 or -1. */
  direction: number;
  disabled?: boolean;
  onStep: (seconds: number) => void;
}

/** Buttons that go some time forward or back. */
function Steps({ label, textOf, direction, disabled = false, onStep }: StepsProps) {
  return (
    <fieldset class="clock-steps">
      <legend class="sr-only">{label}</legend>
      {STEPS.map(([name, seconds]) => (
        <button
          key={name}
          type="button"
          class="small"
          disabled={disabled}
          onClick={() => onStep(direction * seconds)}
        >
          {textOf(MOMENT.steps[name])}
        </button>
      ))}
    </fieldset>
  );
}

/** An element that is shown as a popover with the focus in its input. Afterwards the focus returns to where it was. */
function usePopover() {
  const panel = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    const { current } = panel;
    const before = document.activeElement;
    current?.showPopover();
    current?.querySelector("input")?.focus();
    return () => {
      if (current?.contains(document.activeElement) && before instanceof HTMLElement) before.focus();
      // A step may have replaced the screen behind the clock, with what had the focus.
      keepFocus();
    };
  }, []);
  return panel;
}

/** Chooses the moment that screens show. The page behind it follows each step. */
export function Clock({ onClose }: { onClose: () => void }) {
  const { at, now, present, router } = useMuster();
  const panel = usePopover();
  /** The moment that the input showed first, or after the last step. It does not follow play: someone may be typing. */
  const initial = useSignal(now.peek());
  const typed = useSignal(toLocalSeconds(initial.peek()));
  const latest = useRef(present.peek());
  const step = (seconds: number) => {
    showMoment(router, now.peek() + seconds, present.peek());
    initial.value = now.peek();
    typed.value = toLocalSeconds(initial.peek());
    // The pressed button leads no further, and loses the focus.
    if (at.peek() === null) panel.current?.querySelector("button")?.focus();
  };
  return (
    <div
      ref={panel}
      popover="auto"
      class="clock"
      role="dialog"
      aria-label={MOMENT.clock}
      onToggle={(event) => {
        if (event.newState === "closed") onClose();
      }}
    >
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const chosen = fromLocalInput(typed.peek(), initial.peek(), toLocalSeconds);
          if (chosen === null) return;
          onClose();
          showMoment(router, chosen, present.peek());
        }}
      >
        <Field
          label={MOMENT.field}
          hint={MOMENT.hint}
          type="datetime-local"
          name="moment"
          step={1}
          max={toLocalSeconds(latest.current)}
          required
          value={typed.value}
          onInput={(event) => {
            typed.value = event.currentTarget.value;
          }}
        />
        <Steps label={MOMENT.stepsBack} textOf={MOMENT.stepBack} direction={-1} onStep={step} />
        <Steps
          label={MOMENT.stepsForward}
          textOf={MOMENT.stepForward}
          direction={1}
          disabled={at.value === null}
          onStep={step}
        />
        <div class="form-buttons">
          <button type="submit" class="primary">
            {MOMENT.show}
          </button>
          <button
            type="button"
            onClick={() => {
              onClose();
              showMoment(router, null, present.peek());
            }}
          >
            {MOMENT.now}
          </button>
        </div>
      </form>
    </div>
  );
}
