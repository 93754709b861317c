import { type Db, transaction } from "../../platform/storage/open.ts";
import { applyGroupChange, nextGroupChange } from "./group-counts.repository.ts";

/** Interval between two steps, milliseconds. */
export const GROUP_COUNTS_STEP_MS = 250;
/** Approximate duration of a step, milliseconds. No messages are stored during a step. */
const STEP_BUDGET_MS = 20;

/**
 * Applies membership changes to the groups' event counts in small steps, since thousands of hosts can join a group at
 * once. Totals stay exact: counting includes changes that are not applied yet.
 */
export class GroupCounts {
  constructor(
    private readonly db: Db,
    /** Monotonic clock, milliseconds. */
    private readonly monotonic: () => number,
  ) {}

  /** Applies membership changes for some milliseconds. @returns whether there is more to do */
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
