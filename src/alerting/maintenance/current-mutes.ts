import { hostGroupIdsOf } from "../../monitoring/groups/groups.repository.ts";
import type { MuteLookup } from "../../monitoring/health/muted.ts";
import { matchesHost, matchesServiceName } from "../../monitoring/places/place-filter.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Db } from "../../platform/storage/open.ts";
import { enabledMaintenance } from "./maintenance.repository.ts";
import { windowAt } from "./schedule.ts";

/** Looks up the maintenance or mute of hosts and services now; of several, the one that ends last. */
export function currentMutes(db: Db, clock: Clock): () => MuteLookup {
  return () => {
    const now = clock.now();
    const open = enabledMaintenance(db).flatMap(({ filter, schedule, ...shown }) => {
      const window = filter.rules ? null : windowAt(schedule, now);
      return window ? [{ ...shown, filter, until: window.to }] : [];
    });
    open.sort((a, b) => b.until - a.until);
    const isByTag = open.some(({ filter }) => filter.tags);
    /** The mutes that cover the last host that was asked about: its services are usually looked up right after it. */
    let ofHost: { hostId: number; mutes: typeof open } | null = null;
    const mutesOf = (hostId: number) => {
      const hostGroupIds = hostGroupIdsOf(db, hostId);
      const host = { hostId, hostGroupIds, tags: isByTag ? tagsOf(db, hostId) : [] };
      return open.filter(({ filter }) => matchesHost(filter, host));
    };
    return (hostId, service) => {
      if (open.length === 0) return null;
      if (ofHost?.hostId !== hostId) ofHost = { hostId, mutes: mutesOf(hostId) };
      const mute = ofHost.mutes.find(({ filter }) =>
        service === null ? !filter.servicenames : matchesServiceName(filter, service),
      );
      return mute ? { until: mute.until, uname: mute.mutedBy ?? "", note: mute.name || mute.note } : null;
    };
  };
}
