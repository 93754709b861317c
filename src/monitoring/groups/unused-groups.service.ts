import { type Db, transaction } from "../../platform/storage/open.ts";
import { deleteGroup } from "./groups.repository.ts";
import { agentGroupsAfter } from "./unused-groups.repository.ts";

/** Interval between two steps, milliseconds. */
export const UNUSED_GROUPS_STEP_MS = 1000;
/** Groups that one step looks at, and deletes at most. */
const BATCH = 200;

/** Groups that are referred to otherwise than by a foreign key: in filters, by id, and in settings, by name. */
export interface GroupReferences {
  ids: ReadonlySet<number>;
  names: ReadonlySet<string>;
}

/** Deletes groups that only agents have named, once they are empty and nothing refers to them, in small steps. */
export class UnusedGroups {
  /** The last group that was looked at. */
  #after = 0;

  constructor(
    private readonly db: Db,
    private readonly references: () => GroupReferences,
  ) {}

  /** @returns whether there is more to do */
  step(): boolean {
    return transaction(this.db, () => {
      const groups = agentGroupsAfter(this.db, this.#after, BATCH);
      const empty = groups.filter(({ used }) => used === 0);
      if (empty.length > 0) {
        const { ids, names } = this.references();
        for (const { id, name } of empty) if (!ids.has(id) && !names.has(name)) deleteGroup(this.db, id);
      }
      const isPassOver = groups.length < BATCH;
      this.#after = isPassOver ? 0 : (groups.at(-1)?.id ?? 0);
      return !isPassOver;
    });
  }
}
