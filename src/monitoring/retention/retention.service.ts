import type { SQL } from "drizzle-orm";
import { deleteEntries } from "../../accounts/audit/audit.repository.ts";
import { deleteUnusedSessions } from "../../accounts/sessions/sessions.repository.ts";
import { type Clock, DAY } from "../../platform/clock.ts";
import type { SettingName } from "../../platform/settings/settings.definitions.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import { freePages, returnPages } from "../../platform/storage/size.repository.ts";
import { deleteOldActions } from "../actions/actions.repository.ts";
import { deleteEvents } from "../events/event-deletion.repository.ts";
import { deleteArrived } from "../expected/expected.repository.ts";
import { FIVE_MINUTES, RAW, RESOLUTIONS, type Resolution } from "../history/resolutions.ts";
import { deleteFinal } from "../hosts/deleted-hosts.repository.ts";
import { deleteOldChanges, excessChangesSweep } from "../ingest/output-changes.repository.ts";
import { unusedNamesSweep } from "../ingest/vanished-services.repository.ts";
import { excessRevisionsSweep } from "../moment/excess-revisions.repository.ts";
import { deleteOldRevisions, recordedSince } from "../moment/revisions.repository.ts";
import {
  deleteBlocks,
  deleteSilentRecoveries,
  deleteUnpackedSamples,
  deleteVanishedServices,
  ENDED_INTERVALS,
  endedNotesSweep,
  newestBlockBefore,
  oldestHost,
} from "./retention.repository.ts";

/** Interval between two steps, milliseconds. */
export const RETENTION_STEP_MS = 1000;
/** The most rows that one step deletes. */
const BATCH = 500;
/** As `BATCH`, for events, which are in many indexes and counts and so cost more. */
const EVENT_BATCH = 100;
/**
 * The most hosts whose changes of program output are counted in one step; each can have slightly more than a thousand.
 */
const HOSTS_BATCH = 20;
/** The most revisions that one step reads, in order, to find those in excess of what a host may have. */
const REVISIONS_BATCH = 2000;
/** As `BATCH`, for packed rows of deleted hosts: each contains some hundred rows. */
const PACKED_BATCH = 20;
/** Pause after a pass that found nothing left to delete, seconds. */
const REST = 600;
/** Free pages are kept for new rows up to this share of the file, and returned to the system beyond it. */
const MAX_FREE_SHARE = 0.05;
const PAGES_PER_STEP = 500;

/** Days for which ended actions are kept, with their results. */
const ACTION_DAYS = 30;

/** Days for which an expected host stays in the list after it has arrived. */
const ARRIVED_DAYS = 7;

/** One kind of data and how long it is kept. */
export interface RetentionRule {
  /**
   * Days to keep it, or settings with the days, the largest of which counts; null to delete it as soon as it is unused.
   */
  days: readonly SettingName[] | SettingName | number | null;
  /**
   * Deletes up to `limit` rows older than `before` (unix seconds).
   * @returns how many rows it deleted or checked
   */
  delete: (before: number, limit: number) => number;
  /** Rows per step; BATCH if absent. */
  batch?: number;
}

/** What other modules add: what they want deleted, and what they still use. */
interface RetentionOfOthers {
  /** Rules for their own data. */
  rules?: readonly RetentionRule[];
  /** Condition of expired events that are still in use. */
  usedEvents?: SQL | undefined;
  /** Whether the samples of a host cannot be packed. Those of other hosts will be, however old they are. */
  isGivenUp?: (hostId: number) => boolean;
}

/** Deletes expired data in small steps. */
export class Retention {
  readonly #rules: readonly RetentionRule[];
  /** Index of the current rule. */
  #next = 0;
  /** When the last pass ended, unix seconds; in the future if the clock was set back since. */
  #restingSince = Number.NEGATIVE_INFINITY;

