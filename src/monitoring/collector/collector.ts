/** What happens to a post of an agent, however it came in. */

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

/** Errors that only agents are answered with. */
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
    () => "The username or password of the collector is wrong",
    () => ({ "WWW-Authenticate": 'Basic realm="Muster collector"' }),
  ),
  wrongEncoding: declareError(
    415,
    "body.encoding",
    "The body of an agent's message is neither plain nor gzip (only at /collector)",
    () => "The body must be plain or gzip",
  ),
};

/** Largest body as sent, bytes. */
export const MAX_BODY_BYTES = 4 * 1024 * 1024;

export interface CollectorDependencies {
  credential: CollectorCredential;
  queue: Pick<IngestQueue, "add" | "admit">;
  hostCache: HostCache;
  largeMessages: LargeMessages;
  rejectedMessages: RejectedMessages;
  clock: Clock;
}

/** A post before its body is read. Headers are undefined where there are none. */
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
   * Takes in a message. Resolves once it is durable.
   * @throws ApiError; what the database said; what kept the body from being read
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
      // Waiting for what is there already would cost a turn.
      await queue.add(read ?? (await this.#readLarge(document, body, post.address)));
    } catch (error) {
      const refusal = error instanceof RejectedMessage ? collectorErrors.badMessage(error.reason) : error;
      if (refusal instanceof ApiError && refusal.status < 500)
        rejectedMessages.add(post.address, refusal.message);
      throw refusal;
    }
  }

  /** What takes long to inflate or to read must not keep the others waiting. @param document null when not inflated */
  async #readLarge(document: Uint8Array | null, body: Uint8Array, source: string): Promise<Receipt> {
    const { largeMessages, queue, clock } = this.dependencies;
    const message = await largeMessages.read(document ?? body, document === null);
    queue.admit();
    const template = document && this.#reader.skeletonOf(document);
    return { message, template, receivedAt: clock.now(), source };
  }
}

/** Whether the body is gzip, or else plain. @throws ApiError 415 for any other kind */
function isGzip({ contentType, contentEncoding }: Post): boolean {
  if (contentType && !/^(text|application)\/xml\b/i.test(contentType))
    throw errors.bodyType("XML (text/xml)");
  const encoding = contentEncoding?.trim().toLowerCase() ?? "identity";
  if (encoding === "gzip") return true;
  if (encoding === "identity") return false;
  throw collectorErrors.wrongEncoding();
}
