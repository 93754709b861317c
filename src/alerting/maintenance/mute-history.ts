import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import { isInScope } from "../../monitoring/scope/scope.repository.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance, type Maintenance } from "./maintenance.repository.ts";
import type { MuteHistoryArguments } from "./mutes.schemas.ts";
import { windowsWithin } from "./schedule.ts";

/** The most windows in one reply: daily ones for more than a year. */
const MAX_WINDOWS = 500;

/** The windows of maintenance or a mute within a span. Weekly maintenance muted nothing before it was planned. */
function windowsOf({ schedule, createdAt }: Maintenance, span: Interval): Interval[] {
  if (schedule.kind === "once") return windowsWithin(schedule, span, MAX_WINDOWS);
  const planned = { from: Math.max(span.from, createdAt), to: span.to };
  return windowsWithin(schedule, planned, MAX_WINDOWS).map(({ from, to }) => ({
    from: Math.max(from, createdAt),
    to,
  }));
}

/**
 * The windows of maintenance and mutes that cover a host or one of its services within a span, in order of their
 * beginning. For a host, windows of some of its services are left out. Mutes of rules are always left out: other
 * rules still notify.
 * @throws ApiError 404
 */
export function muteHistory(db: Db, args: MuteHistoryArguments, scope: Scope) {
  const { hostid, servicename, datefrom, dateto } = args;
  if (!isInScope(db, hostid, scope)) throw errors.notFound("host", hostid);
  const place = {
    hostId: hostid,
    serviceName: servicename ?? "",
    hostGroupIds: hostGroupIdsOf(db, hostid),
    tags: tagsOf(db, hostid),
  };
  const covers = enabledMaintenance(db).filter(
    ({ filter }) =>
      !filter.rules && (servicename !== undefined || !filter.servicenames) && matchesPlace(filter, place),
  );
  const records = covers.flatMap((maintenance) =>
    windowsOf(maintenance, { from: datefrom, to: dateto }).map((window) => ({
      ...window,
      uname: maintenance.mutedBy ?? "",
      note: maintenance.name || maintenance.note,
    })),
  );
  records.sort((a, b) => a.from - b.from || a.to - b.to);
  return { records: records.slice(0, MAX_WINDOWS) };
}
