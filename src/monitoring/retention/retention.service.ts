import { deleteEntries } from "../../accounts/audit/audit.repository.ts";
import { deleteExpiredSessions } from "../../accounts/sessions/sessions.repository.ts";
import { SESSION_MAX_AGE } from "../../accounts/sessions/sessions.service.ts";
import type { Clock } from "../../platform/clock.ts";
import type { SettingName } from "../../platform/settings/settings.definitions.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { freePages, returnPages } from "../../platform/storage/size.repository.ts";
import { deleteEvents } from "../events/event-deletion.repository.ts";
import { RAW, RESOLUTIONS } from "../history/resolutions.ts";
import { unusedNamesSweep } from "../ingest/vanished-services.repository.ts";
import {
  deleteBlocks,
  deleteDowntimes,
  deleteExcluded,
  deleteSilentRecoveries,
  deleteUnpackedSamples,
  deleteVanishedServices,
} from "./retention.repository.ts";

/** Between two steps, milliseconds. */
export const RETENTION_STEP_MS = 1000;
/** Rows that one step deletes at the most. */
const BATCH = 500;
/** An event costs more than others: it is in many indexes and counts. */
const EVENT_BATCH = 100;
/** When nothing is left to delete, this many seconds pass until the next look. */
const REST = 600;
/** Empty pages are kept for the next rows, up to this share of the file; the rest is given back. */
const MAX_FREE_SHARE = 0.1;
const PAGES_PER_STEP = 500;

const DAY = 86_400;
/** What is deleted, and when. */
export interface RetentionRule {
  /** How many days, or the setting that says so; null for what is of no use as soon as it is not used. */
  days: SettingName | number | null;
  /** Deletes some of what is older than `before` (unix seconds). @returns how much, or how much it looked at */
  delete: (before: number, limit: number) => number;
  /** How much at a time; BATCH if not given. */
  batch?: number;
}

/** Deletes what is past its time, a little at a time. */
export class Retention {
  readonly #rules: readonly RetentionRule[];
  /** The rule at hand. */
  #next = 0;
  #restUntil = 0;

  /** @param further rules for what other modules keep */
  constructor(
    private readonly db: Db,
    private readonly settings: Settings,
    private readonly clock: Clock,
    further: readonly RetentionRule[],
  ) {
    const lookAtNames = unusedNamesSweep(db);
    this.#rules = [
      ...RESOLUTIONS.map(({ seconds, blockSpan, retention }) => ({
        days: retention,
        delete: (before: number, limit: number) => deleteBlocks(db, seconds, before - blockSpan, limit),
      })),
      { days: RAW.retention, delete: (before, limit) => deleteUnpackedSamples(db, before, limit) },
      {
        days: "eventdays",
        delete: (before, limit) => deleteEvents(db, before, limit),
        batch: EVENT_BATCH,
      },
      { days: "eventdays", delete: (before, limit) => deleteSilentRecoveries(db, before, limit) },
      { days: "eventdays", delete: (before, limit) => deleteDowntimes(db, before, limit) },
      { days: "eventdays", delete: (before, limit) => deleteExcluded(db, before, limit) },
      { days: "eventdays", delete: (before, limit) => deleteVanishedServices(db, before, limit) },
      { days: "auditdays", delete: (before, limit) => deleteEntries(db, before, limit) },
      { days: null, delete: (now) => this.#deleteSessions(now) },
      { days: null, delete: (_now, limit) => lookAtNames(limit) },
      ...further,
    ];
  }

  /** One small transaction of deleting. @returns whether there is more to do */
  step(): boolean {
    const now = this.clock.now();
    this.#returnSpace();
    if (now < this.#restUntil) return false;
    const rule = this.#rules[this.#next];
    if (!rule) {
      this.#next = 0;
      this.#restUntil = now + REST;
      return false;
    }
    const before = rule.days === null ? now : now - this.#days(rule.days) * DAY;
    const batch = rule.batch ?? BATCH;
    const deleted = transaction(this.db, () => rule.delete(before, batch));
    if (deleted < batch) this.#next++;
    return true;
  }

  #days(days: SettingName | number): number {
    return typeof days === "number" ? days : Number(this.settings.get(days));
  }

  #deleteSessions(now: number): number {
    deleteExpiredSessions(this.db, now - this.settings.get("sessionidle") * 60, now - SESSION_MAX_AGE);
    return 0;
  }

  #returnSpace(): void {
    const { free, all } = freePages(this.db);
    if (free > PAGES_PER_STEP && free > all * MAX_FREE_SHARE) returnPages(this.db, PAGES_PER_STEP);
  }
}
