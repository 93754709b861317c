import * as v from "valibot";
import { findUser } from "../../accounts/users/users.repository.ts";
import { findScheduleByName, overridesAfter } from "../../alerting/on-call/on-call.repository.ts";
import { overrideItem, schedule } from "../../alerting/on-call/on-call.schemas.ts";
import { FULL_REACH } from "../../platform/http/scope.ts";
import { collectionSection } from "./collection-section.ts";
import type { Section, TransferDependencies } from "./section.ts";

const itemSchema = v.objectWithRest({ name: v.string(), overrides: v.array(overrideItem) }, v.unknown());
type ScheduleItem = v.InferOutput<typeof itemSchema>;

const schedules = collectionSection("oncall", schedule, ({ onCall }) => onCall);

/** Adds the overrides that have not ended and are not stored yet. */
function importOverrides(
  { db, clock, onCall, references }: TransferDependencies,
  { name, overrides }: ScheduleItem,
): void {
  const id = findScheduleByName(db, name)?.id ?? 0;
  const stored = overridesAfter(db, clock.now(), [id]);
  for (const { createdby, ...override } of overrides) {
    const { user, from, to } = override;
    const userId = findUser(db, user)?.id;
    const isStored = stored.some(
      (existing) => existing.userId === userId && existing.from === from && existing.to === to,
    );
    if (to <= clock.now() || isStored) continue;
    references.withIds(overrideItem, override);
    onCall.createOverride({ schedule: id, ...override }, createdby);
  }
}

/** The import creates them in the order of the file, and of overrides that overlap, the newest counts. */
function inOrderOfCreation<T extends { id: number }>(overrides: readonly T[]): T[] {
  return overrides.toSorted((a, b) => a.id - b.id);
}

/** Schedules of people on call with their overrides. Users that only sign in elsewhere must already exist. */
export const onCallSection: Section<ScheduleItem> = {
  name: schedules.name,
  schema: itemSchema,
  nameOf: ({ name }) => name,
  exportItems: (dependencies, withSecrets, leaveOut) => {
    const { records } = dependencies.onCall.reads.list(FULL_REACH);
    const overridesOf = new Map(records.map(({ name, overrides }) => [name, overrides]));
    const items = schedules.exportItems(dependencies, withSecrets, leaveOut) as { name: string }[];
    return items.map((item) => ({
      ...item,
      overrides: inOrderOfCreation(overridesOf.get(item.name) ?? []).map(
        ({ id: _, fullname: __, ...override }) => override,
      ),
    }));
  },
  importItem: (dependencies, item, from) => {
    const { overrides: _, ...content } = item;
    const outcome = schedules.importItem(dependencies, content, from);
    importOverrides(dependencies, item);
    return outcome;
  },
};
