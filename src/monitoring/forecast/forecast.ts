/** Predicts when a percentage reaches 100: disk space, inodes or memory. Pure. */

import { DAY } from "../../platform/clock.ts";
import { deviation, median, quantile, sorted } from "../../platform/median.ts";
import { type DailyValues, dailyValues, HOURS } from "./daily-values.ts";
import { type LevelSteps, stepsOf } from "./steps.ts";
import { type Trend, trendOf } from "./trend.ts";

/** The most days of history that are read: long enough to see a monthly deletion once. */
export const WINDOW_DAYS = 56;
/** Fewest days with values: a week, so that it includes a weekend and a weekly rotation. */
export const MIN_DAYS = 7;
/** Age from which a stored forecast no longer says anything, seconds: two daily passes. */
export const FRESH_SECONDS = 2 * DAY;
/** Days that decide whether the trend of the whole window still holds. */
const RECENT_DAYS = 7;
/** The last hours, whose values are the current level if they differ from the day's. */
const RECENT_HOURS = 6;
/** How far ahead a forecast can reach, as a multiple of the days of history. */
const HORIZON_PER_DAY = 2;
/** Smallest growth over the history that counts as a trend, in percentage points; agents report tenths. */
const MIN_GROWTH = 0.5;
/** The same in standard deviations of the days around the trend. */
const MIN_GROWTH_DEVIATIONS = 2;
/** How far recent hours must deviate from their day to be a new level, in percentage points. */
const NEW_LEVEL = 0.5;
/** The same in standard errors. */
const NEW_LEVEL_DEVIATIONS = 3;
/** Share of the days that counts as usual. */
const USUAL = 0.9;
/** A level is new if it deviates by this factor more than usual. */
const BEYOND_USUAL = 1.5;
/** The last days, whose values are the current level. */
const LEVEL_DAYS = 7;
/** Standard deviations above which the deviation of an hour from its day is not chance. */
const RHYTHM_DEVIATIONS = 3;
/** The standard error of a median of normal values, as a multiple of that of their mean. */
const MEDIAN_ERROR = 1.25;
/** Standard deviations for the statement that a value grows at all (99%), and for the interval (80%). */
const SURELY = 2.33;
const LIKELY = 1.28;
/** Standard deviations at which the last week contradicts the window (99%) */
const CONTRADICTED = 2.58;
/** The last week must also differ by this much, in percentage points. */
const MIN_DIFFERENCE = 1;
/** No end of the interval is stated beyond this many days. */
const MAX_DAYS = 365;
const FULL = 100;
/** The value of a day is that of its middle, half an hour before noon as days begin with an hour. */
const MIDDLE_OF_DAY = 11.5 / HOURS;
const LAST_HOUR = (HOURS - 1) / HOURS;

/** A forecast: when a value reaches 100. */
export interface Full {
  /** Days until the value reaches 100. */
  days: number;
  /** The interval that it lies in with a probability of about 80%. `to` is null if it has no end. */
  from: number;
  to: number | null;
  /** Growth in percentage points per day. */
  growth: number;
}

/** Why there is no forecast. */
export type NoForecast = "tooshort" | "steady";

interface Line {
  /** The trend's value now, without the rhythm of the day. */
  level: number;
  /** Change per day. */
  slope: number;
}

/** The first hour, in days from now, at which line and rhythm reach 100; infinite if they never do. */
function daysUntilFull({ level, slope }: Line, rhythm: Float64Array): number {
  const hours = Array.from(rhythm, (added, hour) => {
    const missing = FULL - level - added - (slope * hour) / HOURS;
    if (missing <= 0) return hour / HOURS;
    return slope <= 0 ? Number.POSITIVE_INFINITY : Math.ceil(missing / slope) + hour / HOURS;
  });
  return Math.min(...hours);
}

/**
 * The trend of all days, or that of the last week if it clearly differs. A week of a sawtooth may be a single tooth.
 */
