/** The marks on charts, besides the values. */
import type { TimeSpan } from "./range.ts";

export interface Marks {
  /** Events: unix seconds, and 0 success, 1 error, 2 change. */
  events: readonly { at: number; state: number }[];
  /** Times of maintenance and mutes of the host or service. */
  maintenance: readonly TimeSpan[];
}

export const NO_MARKS: Marks = { events: [], maintenance: [] };