  constructor(
    private readonly db: Db,
    private readonly settings: Settings,
    private readonly clock: Clock,
    { rules = [], usedEvents, isGivenUp }: RetentionOfOthers = {},
  ) {
    const lookAtNames = unusedNamesSweep(db);
    const deleteExcessChanges = excessChangesSweep(db);
    const deleteExcessRevisions = excessRevisionsSweep(db);
    this.#rules = [
      // This comes first, as uptime must no longer count that time.
      { days: "eventdays", delete: (before) => this.#noteEarlierDeletions(before) },
      ...RESOLUTIONS.map((resolution) => ({
        days: resolution.retention,
        delete: (before: number, limit: number) => this.#deleteValues(resolution, before, limit),
      })),
      { days: RAW.retention, delete: (before, limit) => deleteUnpackedSamples(db, before, limit, isGivenUp) },
      {
        days: "eventdays",
        delete: this.#deletionOfPast((before, limit) => deleteEvents(db, before, limit, usedEvents)),
        batch: EVENT_BATCH,
      },
      ...[
        deleteSilentRecoveries,
        deleteOldChanges,
        deleteOldRevisions,
        ...ENDED_INTERVALS.map((intervals) => this.#deletionOfUptime(intervals)),
      ].map((rows) => ({
        days: "eventdays" as const,
        delete: this.#deletionOfPast((before, limit) => rows(db, before, limit)),
      })),
      {
        // A service is kept as long as its values, which are deleted with it.
        days: ["eventdays", ...RESOLUTIONS.map(({ retention }) => retention)],
        delete: this.#deletionOfPast((before, limit) => deleteVanishedServices(db, before, limit)),
      },
      // Moments do not show these notes.
      { days: "eventdays", delete: endedNotesSweep(db) },
      { days: ACTION_DAYS, delete: (before, limit) => deleteOldActions(db, before, limit) },
      { days: "auditdays", delete: (before, limit) => deleteEntries(db, before, limit) },
      {
        // Sessions that have reached their greatest age need no rule: they are not used any more.
        days: null,
        delete: (now, limit) => deleteUnusedSessions(db, now - settings.get("sessionidle") * 60, limit),
      },
      { days: null, delete: (now, limit) => deleteFinal(db, now, limit), batch: PACKED_BATCH },
      { days: null, delete: (now, limit) => deleteArrived(db, now - ARRIVED_DAYS * DAY, limit) },
      { days: null, delete: (_now, limit) => lookAtNames(limit) },
      { days: null, delete: (_now, limit) => deleteExcessChanges(limit), batch: HOSTS_BATCH },
      { days: null, delete: (_now, limit) => deleteExcessRevisions(limit), batch: REVISIONS_BATCH },
      ...rules,
    ];
  }

  /** One small transaction of deletions. @returns whether there is more to do */
  step(): boolean {
    const now = this.clock.now();
    this.#returnSpace();
    const rested = now - this.#restingSince;
    if (rested >= 0 && rested < REST) return false;
    const rule = this.#rules[this.#next];
    if (!rule) {
      this.#next = 0;
      this.#restingSince = now;
      return false;
    }
    const before = rule.days === null ? now : now - this.#days(rule.days) * DAY;
    const batch = rule.batch ?? BATCH;
    const deleted = transaction(this.db, () => rule.delete(before, batch));
    if (deleted < batch) this.#next++;
    return true;
  }

  /**
   * Records once what an earlier version has deleted without recording it, as 1.0.0 did.
   * @param before that version has deleted failures and excluded time that ended before this, unix seconds
   * @returns 0, as it deletes nothing
   */
  #noteEarlierDeletions(before: number): number {
    if (this.settings.isStored("uptimesince") || recordedSince(this.db) === 0) return 0;
    const oldest = oldestHost(this.db);
    const since = oldest !== null && oldest < before ? before : 0;
    this.settings.set("uptimesince", since);
    this.#raise("pastsince", since);
    return 0;
  }

  /**
   * Deletes what past moments show, and stores since when they are known. That remains true if `eventdays` is raised.
   */
  #deletionOfPast(deleteSome: RetentionRule["delete"]): RetentionRule["delete"] {
    return (before, limit) => {
      const deleted = deleteSome(before, limit);
      if (deleted > 0) this.#raise("pastsince", before);
      return deleted;
    };
  }

  /** Deletes intervals, and stores since when uptime is complete. That remains true if `eventdays` is raised. */
  #deletionOfUptime(intervals: (typeof ENDED_INTERVALS)[number]) {
    return (db: Db, before: number, limit: number) => {
      const endedAt = intervals.newestEnd(db, before);
      if (endedAt !== null) this.#raise("uptimesince", endedAt);
      return intervals.delete(db, before, limit);
    };
  }

  /** Deletes blocks, and stores since when the values are complete. That remains true if more days are set. */
  #deleteValues({ seconds, blockSpan, since }: Resolution, before: number, limit: number): number {
    // Five-minute values are rolled up to hours a day at a time, so after Muster was off they may be needed for longer.
    const isNeededFrom = seconds === FIVE_MINUTES.seconds ? this.settings.get("rolledthrough") : before;
    const startsBefore = Math.min(before - blockSpan, isNeededFrom);
    const newest = newestBlockBefore(this.db, seconds, startsBefore);
    if (newest !== null) this.#raise(since, newest + blockSpan);
    return deleteBlocks(this.db, seconds, startsBefore, limit);
  }

  /** Sets a time unless a later one is stored. */
  #raise(name: "uptimesince" | "pastsince" | Resolution["since"], time: number): void {
    if (time > this.settings.get(name)) this.settings.set(name, time);
  }

  #days(days: NonNullable<RetentionRule["days"]>): number {
    if (typeof days === "number") return days;
    const names = typeof days === "string" ? [days] : days;
    return Math.max(...names.map((name) => Number(this.settings.get(name))));
  }

  #returnSpace(): void {
    const { free, total } = freePages(this.db);
    if (free > PAGES_PER_STEP && free > total * MAX_FREE_SHARE) returnPages(this.db, PAGES_PER_STEP);
  }
}
