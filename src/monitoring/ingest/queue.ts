import { ApiError, errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import { isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import type { Credential } from "../agent-keys/host-binding.ts";
import type { HostCache } from "./host-cache.ts";
import type { Ingest } from "./ingest.ts";
import { agentOf, type Receipt, type Repeat } from "./reading.ts";

/** The most messages that wait. Further ones could not be answered within the agents' timeout of 5 s. */
export const MAX_QUEUE = 4096;
/**
 * The most messages in one commit. Larger batches hardly reduce the disk cost per message, but block everything
 * else for longer: the first message of a host after a start takes a millisecond.
 */
const MAX_BATCH = 256;
/**
 * The most services in one commit of several messages, and the most new services in any commit: a thousand of them
 * would block everything else for 100 ms. Repetitions do not count, as they do not touch services.
 */
export const MAX_BATCH_SERVICES = 400;
/**
 * Messages are collected while each turn of the event loop brings more, for at most this time,
 * milliseconds.
 */
const MAX_GATHER_MS = 5;
/**
 * After a message could not be stored, messages of the same agent get a commit of their own for this time,
 * seconds, so that they cannot delay others.
 */
const SUSPECT_SECONDS = 600;
/**
 * A message that waited longer, milliseconds, is answered 503: its agent is about to time out and resend
 * it.
 */
const MAX_WAIT_MS = 3000;

const FULL = "Too many messages are waiting";

/** Id of the key of a message; 0 for the first credential. */
function keyOf({ key }: Pick<Receipt, "key">): number {
  return key?.id ?? 0;
}

interface Waiting {
  post: Receipt | Repeat;
  queuedAt: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

/** How many of the waiting messages the next commit takes; at least one. */
function batchSize(waiting: readonly Waiting[]): number {
  let size = 0;
  let services = 0;
  for (const { post } of waiting) {
    if ("message" in post) services += post.message.services.length;
    if (size === MAX_BATCH || (size > 0 && services > MAX_BATCH_SERVICES)) break;
    size++;
  }
  return size;
}

export interface QueueDependencies {
  db: Db;
  ingest: Ingest;
  hostCache: HostCache;
  storage: StorageHealth;
  log: Log;
  /** Monotonic clock, milliseconds. */
  monotonic: () => number;
}

/**
 * Commits waiting messages in batches, so that they share the cost of a disk write. The promise of a
 * message resolves only after its commit is durable.
 */
export class IngestQueue {
  #waiting: Waiting[] = [];
  /** Number of waiting messages by id of their key. */
  readonly #ofKey = new Map<number, number>();
  #scheduled: ReturnType<typeof setImmediate> | null = null;
  /** Agents whose last message still has to be evaluated against some limits. */
  readonly #unfinished = new Set<string>();
  #finishing: ReturnType<typeof setImmediate> | null = null;
  /** Number of waiting messages in the previous turn of the event loop. */
  #gathered = 0;
  /** Messages of the last commit that their hosts' keys refuse. */
  #refusals: ReadonlyMap<Receipt | Repeat, ApiError> = new Map();

  constructor(
    private readonly dependencies: QueueDependencies,
    private readonly limit = MAX_QUEUE,
  ) {}

  get length(): number {
    return this.#waiting.length;
  }

  /**
   * Call this before doing any work for a message. A full queue still admits messages of a key that has at least two
   * fewer waiting messages than another key, so that no key uses up the room of others.
   * @throws ApiError 503 if the queue is full
   */
  admit(key?: Credential): void {
    if (this.#waiting.length >= this.limit && this.#displaced(key?.id ?? 0) === null) throw errors.busy(FULL);
  }

  /**
   * Index of the newest message of the key with most waiting messages, if this key has at least two fewer; otherwise
   * null.
   */
  #displaced(keyId: number): number | null {
    const waiting = this.#ofKey.get(keyId) ?? 0;
    const [busiestKey, mostWaiting] = [...this.#ofKey].reduce(
      (a, b) => (b[1] > a[1] ? b : a),
      [keyId, waiting],
    );
    if (waiting + 1 >= mostWaiting) return null;
    return this.#waiting.findLastIndex(({ post }) => keyOf(post) === busiestKey);
  }

  /** When the oldest waiting message was received, unix seconds; null if none waits. */
  get oldestReceipt(): number | null {
    return this.#waiting[0]?.post.receivedAt ?? null;
  }

  /**
   * Resolves once the message is durable.
   * @throws ApiError 503 if the queue is full or the wait was too long; otherwise the database error
   */
  add(post: Receipt | Repeat): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length >= this.limit) this.#makeRoom(keyOf(post));
      this.#count(post, 1);
      this.#waiting.push({ post, queuedAt: this.dependencies.monotonic(), resolve, reject });
      // A turn of the event loop may bring thousands of messages. Without a flush in between, most would be refused.
      if (this.#waiting.length % MAX_BATCH === 0) this.#flush();
      else this.#scheduled ??= setImmediate(() => this.#gather());
    });
  }

  /**
   * Refuses the newest message of the key with most waiting messages. @throws ApiError 503 if the new message has
   * that key
   */
  #makeRoom(keyId: number): void {
    const place = this.#displaced(keyId);
    if (place === null) throw errors.busy(FULL);
    for (const { post, reject } of this.#waiting.splice(place, 1)) {
      this.#count(post, -1);
      reject(errors.busy(FULL));
    }
  }

  #count(post: Receipt | Repeat, change: number): void {
    const keyId = keyOf(post);
    const count = (this.#ofKey.get(keyId) ?? 0) + change;
    if (count > 0) this.#ofKey.set(keyId, count);
    else this.#ofKey.delete(keyId);
  }

  /**
   * Commits once a turn of the event loop brought no new message. A commit costs about the same for one
   * message as for many, and it blocks the event loop while the disk writes.
   */
  #gather(): void {
    const { length } = this.#waiting;
    const since = this.dependencies.monotonic() - (this.#waiting[0]?.queuedAt ?? 0);
    const isMoreComing = length > this.#gathered && length < MAX_BATCH && since < MAX_GATHER_MS;
    this.#gathered = isMoreComing ? length : 0;
    if (isMoreComing) this.#scheduled = setImmediate(() => this.#gather());
    else this.#flush();
  }

  /** Commits every waiting message. Unfinished limits are left to the next messages. */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
    if (this.#finishing) clearImmediate(this.#finishing);
    this.#finishing = null;
    this.#unfinished.clear();
  }

  /**
   * Commits the oldest messages. The next batch is scheduled, so that responses and new requests come in
   * between.
   */
  #flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    this.#refuseLate();
    if (this.#introduceServices(this.#waiting[0])) {
      this.#scheduled = setImmediate(() => this.#flush());
      return;
    }
    const batch = this.#take(batchSize(this.#waiting));
    this.#scheduled = this.#waiting.length > 0 ? setImmediate(() => this.#gather()) : null;
    const { storage } = this.dependencies;
    const isSuspect = (entry: Waiting) => storage.wasRefused(agentOf(entry.post), SUSPECT_SECONDS);
    this.#store(batch.filter((entry) => !isSuspect(entry)));
    for (const entry of batch.filter(isSuspect)) this.#store([entry]);
  }

  /** Removes the oldest messages. */
  #take(count: number): Waiting[] {
    const taken = this.#waiting.splice(0, count);
    for (const { post } of taken) this.#count(post, -1);
    return taken;
  }

  /**
   * Refuses messages that waited too long, all at once: as parts of batches they would keep a full queue from storing
   * others.
   */
  #refuseLate(): void {
    const now = this.dependencies.monotonic();
    const first = this.#waiting.findIndex(({ queuedAt }) => now - queuedAt <= MAX_WAIT_MS);
    for (const { reject } of this.#take(first < 0 ? this.#waiting.length : first))
      reject(errors.busy("The message waited too long"));
  }

  /**
   * Stores some services of a message with many new ones ahead of the message itself.
   * @returns whether it did; the message is still waiting then
   */
  #introduceServices(entry: Waiting | undefined): boolean {
    if (entry === undefined || !("message" in entry.post)) return false;
    const { db, ingest, hostCache } = this.dependencies;
    const { post } = entry;
    if (post.message.services.length <= MAX_BATCH_SERVICES) return false;
    try {
      return transaction(db, () => ingest.introduceServices(post, MAX_BATCH_SERVICES));
    } catch {
      // The message itself will meet the same error, which is handled where it is stored.
      hostCache.forgetAgent(post.message.agentId);
      return false;
    }
  }

  /**
   * Stores messages in one transaction. If one of them fails, for example because it touches a damaged
   * page, each half is retried until that message is isolated. Savepoints cannot replace this: damage
   * aborts the whole transaction.
   */
  #store(batch: readonly Waiting[]): void {
    if (batch.length === 0) return;
    const problem = this.#commit(batch);
    if (problem === null) {
      for (const { post, resolve, reject } of batch) {
        const refusal = this.#refusals.get(post);
        if (refusal) reject(refusal);
        else resolve();
      }
      this.#noteUnfinished(batch);
    } else if (batch.length === 1 || this.dependencies.storage.failed(problem)) this.#fail(batch, problem);
    else {
      const half = Math.ceil(batch.length / 2);
      this.#store(batch.slice(0, half));
      this.#store(batch.slice(half));
    }
  }

  #noteUnfinished(batch: readonly Waiting[]): void {
    const { ingest } = this.dependencies;
    for (const { post } of batch) {
      const agentId = agentOf(post);
      if (ingest.hasUnfinishedLimits(agentId)) this.#unfinished.add(agentId);
    }
    if (this.#unfinished.size > 0) this.#finishing ??= setImmediate(() => this.#finishLimits());
  }

  /** Evaluates more limits of a message. Waiting messages are stored in between. */
  #finishLimits(): void {
    this.#finishing = null;
    const [agentId] = this.#unfinished;
    if (agentId === undefined) return;
    const { db, ingest, hostCache, storage, log } = this.dependencies;
    this.#unfinished.delete(agentId);
    try {
      if (transaction(db, () => ingest.finishLimits(agentId))) this.#unfinished.add(agentId);
    } catch (error) {
      // Nothing of this step was stored. The next message is evaluated from the beginning.
      hostCache.forgetAgent(agentId);
      const isOutage = storage.failed(error);
      if (!isOutage) log.error("failures of limits could not be stored yet", { agent: agentId, error });
    }
    if (this.#unfinished.size > 0) this.#finishing = setImmediate(() => this.#finishLimits());
  }

  #fail(batch: readonly Waiting[], problem: unknown): void {
    const { storage, log } = this.dependencies;
    const isOutage = storage.failed(problem);
    for (const entry of batch) {
      const agent = agentOf(entry.post);
      if (!isOutage && !(problem instanceof ApiError)) {
        // The host reported, so it must not be declared down.
        storage.refused(agent);
        const advice = isDamage(problem) ? { advice: "the database is damaged: run muster doctor" } : {};
        log.error("message could not be stored", { agent, error: problem, ...advice });
      }
      entry.reject(problem);
    }
  }

  /** @returns null once everything is durable; otherwise the error, with nothing stored */
  #commit(batch: readonly Waiting[]): unknown {
    const { db, ingest, hostCache, storage } = this.dependencies;
    try {
      this.#refusals = transaction(db, () => ingest.applyAll(batch.map(({ post }) => post)));
      storage.assertInPlace();
      storage.worked();
      return null;
    } catch (error) {
      // The transaction was rolled back, so the host cache is ahead of the database.
      for (const entry of batch) hostCache.forgetAgent(agentOf(entry.post));
      return error ?? new Error("the commit failed");
    }
  }
}
