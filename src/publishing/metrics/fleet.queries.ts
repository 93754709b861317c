import { serviceTypeName } from "../../monit/event-types.ts";
import { countEvents } from "../../monitoring/events/event-totals.repository.ts";
import { groupsOfHost } from "../../monitoring/groups/groups.repository.ts";
import { HOST_STATUS, LED } from "../../monitoring/health/health.ts";
import { latestValues } from "../../monitoring/history/latest.ts";
import { exceededLimitsOf } from "../../monitoring/limits/limits.repository.ts";
import { parsedTag } from "../../monitoring/tags/tag.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import type { Db } from "../../platform/storage/open.ts";
import {
  type FleetHost,
  type FleetSelection,
  type FleetService,
  nextHosts,
  type Position,
  servicesOfHost,
  statisticsOfService,
  type TypeRange,
} from "./fleet.repository.ts";
import {
  type FamilyDefinition,
  HOST_FAMILIES,
  SERVICE_FAMILIES,
  STATISTIC_FAMILIES,
} from "./fleet-families.ts";
import { FleetSnapshot, type SnapshotPage } from "./fleet-snapshot.ts";
import type { Labels } from "./metrics.ts";

/** The most hosts on a page. */
const MAX_HOSTS = 100;
/** Samples after which a page ends, with its last host complete: the receiving thread adds them in milliseconds. */
const MAX_SAMPLES = 4000;

/** Builds one page of what the filter selects. */
class Reading {
  readonly snapshot = new FleetSnapshot();
  // Sets, as a filter may name thousands, and each is compared with every service or sample.
  readonly #families: ReadonlySet<string> | undefined;
  readonly #serviceNames: ReadonlySet<string> | undefined;
  readonly #wantsServices: boolean;
  /** Null if no statistics are selected. */
  readonly #types: TypeRange | null;

