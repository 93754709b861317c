import { callerOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, query, read, write } from "../../platform/http/operation.ts";
import { resourceOperations } from "../../platform/resources/resource.routes.ts";
import type { MailReportQueries } from "./mail-reports.queries.ts";
import { ownListReply, report, sendReply, viewArguments, viewReply } from "./mail-reports.schemas.ts";
import { type MailReports, reportExists } from "./mail-reports.service.ts";
import type { ReportSender } from "./report-sender.service.ts";

/** Operations on reports by mail: administrators manage and send them, recipients read them. */
export function mailReportOperations(
  reports: MailReports,
  sender: ReportSender,
  queries: MailReportQueries,
): Operation[] {
  const unknown = noSuch("report");
  return [
    read("/reports/mail/list", {
      access: "session",
      summary: "Reports by mail that the caller gets",
      response: ownListReply,
      handle: (_args, c) => {
        const { id, admin } = callerOf(c);
        return queries.ownReports(turnOf(c), admin ? null : id);
      },
    }),
    query("/reports/mail/get", {
      access: "session",
      summary: "What a report by mail says about a period, for a caller who gets it",
      request: viewArguments,
      response: viewReply,
      errors: [unknown],
      handle: async (args, c) => {
        const { subject, ...view } = reports.view(args, callerOf(c));
        const figures = await queries.reportFigures(turnOf(c), subject);
        return { ...view, figures: figures.value };
      },
    }),
    ...resourceOperations({
      path: "/admin/mailreports",
      resource: report,
      collection: reports,
      queries: { list: queries.mailReportList, get: queries.mailReport },
      access: { read: "admin", change: "admin" },
      subject: "mailreport",
      taken: reportExists,
      summaries: {
        list: "List the reports by mail",
        get: "A report by mail",
        create: "Create a report by mail; it is first sent when it is next due",
        update: "Change a report by mail",
        delete: "Delete a report by mail",
      },
    }),
    write("/admin/mailreports/send", {
      access: "admin",
      summary: "Send a report about the last complete period now",
      request: report.item,
      response: sendReply,
      errors: [unknown, because(errors.badRequest, "None of its recipients has an e-mail address")],
      audit: {
        subject: "mailreport",
        id: (args) => args.id,
        details: (_args, { deliveries }) => ({ deliveries }),
      },
      handle: (args) => sender.sendNow(args.id),
    }),
  ];
}
