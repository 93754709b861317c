/** Accepts agents' posts: authentication, size limits, parsing, queueing. Shared by the route and the fast path. */

import { inflateSmall } from "../../monit/inflate.ts";
import { RejectedMessage } from "../../monit/rejected-message.ts";
import type { Clock } from "../../platform/clock.ts";
import { ApiError, declareError, errors } from "../../platform/http/errors.ts";
import type { AgentLogins } from "../agent-keys/agent-logins.ts";
import type { Credential } from "../agent-keys/host-binding.ts";
import { keyErrors } from "../agent-keys/key-errors.ts";
import type { HostCache } from "../ingest/host-cache.ts";
import type { IngestQueue } from "../ingest/queue.ts";
import { MessageReader, type Receipt } from "../ingest/reading.ts";
import type { LargeMessages } from "./large-messages.ts";
import type { RejectedMessages } from "./rejected-messages.ts";

/** Errors that only the collector returns. */
export const collectorErrors = {
  badMessage: declareError(
    400,
    "message.invalid",
    "The message of an agent cannot be read (only at /collector)",
    (reason: string) => reason,
  ),
  ...keyErrors,
  wrongEncoding: declareError(
    415,
    "body.encoding",
    "The body of an agent's message is neither plain nor gzip (only at /collector)",
    () => "The body must be plain or gzip",
  ),
};

/** The most large messages of one key that are read at a time, so that other keys get their turn. */
const MAX_LARGE_OF_KEY = 4;

/** Largest body before decompression, bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface CollectorDependencies {
  logins: AgentLogins;
  queue: Pick<IngestQueue, "add" | "admit">;
  hostCache: HostCache;
  largeMessages: LargeMessages;
  rejectedMessages: RejectedMessages;
  clock: Clock;
}

/** A post whose body has not been read yet. A missing header is undefined. */
export interface Post {
  authorization: string | undefined;
  contentType: string | undefined;
  contentEncoding: string | undefined;
  /** The client's address. */
  address: string;
  /**
   * Reads the body.
   * @param account that the memory of the body counts for; without one, the address
   * @throws ApiError 413 when there are more than `limit` bytes
   */
  body(limit: number, account?: string): Promise<Uint8Array>;
}

/**
 * Accepts the messages of agents. The thread that serves requests reads small ones itself, and has a worker
 * read the large ones.
 */
export class Collector {
  readonly #reader: MessageReader;
  /** Number of large messages that are being read, by id of their key. */
  readonly #large = new Map<number, number>();

  constructor(private readonly dependencies: CollectorDependencies) {
    this.#reader = new MessageReader(dependencies.hostCache);
  }

  /**
   * Accepts a message. Resolves once it is durable.
   * @throws ApiError; the database error; the error that interrupted reading the body
   */
  async receive(post: Post): Promise<void> {
    const { logins, queue, rejectedMessages, clock } = this.dependencies;
    try {
      const key = logins.credentialOf(post);
      queue.admit(key);
      const isGzipped = isGzip(post);
      const body = await post.body(MAX_BODY_BYTES, key && `key ${key.id}`);
      const document = isGzipped ? inflateSmall(body) : body;
      const read =
        document && this.#reader.readAtOnce(document, { receivedAt: clock.now(), source: post.address, key });
      // Awaiting a result that is already available would cost an extra turn of the event loop.
      await queue.add(read ?? (await this.#readLarge(document, body, post.address, key)));
    } catch (error) {
      const publicError =
        error instanceof RejectedMessage ? collectorErrors.badMessage(error.message) : error;
      if (publicError instanceof ApiError && publicError.status < 500)
        rejectedMessages.add(post.address, publicError.message);
      throw publicError;
    }
  }

  /** Reads a message on the large-message worker. @param document null if the body has not been inflated */
  async #readLarge(
    document: Uint8Array | null,
    body: Uint8Array,
    source: string,
    key: Credential,
  ): Promise<Receipt> {
    const { largeMessages, queue, clock } = this.dependencies;
    const message = await this.#inTurn(key, () => largeMessages.read(document ?? body, document === null));
    queue.admit(key);
    const templateHash = document && this.#reader.hashOf(document, message);
    return { message, templateHash, receivedAt: clock.now(), source, key };
  }

  /** @throws ApiError 503 if too many large messages of the key are being read */
  async #inTurn<T>(key: Credential, read: () => Promise<T>): Promise<T> {
    if (!key) return read();
    const count = this.#large.get(key.id) ?? 0;
    if (count >= MAX_LARGE_OF_KEY) throw errors.busy("Too many large messages came at once with this key");
    this.#large.set(key.id, count + 1);
    try {
      return await read();
    } finally {
      const others = (this.#large.get(key.id) ?? 1) - 1;
      if (others > 0) this.#large.set(key.id, others);
      else this.#large.delete(key.id);
    }
  }
}

/** Whether the body is gzip (true) or plain (false). @throws ApiError 415 for anything else */
function isGzip({ contentType, contentEncoding }: Post): boolean {
  if (contentType && !/^(text|application)\/xml\b/i.test(contentType))
    throw errors.bodyType("XML (text/xml)");
  const encoding = contentEncoding?.trim().toLowerCase() ?? "identity";
  if (encoding === "gzip") return true;
  if (encoding === "identity") return false;
  throw collectorErrors.wrongEncoding();
}
