/** Checks that the users in rotations exist. */

import { allSchedules, peopleById, scheduleRows } from "../../alerting/on-call/on-call.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { DoctorFinding } from "./finding.ts";

/**
 * One finding for each schedule that names a user who does not exist. Repairing it takes such users out of
 * its turns.
 */
export function findOnCallFaults(db: Db): DoctorFinding[] {
  const people = peopleById(db);
  const isIncomplete = ({ users }: { users: readonly number[] }) => users.some((id) => !people.has(id));
  return allSchedules(db)
    .filter(({ rotations }) => rotations.some(isIncomplete))
    .map(({ id, name }) => ({
      sentence: `The schedule "${name}" has users who do not exist: nobody is on call in their turns.`,
      repair: () => takeOutMissing(db, id),
    }));
}

/** Stores the schedule again. Users who do not exist have no login name, so they are dropped. */
function takeOutMissing(db: Db, id: number): void {
  const schedule = scheduleRows.find(db, id);
  if (schedule) scheduleRows.update(db, id, { rotations: schedule.rotations });
}
