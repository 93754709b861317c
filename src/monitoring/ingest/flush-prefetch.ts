/** Reads and stores in bulk, for all messages of a flush, what each would otherwise read or store separately. */
import type { AgentMessage } from "../../monit/message.types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { EventLog } from "../events/event-log.service.ts";
import type { NewEvent } from "../events/events.repository.ts";
import { eventOf } from "./agent-events.ts";
import type { HostCache, KnownHost } from "./host-cache.ts";
import { clockOffset } from "./host-facts.ts";
import type { Receipt, Repeat } from "./reading.ts";
import { storeLayouts } from "./samples.ts";
import { newServices } from "./services.ts";

/**
 * Prefetches for messages whose hosts and services are in the host cache. Everything else is read and stored
 * with its message.
 */
export class FlushPrefetch {
  constructor(
    private readonly db: Db,
    private readonly hostCache: HostCache,
    private readonly events: EventLog,
  ) {}

  /** Call it within the transaction, before the first message is stored. */
  load(posts: readonly (Receipt | Repeat)[]): void {
    this.events.expect(posts.flatMap((post) => this.#expectedEvents(post)));
    this.#storeLayouts(posts);
  }

  /** The events of a message as they will be stored, without what is not known yet. */
  #expectedEvents(post: Receipt | Repeat): NewEvent[] {
    if (!("message" in post) || post.message.events.length === 0) return [];
    const { message, receivedAt } = post;
    const host = this.hostCache.find(message.agentId);
    if (!host) return [];
    const { clockOffset: offsetBefore } = host.row;
    const offset = message.isEventOnly ? offsetBefore : clockOffset(message, receivedAt, offsetBefore);
    return message.events.flatMap((event) => {
      const service = host.services.get(event.service);
      return service ? [eventOf(event, host.row.id, service, offset, receivedAt)] : [];
    });
  }

  /** Stores the layouts of messages whose hosts and services are known. */
  #storeLayouts(posts: readonly (Receipt | Repeat)[]): void {
    const ofHosts = new Map<KnownHost, AgentMessage>();
    for (const post of posts) {
      if (!("message" in post) || post.message.services.length === 0) continue;
      const { message } = post;
      const host = this.hostCache.find(message.agentId);
      // The second message of a host depends on what the first one changes.
      if (!host || ofHosts.has(host) || newServices(host, message.services).length > 0) continue;
      ofHosts.set(host, message);
    }
    storeLayouts(
      this.db,
      [...ofHosts].map(([host, message]) => ({ host, message })),
    );
  }
}
