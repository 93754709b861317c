import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../database/open.ts";
import { type HostRow, hosts, names, type ServiceRow, services } from "../database/schema.ts";
import { type DowntimeInterval, openIntervalsOfHost } from "../uptime/downtime.repository.ts";
import type { Plan } from "./plan.ts";

/** What is known of a host before its next message: enough that a message without news reads nothing. */
export interface KnownHost {
  row: HostRow;
  /** Services of the agent's last document, by name. */
  services: Map<string, ServiceRow>;
  /** Open failures of its services. */
  openFailures: DowntimeInterval[];
  /** The layout that the last sample had, recognised by its signature; null before the first sample. */
  layout: { signature: bigint; id: number } | null;
  /** Signatures of what changes rarely but is listed in every message. */
  textsSignature: bigint | null;
  groupsSignature: string | null;
}

/** A host without open failures whose last message brought no event: what another like it needs. */
export interface SteadyHost {
  hostId: number;
  agentId: string;
  /** Of the last message's document, and the address it came from. */
  skeleton: bigint;
  source: string;
  incarnation: number;
  clockOffset: number;
  /** Seconds until the host is overdue. */
  patience: number;
  layoutId: number;
  /** How such a message is read; null when it cannot be, undefined until it was tried. */
  plan?: Plan | null | undefined;
}

/** Hosts of which everything is kept in memory, some kB each; those of a larger fleet are read back where needed. */
const MAX_KNOWN = 10_000;

/**
 * A cache of the hosts that report. Any entry may be dropped at any time: the next message reads it back. Whoever
 * changes a host's rows elsewhere forgets the host here, and so does a flush that failed.
 */
export class Fleet {
  readonly #known = new Map<string, KnownHost>();
  readonly #agentIds = new Map<number, string>();
  readonly #steady = new Map<string, SteadyHost>();
  readonly #bySkeleton = new Map<bigint, SteadyHost>();

  constructor(private readonly db: Db) {}

  /** The host of this agent id, or null if none has reported yet. */
  find(agentId: string): KnownHost | null {
    return this.#known.get(agentId) ?? this.#load(agentId);
  }

  /** The host whose last message had this skeleton, if it was nothing but steady. */
  steady(skeleton: bigint): SteadyHost | undefined {
    return this.#bySkeleton.get(skeleton);
  }

  remember(host: KnownHost): void {
    this.#known.set(host.row.agentId, host);
    this.#agentIds.set(host.row.id, host.row.agentId);
    if (this.#known.size <= MAX_KNOWN) return;
    const oldest = this.#known.keys().next().value;
    if (oldest !== undefined) this.#known.delete(oldest);
  }

  /** The host is as its last message left it. A plan for such messages is kept. */
  settle(host: SteadyHost): void {
    const before = this.#bySkeleton.get(host.skeleton);
    if (before) host.plan = before.plan;
    this.unsettle(host.agentId);
    this.#steady.set(host.agentId, host);
    this.#bySkeleton.set(host.skeleton, host);
  }

  /** There is more to the host than its last message. */
  unsettle(agentId: string): void {
    const host = this.#steady.get(agentId);
    if (!host) return;
    this.#steady.delete(agentId);
    this.#bySkeleton.delete(host.skeleton);
  }

  forget(hostId: number): void {
    const agentId = this.#agentIds.get(hostId);
    if (agentId !== undefined) this.forgetAgent(agentId);
  }

  forgetAgent(agentId: string): void {
    this.#known.delete(agentId);
    this.unsettle(agentId);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#agentIds.clear();
    this.#steady.clear();
    this.#bySkeleton.clear();
  }

  #load(agentId: string): KnownHost | null {
    const { hostOfAgent, servicesOfHost } = statements(this.db);
    const row = hostOfAgent.get({ agentId });
    if (!row) return null;
    const host: KnownHost = {
      row,
      services: new Map(servicesOfHost.all({ hostId: row.id }).map(({ service, name }) => [name, service])),
      openFailures: openIntervalsOfHost(this.db, row.id),
      layout: null,
      textsSignature: null,
      groupsSignature: null,
    };
    this.remember(host);
    return host;
  }
}

const statements = prepareOnce((db) => ({
  hostOfAgent: db
    .select()
    .from(hosts)
    .where(eq(hosts.agentId, sql.placeholder("agentId")))
    .prepare(),
  servicesOfHost: db
    .select({ service: services, name: names.name })
    .from(services)
    .innerJoin(names, eq(names.id, services.nameId))
    .where(and(eq(services.hostId, sql.placeholder("hostId")), isNull(services.vanishedAt)))
    .prepare(),
}));
