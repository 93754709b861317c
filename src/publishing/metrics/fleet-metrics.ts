import { serviceTypeName } from "../../monit/event-types.ts";
import { LED } from "../../monitoring/health/health.ts";
import { latestValues } from "../../monitoring/history/latest.ts";
import type { Db } from "../../platform/storage/open.ts";
import { EventCounts } from "./event-counts.ts";
import {
  countOpenEvents,
  type FleetHost,
  type FleetService,
  groupsOfHost,
  nextHosts,
  type Position,
  servicesOfHost,
  statisticsOfService,
  type TypeRange,
} from "./fleet.repository.ts";
import type { FleetFilter } from "./fleet.schemas.ts";
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

/** Selects what a snapshot contains. */
class Wanted {
  readonly #families: ReadonlySet<string> | null;
  readonly #services: ReadonlySet<string> | null;
  readonly #types: ReadonlySet<number> | null;

  constructor(private readonly filter: FleetFilter) {
    this.#families = filter.family ? new Set(filter.family) : null;
    this.#services = filter.service ? new Set(filter.service) : null;
    this.#types = filter.servicetype ? new Set(filter.servicetype) : null;
  }

  family({ name }: FamilyDefinition): boolean {
    return this.#families?.has(name) ?? true;
  }

  get fleet(): boolean {
    return !this.filter.host && !this.filter.hostgroup && this.hosts;
  }

  get hosts(): boolean {
    return !this.#services && !this.#types;
  }

  service({ name, type }: FleetService): boolean {
    return (this.#services?.has(name) ?? true) && (this.#types?.has(type) ?? true);
  }
}

/** Builds one snapshot. */
class Reading {
  readonly snapshot = new FleetSnapshot();
  readonly #wanted: Wanted;
  readonly #wantsServices: boolean;
  /** Null if no statistics are selected. */
  readonly #types: TypeRange | null;

  constructor(
    private readonly db: Db,
    filter: FleetFilter,
    private readonly slices: TimeSlices,
  ) {
    this.#wanted = new Wanted(filter);
    const types = [...STATISTIC_FAMILIES].flatMap(([type, family]) =>
      this.#wanted.family(family) ? type : [],
    );
    this.#types = types.length > 0 ? { from: Math.min(...types), to: Math.max(...types) } : null;
    const states = Object.values(SERVICE_FAMILIES).some((family) => this.#wanted.family(family));
    this.#wantsServices = states || this.#types !== null;
  }

  #add(family: FamilyDefinition, set: number, value: number): void {
    if (this.#wanted.family(family)) this.snapshot.add(family, set, value);
  }

  #one(family: FamilyDefinition, labels: Labels, value: number): void {
    if (this.#wanted.family(family)) this.snapshot.add(family, this.snapshot.label(labels), value);
  }

  async fleet(counts: EventCounts): Promise<void> {
    if (!this.#wanted.fleet) return;
    if (this.#wanted.family(FLEET_FAMILIES.events))
      for (const [state, n] of await counts.count(this.slices))
        this.#one(FLEET_FAMILIES.events, { state: EVENT_STATES[state] ?? String(state) }, n);
    if (this.#wanted.family(FLEET_FAMILIES.open))
      this.#one(FLEET_FAMILIES.open, {}, countOpenEvents(this.db));
  }

  async host(host: FleetHost): Promise<void> {
    // Host names are not unique.
    const labels = { host: host.hostname, hostid: String(host.id) };
    if (this.#wanted.hosts) {
      const set = this.snapshot.label(labels);
      this.#add(HOST_FAMILIES.up, set, host.heartbeat === 1 && !host.stopped ? 1 : 0);
      this.#add(HOST_FAMILIES.led, set, host.led);
      this.#add(HOST_FAMILIES.lastReport, set, host.lastmodified);
      const { agentVersion: agent, platformName: platform } = host;
      const { platformRelease: release, platformMachine: machine } = host;
      this.#one(HOST_FAMILIES.info, { ...labels, agent, platform, release, machine }, 1);
      if (this.#wanted.family(HOST_FAMILIES.group)) this.#groups(host.id, set, labels);
    }
    if (this.#wantsServices) await this.#services(host.id, labels);
  }

  /** A host without groups gets a sample too, so that a join on this metric includes it. */
  #groups(hostId: number, set: number, labels: Labels): void {
    const groups = groupsOfHost(this.db, hostId);
    for (const hostgroup of groups) this.#one(HOST_FAMILIES.group, { ...labels, hostgroup }, 1);
    if (groups.length === 0) this.#add(HOST_FAMILIES.group, set, 1);
  }

  /** Runs in time slices, because a host may have thousands of services. */
  async #services(hostId: number, labels: Labels): Promise<void> {
    const services = servicesOfHost(this.db, hostId).filter((service) => this.#wanted.service(service));
    const latest = this.#types && services.length > 0 ? latestValues(this.db, hostId) : null;
    for (const service of services) {
      if (this.slices.over) await this.slices.next();
      const set = this.snapshot.label({
        ...labels,
        service: service.name,
        type: serviceTypeName(service.type),
      });
      this.#add(SERVICE_FAMILIES.failing, set, service.led === LED.red ? 1 : 0);
      this.#add(SERVICE_FAMILIES.monitored, set, service.monitorState === 0 ? 0 : 1);
      this.#add(SERVICE_FAMILIES.led, set, service.led);
      if (latest && this.#types) this.#statistics(service.id, set, this.#types, latest);
    }
  }

  /** Statistics of the newest message only; those missing from it are unknown now. */
  #statistics(serviceId: number, set: number, types: TypeRange, latest: ReadonlyMap<number, number>): void {
    for (const [id, type, descriptor] of statisticsOfService(this.db, serviceId, types)) {
      const raw = latest.get(id);
      const family = STATISTIC_FAMILIES.get(type);
      if (raw === undefined || !family || !this.#wanted.family(family)) continue;
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
  async read(filter: FleetFilter, signal: AbortSignal): Promise<FleetSnapshot> {
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
