/** Whether and when a number left its rhythm in the hour before a failure. docs/what-moved.md has the method. Pure. */
import { dependenceOf, deviation, median } from "../../platform/median.ts";
import { FIVE_MINUTES } from "../history/resolutions.ts";
import { changePoint } from "./change-point.ts";
import { gridOf, type OnsetWindow } from "./onset-window.ts";
import { fromLevel, nearer, type Periods, rhythmAt, rhythmOf, slackOf, smoothed } from "./rhythm.ts";
import { farthest, resolutionOf, startsWithin, steadyMean, steadyRange, withoutSpikes } from "./robust.ts";

/** A change is judged by the mean of this many reports, rounded up to whole periods of five minutes. */
const REPORTS = 3;
/** Fewest values in the hour before the searched one. */
const MIN_VALUES = 5;
/** A level that moved by less than this many deviations of the values after it has not moved. */
const MIN_DEVIATIONS = 1.5;
/** Changes below this are not worth a line: percentage points, or a factor of the level, as its logarithm. */
const MIN_POINTS = 2;
const MIN_FACTOR = Math.log(1.2);
/** Numbers below this share of their level count as nothing: the scale of others is logarithmic. */
const NOTHING = 0.1;
/** Means of pure noise reach about this many of their deviations in an hour. */
const NOISE_PEAK = 3;
/** Excursions of days differ at least by this, as the deviation of their logarithms: ten days are few to tell. */
const MIN_LOG_DEVIATION = 0.25;
/** Changes up to this long before the searched hour are dated, so that they are not taken for later ones, seconds. */
const EARLY = 1800;
/** Raises the threshold if there are few days, as Student's distribution then has longer tails. */
const FEW_DAYS = 4;

/** A number to be tested. */
export interface TestedSeries {
  /** Times of the reports in the hour before and in the searched hour, unix seconds, ascending. */
  times: Float64Array;
  /** NaN for a report without the number. */
  values: Float64Array;
  /** The same hours of earlier days, on the grid of the window. */
  days: readonly Periods[];
  /** Seconds between two reports. */
  poll: number;
  isPercent: boolean;
}

/** A change with which a number left its rhythm. */
export interface Onset {
  /** What changed: where the number is, or how much it varies. */
  of: "level" | "spread";
  /** The first report after the change, unix seconds; it is certain to lie after `earliest`, up to `latest`. */
  date: number;
  earliest: number;
  latest: number;
  /** Level or deviation before, and at its farthest. */
  from: number;
  to: number;
}

/**
 * How many deviations an excursion needs to count, if this many numbers are tested together: with normal ones, half of
 * a number in all would reach it by chance.
 */
export function thresholdOf(tested: number): number {
  return Math.sqrt(2 * Math.log(Math.max(10, tested)));
}

/** How far an excursion has to go to count, judging by those of other days. */
function limitOf(usual: readonly number[], floor: number, threshold: number): number {
  const logs = usual.filter((size) => !Number.isNaN(size)).map((size) => Math.log(Math.max(size, floor)));
  const spread = Math.max(MIN_LOG_DEVIATION, deviation(logs));
  return Math.exp(median(logs) + threshold * (1 + FEW_DAYS / logs.length) * spread);
}

/**
 * The scale on which a number is compared. Percentages are as they are. Everything else is logarithmic, except near 0:
 * a rate that drops to a tenth has changed as much as one that grows tenfold.
 */
function scaleFor(values: Float64Array, isPercent: boolean): (value: number) => number {
  if (isPercent) return (value) => value;
  const level = Math.abs(median(values));
  const unit = level > 0 ? NOTHING * level : 1;
  return (value) => Math.asinh(value / unit);
}

/** Whether there are enough values in the hour before, and any in the searched hour, to tell a change. */
export function hasEnough(
  { times, values }: Pick<TestedSeries, "times" | "values">,
  { from }: OnsetWindow,
): boolean {
  const measured = times.filter((_, i) => !Number.isNaN(values[i] ?? Number.NaN));
  const before = measured.filter((time) => time < from).length;
  return before >= MIN_VALUES && before < measured.length;
}

/** A series with enough values, without missing ones, and as distances from what its level and rhythm predict. */
class Prepared {
  readonly times: Float64Array;
  readonly values: Float64Array;
  readonly distances: Float64Array;
  /** Index of the first value of the searched hour. */
  readonly first: number;
  /** Index of the first value that may begin a change: some before the searched hour, to tell what began too early. */
  readonly firstCandidate: number;
  /** Deviation of single values in the hour before, at least the resolution of the number. */
  readonly noise: number;
  /** Seconds by which a change is judged. */
  readonly length: number;
  /** Earlier days as distances from their level and the rhythm, in the searched hour. */
  readonly days: Float64Array[];
  /** The largest difference within five minutes of the searched hour on each of them. */
  readonly ranges: number[];
  /** Smallest change that is worth a line. */
  readonly smallest: number;

