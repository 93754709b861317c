import * as v from "valibot";
import { callerOf, turnOf } from "../../platform/http/context.ts";
import { because, errors, noSuch } from "../../platform/http/errors.ts";
import { type Operation, query, read, write } from "../../platform/http/operation.ts";
import { idOf } from "../../platform/http/validate.ts";
import type { MailReportQueries } from "./mail-reports.queries.ts";
import {
  createArguments,
  createReply,
  listReply,
  ownListReply,
  reportReply,
  sendReply,
  updateArguments,
  viewArguments,
  viewReply,
} from "./mail-reports.schemas.ts";
import { type MailReports, reportExists } from "./mail-reports.service.ts";
import type { ReportSender } from "./report-sender.service.ts";

/** Operations on reports by mail: administrators manage and send them, recipients read them. */
export function mailReportOperations(
  reports: MailReports,
  sender: ReportSender,
  queries: MailReportQueries,
): Operation[] {
  /** Lists become texts, so that the audit log can compare them. */
  const stateOf = (id: number) => {
    const { id: _, next: __, unreachable: ___, hostgroups, unames, addresses, ...plain } = reports.get(id);
    return {
      ...plain,
      hostgroups: hostgroups.join(", "),
      unames: unames.join(", "),
      addresses: addresses.join(", "),
    };
  };
  const unknown = noSuch("report");
  return [
    read("/reports/mail/list", {
      access: "session",
      summary: "Reports by mail that the caller gets",
      response: ownListReply,
      handle: (_args, c) => reports.ownList(callerOf(c)),
    }),
    query("/reports/mail/get", {
      access: "session",
      summary: "What a report by mail says about a period, for a caller who gets it",
      request: viewArguments,
      response: viewReply,
      errors: [unknown],
      handle: async (args, c) => {
        const { subject, ...report } = reports.view(args, callerOf(c));
        const figures = await queries.reportFigures(turnOf(c), subject);
        return { ...report, figures: figures.value };
      },
    }),
    read("/admin/mailreports/list", {
      access: "admin",
      summary: "List the reports by mail",
      response: listReply,
      handle: () => reports.list(),
    }),
    read("/admin/mailreports/get", {
      access: "admin",
      summary: "A report by mail",
      request: v.object({ id: idOf("report") }),
      response: reportReply,
      errors: [unknown],
      handle: (args) => reports.get(args.id),
    }),
    write("/admin/mailreports/create", {
      access: "admin",
      summary: "Create a report by mail; it is first sent when it is next due",
      request: createArguments,
      response: createReply,
      errors: [reportExists],
      audit: {
        subject: "mailreport",
        id: (_args, reply) => reply?.id,
        details: (_args, reply) => stateOf(reply.id),
      },
      handle: (args) => ({ id: reports.create(args) }),
    }),
    write("/admin/mailreports/update", {
      access: "admin",
      summary: "Change a report by mail; absent arguments keep their value",
      request: updateArguments,
      errors: [unknown, reportExists],
      audit: { subject: "mailreport", id: (args) => args.id, state: (args) => stateOf(args.id) },
      handle: (args) => reports.update(args),
    }),
    write("/admin/mailreports/delete", {
      access: "admin",
      summary: "Delete a report by mail",
      request: v.object({ id: idOf("report") }),
      errors: [unknown],
      audit: { subject: "mailreport", id: (args) => args.id },
      handle: (args) => reports.delete(args.id),
    }),
    write("/admin/mailreports/send", {
      access: "admin",
      summary: "Send a report about the newest period that is over, now",
      request: v.object({ id: idOf("report") }),
      response: sendReply,
      errors: [unknown, because(errors.badRequest, "None of its recipients has a mail address")],
      audit: {
        subject: "mailreport",
        id: (args) => args.id,
        details: (_args, { deliveries }) => ({ deliveries }),
      },
      handle: (args) => sender.sendNow(args.id),
    }),
  ];
}
