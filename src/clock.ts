/** Time as everything in Muster is given it, so that tests can step it. */
export interface Clock {
  /** Unix time in whole seconds. */
  now(): number;
}

export const systemClock: Clock = { now: () => Math.floor(Date.now() / 1000) };
