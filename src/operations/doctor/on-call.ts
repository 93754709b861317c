/** Checks that the users in rotations exist. */

import { allSchedules, peopleById, updateSchedule } from "../../alerting/on-call/on-call.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { Finding } from "./finding.ts";

export function findOnCallFaults(db: Db): Finding[] {
  const people = peopleById(db);
  return allSchedules(db).flatMap((schedule) => {
    const rotations = schedule.rotations.map((one) => ({
      ...one,
      users: one.users.filter((id) => people.has(id)),
    }));
    const missing = schedule.rotations.some(({ users }, i) => users.length !== rotations[i]?.users.length);
    if (!missing) return [];
    const sentence = `The schedule "${schedule.name}" has users who do not exist: in their turns nobody is on call.`;
    return [{ sentence, repair: () => updateSchedule(db, schedule.id, { ...schedule, rotations }) }];
  });
}
