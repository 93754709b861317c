import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import { isInScope } from "../../monitoring/scope/scope.repository.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import { errors } from "../../platform/http/errors.ts";
import type { Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance } from "./maintenance.repository.ts";
import type { MuteHistoryArguments } from "./mutes.schemas.ts";
import { windowsWithin } from "./schedule.ts";

/** Windows in one reply: those of every day for more than a year. */
const MAX_WINDOWS = 500;

/**
 * The windows of maintenance and mutes that cover a host, or one of its services, within a span, the first before others. For a
 * host, those of some services are left out, and mutes of rules always: other rules notify.
 * @throws ApiError 404
 */
export function muteHistory(db: Db, given: MuteHistoryArguments, scope: Scope) {
  const { hostid, servicename, datefrom, dateto } = given;
  if (!isInScope(db, hostid, scope)) throw errors.notFound("host", hostid);
  const place = {
    ...{ hostId: hostid, serviceName: servicename ?? "" },
    ...{ hostGroupIds: hostGroupIdsOf(db, hostid), tags: tagsOf(db, hostid) },
  };
  const covers = enabledMaintenance(db).filter(
    ({ filter }) =>
      !filter.ruleids && (servicename !== undefined || !filter.servicenames) && matchesPlace(filter, place),
  );
  const records = covers.flatMap(({ schedule, name, note, mutedBy }) =>
    windowsWithin(schedule, { from: datefrom, to: dateto }, MAX_WINDOWS).map((window) => ({
      ...window,
      ...{ uname: mutedBy ?? "", note: name || note },
    })),
  );
  records.sort((a, b) => a.from - b.from || a.to - b.to);
  return { records: records.slice(0, MAX_WINDOWS) };
}
