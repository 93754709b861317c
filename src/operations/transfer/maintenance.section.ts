import * as v from "valibot";
import { allMaintenance, findMaintenanceByName } from "../../alerting/maintenance/maintenance.repository.ts";
import { createArguments } from "../../alerting/maintenance/maintenance.schemas.ts";
import type { Schedule } from "../../alerting/maintenance/schedule.ts";
import type { PlaceFilter } from "../../monitoring/places/place-filter.ts";
import { checked } from "../../platform/http/validate.ts";
import { namedFilter, placeArgumentsOf, placeEntries } from "./references.ts";
import type { Section } from "./section.ts";

const maintenanceSchema = v.strictObject({
  name: v.string(),
  enabled: v.boolean(),
  filter: v.strictObject(placeEntries),
  schedule: v.variant("kind", [
    v.strictObject({ kind: v.literal("once"), from: v.number(), to: v.number() }),
    v.strictObject({
      kind: v.literal("weekly"),
      days: v.array(v.number()),
      from: v.string(),
      minutes: v.number(),
      timezone: v.string(),
    }),
  ]),
});

function scheduleArgumentsOf(schedule: Schedule) {
  if (schedule.kind === "once") return { from: schedule.from, to: schedule.to };
  const { days, from, minutes, timezone } = schedule;
  return { days, timeofday: from, minutes, timezone };
}

export const maintenanceSection: Section<v.InferOutput<typeof maintenanceSchema>> = {
  name: "maintenance",
  schema: maintenanceSchema,
  nameOf: (window) => window.name,
  exportItems: ({ db }) =>
    allMaintenance(db).map(({ name, enabled, schedule, filter: stored }) => {
      const { filter, lost } = namedFilter<PlaceFilter>(db, stored);
      return { name, enabled: enabled && !lost, filter, schedule };
    }),
  importItem: ({ db, maintenance }, { name, enabled, filter, schedule }) => {
    const given = checked(createArguments, {
      name,
      enabled,
      ...placeArgumentsOf(db, filter, enabled),
      everything: Object.values(filter).every((names) => !names?.length),
      ...scheduleArgumentsOf(schedule),
    });
    const known = findMaintenanceByName(db, name);
    if (known) maintenance.update({ id: known.id, ...given }, "all");
    else maintenance.create(given, "all");
    return known ? "updated" : "created";
  },
};
