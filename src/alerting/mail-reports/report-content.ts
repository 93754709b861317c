/** Builds the content of reports from arguments. */
import { findUser } from "../../accounts/users/users.repository.ts";
import { existingGroups } from "../../monitoring/groups/groups.repository.ts";
import { errors } from "../../platform/http/errors.ts";
import { rejectUnknownIds } from "../../platform/http/list-arguments.ts";
import { itemsOf } from "../../platform/http/validate.ts";
import type { Db } from "../../platform/storage/open.ts";
import { findChannel } from "../channels/channels.repository.ts";
import { email } from "../channels/kinds/email.ts";
import type { MailReport, ReportContent } from "./mail-reports.repository.ts";
import type { ReportArguments } from "./mail-reports.schemas.ts";

type Before = ReportContent | null;

export function contentOf({ id: _, lastDay: __, readers, ...same }: MailReport): ReportContent {
  return { ...same, userIds: readers.map((reader) => reader.id) };
}

function usersOf(db: Db, { uname }: ReportArguments, before: Before): number[] {
  if (uname === undefined) return before?.userIds ?? [];
  const ids = itemsOf(uname).map((name) => {
    const user = findUser(db, name);
    if (!user) throw errors.badArgument("uname", `the login name of a user; there is no user ${name}`);
    return user.id;
  });
  return [...new Set(ids)];
}

/** All hosts, or host groups: one of the two has to be chosen. */
function subjectOf(db: Db, { hostgroupid, everything: given }: ReportArguments, before: Before) {
  const groups = hostgroupid === undefined ? (before?.groups ?? []) : [...new Set(itemsOf(hostgroupid))];
  rejectUnknownIds("hostgroupid", "host group", groups, before?.groups, (ids) =>
    existingGroups(db, ids, "all"),
  );
  // Naming groups means that it is about these; saying that it is about everything takes them away.
  const everything = given ?? (hostgroupid === undefined ? before?.everything : false) ?? false;
  if (everything && hostgroupid !== undefined && groups.length > 0)
    throw errors.badArgument("hostgroupid", "left out for a report about everything");
  if (!everything && groups.length === 0)
    throw errors.missingArgument("hostgroupid", "what it is about; or everything, for all hosts");
  return { everything, groups: everything ? [] : groups };
}

function channelOf(db: Db, { channelid }: ReportArguments, before: Before): number {
  const id = channelid ?? before?.channelId;
  if (id === undefined) throw errors.missingArgument("channelid", "the channel through which it is sent");
  if (findChannel(db, id)?.kind !== email.kind)
    throw errors.badArgument("channelid", "the id of a channel of the kind email");
  return id;
}

/** @throws ApiError 400 that names the argument */
export function reportContentOf(db: Db, given: ReportArguments, before: Before): ReportContent {
  const { name = before?.name ?? "", enabled = before?.enabled ?? true, target = before?.target } = given;
  const content = {
    ...{ name, enabled, target: target ?? 99.9 },
    period: given.period ?? before?.period ?? "weekly",
    hour: given.hour ?? before?.hour ?? 7,
    ...subjectOf(db, given, before),
    channelId: channelOf(db, given, before),
    userIds: usersOf(db, given, before),
    addresses: given.address === undefined ? (before?.addresses ?? []) : [...new Set(itemsOf(given.address))],
  };
  if (content.userIds.length + content.addresses.length === 0)
    throw errors.missingArgument("uname", "the users who get it; or address, for others");
  return content;
}
