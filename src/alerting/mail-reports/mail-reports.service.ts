import type { Clock } from "../../platform/clock.ts";
import type { Caller } from "../../platform/http/context.ts";
import { declareTaken, errors, found } from "../../platform/http/errors.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { ReportSubject } from "./figures.service.ts";
import {
  allReports,
  deleteReport,
  findReport,
  findReportByName,
  insertReport,
  isReader,
  type MailReport,
  setLastDay,
  updateReport,
} from "./mail-reports.repository.ts";
import type { ReportCreation, ReportReply, ReportUpdate, ViewArguments } from "./mail-reports.schemas.ts";
import { newestDue, newestOver, nextDue, periodEndingAt } from "./period.ts";
import { contentOf, reportContentOf } from "./report-content.ts";

export const reportExists = declareTaken("report.exists", "report");

/** All of them are looked at every few seconds, hence the bound. */
const MAX_REPORTS = 200;

/** The hosts that a report is about. */
export function aboutOf({ everything, groups }: Pick<MailReport, "everything" | "groups">) {
  return everything ? ("all" as const) : { groups };
}

/** Reports by mail: administrators manage them, their recipients read them. */
export class MailReports {
  constructor(
    private readonly db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {}

  /** By name. */
  list() {
    const records = allReports(this.db).map((report) => this.#replyOf(report));
    return { totalRecords: records.length, records };
  }

  /** @throws ApiError 404 */
  get(id: number): ReportReply {
    return this.#replyOf(this.#find(id));
  }

  /** Its first period is the one after the present moment. @returns its id @throws ApiError 400, 409 */
  create(given: ReportCreation): number {
    return transaction(this.db, () => {
      const content = reportContentOf(this.db, given, null);
      this.#refuseTaken(content.name);
      if (allReports(this.db).length >= MAX_REPORTS)
        throw errors.badRequest(`There are at most ${MAX_REPORTS} reports; delete one first`);
      return insertReport(this.db, content, this.#newestDay(content));
    });
  }

  /** Changes the given properties. What was due before is not sent for that. @throws ApiError 400, 404, 409 */
  update({ id, ...given }: ReportUpdate): void {
    transaction(this.db, () => {
      const report = this.#find(id);
      const content = reportContentOf(this.db, given, contentOf(report));
      if (content.name !== report.name) this.#refuseTaken(content.name);
      updateReport(this.db, id, content);
      const newest = this.#newestDay(content);
      const isResumed = content.enabled && !report.enabled;
      const isRescheduled = content.period !== report.period || content.hour !== report.hour;
      if ((isResumed || isRescheduled) && newest > report.lastDay) setLastDay(this.db, id, newest);
    });
  }

  /** @throws ApiError 404 */
  delete(id: number): void {
    transaction(this.db, () => {
      this.#find(id);
      deleteReport(this.db, id);
    });
  }

  /** The reports that a caller gets, or all for an administrator. */
  ownList({ id: userId, admin }: Caller) {
    const own = allReports(this.db).filter(
      ({ readers }) => admin || readers.some((reader) => reader.id === userId),
    );
    const records = own.map(({ id, name, period }) => ({ id, name, period }));
    return { totalRecords: records.length, records };
  }

  /**
   * What a report is about and which of its periods to read, as the caller sees it.
   * @throws ApiError 404 if there is no such report, or the caller does not get it
   */
  view({ id, before = this.clock.now() }: ViewArguments, caller: Caller) {
    const isOwn = caller.admin || isReader(this.db, id, caller.id);
    const report = found(isOwn ? findReport(this.db, id) : undefined, "report", id);
    const { name, period, target } = report;
    const { from, to } = newestOver(report, Math.min(before, this.clock.now()), this.#timezone);
    const subject: ReportSubject = {
      ...{ window: { from, to }, before: periodEndingAt(period, from, this.#timezone) },
      ...{ target, about: aboutOf(report), scope: caller.rights.view },
    };
    return { id, name, period, subject };
  }

  get #timezone(): string {
    return this.settings.get("timezone");
  }

  #newestDay(schedule: Pick<MailReport, "period" | "hour">): string {
    return newestDue(schedule, this.clock.now(), this.#timezone).day;
  }

  #replyOf(report: MailReport): ReportReply {
    const { id, name, enabled, period, hour, everything, target, addresses, readers } = report;
    return {
      ...{ id, name, enabled, period, hour, everything, target, addresses },
      hostgroups: report.groups,
      channelid: report.channelId,
      unames: readers.map(({ uname }) => uname),
      unreachable: readers.filter(({ email }) => email === "").map(({ uname }) => uname),
      next: enabled ? nextDue(report, this.clock.now(), this.#timezone) : null,
    };
  }

  #refuseTaken(name: string): void {
    if (findReportByName(this.db, name)) throw reportExists(name);
  }

  #find(id: number): MailReport {
    return found(findReport(this.db, id), "report", id);
  }
}
