/** Colours and dashes of series. Canvas needs colours resolved, unlike the style sheet. */

const SERIES_COLOURS = 6;
/** One for each of the first series, so that lines are told apart without colour. */
export const DASHES: readonly (readonly number[])[] = [[], [7, 3], [2, 2.5], [9, 3, 2, 3], [1, 3], [4, 4]];

export interface Palette {
  /** Two palettes of one name are the same. */
  name: string;
  muted: string;
  line: string;
  font: string;
  series: (index: number) => string;
  /** The colour of a series, transparent: 0 is invisible, 1 is full. */
  translucent: (index: number, share: number) => string;
}

/** Class of what is drawn in the colour of a series by the style sheet. */
export const seriesClass = (index: number) => `series-${(index % SERIES_COLOURS) + 1}`;

/** The present theme's colours, as the style sheet has them. */
export function readPalette(): Palette {
  const probe = document.createElement("span");
  document.body.append(probe);
  const colour = (token: string) => {
    probe.style.color = `var(--${token})`;
    return getComputedStyle(probe).color;
  };
  const colours = Array.from({ length: SERIES_COLOURS }, (_, i) => colour(`series-${i + 1}`));
  const muted = colour("muted");
  const line = colour("line");
  const font = `11px ${getComputedStyle(probe).fontFamily}`;
  probe.remove();
  const series = (index: number) => colours[index % SERIES_COLOURS] ?? muted;
  return {
    name: [...colours, muted, line].join(" "),
    muted,
    line,
    font,
    series,
    translucent: (index, share) => series(index).replace(/^rgb\((.*)\)$/, `rgba($1, ${share})`),
  };
}
