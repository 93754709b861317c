import * as v from "valibot";
import { findChannel } from "../../alerting/channels/channels.repository.ts";
import { findReportByName } from "../../alerting/mail-reports/mail-reports.repository.ts";
import { createArguments } from "../../alerting/mail-reports/mail-reports.schemas.ts";
import { findGroup } from "../../monitoring/groups/groups.repository.ts";
import { checked } from "../../platform/http/validate.ts";
import { REPORT_PERIODS } from "../../platform/storage/schema/reports.ts";
import { idOfChannel, idOfGroup, orNone } from "./references.ts";
import type { Section } from "./section.ts";

const reportSchema = v.strictObject({
  name: v.string(),
  enabled: v.boolean(),
  period: v.picklist(REPORT_PERIODS),
  hour: v.number(),
  everything: v.boolean(),
  groups: v.array(v.string()),
  target: v.number(),
  channel: v.string(),
  /** Login names. Users that only sign in elsewhere have to exist already. */
  users: v.array(v.string()),
  addresses: v.array(v.string()),
});

/** Reports by mail. Those without hosts or recipients, because all were deleted, are left out. */
export const mailReportsSection: Section<v.InferOutput<typeof reportSchema>> = {
  name: "mailreports",
  schema: reportSchema,
  nameOf: (report) => report.name,
  exportItems: ({ db, mailReports }) =>
    mailReports
      .list()
      .records.filter(
        ({ everything, hostgroups, unames, addresses }) =>
          (everything || hostgroups.length > 0) && unames.length + addresses.length > 0,
      )
      .map(({ name, enabled, period, hour, everything, hostgroups, target, channelid, ...to }) => ({
        ...{ name, enabled, period, hour, everything, target },
        groups: hostgroups.map((id) => findGroup(db, id)?.name ?? ""),
        channel: findChannel(db, channelid)?.name ?? "",
        users: to.unames,
        addresses: to.addresses,
      })),
  importItem: ({ db, mailReports }, { groups, channel, users, addresses, target, ...report }) => {
    const channelid = idOfChannel(db, channel);
    const given = checked(createArguments, {
      ...{ ...report, channelid, target: String(target) },
      hostgroupid: orNone(groups.map((name) => idOfGroup(db, name))),
      uname: orNone(users),
      address: orNone(addresses),
    });
    const known = findReportByName(db, report.name);
    if (known) mailReports.update({ id: known.id, ...given });
    else mailReports.create(given);
    return known ? "updated" : "created";
  },
};
