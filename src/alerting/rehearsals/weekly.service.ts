import type { Clock } from "../../platform/clock.ts";
import { declareTaken } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import { Collection } from "../../platform/resources/collection.ts";
import type { References } from "../../platform/resources/references.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findSchedule } from "../on-call/on-call.repository.ts";
import type { WeeklyRehearsal } from "./rehearsals.repository.ts";
import type { weeklyRehearsal } from "./rehearsals.schemas.ts";
import { nextHeld, refuseContradiction } from "./rehearsals.service.ts";
import { mayRehearse } from "./rehearsed.ts";
import { WeeklyRehearsalReads } from "./weekly.queries.ts";

export const weeklyRehearsalExists = declareTaken("weeklyrehearsal.exists", "weekly rehearsal");

const MAX_WEEKLY = 200;

type Content = ContentOf<typeof weeklyRehearsal>;

interface WeeklyRehearsalParts {
  db: Db;
  references: References;
  settings: SettingsReader;
  clock: Clock;
}

/**
 * Weekly rehearsals. Those who may change a rule may change its rehearsals; administrators also change those of
 * schedules.
 */
export class WeeklyRehearsals extends Collection<typeof weeklyRehearsal, WeeklyRehearsal> {
  readonly #db: Db;
  readonly #settings: SettingsReader;
  readonly #clock: Clock;

  constructor({ db, references, settings, clock }: WeeklyRehearsalParts) {
    super({
      reads: new WeeklyRehearsalReads(db),
      references,
      taken: weeklyRehearsalExists,
      maxObjects: MAX_WEEKLY,
    });
    this.#db = db;
    this.#settings = settings;
    this.#clock = clock;
  }

  /** A change of other fields than `enabled`, day, time and time zone keeps the time at which it is next held. */
  protected columnsOf(content: Content, before: WeeklyRehearsal | null): Omit<WeeklyRehearsal, "id"> {
    refuseContradiction(content);
    const { enabled, schedule, day, time } = content;
    const ofSchedule = schedule === null ? undefined : findSchedule(this.#db, schedule)?.timezone;
    const timezone = content.timezone ?? ofSchedule ?? this.#settings.get("timezone");
    const isSame =
      before?.enabled === enabled &&
      before.day === day &&
      before.time === time &&
      before.timezone === timezone;
    const dueAt = isSame ? before.dueAt : nextHeld({ day, time, timezone }, this.#clock.now());
    return { ...content, timezone, dueAt };
  }

  protected override mayChange({ rule: ruleId, schedule: scheduleId }: Content, scope: Scope): boolean {
    return mayRehearse(this.#db, { ruleId, scheduleId }, scope);
  }

  protected override isKnown(): boolean {
    return false;
  }
}
