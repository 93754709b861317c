import { type Db, transaction } from "../../platform/storage/open.ts";
import { applyGroupChange, nextGroupChange } from "./group-counts.repository.ts";

/** Between two steps, milliseconds. */
export const GROUP_COUNTS_STEP_MS = 250;
/** One step, and so the pause in taking messages, lasts about this long, milliseconds. */
const STEP_BUDGET_MS = 20;

/**
 * Brings hosts that joined or left a group into the group's counts of events, a few at a time: thousands can join at once,
 * each with all its events. Until then those that are missing are counted one by one, so that totals are exact throughout.
 */
export class GroupCounts {
  constructor(
    private readonly db: Db,
    /** Milliseconds of a clock that never jumps. */
    private readonly monotonic: () => number,
  ) {}

  /** @returns whether there is more to do */
  step(): boolean {
    const end = this.monotonic() + STEP_BUDGET_MS;
    if (!nextGroupChange(this.db)) return false;
    return transaction(this.db, () => {
      do {
        const change = nextGroupChange(this.db);
        if (!change) return false;
        applyGroupChange(this.db, change);
      } while (this.monotonic() < end);
      return true;
    });
  }
}
