import { errors } from "../../platform/http/errors.ts";
import type { Log } from "../../platform/log.ts";
import { isDamage } from "../../platform/storage/database-error.ts";
import { type Db, transaction } from "../../platform/storage/open.ts";
import type { StorageHealth } from "../../platform/storage/storage-health.ts";
import type { HostCache } from "./host-cache.ts";
import type { Ingest } from "./ingest.ts";
import type { Receipt, Repeat } from "./reading.ts";

/** Messages that may wait. More would not be answered within the agents' patience of 5 s anyway. */
export const MAX_QUEUE = 4096;
/**
 * Messages of one commit. More would share the cost of the disk no better, and hold up everything else: the first
 * message of a host after a start costs a millisecond.
 */
const MAX_BATCH = 256;
/**
 * Services in the messages of one commit, unless it is a single message: when all are new a thousand take 100 ms. What
 * repeats the last message of its host costs nothing of the kind.
 */
const MAX_BATCH_SERVICES = 1000;
/** As long as each turn of the event loop brings more messages they are gathered, but no longer than this, milliseconds. */
const MAX_GATHER_MS = 5;
/** Messages of an agent are stored by themselves this long after one was refused, so that they hold up no others, seconds. */
const SUSPECT_SECONDS = 600;
/** A message that waited longer than this many milliseconds is refused: its agent is about to give up and resend. */
export const MAX_WAIT_MS = 3000;

interface Waiting {
  post: Receipt | Repeat;
  queuedAt: number;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function agentOf({ post }: Waiting): string {
  return "message" in post ? post.message.agentId : post.host.agentId;
}

/** How many of those that wait are written in one commit; at least one. */
function batchSize(waiting: readonly Waiting[]): number {
  let services = 0;
  for (const [i, { post }] of waiting.entries()) {
    if ("message" in post) services += post.message.services.length;
    if (i === MAX_BATCH || (i > 0 && services > MAX_BATCH_SERVICES)) return i;
  }
  return waiting.length;
}

export interface QueueDependencies {
  db: Db;
  ingest: Ingest;
  hostCache: HostCache;
  storage: StorageHealth;
  log: Log;
  /** Milliseconds of a clock that never jumps. */
  monotonic: () => number;
}

/**
 * Collects messages and commits those that wait in one transaction, so that the cost of the disk is shared. A message is
 * answered only after the commit it was part of.
 */
export class IngestQueue {
  #waiting: Waiting[] = [];
  #scheduled: ReturnType<typeof setImmediate> | null = null;
  /** How many waited a turn ago. */
  #gathered = 0;

  constructor(
    private readonly dependencies: QueueDependencies,
    private readonly limit = MAX_QUEUE,
  ) {}

  get length(): number {
    return this.#waiting.length;
  }

  /** To be asked before any work goes into a message. @throws ApiError 503 when there is no room for another */
  admit(): void {
    if (this.#waiting.length >= this.limit) throw errors.busy("Too many messages are waiting");
  }

  /** When the message that waits longest was received, unix seconds; null when none waits. */
  get oldestReceipt(): number | null {
    return this.#waiting[0]?.post.receivedAt ?? null;
  }

  /**
   * Resolves once the message is durable.
   * @throws ApiError 503 when the queue is full or the wait was too long; otherwise what the database said
   */
  add(post: Receipt | Repeat): Promise<void> {
    return new Promise((resolve, reject) => {
      this.admit();
      this.#waiting.push({ post, queuedAt: this.dependencies.monotonic(), resolve, reject });
      this.#scheduled ??= setImmediate(() => this.#gather());
    });
  }

  /**
   * Writes what waits once a turn brought nothing new: a commit costs the same for one message as for many, and nothing
   * else is done while the disk is at it.
   */
  #gather(): void {
    const { length } = this.#waiting;
    const since = this.dependencies.monotonic() - (this.#waiting[0]?.queuedAt ?? 0);
    const isMoreComing = length > this.#gathered && length < MAX_BATCH && since < MAX_GATHER_MS;
    this.#gathered = isMoreComing ? length : 0;
    if (isMoreComing) this.#scheduled = setImmediate(() => this.#gather());
    else this.#flush();
  }

  /** Writes all that waits. */
  drain(): void {
    while (this.#waiting.length > 0) this.#flush();
  }

  /** Writes what has waited longest; the rest has its turn once those who were answered and new ones had theirs. */
  #flush(): void {
    if (this.#scheduled) clearImmediate(this.#scheduled);
    const now = this.dependencies.monotonic();
    const next = this.#waiting.splice(0, batchSize(this.#waiting));
    this.#scheduled = this.#waiting.length > 0 ? setImmediate(() => this.#gather()) : null;
    const batch = next.filter((entry) => now - entry.queuedAt <= MAX_WAIT_MS);
    for (const entry of next)
      if (now - entry.queuedAt > MAX_WAIT_MS) entry.reject(errors.busy("The message waited too long"));
    if (batch.length === 0) return;
    const { storage } = this.dependencies;
    const isSuspect = (entry: Waiting) => storage.wasRefused(agentOf(entry), SUSPECT_SECONDS);
    this.#store(batch.filter((entry) => !isSuspect(entry)));
    for (const entry of batch.filter(isSuspect)) this.#store([entry]);
  }

  /**
   * Stores messages in one transaction. If the database refuses one, as it touches a damaged page, the halves are tried
   * again, until that one is left alone. Savepoints would not do: damage spoils the transaction around them.
   */
  #store(batch: readonly Waiting[]): void {
    if (batch.length === 0) return;
    const problem = this.#commit(batch);
    if (problem === null) for (const entry of batch) entry.resolve();
    else if (batch.length === 1 || this.dependencies.storage.failed(problem)) this.#refuse(batch, problem);
    else {
      const half = Math.ceil(batch.length / 2);
      this.#store(batch.slice(0, half));
      this.#store(batch.slice(half));
    }
  }

  #refuse(batch: readonly Waiting[], problem: unknown): void {
    const { storage, log } = this.dependencies;
    const isOutage = storage.failed(problem);
    for (const entry of batch) {
      const agent = agentOf(entry);
      if (!isOutage) {
        // It was heard, though: that it is not stored is no fault of its host.
        storage.refused(agent);
        const advice = isDamage(problem) ? { advice: "the database is damaged: run muster doctor" } : {};
        log.error("message could not be stored", { agent, error: problem, ...advice });
      }
      entry.reject(problem);
    }
  }

  /** @returns what went wrong, with nothing stored; null when all is durable */
  #commit(batch: readonly Waiting[]): unknown {
    const { db, ingest, hostCache, storage } = this.dependencies;
    try {
      transaction(db, () => {
        for (const { post } of batch) ingest.apply(post);
      });
      storage.assertInPlace();
      storage.worked();
      return null;
    } catch (error) {
      // What the fleet learned within the transaction did not happen.
      for (const entry of batch) hostCache.forgetAgent(agentOf(entry));
      return error ?? new Error("the commit failed");
    }
  }
}
