import type { Clock } from "../../platform/clock.ts";
import type { Ref } from "../../platform/resources/references.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteGroup, lookupsFromNow } from "./groups.repository.ts";
import { agentGroupsAfter } from "./unused-groups.repository.ts";

/** Interval between two steps, milliseconds. */
export const UNUSED_GROUPS_STEP_MS = 1000;
/** The most groups that one step checks and deletes. */
const BATCH = 200;

/** References to groups other than foreign keys. */
export interface GroupReferences {
  /** In objects, by id: one page at a time, each reading a bounded number of rows. */
  ids: () => Iterator<readonly Ref[]>;
  /** In settings, by name. */
  names: () => ReadonlySet<string>;
}

/** The references to groups that this pass has read. */
interface Reading {
  pages: Iterator<readonly Ref[]>;
  ids: Set<Ref>;
  isComplete: boolean;
  /** Groups that were looked up since then: something may refer to them now. */
  lookedUp: ReadonlySet<number>;
}

/** Deletes groups that only agents have named, once they are empty and unreferenced, in small steps. */
export class UnusedGroups {
  /** The last group that was checked. */
  #after = 0;
  /** Null until the first empty group. */
  #reading: Reading | null = null;

  constructor(
    private readonly db: Db,
    private readonly references: GroupReferences,
    private readonly clock: Clock,
  ) {}

  /** Checks the next groups, and deletes those that are unused. @returns whether there is more to do */
  step(): boolean {
    if (this.#reading && !this.#reading.isComplete && this.#readMore(this.#reading)) return true;
    return transaction(this.db, () => {
      const groups = agentGroupsAfter(this.db, this.#after, BATCH);
      const empty = groups.filter(({ used }) => used === 0);
      if (empty.length > 0 && !this.#isRead()) return true;
      if (this.#reading && empty.length > 0) {
        const { ids, lookedUp } = this.#reading;
        const names = this.references.names();
        for (const { id, name } of empty)
          if (!ids.has(id) && !lookedUp.has(id) && !names.has(name))
            deleteGroup(this.db, id, this.clock.now());
      }
      const isPassOver = groups.length < BATCH;
      this.#after = isPassOver ? 0 : (groups.at(-1)?.id ?? 0);
      if (isPassOver) this.#reading = null;
      return !isPassOver;
    });
  }

  /** Whether all references to groups have been read in this pass. Begins to read them if necessary. */
  #isRead(): boolean {
    const reading = this.#reading ?? {
      pages: this.references.ids(),
      ids: new Set(),
      isComplete: false,
      lookedUp: lookupsFromNow(this.db),
    };
    return reading.isComplete || !this.#readMore(reading);
  }

  /** Reads a page. @returns whether there may be more */
  #readMore(reading: Reading): boolean {
    // If this fails, the pass starts over.
    this.#reading = null;
    const page = reading.pages.next();
    this.#reading = reading;
    reading.isComplete = page.done === true;
    for (const id of page.done ? [] : page.value) reading.ids.add(id);
    return !reading.isComplete;
  }
}
