/** Finds the days on which values jump, so that a deletion is not taken for a trend. Pure. */
import { deviation, median, sorted } from "../../platform/median.ts";

/** A change from a day to the next is a step if it is this many deviations from the usual one. */
const STEP_DEVIATIONS = 6;
/** It must also be this large, in percentage points. */
const MIN_STEP = 1;
/** A drop is outgrown when the value is above the previous peak by this share of the drop. */
const OUTGROWN = 0.25;
/** Longest step, days. */
const MAX_STEP_DAYS = 2;

/** How steps divide a series of days. */
export interface LevelSteps {
  /** The stretch between steps that each day belongs to. */
  stretchOf: number[];
  /** Whether drops repeat, as with rotated logs. The steps then belong to the trend and split nothing. */
  isSawtooth: boolean;
}

/**
 * A step takes one or two days, as it rarely happens exactly at midnight. A longer run of days is a new trend.
 * @returns runs of days
 */
function runs(days: readonly number[]): number[][] {
  const runs: number[][] = [];
  for (const day of days) {
    const run = runs.at(-1);
    if (run?.at(-1) === day - 1) run.push(day);
    else runs.push([day]);
  }
  return runs.filter(({ length }) => length <= MAX_STEP_DAYS);
}

/** Whether the newest value is well above the peak before the last drop. */
function isOutgrown(days: Float64Array, lastDrop: number): boolean {
  const peak = Math.max(...sorted(days.subarray(0, lastDrop)));
  const after = sorted(days.subarray(lastDrop));
  return (days.at(-1) ?? 0) > peak + OUTGROWN * (peak - (after[0] ?? peak));
}

/**
 * A single deletion counts as an exception, and so does a single large file. Repeated deletions or additions belong
 * to the trend, until the value outgrows its level before the last deletion.
 */
export function stepsOf(days: Float64Array): LevelSteps {
  const changes = days.map((value, day) => value - (days[day - 1] ?? Number.NaN));
  const usual = median(changes);
  const limit = Math.max(MIN_STEP, STEP_DEVIATIONS * deviation(changes));
  const isStep = (change: number, sign: number) =>
    sign * change > MIN_STEP && sign * (change - usual) > limit;
  const steps = (sign: number) =>
    runs([...days.keys()].filter((day) => isStep(changes[day] ?? Number.NaN, sign)));
  const [drops, rises] = [steps(-1), steps(1)];
  const isSawtooth = drops.length > 1 && !isOutgrown(days, drops.at(-1)?.[0] ?? 0);
  const cuts = new Set(isSawtooth || rises.length > 1 ? [] : [...drops, ...rises].flat());
  let stretch = 0;
  const stretchOf = Array.from(days, (_, day) => {
    if (cuts.has(day)) stretch++;
    return stretch;
  });
  return { stretchOf, isSawtooth };
}
