/** The recipients of the rules of tests. */

/** Notifies channels at once. */
export function notifying(...channels: number[]) {
  return { steps: [{ channels }] };
}

/** Notifies channels at once, and others after some minutes of failure. */
export function escalating(first: number[], after: number, ...channels: number[]) {
  return { steps: [{ channels: first }, { after, channels }] };
}
