import { serviceTypeName } from "../../monit/event-types.ts";
import type { Unreadable } from "../../monit/message.types.ts";
import type { Clock } from "../../platform/clock.ts";
import { found } from "../../platform/http/errors.ts";
import { NOTHING, type Scope } from "../../platform/http/scope.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { HostRow } from "../../platform/storage/schema.ts";
import { keyRows } from "../agent-keys/agent-keys.repository.ts";
import { groupsOfHost } from "../groups/groups.repository.ts";
import { serviceStatusText } from "../health/health.ts";
import type { MuteLookup } from "../health/muted.ts";
import { latestValues } from "../history/latest.ts";
import { shownSettingsOf } from "../hosts/host-settings.ts";
import { findHost, presentServices } from "../hosts/hosts.repository.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import { tagsOf, tagsOfHosts } from "../tags/tags.repository.ts";
import { acknowledgedServices } from "../uptime/acknowledged-services.ts";
import { durationText } from "../uptime/duration.ts";
import { countByState, countHosts, listHosts, statisticsOf } from "./status.repository.ts";
import type { HostListArguments } from "./status.schemas.ts";

const NOTHING_UNREADABLE: Unreadable = { count: 0, services: [] };

/** The unreadable elements of a host's last message. */
function unreadableIn({ unreadable }: HostRow): Unreadable {
  return unreadable === "" ? NOTHING_UNREADABLE : (JSON.parse(unreadable) as Unreadable);
}

/** The current status of hosts and their services. */
export class Status {
  constructor(
    private readonly db: Db,
    private readonly clock: Clock,
    private readonly mutes: () => MuteLookup,
  ) {}

  /** A page of the hosts that match; all of them without a page size. */
  list(filter: HostListArguments, scope: Scope) {
    const total = countHosts(this.db, filter, scope);
    const pageSize = filter.results ?? total;
    const mutes = this.mutes();
    const hosts = listHosts(this.db, filter, scope, { limit: pageSize, total });
    const tags = tagsOfHosts(
      this.db,
      hosts.map(({ id }) => id),
    );
    const records = hosts.map((host) => ({ ...host, muted: mutes(host.id, null), tags: tags(host.id) }));
    return {
      records,
      totalRecords: total,
      recordsReturned: records.length,
      pageSize,
      startIndex: filter.startindex,
      sort: filter.sort,
      dir: filter.dir,
    };
  }

  /** The status of a host and its services. @param managed hosts that the caller manages @throws ApiError 404 */
  get(id: number, isAdmin: boolean, scope: Scope, managed: Scope = NOTHING) {
    const host = found(findHost(this.db, id, scope), "host", id);
    return {
      records: {
        is_user_admin: isAdmin,
        host: {
          id: host.id,
          name: host.hostname,
          led: host.led,
          status: host.statusText,
          statusid: host.status,
          heartbeat: host.heartbeat,
          platform: {
            name: host.platformName,
            release: host.platformRelease,
            version: host.platformVersion,
            machine: host.platformMachine,
          },
          cpu: { count: host.cpuCount },
          memory: { size: host.memoryKb },
          swap: { size: host.swapKb },
          agent: {
            id: host.agentId,
            version: host.agentVersion,
            controlfile: host.controlFile,
            poll: host.poll,
            startdelay: host.startDelay,
            uptime: durationText(host.agentUptime),
          },
          services: this.#services(id),
          lastmodified: host.lastmodified,
          conflict: host.conflict,
          unreadable: isAdmin ? unreadableIn(host) : NOTHING_UNREADABLE,
          groupsleftout: isAdmin ? host.groupsLeftOut : 0,
          ...shownSettingsOf(host),
          groups: groupsOfHost(this.db, id),
          muted: this.mutes()(id, null),
          tags: tagsOf(this.db, id),
          agentkey: this.#keyOf(host, managed),
        },
      },
    };
  }

  /** The key that the agent of a host uses, for those who manage the key. */
  #keyOf({ keyId }: HostRow, managed: Scope) {
    const key = keyId > 0 ? keyRows.find(this.db, keyId) : undefined;
    return key && isJoinManaged(key, managed) ? { id: key.id, name: key.name } : null;
  }

  /** The services of a host by name, each with its values from the newest message only. */
  #services(hostId: number) {
    const latest = latestValues(this.db, hostId);
    const byService = Map.groupBy(statisticsOf(this.db, hostId), (statistic) => statistic.serviceId);
    const acknowledged = acknowledgedServices(this.db, hostId, this.clock.now());
    const mutes = this.mutes();
    return presentServices(this.db, hostId).map(({ service, name }) => ({
      id: service.id,
      name,
      nameid: service.nameId,
      type: serviceTypeName(service.type),
      typeid: service.type,
      monitorstate: service.monitorState,
      monitormode: service.monitorMode,
      onreboot: service.onReboot,
      status: serviceStatusText(service),
      led: service.led,
      events: service.events,
      every: service.every,
      statistics: (byService.get(service.id) ?? []).flatMap(({ id, type, descriptor, text }) => {
        const value = latest.get(id);
        return value === undefined ? [] : [{ id, type, descriptor, value, ...(text !== null && { text }) }];
      }),
      acknowledged: acknowledged.get(service.nameId) ?? null,
      muted: mutes(hostId, name),
    }));
  }

  /** The number of hosts in each state, in the order of the specification. */
  summary(scope: Scope) {
    const counts = countByState(this.db, scope);
    return {
      status: [
        { label: "failed", data: counts?.down ?? 0 },
        { label: "services failed", data: counts?.red ?? 0 },
        { label: "some services failed/unmonitored", data: counts?.orange ?? 0 },
        { label: "ok", data: counts?.ok ?? 0 },
        { label: "inactive", data: counts?.stopped ?? 0 },
        { label: "ignored", data: counts?.ignored ?? 0 },
      ],
    };
  }
}
