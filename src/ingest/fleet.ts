import { and, eq, isNull } from "drizzle-orm";
import type { Db } from "../database/open.ts";
import { hosts, names, services } from "../database/schema.ts";
import { type DowntimeInterval, openIntervalsOfHost } from "../uptime/downtime.repository.ts";

export type HostRow = typeof hosts.$inferSelect;
export type ServiceRow = typeof services.$inferSelect;

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

/**
 * A cache of the hosts that report. Any entry may be dropped at any time: the next message reads it back. Whoever
 * changes a host's rows elsewhere forgets the host here, and so does a flush that failed.
 */
export class Fleet {
  readonly #byAgentId = new Map<string, KnownHost>();
  readonly #agentIds = new Map<number, string>();

  constructor(private readonly db: Db) {}

  /** The host of this agent id, or null if none has reported yet. */
  find(agentId: string): KnownHost | null {
    return this.#byAgentId.get(agentId) ?? this.#load(agentId);
  }

  remember(host: KnownHost): void {
    this.#byAgentId.set(host.row.agentId, host);
    this.#agentIds.set(host.row.id, host.row.agentId);
  }

  forget(hostId: number): void {
    const agentId = this.#agentIds.get(hostId);
    if (agentId !== undefined) this.forgetAgent(agentId);
  }

  forgetAgent(agentId: string): void {
    const host = this.#byAgentId.get(agentId);
    if (host) this.#agentIds.delete(host.row.id);
    this.#byAgentId.delete(agentId);
  }

  forgetAll(): void {
    this.#byAgentId.clear();
    this.#agentIds.clear();
  }

  #load(agentId: string): KnownHost | null {
    const row = this.db.select().from(hosts).where(eq(hosts.agentId, agentId)).get();
    if (!row) return null;
    const present = this.db
      .select({ service: services, name: names.name })
      .from(services)
      .innerJoin(names, eq(names.id, services.nameId))
      .where(and(eq(services.hostId, row.id), isNull(services.vanishedAt)))
      .all();
    const host: KnownHost = {
      row,
      services: new Map(present.map(({ service, name }) => [name, service])),
      openFailures: openIntervalsOfHost(this.db, row.id),
      layout: null,
      textsSignature: null,
      groupsSignature: null,
    };
    this.remember(host);
    return host;
  }
}
