import { existingUser } from "../../accounts/users/users.service.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import { declareError, declareTaken, errors, found } from "../../platform/http/errors.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { rulesNaming } from "../rules/rules.repository.ts";
import { ScheduleReads } from "./on-call.queries.ts";
import {
  deleteOverride,
  deleteOverridesBefore,
  deleteOverridesOf,
  findOverride,
  insertOverride,
  type NamedSchedule,
  overridesAfter,
  peopleById,
} from "./on-call.repository.ts";
import { type OverrideCreation, overrideCreation, type schedule } from "./on-call.schemas.ts";

export const scheduleExists = declareTaken("oncall.exists", "schedule");

export const scheduleUsed = declareError(
  409,
  "oncall.used",
  "Rules name the schedule",
  (name: string, rules: readonly string[]) => `"${name}" is used by the rules ${rules.join(", ")}`,
);

const MAX_SCHEDULES = 100;
/** The most overrides of a schedule that have not ended. */
export const MAX_OVERRIDES = 200;
const LONGEST_OVERRIDE = 366 * DAY;
/** Seconds for which overrides are kept after their end, for calendars of the past. */
const KEPT = 92 * DAY;

type Content = ContentOf<typeof schedule>;

interface OnCallParts {
  db: Db;
  references: References;
  settings: SettingsReader;
  clock: Clock;
  /**
   * Changes a schedule, in the transaction of the caller, and notifies people if that puts someone else on call at
   * once.
   */
  watching: <T>(scheduleId: number, change: () => T) => T;
}

/** Schedules of people on call. Administrators change them, and every user can read them. */
export class OnCall extends Collection<typeof schedule, NamedSchedule> {
  readonly #db: Db;
  readonly #settings: SettingsReader;
  readonly #clock: Clock;
  readonly #watching: OnCallParts["watching"];

  constructor({ db, references, settings, clock, watching }: OnCallParts) {
    super({
      reads: new ScheduleReads(db, clock),
      references,
      taken: scheduleExists,
      maxObjects: MAX_SCHEDULES,
      recorded: { kind: "on_call_schedules", clock },
    });
    this.#db = db;
    this.#settings = settings;
    this.#clock = clock;
    this.#watching = watching;
  }

  protected columnsOf(content: Content, before: NamedSchedule | null): Omit<NamedSchedule, "id"> {
    const { timezone = this.#settings.get("timezone") } = content;
    return { ...content, timezone, createdAt: before?.createdAt ?? this.#clock.now() };
  }

  protected override updated(
    ...change: Parameters<Collection<typeof schedule, NamedSchedule>["updated"]>
  ): void {
    this.#watching(change[0].id, () => super.updated(...change));
  }

  /** @throws ApiError 409 if rules name it */
  protected override deleted(row: NamedSchedule): void {
    const rules = rulesNaming(this.#db, { scheduleId: row.id }).map((rule) => `"${rule}"`);
    if (rules.length > 0) throw scheduleUsed(row.name, rules);
    deleteOverridesOf(this.#db, row.id, this.#clock.now());
    super.deleted(row);
  }

  /**
   * Puts a user on call for a time, in place of the rotations and of earlier overrides.
   * @param createdBy login name of the user who creates the override
   * @returns the id
   * @throws ApiError 400, 404
   */
  createOverride(args: OverrideCreation, createdBy: string): number {
    const { schedule: scheduleId, user, from, to } = args;
    const now = this.#clock.now();
    if (from >= to) throw errors.badArgument("from", "before to");
    if (to <= now) throw errors.badArgument("to", "in the future");
    if (to - from > LONGEST_OVERRIDE) throw errors.badArgument("to", "at most 366 days after from");
    return transaction(this.#db, () => {
      this.references.refuseUnknown(overrideCreation, args, null, "all");
      deleteOverridesBefore(this.#db, scheduleId, now - KEPT, now);
      if (overridesAfter(this.#db, now, [scheduleId]).length >= MAX_OVERRIDES)
        throw errors.badRequest(`A schedule has at most ${MAX_OVERRIDES} overrides; delete one first`);
      const { id: userId } = existingUser(this.#db, user);
      const override = { scheduleId, userId, from, to, createdBy };
      return this.#watching(scheduleId, () => insertOverride(this.#db, override, now));
    });
  }

  /** Deletes an override. @throws ApiError 404 */
  deleteOverride(id: number): void {
    transaction(this.#db, () => {
      const { scheduleId } = found(findOverride(this.#db, id), "override", id);
      this.#watching(scheduleId, () => deleteOverride(this.#db, id, this.#clock.now()));
    });
  }

  /** What the audit log says about an override; empty if there is none. */
  auditOverride(id: number): Record<string, string | number> {
    const override = findOverride(this.#db, id);
    if (!override) return {};
    const { scheduleId, userId, from, to } = override;
    const user = peopleById(this.#db, [userId]).get(userId)?.uname ?? "";
    return { schedule: this.content(scheduleId).name, user, from, to };
  }
}
