/** Reads a document either by a cached template decoder or by parsing it. */

import { readMessage } from "../../monit/limits.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import { TemplateReader } from "../../monit/message-template.ts";
import { needsNoRepair, TakesLong } from "../../monit/xml.ts";
import type { CachedTemplate, HostCache } from "./host-cache.ts";
import { offsetOf } from "./host-facts.ts";
import { decode, decoderFor, type Reading, type TemplateDecoder } from "./template-decoder.ts";

interface Post {
  /** Unix seconds. */
  receivedAt: number;
  /** Address the message came from. */
  source: string;
}

/** A parsed message. */
export interface Receipt extends Post {
  message: AgentMessage;
  /** Template hash of the document, if it has one. */
  template?: bigint | null;
}

/** A message that differs from the previous one of its host only in numbers. */
export interface Repeat extends Post, Reading {
  host: CachedTemplate;
  /** The document, which is parsed after all if the host changes before the message is stored. */
  bytes: Uint8Array;
}

export function agentOf(post: Receipt | Repeat): string {
  return "message" in post ? post.message.agentId : post.host.agentId;
}

/**
 * Largest document that is parsed on the main thread, bytes: 0.5 ms for an ordinary one, 5 ms for a hostile
 * one.
 */
const PARSED_AT_ONCE = 64 * 1024;
/** Largest document, bytes, for which a decoder is built even if the document needs repair. */
const DECODED_WITH_REPAIR = 8 * 1024;
/** Most decoders that are kept for sharing between hosts with the same services. */
const MAX_SHARED = 1000;

/** Reads messages. A repetition of the previous message costs a fifth of a message that is parsed. */
export class MessageReader {
  readonly #templates = new TemplateReader();
  readonly #decoders = new Map<string, TemplateDecoder>();

  constructor(private readonly hostCache: HostCache) {}

  /** @throws RejectedMessage */
  read(bytes: Uint8Array, receivedAt: number, source: string, atOnce = false): Receipt | Repeat {
    const template = this.#templates.read(bytes);
    const repeat = this.#repeat(template, bytes, receivedAt, source);
    return repeat ?? { message: readMessage(bytes, atOnce), template, receivedAt, source };
  }

  /**
   * As `read`, but does no slow work.
   * @returns null for a document that is not a repetition and is large or needs repair
   * @throws RejectedMessage
   */
  readAtOnce(bytes: Uint8Array, receivedAt: number, source: string): Receipt | Repeat | null {
    if (bytes.byteLength > PARSED_AT_ONCE)
      return this.#repeat(this.#templates.read(bytes), bytes, receivedAt, source);
    try {
      return this.read(bytes, receivedAt, source, true);
    } catch (error) {
      if (error instanceof TakesLong) return null;
      throw error;
    }
  }

  /** Template hash of a document, by which repetitions are recognised; null if it has none. */
  templateOf(bytes: Uint8Array): bigint | null {
    return this.#templates.read(bytes);
  }

  #repeat(template: bigint | null, bytes: Uint8Array, receivedAt: number, source: string): Repeat | null {
    const host = template === null ? undefined : this.hostCache.cachedTemplate(template);
    if (host?.source !== source) return null;
    // The decoder is built for the second message with a template, so documents that never repeat cost
    // nothing extra.
    if (host.decoder === undefined) host.decoder = this.#shared(this.#buildDecoder(bytes));
    const reading = host.decoder && decode(host.decoder, this.#templates);
    if (!reading) return null;
    const agentNow = Math.max(host.incarnation + reading.uptime, reading.checkedAt);
    if (offsetOf(agentNow, receivedAt, host.clockOffset) !== host.clockOffset) return null;
    return { ...reading, host, bytes, receivedAt, source };
  }

  /**
   * Building a decoder parses, and so repairs, several variants of the document; that is too slow for a
   * large one.
   */
  #buildDecoder(bytes: Uint8Array): TemplateDecoder | null {
    const isWellFormed = needsNoRepair(bytes);
    if (!isWellFormed && bytes.byteLength > DECODED_WITH_REPAIR) return null;
    return decoderFor(bytes, readMessage(bytes), this.#templates, isWellFormed);
  }

  /** Returns an existing equal decoder if there is one. Hosts with the same configuration share a decoder. */
  #shared(decoder: TemplateDecoder | null): TemplateDecoder | null {
    if (decoder === null) return null;
    const key = Object.values(decoder).map(exactly).join(";");
    const known = this.#decoders.get(key);
    if (known) return known;
    if (this.#decoders.size >= MAX_SHARED) this.#decoders.clear();
    this.#decoders.set(key, decoder);
    return decoder;
  }
}

/**
 * A field of a decoder as a text key. Arrays are keyed by their bytes, because 0 and -0 are stored
 * differently.
 */
function exactly(value: TemplateDecoder[keyof TemplateDecoder]): string {
  return typeof value === "number" ? String(value) : Buffer.from(value.buffer).toString("hex");
}
