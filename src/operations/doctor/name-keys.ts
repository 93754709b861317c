/** Checks that names are stored with the sort keys that this build computes (sort-key.ts). */

import { sortKey } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { counted } from "../../platform/text.ts";
import { KEYED_LISTS, keyedNames, setNameKey } from "./doctor.repository.ts";
import type { DoctorFinding } from "./finding.ts";

/** One finding for each list with wrong sort keys. Reads all names of hosts, expected hosts, services and host groups. */
export function findKeyFaults(db: Db): DoctorFinding[] {
  const faults = KEYED_LISTS.map((list) => {
    const wrong = keyedNames(db, list).filter(({ name, key }) => key !== sortKey(name));
    const repair = () => {
      for (const { id, name } of wrong) setNameKey(db, list, id, sortKey(name));
    };
    return {
      count: wrong.length,
      sentence: `${counted(wrong.length, `name of ${list} has a wrong sort key`, `names of ${list} have wrong sort keys`)}.`,
      repair,
    };
  });
  return faults.filter(({ count }) => count > 0);
}
