import { formatClock, formatNumber } from "../text/format.ts";
import { GLANCE } from "./glance.texts.ts";

/** As in the reply of `status/hosts/glance`. */
const UP = 1;
const FAILING = 2;
const DOWN = 3;
const HALF_HOUR = 1800;
const HEIGHT = 16;
const CLASSES: readonly string[] = ["bar-gray", "bar-green", "bar-orange", "bar-red"];

const hours = (beats: readonly number[], beat: number) =>
  formatNumber(beats.filter((candidate) => candidate === beat).length / 2, 1);

/** The bar in words, for screen readers. */
function beatsText(beats: readonly number[] | undefined): string {
  if (!beats) return GLANCE.notRead;
  if (!beats.some((beat) => beat >= UP)) return GLANCE.notCounted;
  if (!beats.some((beat) => beat >= FAILING)) return GLANCE.noOutage;
  return GLANCE.outage(hours(beats, DOWN), hours(beats, FAILING));
}

interface HeartbeatBarProps {
  beats: readonly number[] | undefined;
  /** Start of the first half hour, unix seconds. */
  from: number;
}

/**
 * The state of a host in each half hour of the last day. Worse states have higher bars, so that colour is not needed.
 */
export function HeartbeatBar({ beats, from }: HeartbeatBarProps) {
  return (
    <svg
      class="beats"
      viewBox={`0 0 ${48 * 5} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={beatsText(beats)}
    >
      {beats?.map((beat, i) => {
        const height = beat >= FAILING ? HEIGHT : beat === UP ? 10 : 4;
        const at = from + i * HALF_HOUR;
        return (
          <rect key={at} class={CLASSES[beat]} x={i * 5} y={(HEIGHT - height) / 2} width={4} height={height}>
            <title>{GLANCE.beat(formatClock(at), GLANCE.states[beat] ?? "")}</title>
          </rect>
        );
      })}
    </svg>
  );
}
