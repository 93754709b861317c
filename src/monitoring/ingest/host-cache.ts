import { errors } from "../../platform/http/errors.ts";
import { LruMap } from "../../platform/lru-map.ts";
import { type Db, oncePerTransaction } from "../../platform/storage/open.ts";
import type { HostRow, ServiceRow } from "../../platform/storage/schema.ts";
import { isBeingRestored } from "../hosts/deleted-hosts.repository.ts";
import { hostOfAgent } from "../hosts/hosts.repository.ts";
import type { HostLimits } from "../limits/host-limits.ts";
import { type OpenFailure, openFailuresOfAgent } from "../uptime/downtime.repository.ts";
import { servicesOfHost } from "./services.repository.ts";
import { type SuspectedFailure, suspectedFailuresOf } from "./suspected-failures.repository.ts";
import type { TemplateDecoder } from "./template-decoder.ts";

/**
 * The cached state of a host. It is complete enough that a message without changes needs no database reads.
 */
export interface KnownHost {
  row: HostRow;
  /** Whether only its row is stored, as before the end of its first message: then lookups are skipped. */
  isNew: boolean;
  /** Services in the agent's last message, by name. */
  services: Map<string, ServiceRow>;
  /** Open failures of the host and its services, without those of limits. */
  openFailures: OpenFailure[];
  /** Failures that the last status of services reported although none is open. */
  suspects: SuspectedFailure[];
  /**
   * Ids of sample layouts for the current list of services, by message signature. Only messages whose texts are
   * already stored are in it.
   */
  layouts: Map<bigint, number>;
  /** Layout of the last sample; null before the first sample. */
  layoutId: number | null;
  // Signatures of data that every message repeats but that rarely changes; null if unknown.
  credentialsSignature: bigint | null;
  groupsSignature: string | null;
  /** The limits of the host; null if none applies to it, undefined if not loaded yet. */
  limits: HostLimits | null | undefined;
}

/**
 * The state needed to store a repetition of the last message of a host that had no news: no events, no change
 * of an open failure, and no failure that the next message may open.
 */
export interface CachedTemplate {
  hostId: number;
  agentId: string;
  /** Template hash of the last message. */
  hash: bigint;
  source: string;
  /** Key and number of its secret in the last message. */
  keyId: number;
  keySecret: number;
  incarnation: number;
  clockOffset: number;
  /** Seconds until the host is overdue. */
  patience: number;
  layoutId: number;
  /** The limits of the host, the same object as in the host's entry; null if none applies to it. */
  limits: HostLimits | null;
  /** Decoder for the template; null if none is possible, undefined if none has been built yet. */
  decoder?: TemplateDecoder | null | undefined;
}

/** Sizes of the host cache, in hosts. */
export interface HostCacheLimits {
  /**
   * Hosts with complete state, a few kB each. Repetitions do not need it, so these are the hosts with
   * changes. Other hosts are read from the database when needed.
   */
  hosts: number;
  /** Hosts with a cached template, a few hundred bytes each. Messages of other hosts are always parsed. */
  templates: number;
}

const LIMITS: HostCacheLimits = { hosts: 10_000, templates: 200_000 };

/** Agents known to have no host in the current transaction, which looks each of them up several times. */
const unknownAgents = oncePerTransaction(() => new Set<string>());

/**
 * Caches the state of reporting hosts, with least-recently-used eviction. Any entry may be dropped at any
 * time; the next message reloads it. Code that changes a host's rows outside ingest must call `forget`, and
 * a failed commit must call `forgetAgent`.
 */
export class HostCache {
  readonly #known: LruMap<string, KnownHost>;
  /** By template hash. */
  readonly #templates: LruMap<bigint, CachedTemplate>;
  /** The same entries by agent id. */
  readonly #templateByAgent = new Map<string, CachedTemplate>();
  /** Agent ids by host id, for every host in either map. */
  readonly #agentIds = new Map<number, string>();
  #loads = 0;