  constructor(
    private readonly db: Db,
    private readonly filter: FleetSelection,
  ) {
    this.#families = filter.family && new Set(filter.family);
    this.#serviceNames = filter.service && new Set(filter.service);
    const types = [...STATISTIC_FAMILIES].flatMap(([type, family]) => (this.#wants(family) ? type : []));
    this.#types = types.length > 0 ? { from: Math.min(...types), to: Math.max(...types) } : null;
    const states = Object.values(SERVICE_FAMILIES).some((family) => this.#wants(family));
    this.#wantsServices = states || this.#types !== null;
  }

  #wants({ name }: FamilyDefinition): boolean {
    return this.#families?.has(name) ?? true;
  }

  #wantsService({ name, type }: FleetService): boolean {
    return (this.#serviceNames?.has(name) ?? true) && (this.filter.servicetype?.includes(type) ?? true);
  }

  #add(family: FamilyDefinition, set: number, value: number): void {
    if (this.#wants(family)) this.snapshot.add(family, set, value);
  }

  #single(family: FamilyDefinition, labels: Labels, value: number): void {
    if (this.#wants(family)) this.snapshot.add(family, this.snapshot.label(labels), value);
  }

  host(host: FleetHost): void {
    // Host names are not unique.
    const labels = { host: host.hostname, hostid: String(host.id) };
    if (wantsHosts(this.filter)) {
      const set = this.snapshot.label(labels);
      // Nobody watches whether an ignored host reports.
      if (host.status !== HOST_STATUS.ignored)
        this.#add(HOST_FAMILIES.up, set, host.heartbeat === 1 && !host.stopped ? 1 : 0);
      this.#add(HOST_FAMILIES.led, set, host.led);
      this.#add(HOST_FAMILIES.lastReport, set, host.lastmodified);
      const { agentVersion: agent, platformName: platform } = host;
      const { platformRelease: release, platformMachine: machine } = host;
      this.#single(HOST_FAMILIES.info, { ...labels, agent, platform, release, machine }, 1);
      if (this.#wants(HOST_FAMILIES.group)) this.#groups(host.id, set, labels);
      if (this.#wants(HOST_FAMILIES.tag)) this.#tags(host.id, labels);
    }
    if (this.#wantsServices) this.#services(host.id, labels);
  }

  /** A host without groups gets a sample too, so that a join on this metric includes it. */
  #groups(hostId: number, set: number, labels: Labels): void {
    const groups = groupsOfHost(this.db, hostId);
    for (const { name: hostgroup } of groups) this.#single(HOST_FAMILIES.group, { ...labels, hostgroup }, 1);
    if (groups.length === 0) this.#add(HOST_FAMILIES.group, set, 1);
  }

  #tags(hostId: number, labels: Labels): void {
    for (const { name: tag, value } of tagsOf(this.db, hostId).map(parsedTag))
      this.#single(HOST_FAMILIES.tag, { ...labels, tag, value }, 1);
  }

  #services(hostId: number, labels: Labels): void {
    const services = servicesOfHost(this.db, hostId).filter((service) => this.#wantsService(service));
    const latest = this.#types && services.length > 0 ? latestValues(this.db, hostId) : null;
    const wantsLimits = services.length > 0 && this.#wants(SERVICE_FAMILIES.limit);
    const exceeded = Map.groupBy(
      wantsLimits ? exceededLimitsOf(this.db, hostId) : [],
      ({ nameId }) => nameId,
    );
    for (const service of services) {
      const ofService = { ...labels, service: service.name, type: serviceTypeName(service.type) };
      const set = this.snapshot.label(ofService);
      this.#add(SERVICE_FAMILIES.failing, set, service.led === LED.red ? 1 : 0);
      this.#add(SERVICE_FAMILIES.monitored, set, service.monitorState === 0 ? 0 : 1);
      this.#add(SERVICE_FAMILIES.led, set, service.led);
      for (const { name: limit, level } of exceeded.get(service.nameId) ?? [])
        this.#single(SERVICE_FAMILIES.limit, { ...ofService, limit }, level);
      if (latest && this.#types) this.#statistics(service.id, set, this.#types, latest);
    }
  }

  /** Statistics of the newest message only; those missing from it are unknown now. */
  #statistics(serviceId: number, set: number, types: TypeRange, latest: ReadonlyMap<number, number>): void {
    for (const [id, type, descriptor] of statisticsOfService(this.db, serviceId, types)) {
      const raw = latest.get(id);
      const family = STATISTIC_FAMILIES.get(type);
      if (raw === undefined || !family || !this.#wants(family)) continue;
      const value = family.read(raw);
      if (value !== null) this.snapshot.add(family, set, value, descriptor);
    }
  }
}

/** Whether series about hosts are selected. */
export function wantsHosts({ service, servicetype }: FleetSelection): boolean {
  return !service && !servicetype;
}

/** Samples of some hosts, and the position of the last one; null at the end of the list. */
export interface FleetPage extends SnapshotPage {
  next: Position | null;
}

/** Queries of the metrics of hosts and services, which run on query workers. */
export function fleetQueries(db: Db) {
  return {
    /** The hosts of a selection after a position. */
    fleetPage: (selection: FleetSelection, after: Position | null): FleetPage => {
      const reading = new Reading(db, selection);
      const hosts = nextHosts(db, selection, after, MAX_HOSTS);
      let isLast = hosts.length < MAX_HOSTS;
      let last: FleetHost | null = null;
      for (const host of hosts) {
        if (reading.snapshot.size >= MAX_SAMPLES) {
          isLast = false;
          break;
        }
        reading.host(host);
        last = host;
      }
      const next: Position | null = last && { hostnameKey: last.hostnameKey, id: last.id };
      return { ...reading.snapshot.page(), next: isLast ? null : next };
    },

    /** Number of open errors, as the list of events counts them. */
    openFleetEvents: () => ({ open: countEvents(db, { active: 1 }) }),
  };
}

export type FleetQueries = AsyncQueries<ReturnType<typeof fleetQueries>>;
