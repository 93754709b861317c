/** In seconds. */
export const MINUTE = 60;
export const HOUR = 3600;
export const DAY = 86_400;

/** The source of time, passed in everywhere so that tests can step it. */
export interface Clock {
  /** Unix time in whole seconds. */
  now(): number;
}

/** The time of the machine, which may jump. */
export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };

/**
 * Runs `work` after `milliseconds`. Passed in where a test has to end a time limit itself.
 * @returns what cancels it
 */
export type StartTimer = (work: () => void, milliseconds: number) => () => void;

/** A timer of the runtime, which keeps the process running until it ends or is cancelled. */
export const systemTimer: StartTimer = (work, milliseconds) => {
  const timer = setTimeout(work, milliseconds);
  return () => clearTimeout(timer);
};

/**
 * A clock that starts at the given clock's time and then advances monotonically, for waits that must not
 * change when the system time is set.
 * @param monotonic milliseconds
 */
export function monotonicClock(clock: Clock, monotonic: () => number): Clock {
  const offset = clock.now() - Math.floor(monotonic() / 1000);
  return { now: () => offset + Math.floor(monotonic() / 1000) };
}
