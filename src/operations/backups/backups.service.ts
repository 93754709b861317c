import { type Clock, DAY } from "../../platform/clock.ts";
import { declareError, errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import type { AddressReach } from "../../platform/net/addresses.ts";
import type { Settings } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { ReadPlace } from "../../platform/storage/read-place.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import { reasonOf } from "../../platform/text.ts";
import type { MakeBackup } from "./backup-thread.ts";
import {
  type BackupRow,
  failuresSince,
  forgetBackups,
  forgetFailures,
  insertBackup,
  newestBackups,
  newestProven,
  newestStored,
  storedAt,
} from "./backups.repository.ts";
import { recipientsIn } from "./identities.ts";
import type { BackupJob, BackupOutcome, BackupProgress } from "./job.ts";
import { targetOf } from "./plan.ts";
import { type BackupHistory, isDue, lastTime, nextTime } from "./schedule.ts";
import { type BackupTarget, descriptionOf } from "./target.ts";
import { UnfinishedBackups } from "./unfinished-backups.ts";

/** Interval at which `step` is called, milliseconds. */
export const BACKUP_STEP_MS = 10_000;
/** Days for which failed attempts are listed. */
const FAILURE_DAYS = 30;

export const backupRunning = declareError(409, "backup.running", "A backup is being made");

/** How this process makes backups. */
export interface BackupMeans {
  make: MakeBackup;
  /** Where the thread opens the database. */
  database: ReadPlace;
  /** Path of the data folder. */
  folder: string;
  /** Folder of the migrations. */
  migrations: string;
  identityFile: string | null;
  reach: AddressReach;
}

interface BackupsOptions {
  db: Db;
  settings: Settings;
  clock: Clock;
  log: Log;
  storage: Pick<StorageHealth, "ifPossible">;
  /** Null where none are made: a database in memory, or a command. */
  backupMeans: BackupMeans | null;
}

/** What the health of Muster depends on. */
export interface BackupFacts {
  /** The newest that is stored at the present place, and the previous one. */
  last: BackupRow | null;
  before: BackupRow | null;
  /** Since when a backup is due, unix seconds; null when none is. */
  due: number | null;
  /** Why the last attempt failed; null if it did not. */
  failure: string | null;
}

/** The backup that is being made. */
interface Running {
  /** Unix seconds. */
  started: number;
  progress: BackupProgress;
}

/** Makes backups at the scheduled times, one at a time, and records what became of them. */
export class Backups {
  #running: Running | null = null;
  readonly #stop = new AbortController();
  /**
   * Times of failed attempts that could not be recorded, as on a full disk, newest first. The next one waits for
   * these, too.
   */
  #unrecorded: number[] = [];
  #ended: Promise<void> = Promise.resolve();

  constructor(private readonly options: BackupsOptions) {}

  /** Starts a backup if one is due. */
  step(): boolean {
    const target = this.#target;
    if (target && !this.#running && this.#isDue(target)) this.#begin(target);
    return true;
  }

  /** Starts a backup now. @throws ApiError 400 when there is no place for it, 409 while one is being made */
  start(): void {
    const target = this.#target;
    if (!target)
      throw errors.missingArgument("backupplace", "name a place for backups in the settings first");
    if (this.#running) throw backupRunning();
    this.#begin(target);
  }

  /** The plan as it stands, and the backups, the newest first. */
  overview() {
    const { db, settings, clock } = this.options;
    const isOn = this.#target !== null;
    return {
      next: isOn ? nextTime(this.#times, clock.now(), settings.get("timezone")) : null,
      isProvable: this.#isProvable,
      running: this.#running,
      backups: newestBackups(db),
    };
  }

  /** What the health of Muster depends on; null while no backups are scheduled. */
  get facts(): BackupFacts | null {
    const target = this.#target;
    if (!target) return null;
    const { db, settings, clock } = this.options;
    const place = descriptionOf(target);
    const [last, before] = storedAt(db, place, 2);
    const [failure] = failuresSince(db, place, last?.id ?? 0);
    const time = lastTime(this.#times, clock.now(), settings.get("timezone"));
    const isLate = last !== undefined && time !== null && last.createdAt < time;
    return {
      last: last ?? null,
      before: before ?? null,
      // The first backup at a place has no scheduled time: it begins at once.
      due: last === undefined ? (this.#running?.started ?? null) : isLate ? time : null,
      failure: failure?.trouble ?? null,
    };
  }

  /** When the newest backup was made, and the newest that was proven, unix seconds; null without one. */
  get newest(): { stored: number | null; proven: number | null } {
    const { db } = this.options;
    return {
      stored: newestStored(db)?.createdAt ?? null,
      proven: newestProven(db)?.createdAt ?? null,
    };
  }

  /** Whether backups can be restored here, as a proof. */
  get #isProvable(): boolean {
    const { settings, backupMeans } = this.options;
    return settings.get("backuprecipients") === "" || (backupMeans?.identityFile ?? null) !== null;
  }

  /** Resolves when no backup is being made. */
  idle(): Promise<void> {
    return this.#ended;
  }

  /** Ends the backup that is being made. An upload is resumed after the next start. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#ended;
  }

  get #target(): BackupTarget | null {
    return this.options.backupMeans && targetOf(this.options.settings);
  }

  get #times(): string[] {
    return this.options.settings.get("backuptimes").split(",");
  }

  #isDue(target: BackupTarget): boolean {
    const { db, settings, clock } = this.options;
    const place = descriptionOf(target);
    const [stored] = storedAt(db, place, 1);
    const recorded = failuresSince(db, place, stored?.id ?? 0).map(({ endedAt }) => endedAt);
    const past: BackupHistory = {
      stored: stored?.createdAt ?? null,
      failed: [...this.#unrecorded, ...recorded],
    };
    return isDue(this.#times, past, clock.now(), settings.get("timezone"));
  }

  #begin(target: BackupTarget): void {
    const { clock, log, backupMeans } = this.options;
    if (!backupMeans) throw new Error("this process makes no backups");
    const started = clock.now();
    const running: Running = { started, progress: { phase: "copying", done: 0, total: 0 } };
    this.#running = running;
    const report = (progress: BackupProgress) => {
      running.progress = progress;
    };
    const place = descriptionOf(target);
    const work = async () => {
      const outcome = await backupMeans.make(this.#job(target, backupMeans), report, this.#stop.signal);
      this.#store(place, outcome);
      this.#unrecorded = [];
      new UnfinishedBackups(backupMeans.folder).empty();
      log.info("a backup was made", { place, name: outcome.name, state: outcome.proof });
    };
    this.#ended = work()
      .catch((error) => this.#fail(place, started, error))
      .finally(() => {
        this.#running = null;
      });
  }

  #store(
    place: string,
    { name, created, bytes, databaseBytes, proof, trouble, removed }: BackupOutcome,
  ): void {
    const { db, clock } = this.options;
    const endedAt = clock.now();
    transaction(db, () => {
      // Muster may have been killed after it had recorded the same backup.
      forgetBackups(db, place, [...removed, name]);
      insertBackup(db, {
        name,
        place,
        createdAt: created,
        endedAt,
        state: proof,
        bytes,
        databaseBytes,
        trouble,
      });
      forgetFailures(db, endedAt - FAILURE_DAYS * DAY);
    });
  }

  #fail(place: string, started: number, error: unknown): void {
    const { db, clock, log, storage } = this.options;
    // A backup that a stop interrupts did not fail: the next start resumes it.
    if (this.#stop.signal.aborted) return;
    const trouble = reasonOf(error);
    log.error("a backup failed", { place, reason: trouble });
    const row = {
      name: "",
      place,
      createdAt: started,
      endedAt: clock.now(),
      state: "failed" as const,
      trouble,
    };
    const isRecorded = storage.ifPossible(() => {
      insertBackup(db, row);
      forgetFailures(db, row.endedAt - FAILURE_DAYS * DAY);
    });
    this.#unrecorded = isRecorded ? [] : [row.endedAt, ...this.#unrecorded];
  }

  #job(target: BackupTarget, { make: _make, ...means }: BackupMeans): BackupJob {
    const { db, settings, clock } = this.options;
    const stored = storedAt(db, descriptionOf(target));
    const now = clock.now();
    return {
      ...means,
      now,
      target,
      recipients: recipientsIn(settings.get("backuprecipients")),
      rate: settings.get("backuprate") * 1000,
      stored: stored.map(({ name, createdAt, state }) => ({
        name,
        created: createdAt,
        isProven: state === "proven",
      })),
      keeping: {
        days: settings.get("backupkeepdays"),
        weeks: settings.get("backupkeepweeks"),
        months: settings.get("backupkeepmonths"),
      },
      timezone: settings.get("timezone"),
      lastBytes: stored[0]?.bytes ?? null,
    };
  }
}
