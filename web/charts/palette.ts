/** Colours and dashes of series. A canvas needs resolved colours, unlike the style sheet. */

const SERIES_COLOURS = 6;
/** A dash pattern for each series, so that lines can be told apart without colour. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [1, 3], [4, 4]];

export interface Palette {
  /** Equal palettes have equal names. */
  name: string;
  muted: string;
  line: string;
  font: string;
  series: (index: number) => string;
  /** The colour of a series with an opacity from 0 to 1. */
  translucent: (index: number, share: number) => string;
  /** The colour of the mark of an event: of a success (0), an error (1), or a change (2). */
  event: (state: number) => string;
  maintenance: string;
}

/** CSS class that sets the colour of a series. */
export const seriesClass = (index: number) => `series-${(index % SERIES_COLOURS) + 1}`;

/** The colours of the current theme within an element, from the style sheet. */
export function readPalette(within: Element): Palette {
  const probe = document.createElement("span");
  within.append(probe);
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = Array.from({ length: SERIES_COLOURS }, (_, i) => colour(`series-${i + 1}`));
  const muted = colour("muted");
  const line = colour("line");
  const states = ["green", "red", "blue"].map(colour);
  const font = `11px ${getComputedStyle(probe).fontFamily}`;
  probe.remove();
  const series = (index: number) => colours[index % SERIES_COLOURS] ?? muted;
  return {
    name: [...colours, muted, line].join(" "),
    muted,
    line,
    font,
    series,
    event: (state) => states[state] ?? muted,
    maintenance: muted.replace(/^rgb\((.*)\)$/, "rgba($1, 0.18)"),
    translucent: (index, share) => series(index).replace(/^rgb\((.*)\)$/, `rgba($1, ${share})`),
  };
}
