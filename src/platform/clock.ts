/** Time as everything in Muster is given it, so that tests can step it. */
export interface Clock {
  /** Unix time in whole seconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };

/**
 * A clock that goes on from the present time without jumping, whatever becomes of the given one: for waits, which must
 * neither end early nor grow when the machine's time is set. @param monotonic milliseconds
 */
export function monotonicClock(clock: Clock, monotonic: () => number): Clock {
  const offset = clock.now() - Math.floor(monotonic() / 1000);
  return { now: () => offset + Math.floor(monotonic() / 1000) };
}
