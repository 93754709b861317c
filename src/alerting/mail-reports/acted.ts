/** Whether anyone acted on a check that sent messages. */
import { readEntries } from "../../accounts/audit/audit.repository.ts";
import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import { holds, matchesPlace } from "../../monitoring/places/place-filter.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Check } from "../../monitoring/uptime/downtime.repository.ts";
import type { Interval } from "../../monitoring/uptime/intervals.ts";
import type { Db } from "../../platform/storage/open.ts";
import { allMutes } from "../maintenance/maintenance.repository.ts";
import { isHandled, rulesNotifying } from "./figures.repository.ts";

/** The most actions on services that are read, newest first. */
const MAX_ACTIONS = 10_000;

/**
 * Finds the services to which users sent actions since a time.
 * @returns keys of the form "host id, name of the service"
 */
function servicesActedOn(db: Db, from: number): Set<string> {
  const actions = readEntries(db, { operation: "admin/hosts/action", datefrom: from }, MAX_ACTIONS, 0);
  return new Set(
    actions.flatMap(({ subjectId, details }) => {
      const { service } = JSON.parse(details) as { service?: string[] };
      return (service ?? []).map((name) => `${subjectId}, ${name}`);
    }),
  );
}

/**
 * Finds out which checks someone acted on.
 * @param window the period of the report: earlier actions do not count
 * @returns whether a user acknowledged, dismissed or muted a check, or sent an action to its service
 */
export function actedSince(db: Db, window: Interval): (check: Check & { service: string }) => boolean {
  const { from } = window;
  const mutes = allMutes(db).filter(({ createdAt }) => createdAt >= from);
  const services = servicesActedOn(db, from);
  return (check) => {
    const { hostId, service } = check;
    if (services.has(`${hostId}, ${service}`) || isHandled(db, check, from)) return true;
    if (mutes.length === 0) return false;
    const place = {
      hostId,
      hostGroupIds: hostGroupIdsOf(db, hostId),
      tags: tagsOf(db, hostId),
      serviceName: service,
    };
    const rules = rulesNotifying(db, check, window);
    return mutes.some(
      ({ filter }) => matchesPlace(filter, place) && holds(filter.rules, (id) => rules.includes(id)),
    );
  };
}