  constructor(
    private readonly db: Db,
    limits = LIMITS,
  ) {
    this.#known = new LruMap(limits.hosts, ({ row }) => this.#tidyId(row.id, row.agentId));
    this.#templates = new LruMap(limits.templates, ({ hostId, agentId }) => {
      this.#templateByAgent.delete(agentId);
      this.#tidyId(hostId, agentId);
    });
  }

  /** Number of entries in each map, and how often a host was loaded from the database. */
  get usage(): {
    known: number;
    templates: number;
    templateByAgent: number;
    agentIds: number;
    loads: number;
  } {
    return {
      known: this.#known.size,
      templates: this.#templates.size,
      templateByAgent: this.#templateByAgent.size,
      agentIds: this.#agentIds.size,
      loads: this.#loads,
    };
  }

  /** The host with this agent id; null if there is none. @throws ApiError 503 while its rows return */
  find(agentId: string): KnownHost | null {
    return this.#known.get(agentId) ?? this.#load(agentId);
  }

  /** The host with this agent id if it is cached; it is not read. */
  cached(agentId: string): KnownHost | undefined {
    return this.#known.peek(agentId);
  }

  /** The template with this hash, of a host whose next message may be a repetition. */
  templateOf(hash: bigint): CachedTemplate | undefined {
    return this.#templates.get(hash);
  }

  /** Whether the next message of the template's host may still be a repetition. */
  isCached(template: CachedTemplate): boolean {
    return this.#templates.peek(template.hash) === template;
  }

  /** Caches a host by its row. @param services those in its agent's last message, by name */
  add(
    row: HostRow,
    services = new Map<string, ServiceRow>(),
    openFailures: OpenFailure[] = [],
    suspects: SuspectedFailure[] = [],
  ): KnownHost {
    const host: KnownHost = {
      row,
      isNew: false,
      services,
      openFailures,
      suspects,
      layouts: new Map(),
      layoutId: null,
      credentialsSignature: null,
      groupsSignature: null,
      limits: undefined,
    };
    unknownAgents(this.db).delete(row.agentId);
    this.#agentIds.set(row.id, row.agentId);
    this.#known.set(row.agentId, host);
    return host;
  }

  /** Caches the template of a host whose next message may be a repetition. Its existing decoder is kept. */
  cacheTemplate(template: CachedTemplate): void {
    const before = this.#templates.peek(template.hash);
    if (before) template.decoder = before.decoder;
    this.dropTemplate(template.agentId);
    this.#agentIds.set(template.hostId, template.agentId);
    this.#templateByAgent.set(template.agentId, template);
    this.#templates.set(template.hash, template);
  }

  /** Requires the next message of this agent to be parsed. */
  dropTemplate(agentId: string): void {
    const template = this.#templateByAgent.get(agentId);
    if (!template) return;
    this.#templateByAgent.delete(agentId);
    this.#templates.delete(template.hash);
    this.#tidyId(template.hostId, agentId);
  }

  forget(hostId: number): void {
    const agentId = this.#agentIds.get(hostId);
    if (agentId !== undefined) this.forgetAgent(agentId);
  }

  /** As `forget`, by the id of the agent. */
  forgetAgent(agentId: string): void {
    const host = this.#known.peek(agentId);
    this.#known.delete(agentId);
    this.dropTemplate(agentId);
    if (host) this.#tidyId(host.row.id, agentId);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#agentIds.clear();
    this.#templates.clear();
    this.#templateByAgent.clear();
  }

  /** Drops the id of a host that is in neither map any more. */
  #tidyId(hostId: number, agentId: string): void {
    if (this.#known.peek(agentId) || this.#templateByAgent.has(agentId)) return;
    this.#agentIds.delete(hostId);
  }

  #load(agentId: string): KnownHost | null {
    const unknown = unknownAgents(this.db);
    if (unknown.has(agentId)) return null;
    const row = hostOfAgent(this.db, agentId);
    if (!row) {
      unknown.add(agentId);
      return null;
    }
    if (isBeingRestored(this.db, row.id)) throw errors.busy("The host is being restored");
    this.#loads++;
    const services = new Map(servicesOfHost(this.db, row.id).map(({ service, name }) => [name, service]));
    const suspects = suspectedFailuresOf(this.db, row.id);
    return this.add(row, services, openFailuresOfAgent(this.db, row.id), suspects);
  }
}
