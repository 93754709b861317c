import type { LedCode } from "../api/types.ts";
import { EVENT_STATES, LED_COLOURS, LED_NAMES, RESOLVED } from "../text/names.ts";

/** A shape for each status, so that it can be recognized without colour. */
const SHAPES: Readonly<Record<LedCode, string>> = {
  0: "M5 1h6l4 4v6l-4 4H5l-4-4V5z",
  1: "M8 1.6L15.4 14.6H.6z",
  2: "M8 15A7 7 0 1 0 8 1a7 7 0 0 0 0 14z",
  3: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12z",
};
const MARKS: Readonly<Record<LedCode, string>> = {
  0: "M5.6 5.6l4.8 4.8M10.4 5.6l-4.8 4.8",
  1: "M8 6v4M8 12.2v.1",
  2: "M4.9 8.3l2.2 2.2 4-4.4",
  3: "M5.6 8h4.8",
};

interface LedProps {
  led: LedCode;
  /** The text beside the shape; by default the name of the status. */
  text?: string;
  /** Where the text is visible. "wide-only" is for places where narrow screens show the text nearby anyway. */
  words?: "visible" | "wide-only" | "sr-only";
}

const WORD_CLASSES = {
  visible: "led-text",
  "wide-only": "led-text led-text-wide",
  "sr-only": "sr-only",
} as const;

type LightProps = Record<"colour" | "shape" | "mark" | "text", string> & {
  words: keyof typeof WORD_CLASSES;
};

function Light({ colour, shape, mark, text, words }: LightProps) {
  return (
    <span class={`led ${colour}`}>
      <svg viewBox="0 0 16 16" aria-hidden="true" focusable="false">
        <path class="led-shape" d={shape} />
        <path class="led-mark" d={mark} />
      </svg>
      <span class={WORD_CLASSES[words]}>{text}</span>
    </span>
  );
}

/** A status light: shape, colour and text. */
export function Led({ led, text = LED_NAMES[led], words = "visible" }: LedProps) {
  return (
    <Light
      colour={`led-${LED_COLOURS[led]}`}
      shape={SHAPES[led]}
      mark={MARKS[led]}
      text={text}
      words={words}
    />
  );
}

const CHANGE = { colour: "led-blue", shape: "M8 .8L15.2 8 8 15.2.8 8z", mark: "M5.4 8h5.2" };
const ENDED = { colour: "led-resolved", shape: SHAPES[3], mark: MARKS[2] };

interface EventStateProps extends Pick<LedProps, "words"> {
  /** 0 success, 1 error, 2 change. */
  state: number;
  /** Whether the failure of an error is ongoing. */
  lasts: boolean;
  /** The text of an error whose failure is ongoing. */
  failing: string;
}

/** The state of an event: OK, failing, resolved or changed. */
export function EventState({ state, lasts, failing, words = "visible" }: EventStateProps) {
  if (state === 2) return <Light {...CHANGE} text={EVENT_STATES[2]} words={words} />;
  if (state === 0) return <Led led={2} text={EVENT_STATES[0]} words={words} />;
  if (lasts) return <Led led={0} text={failing} words={words} />;
  return <Light {...ENDED} text={RESOLVED} words={words} />;
}
