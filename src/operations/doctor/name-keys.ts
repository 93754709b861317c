/** Checks that names are stored with the sort keys that this build computes (sort-key.ts). */

import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { keyedNames } from "./doctor.repository.ts";
import type { Finding } from "./finding.ts";

export function findKeyFaults(db: Db): Finding[] {
  return Object.entries(keyedNames(db)).flatMap(([list, keyed]) => {
    const wrong = keyed.filter(({ name, key }) => key !== sortKey(name));
    if (wrong.length === 0) return [];
    return [
      {
        sentence: `${wrong.length} names of ${list} are sorted by something else than themselves.`,
        repair: () => {
          for (const { name, setKey } of wrong) setKey(sortKey(name));
        },
      },
    ];
  });
}