  constructor({ times, values, days, poll, isPercent }: TestedSeries, window: OnsetWindow) {
    const isMeasured = (_: number, i: number) => !Number.isNaN(values[i] ?? Number.NaN);
    this.times = times.filter(isMeasured);
    this.values = values.filter(isMeasured);
    this.smallest = isPercent ? MIN_POINTS : MIN_FACTOR;
    this.first = this.times.findIndex((time) => time >= window.from);
    this.firstCandidate = Math.max(
      1,
      this.times.findIndex((time) => time >= window.from - EARLY),
    );
    const scale = scaleFor(this.values.subarray(0, this.first), isPercent);
    const { start, count } = gridOf(window);
    const periods = Math.max(1, Math.ceil((REPORTS * poll) / FIVE_MINUTES.seconds));
    this.length = periods * FIVE_MINUTES.seconds;
    const firstPeriod = Math.ceil((window.from - start) / FIVE_MINUTES.seconds);
    const scaled = days.map(({ mean }) => smoothed(mean, periods).map(scale));
    const distances = fromLevel(scaled, firstPeriod);
    const rhythm = rhythmOf(distances, count);
    // Each day is part of the median that it is compared with.
    const share = 1 + 2 / Math.max(1, distances.length);
    const slack = slackOf(rhythm, this.smallest);
    this.days = distances.map((day) =>
      day.map((value, i) => share * nearer(value - (rhythm[i] ?? 0), slack[i] ?? 0)).subarray(firstPeriod),
    );
    this.ranges = days.map(({ min, max }) =>
      farthest(max.map((value, i) => scale(value) - scale(min[i] ?? Number.NaN)).subarray(firstPeriod)),
    );
    const plain = this.values.map(
      (value, i) => scale(value) - rhythmAt(rhythm, (this.times[i] ?? 0) - start),
    );
    const before = plain.subarray(0, this.first);
    const level = median(before);
    this.distances = plain.map((value, i) =>
      nearer(value - level, slack[Math.floor(((this.times[i] ?? 0) - start) / FIVE_MINUTES.seconds)] ?? 0),
    );
    this.noise = Math.max(deviation(before), resolutionOf(before) / 2);
  }

  /** Whether no value of the searched hour is far enough from its level to matter. Most numbers end here. */
  get isStill(): boolean {
    return farthest(this.distances.subarray(this.first)) <= this.smallest / 2;
  }

  /** A function of the values within the judged time up to each. */
  sliding(of: (values: Float64Array) => number): Float64Array {
    const starts = startsWithin(this.times, this.length);
    return this.distances.map((_, i) => of(this.distances.subarray(starts[i] ?? i, i + 1)));
  }

  /** When a series of values changed. @param confirmed index of the value by which it had certainly done so */
  located(confirmed: number, values: Float64Array, isLine: boolean) {
    const end = this.times.findLastIndex((time) => time <= (this.times[confirmed] ?? 0) + this.length) + 1;
    const { at, earliest, latest } = changePoint(this.times.subarray(0, end), values.subarray(0, end), {
      first: this.firstCandidate,
      last: confirmed,
      noise: Math.max(this.noise, this.smallest / 4) / 2,
      dependence: dependenceOf(values.subarray(0, this.first)),
      isLine,
    });
    const timeOf = (i: number) => this.times[i] ?? 0;
    return {
      index: at,
      date: timeOf(at),
      // What had begun earlier looks as if it began with the first time that is considered.
      earliest: timeOf(earliest === this.firstCandidate ? 0 : earliest - 1),
      latest: timeOf(latest),
    };
  }
}

function levelOnset(series: Prepared, threshold: number): Onset | null {
  const { first, times, values, noise, smallest, length } = series;
  const means = series.sliding(steadyMean);
  const perMean = Math.max(2, length / Math.max(1, ((times[first] ?? 0) - (times[0] ?? 0)) / first));
  const floor = Math.max(smallest / 2, (NOISE_PEAK * noise) / Math.sqrt(perMean));
  const usual = [...series.days, means.subarray(0, first)].map(farthest);
  const limit = Math.max(smallest, limitOf(usual, floor, threshold));
  const confirmed = means.findIndex((mean, i) => i >= first && Math.abs(mean) > limit);
  if (confirmed === -1) return null;
  const sign = Math.sign(means[confirmed] ?? 0);
  const { index, ...when } = series.located(confirmed, withoutSpikes(series.distances), true);
  const after = means.subarray(index).map((mean) => (Number.isNaN(mean) ? 0 : sign * mean));
  const peak = Math.max(...after);
  // With a smaller peak, it is the spread of the values that makes even their means go far.
  if (peak < MIN_DEVIATIONS * deviation(series.distances.subarray(index))) return null;
  const peakAt = index + after.indexOf(peak);
  return {
    of: "level",
    ...when,
    from: median(values.subarray(Math.max(0, index - MIN_VALUES), index)),
    to: median(values.subarray(Math.max(index, peakAt - 2), peakAt + 1)),
  };
}

function spreadOnset(series: Prepared, threshold: number): Onset | null {
  const { first, distances, smallest, noise, values } = series;
  const ranges = series.sliding(steadyRange);
  const floor = Math.max(smallest, 2 * noise);
  const limit = limitOf([...series.ranges, farthest(ranges.subarray(0, first))], floor, threshold);
  const confirmed = ranges.findIndex((range, i) => i >= first && range > limit);
  if (confirmed === -1) return null;
  const { index, ...when } = series.located(confirmed, distances.map(Math.abs), false);
  return {
    of: "spread",
    ...when,
    from: deviation(values.subarray(0, index)),
    to: deviation(values.subarray(index, confirmed + 1)),
  };
}

/**
 * When a number left its level or its spread; null if it did not before the failure, or if there are too few values to
 * tell.
 * @param threshold see `thresholdOf`
 */
export function onsetOf(series: TestedSeries, window: OnsetWindow, threshold: number): Onset | null {
  if (!hasEnough(series, window)) return null;
  const prepared = new Prepared(series, window);
  if (prepared.isStill) return null;
  const onset = levelOnset(prepared, threshold) ?? spreadOnset(prepared, threshold);
  return onset && onset.earliest < window.failedAt && onset.latest >= window.from ? onset : null;
}
