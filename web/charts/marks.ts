/** The marks on charts, besides the values. */
import type { TimeSpan } from "./range.ts";

export interface Marks {
  /** Events: unix seconds, and 0 success, 1 error, 2 change. */
  events: readonly { at: number; state: number }[];
  /** When maintenance or mutes cover what is shown. */
  maintenance: readonly TimeSpan[];
}

export const NO_MARKS: Marks = { events: [], maintenance: [] };
