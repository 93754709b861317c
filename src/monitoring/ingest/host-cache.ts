import { and, eq, isNull, sql } from "drizzle-orm";
import { type Db, prepareOnce } from "../../platform/storage/open.ts";
import { type HostRow, hosts, names, type ServiceRow, services } from "../../platform/storage/schema.ts";
import { type DowntimeInterval, openIntervalsOfHost } from "../uptime/downtime.repository.ts";
import { LruMap } from "./lru-map.ts";
import type { TemplateDecoder } from "./template-decoder.ts";

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
export interface CachedTemplate {
  hostId: number;
  agentId: string;
  /** Of the last message's document, and the address it came from. */
  template: bigint;
  source: string;
  incarnation: number;
  clockOffset: number;
  /** Seconds until the host is overdue. */
  patience: number;
  layoutId: number;
  /** How such a message is read; null when it cannot be, undefined until it was tried. */
  decoder?: TemplateDecoder | null | undefined;
}

/** How many hosts are kept. */
export interface HostCacheLimits {
  /**
   * Hosts of which everything is kept, some kB each. What repeats the last message does not need it, so these are the
   * hosts with news; others are read back.
   */
  known: number;
  /** Hosts whose last message may be repeated, some hundred bytes each. Those beyond are parsed each time. */
  cachedTemplate: number;
}

const LIMITS: HostCacheLimits = { known: 10_000, cachedTemplate: 200_000 };

/**
 * The host cache: what is known of the hosts that report, least recently used dropped first. Any entry may be dropped at
 * any time: the next message reads it back. Whoever changes a host's rows elsewhere forgets the host here, and so does a
 * flush that failed.
 */
export class HostCache {
  readonly #known: LruMap<string, KnownHost>;
  /** By skeleton. */
  readonly #cachedTemplate: LruMap<bigint, CachedTemplate>;
  /** The same hosts by their agent's id. */
  readonly #steadyByAgent = new Map<string, CachedTemplate>();
  /** Agents' ids by host, of all that are known or steady. */
  readonly #agentIds = new Map<number, string>();
  #loads = 0;

  constructor(
    private readonly db: Db,
    limits = LIMITS,
  ) {
    this.#known = new LruMap(limits.known, ({ row }) => this.#tidyId(row.id, row.agentId));
    this.#cachedTemplate = new LruMap(limits.cachedTemplate, (host) => {
      this.#steadyByAgent.delete(host.agentId);
      this.#tidyId(host.hostId, host.agentId);
    });
  }

  /** Entries of each map, and how often a host had to be read back. */
  get usage(): {
    known: number;
    cachedTemplate: number;
    steadyByAgent: number;
    agentIds: number;
    loads: number;
  } {
    return {
      known: this.#known.size,
      cachedTemplate: this.#cachedTemplate.size,
      steadyByAgent: this.#steadyByAgent.size,
      agentIds: this.#agentIds.size,
      loads: this.#loads,
    };
  }

  /** The host of this agent id, or null if none has reported yet. */
  find(agentId: string): KnownHost | null {
    return this.#known.get(agentId) ?? this.#load(agentId);
  }

  /** The host whose last message had this skeleton, if it was nothing but steady. */
  cachedTemplate(template: bigint): CachedTemplate | undefined {
    return this.#cachedTemplate.get(template);
  }

  remember(host: KnownHost): void {
    this.#agentIds.set(host.row.id, host.row.agentId);
    this.#known.set(host.row.agentId, host);
  }

  /** The host is as its last message left it. A plan for such messages is kept. */
  cacheTemplate(host: CachedTemplate): void {
    const before = this.#cachedTemplate.peek(host.template);
    if (before) host.decoder = before.decoder;
    this.dropTemplate(host.agentId);
    this.#agentIds.set(host.hostId, host.agentId);
    this.#steadyByAgent.set(host.agentId, host);
    this.#cachedTemplate.set(host.template, host);
  }

  /** There is more to the host than its last message. */
  dropTemplate(agentId: string): void {
    const host = this.#steadyByAgent.get(agentId);
    if (!host) return;
    this.#steadyByAgent.delete(agentId);
    this.#cachedTemplate.delete(host.template);
    this.#tidyId(host.hostId, agentId);
  }

  forget(hostId: number): void {
    const agentId = this.#agentIds.get(hostId);
    if (agentId !== undefined) this.forgetAgent(agentId);
  }

  forgetAgent(agentId: string): void {
    const known = this.#known.peek(agentId);
    this.#known.delete(agentId);
    this.dropTemplate(agentId);
    if (known) this.#tidyId(known.row.id, agentId);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#agentIds.clear();
    this.#cachedTemplate.clear();
    this.#steadyByAgent.clear();
  }

  /** An id is kept as long as there is something to forget of its host. */
  #tidyId(hostId: number, agentId: string): void {
    if (this.#known.peek(agentId) || this.#steadyByAgent.has(agentId)) return;
    this.#agentIds.delete(hostId);
  }

  #load(agentId: string): KnownHost | null {
    const { hostOfAgent, servicesOfHost } = statements(this.db);
    const row = hostOfAgent.get({ agentId });
    if (!row) return null;
    this.#loads++;
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
