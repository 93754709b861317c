import * as v from "valibot";
import { findUser } from "../../accounts/users/users.repository.ts";
import { findScheduleByName, overridesAfter } from "../../alerting/on-call/on-call.repository.ts";
import { createArguments } from "../../alerting/on-call/on-call.schemas.ts";
import { rotationList } from "../../alerting/on-call/rotations-argument.ts";
import { checked, unixTimestamp } from "../../platform/http/validate.ts";
import type { Section, TransferDependencies } from "./section.ts";

const scheduleSchema = v.strictObject({
  name: v.string(),
  timezone: v.string(),
  /** With login names. */
  rotations: rotationList,
  overrides: v.array(
    v.strictObject({ uname: v.string(), from: unixTimestamp, to: unixTimestamp, createdby: v.string() }),
  ),
});
type ScheduleItem = v.InferOutput<typeof scheduleSchema>;

/** Adds the overrides that have not ended and are not there. */
function importOverrides(
  { db, clock, onCall }: TransferDependencies,
  scheduleid: number,
  overrides: ScheduleItem["overrides"],
): void {
  const known = overridesAfter(db, clock.now(), scheduleid);
  for (const { uname, from, to, createdby } of overrides) {
    const userId = findUser(db, uname)?.id;
    const isKnown = known.some((one) => one.userId === userId && one.from === from && one.to === to);
    if (to > clock.now() && !isKnown) onCall.createOverride({ scheduleid, uname, from, to }, createdby);
  }
}

/** Schedules of people on call. Users that only sign in elsewhere have to exist already. */
export const onCallSection: Section<ScheduleItem> = {
  name: "oncall",
  schema: scheduleSchema,
  nameOf: (schedule) => schedule.name,
  exportItems: ({ onCall }) =>
    onCall.list().records.map(({ name, timezone, rotations, overrides }) => ({
      ...{ name, timezone, rotations },
      overrides: overrides.map(({ uname, from, to, createdby }) => ({ uname, from, to, createdby })),
    })),
  importItem: (dependencies, { overrides, ...item }) => {
    const { db, onCall } = dependencies;
    const given = checked(createArguments, { ...item, rotations: JSON.stringify(item.rotations) });
    const known = findScheduleByName(db, item.name);
    const id = known?.id ?? onCall.create(given);
    if (known) onCall.update({ id, ...given });
    importOverrides(dependencies, id, overrides);
    return known ? "updated" : "created";
  },
};
