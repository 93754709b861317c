import type { Clock } from "../../platform/clock.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import { type ContentOf, contentIn } from "../../platform/resources/resource.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { FiguresOfReports, type ReportSubject } from "./figures.service.ts";
import { type MailReport, reportRows } from "./mail-reports.repository.ts";
import { report } from "./mail-reports.schemas.ts";
import { nextDue } from "./period.ts";

/** Reports by mail, as administrators see them. */
export class MailReportReads extends CollectionReads<typeof report, MailReport> {
  constructor(
    db: Db,
    private readonly settings: SettingsReader,
    private readonly clock: Clock,
  ) {
    super(db, report, reportRows, "name");
  }

  override contentOf({ readers, ...row }: MailReport): ContentOf<typeof report> {
    return contentIn(report, { ...row, users: readers.map(({ uname }) => uname) });
  }

  protected derived() {
    const now = this.clock.now();
    const timezone = this.settings.get("timezone");
    return (row: MailReport) => ({
      unreachable: row.readers.filter(({ email }) => email === "").map(({ uname }) => uname),
      next: row.enabled ? nextDue(row, now, timezone) : null,
    });
  }
}

/** Queries of reports by mail that run on a query worker. */
export function mailReportQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const figures = new FiguresOfReports(db, settings, clock);
  const reads = new MailReportReads(db, settings, clock);
  return {
    mailReportList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    mailReport: (id: number, reach: Reach) => reads.get(id, reach),
    /** The reports that a user gets. @param userId null: all */
    ownReports: (userId: number | null) => {
      const isOwn = ({ readers }: MailReport) => readers.some(({ id }) => id === userId);
      const records = reads
        .all()
        .filter((row) => userId === null || isOwn(row))
        .map(({ id, name, period }) => ({ id, name, period }));
      return { totalRecords: records.length, records };
    },
    reportFigures: (subject: ReportSubject) => figures.of(subject),
  };
}

export type MailReportQueries = AsyncQueries<ReturnType<typeof mailReportQueries>>;
