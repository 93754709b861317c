import { serviceTypeName } from "../../monit/event-types.ts";
import { LED } from "../../monitoring/health/health.ts";
import { latestValues } from "../../monitoring/history/latest.ts";
import { passedLimitsOf } from "../../monitoring/limits/limits.repository.ts";
import { parsedTag } from "../../monitoring/tags/tag.ts";
import { tagsOf } from "../../monitoring/tags/tags.repository.ts";
import type { Db } from "../../platform/storage/open.ts";
import { EventCounts } from "./event-counts.ts";
import {
  countOpenEvents,
  type FleetHost,
  type FleetSelection,
  type FleetService,
  groupsOfHost,
  nextHosts,
  type Position,
  servicesOfHost,
  statisticsOfService,
  type TypeRange,
} from "./fleet.repository.ts";
import {
  type FamilyDefinition,
  FLEET_FAMILIES,
  HOST_FAMILIES,
  SERVICE_FAMILIES,
  STATISTIC_FAMILIES,
} from "./fleet-families.ts";
import { FleetSnapshot } from "./fleet-snapshot.ts";
import type { Labels } from "./metrics.ts";
import { TimeSlices } from "./time-slices.ts";

/** Hosts read per query. */
const PAGE = 100;

/** Indexed by code. */
const EVENT_STATES = ["success", "error", "change"];

/** Builds one snapshot of what the filter selects. */
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
    private readonly slices: TimeSlices,
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

  /** Whether series about hosts are selected. */
  get #wantsHosts(): boolean {
    return !this.filter.service && !this.filter.servicetype;
  }

  #add(family: FamilyDefinition, set: number, value: number): void {
    if (this.#wants(family)) this.snapshot.add(family, set, value);
  }

  #one(family: FamilyDefinition, labels: Labels, value: number): void {
    if (this.#wants(family)) this.snapshot.add(family, this.snapshot.label(labels), value);
  }

  async fleet(counts: EventCounts): Promise<void> {
    const { host, hostgroup, tag } = this.filter;
    // These are totals of all hosts.
    if (this.filter.scope !== "all" || host || hostgroup || tag || !this.#wantsHosts) return;
    if (this.#wants(FLEET_FAMILIES.events))
      for (const [state, n] of await counts.count(this.slices))
        this.#one(FLEET_FAMILIES.events, { state: EVENT_STATES[state] ?? String(state) }, n);
    if (this.#wants(FLEET_FAMILIES.open)) this.#one(FLEET_FAMILIES.open, {}, countOpenEvents(this.db));
  }

  async host(host: FleetHost): Promise<void> {
    // Host names are not unique.
    const labels = { host: host.hostname, hostid: String(host.id) };
    if (this.#wantsHosts) {
      const set = this.snapshot.label(labels);
      this.#add(HOST_FAMILIES.up, set, host.heartbeat === 1 && !host.stopped ? 1 : 0);
      this.#add(HOST_FAMILIES.led, set, host.led);
      this.#add(HOST_FAMILIES.lastReport, set, host.lastmodified);
      const { agentVersion: agent, platformName: platform } = host;
      const { platformRelease: release, platformMachine: machine } = host;
      this.#one(HOST_FAMILIES.info, { ...labels, agent, platform, release, machine }, 1);
      if (this.#wants(HOST_FAMILIES.group)) this.#groups(host.id, set, labels);
      if (this.#wants(HOST_FAMILIES.tag)) this.#tags(host.id, labels);
    }
    if (this.#wantsServices) await this.#services(host.id, labels);
  }

  /** A host without groups gets a sample too, so that a join on this metric includes it. */
  #groups(hostId: number, set: number, labels: Labels): void {
    const groups = groupsOfHost(this.db, hostId);
    for (const hostgroup of groups) this.#one(HOST_FAMILIES.group, { ...labels, hostgroup }, 1);
    if (groups.length === 0) this.#add(HOST_FAMILIES.group, set, 1);
  }

  #tags(hostId: number, labels: Labels): void {
    for (const { name: tag, value } of tagsOf(this.db, hostId).map(parsedTag))
      this.#one(HOST_FAMILIES.tag, { ...labels, tag, value }, 1);
  }

  /** Runs in time slices, because a host may have thousands of services. */
  async #services(hostId: number, labels: Labels): Promise<void> {
    const services = servicesOfHost(this.db, hostId).filter((service) => this.#wantsService(service));
    const latest = this.#types && services.length > 0 ? latestValues(this.db, hostId) : null;
    const wantsLimits = services.length > 0 && this.#wants(SERVICE_FAMILIES.limit);
    const passed = Map.groupBy(wantsLimits ? passedLimitsOf(this.db, hostId) : [], ({ nameId }) => nameId);
    for (const service of services) {
      if (this.slices.over) await this.slices.next();
      const ofService = { ...labels, service: service.name, type: serviceTypeName(service.type) };
      const set = this.snapshot.label(ofService);
      this.#add(SERVICE_FAMILIES.failing, set, service.led === LED.red ? 1 : 0);
      this.#add(SERVICE_FAMILIES.monitored, set, service.monitorState === 0 ? 0 : 1);
      this.#add(SERVICE_FAMILIES.led, set, service.led);
      for (const { name: limit, level } of passed.get(service.nameId) ?? [])
        this.#one(SERVICE_FAMILIES.limit, { ...ofService, limit }, level);
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

/** The current state and statistics of hosts and services, for other systems. */
export class FleetMetrics {
  readonly #events: EventCounts;

  /** @param monotonic milliseconds of a monotonic clock */
  constructor(
    private readonly db: Db,
    private readonly monotonic: () => number,
  ) {
    this.#events = new EventCounts(db);
  }

  /** Takes a snapshot, in time slices of milliseconds. @throws the signal's reason once it is aborted */
  async read(filter: FleetSelection, signal: AbortSignal): Promise<FleetSnapshot> {
    const slices = new TimeSlices(this.monotonic, signal);
    const reading = new Reading(this.db, filter, slices);
    await reading.fleet(this.#events);
    let after: Position | null = null;
    for (;;) {
      const page = nextHosts(this.db, filter, after, PAGE);
      for (const host of page) {
        if (slices.over) await slices.next();
        await reading.host(host);
      }
      after = page.at(-1) ?? null;
      if (page.length < PAGE) return reading.snapshot;
    }
  }
}
