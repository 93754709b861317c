import type { Clock } from "../../platform/clock.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { SettingsReader } from "../../platform/settings/settings.service.ts";
import type { Db } from "../../platform/storage/open.ts";
import { FiguresOfReports, type ReportSubject } from "./figures.service.ts";

/** Queries of reports by mail that run on a query worker. */
export function mailReportQueries(db: Db, settings: SettingsReader, clock: Clock) {
  const figures = new FiguresOfReports(db, settings, clock);
  return { reportFigures: (subject: ReportSubject) => figures.of(subject) };
}

export type MailReportQueries = AsyncQueries<ReturnType<typeof mailReportQueries>>;
