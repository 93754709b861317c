import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { matchesPlace } from "../../monitoring/places/place-filter.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance } from "./maintenance.repository.ts";
import { windowAt } from "./schedule.ts";

/** Looks up the maintenance or mute of hosts and services now; of several, the one that ends last. */
export function currentMutes(db: Db, clock: Clock): () => MuteLookup {
  return () => {
    const now = clock.now();
    const open = enabledMaintenance(db).flatMap(({ filter, schedule, ...one }) => {
      const window = filter.ruleids ? null : windowAt(schedule, now);
      return window ? [{ ...one, filter, until: window.to }] : [];
    });
    open.sort((a, b) => b.until - a.until);
    const isByTag = open.some(({ filter }) => filter.tags);
    return (hostId, service) => {
      if (open.length === 0) return null;
      const place = {
        ...{ hostId, serviceName: service ?? "" },
        hostGroupIds: hostGroupIdsOf(db, hostId),
        tags: isByTag ? tagsOf(db, hostId) : [],
      };
      const found = open.find(
        ({ filter }) => matchesPlace(filter, place) && (service !== null || !filter.servicenames),
      );
      return found
        ? { until: found.until, uname: found.mutedBy ?? "", note: found.name || found.note }
        : null;
    };
  };
}
