/**
 * Accepts agents' posts: authentication, size limits, parsing, queueing. Shared by the route and the fast
 * path.
 */

import { inflateSmall } from "../../monit/inflate.ts";
import { RejectedMessage } from "../../monit/rejected-message.ts";
import type { Clock } from "../../platform/clock.ts";
import { ApiError, declareError, errors } from "../../platform/http/errors.ts";
import type { HostCache } from "../ingest/host-cache.ts";
import type { IngestQueue } from "../ingest/queue.ts";
import { MessageReader, type Receipt } from "../ingest/reading.ts";
import type { CollectorCredential } from "./collector-credential.ts";
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
  wrongCredential: declareError(
    401,
    "collector.credential",
    "The username or password of an agent is wrong (only at /collector)",
    () =>
      "The username or password of the collector is wrong: accounts of users cannot post messages, only the collector's user in the settings can",
    () => ({ "WWW-Authenticate": 'Basic realm="Muster collector"' }),
  ),
  wrongEncoding: declareError(
    415,
    "body.encoding",
    "The body of an agent's message is neither plain nor gzip (only at /collector)",
    () => "The body must be plain or gzip",
  ),
};

/** Largest body before decompression, bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface CollectorDependencies {
  credential: CollectorCredential;
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
  /** @throws ApiError 413 when there are more than `limit` bytes */
  body(limit: number): Promise<Uint8Array>;
}

export class Collector {
  readonly #reader: MessageReader;

  constructor(private readonly dependencies: CollectorDependencies) {
    this.#reader = new MessageReader(dependencies.hostCache);
  }

  /**
   * Accepts a message. Resolves once it is durable.
   * @throws ApiError; the database error; the error that interrupted reading the body
   */
  async receive(post: Post): Promise<void> {
    const { credential, queue, rejectedMessages, clock } = this.dependencies;
    try {
      if (!credential.accepts(post.authorization)) throw collectorErrors.wrongCredential();
      queue.admit();
      const isGzipped = isGzip(post);
      const body = await post.body(MAX_BODY_BYTES);
      const document = isGzipped ? inflateSmall(body) : body;
      const read = document && this.#reader.readAtOnce(document, clock.now(), post.address);
      // Awaiting a result that is already available would cost an extra turn of the event loop.
      await queue.add(read ?? (await this.#readLarge(document, body, post.address)));
    } catch (error) {
      const publicError =
        error instanceof RejectedMessage ? collectorErrors.badMessage(error.message) : error;
      if (publicError instanceof ApiError && publicError.status < 500)
        rejectedMessages.add(post.address, publicError.message);
      throw publicError;
    }
  }

  /** Reads a message on the large-message worker. @param document null if the body has not been inflated */
  async #readLarge(document: Uint8Array | null, body: Uint8Array, source: string): Promise<Receipt> {
    const { largeMessages, queue, clock } = this.dependencies;
    const message = await largeMessages.read(document ?? body, document === null);
    queue.admit();
    const template = document && this.#reader.templateOf(document);
    return { message, template, receivedAt: clock.now(), source };
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