function presentTrend(whole: Trend, days: Float64Array, { stretchOf, isSawtooth }: LevelSteps): Trend {
  const first = days.length - RECENT_DAYS;
  const recent = isSawtooth ? null : trendOf(days.subarray(first), stretchOf.slice(first));
  if (!recent || Math.abs(recent.slope - whole.slope) * RECENT_DAYS < MIN_DIFFERENCE) return whole;
  const agrees = whole.slope >= recent.at(-CONTRADICTED) && whole.slope <= recent.at(CONTRADICTED);
  return agrees ? whole : recent;
}

/** What the next 24 hours add to the trend, without the growth within a day, which the rhythm also contains. */
function rhythmAhead({ rhythm, residuals, days }: DailyValues, growth: number): Float64Array {
  const chance = (RHYTHM_DEVIATIONS * MEDIAN_ERROR * deviation(residuals)) / Math.sqrt(days.length);
  return rhythm.map((_, ahead) => {
    const hour = (ahead + HOURS - 1) % HOURS;
    const added = (rhythm[hour] ?? 0) - growth * (hour / HOURS - MIDDLE_OF_DAY);
    return Math.abs(added) < chance ? 0 : added;
  });
}

/** The level now: that of the last days, or of the last hours after a jump, or the peaks of a sawtooth. */
function levelNow(
  { days, residuals }: DailyValues,
  { stretchOf, isSawtooth }: LevelSteps,
  trend: Trend,
): number {
  const last = days.length - 1;
  const now = days.map((value, day) => value + trend.slope * (last - day + LAST_HOUR - MIDDLE_OF_DAY));
  if (isSawtooth) return Math.max(...sorted(now));
  const isPresent = (day: number) => day > last - LEVEL_DAYS && stretchOf[day] === stretchOf[last];
  const level = median(now.filter((_, day) => isPresent(day)));
  const ofHours = (now[last] ?? level) + median(residuals.subarray(-RECENT_HOURS));
  const error = Math.max(
    deviation(trend.residuals),
    (MEDIAN_ERROR * deviation(residuals)) / Math.sqrt(RECENT_HOURS),
  );
  // Weekends are too rare to affect the deviation, but not this quantile.
  const usual = quantile(sorted(trend.residuals.map(Math.abs)), USUAL);
  const isNew =
    Math.abs(ofHours - level) > Math.max(NEW_LEVEL, NEW_LEVEL_DEVIATIONS * error, BEYOND_USUAL * usual);
  return isNew ? ofHours : level;
}

/**
 * Predicts when a growing value reaches 100.
 * @param hourly means of the hours up to now in percent, NaN for an hour without values; a multiple of 24
 */
export function forecast(hourly: Float64Array): Full | NoForecast {
  const daily = dailyValues(hourly);
  const { days } = daily;
  const measured = Array.from(days.keys()).filter((day) => !Number.isNaN(days[day] ?? Number.NaN));
  if (measured.length < MIN_DAYS || measured.at(-1) !== days.length - 1) return "tooshort";
  const span = days.length - (measured[0] ?? 0);
  const steps = stepsOf(days);
  const whole = trendOf(days, steps.stretchOf);
  if (!whole) return "tooshort";
  const trend = presentTrend(whole, days, steps);
  const { slope } = trend;
  const noise = deviation(trend.residuals);
  const isGrowing =
    trend.at(-SURELY) > 0 && slope * span >= Math.max(MIN_GROWTH, MIN_GROWTH_DEVIATIONS * noise);
  if (!isGrowing) return "steady";
  const rhythm = rhythmAhead(daily, whole.slope);
  const level = levelNow(daily, steps, trend);
  const until = (deviations: number) =>
    daysUntilFull({ level: level + deviations * noise, slope: trend.at(deviations) }, rhythm);
  const full = daysUntilFull({ level, slope }, rhythm);
  if (full > HORIZON_PER_DAY * span) return "steady";
  const latest = until(-LIKELY);
  return {
    days: full,
    from: Math.min(full, until(LIKELY)),
    to: latest > MAX_DAYS ? null : latest,
    growth: slope,
  };
}
