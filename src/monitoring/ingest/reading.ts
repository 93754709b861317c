/** Reads a document either by a cached template decoder or by parsing it. */

import { NO_EVENTS, readEventPart, readFirstPart, withoutEvents } from "../../monit/event-part.ts";
import { readMessage } from "../../monit/limits.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import { TemplateReader } from "../../monit/message-template.ts";
import { needsNoRepair, TakesLong } from "../../monit/xml.ts";
import { LruMap } from "../../platform/lru-map.ts";
import { type Credential, isUnchanged } from "../agent-keys/host-binding.ts";
import type { CachedTemplate, HostCache } from "./host-cache.ts";
import { offsetOf } from "./host-facts.ts";
import { decodeMessage, type KnownLayout } from "./known-layout.ts";
import { decode, decoderFor, type Reading, type TemplateDecoder } from "./template-decoder.ts";

/** How a message arrived. */
interface Post {
  /** Unix seconds. */
  receivedAt: number;
  /** Address the message came from. */
  source: string;
  /** The key with which it arrived. */
  key?: Credential;
}

/** A message that is more than a repetition. */
export interface Receipt extends Post {
  message: AgentMessage;
  /** Template hash of the document without its events, if it has one. */
  templateHash?: bigint | null;
  /** The numbers of the message, if they were decoded with a known layout rather than parsed. */
  reading?: Reading;
}

type Read = Omit<Receipt, keyof Post>;

/** A message that differs from the previous one of its host only in numbers. */
export interface Repeat extends Post, Reading {
  template: CachedTemplate;
  /** The document, which is parsed if the host changes before the message is stored. */
  bytes: Uint8Array;
}

/** The id of the agent that sent a message, parsed or not. */
export function agentOf(post: Receipt | Repeat): string {
  return "message" in post ? post.message.agentId : post.template.agentId;
}

/**
 * Largest document that is parsed on the main thread, bytes: 0.5 ms for an ordinary one, 5 ms for a hostile
 * one.
 */
const PARSED_AT_ONCE = 64 * 1024;
/** Largest document, bytes, for which a decoder is built even if the document needs repair. */
const DECODED_WITH_REPAIR = 8 * 1024;
/** The most decoders that are kept for sharing between hosts with the same services. */
const MAX_SHARED = 1000;

/** The most templates of documents that were not repetitions, whose layouts are kept: a few kB each. */
const MAX_LAYOUTS = 4096;

/**
 * Reads messages. Everything but the numbers is read once for each template of a host; after that, a message costs a
 * fifth of parsing. Events are read separately from the rest of their document.
 */
export class MessageReader {
  readonly #templates = new TemplateReader();
  readonly #decoders = new Map<string, TemplateDecoder>();
  /** By template hash: null if there is no decoder, "new" after the first document, which may remain the only one. */
  readonly #layouts = new LruMap<bigint, KnownLayout | "new" | null>(MAX_LAYOUTS);

  constructor(private readonly hostCache: HostCache) {}

  /** Reads a message, however slow that is. @throws RejectedMessage */
  read(bytes: Uint8Array, post: Post, { atOnce = false } = {}): Receipt | Repeat {
    const hash = this.#templates.read(bytes);
    const repeat = this.#repeat(hash, bytes, post);
    return repeat ?? { ...this.#readWith(hash, bytes, atOnce), ...post };
  }

  /**
   * As `read`, but does no slow work.
   * @returns null for a document that is not a repetition and is large or needs repair
   * @throws RejectedMessage
   */
  readAtOnce(bytes: Uint8Array, post: Post): Receipt | Repeat | null {
    if (bytes.byteLength > PARSED_AT_ONCE) return this.#repeat(this.#templates.read(bytes), bytes, post);
    try {
      return this.read(bytes, post, { atOnce: true });
    } catch (error) {
      if (error instanceof TakesLong) return null;
      throw error;
    }
  }

  /**
   * Template hash of a document, by which repetitions are recognised; null if it has none.
   * @param message what was read from the document
   */
  hashOf(bytes: Uint8Array, message: AgentMessage): bigint | null {
    const hash = this.#templates.read(bytes);
    return this.#templates.eventsAt === null ? withoutNews(hash, message) : null;
  }

  #repeat(hash: bigint | null, bytes: Uint8Array, { receivedAt, source, key }: Post): Repeat | null {
    if (hash === null || this.#templates.eventsAt !== null) return null;
    const template = this.hostCache.templateOf(hash);
    if (template?.source !== source || !isUnchanged(template, key)) return null;
    // The decoder is built for the second message with a template, so documents that never repeat cost
    // nothing extra.
    if (template.decoder === undefined) template.decoder = this.#decoderOf(hash, bytes);
    const reading = template.decoder && decode(template.decoder, this.#templates);
    if (!reading) return null;
    const times = { ...reading, incarnation: template.incarnation };
    if (offsetOf(times, receivedAt, template.clockOffset) !== template.clockOffset) return null;
    return { ...reading, template, bytes, receivedAt, source, key };
  }

  /** Reads a document that is not a repetition. */
  #readWith(hash: bigint | null, bytes: Uint8Array, atOnce: boolean): Read {
    const { eventsAt } = this.#templates;
    const part = eventsAt === null ? NO_EVENTS : readEventPart(bytes, eventsAt, atOnce);
    if (hash === null || part === null) return { message: readMessage(bytes, atOnce), templateHash: null };
    const layout = this.#layoutOf(hash, bytes);
    const decoded = layout && decodeMessage(layout, this.#templates, part);
    if (decoded) return { ...decoded, templateHash: hash };
    if (eventsAt === null) {
      const message = readMessage(bytes, atOnce);
      return { message, templateHash: withoutNews(hash, message) };
    }
    const message = readFirstPart(withoutEvents(bytes, eventsAt), atOnce);
    if (message === null) return { message: readMessage(bytes, atOnce), templateHash: null };
    return { message: { ...message, ...part }, templateHash: hash };
  }

  /** The layout of documents with a template hash; null until the second of them, and if no layout is possible. */
  #layoutOf(hash: bigint, bytes: Uint8Array): KnownLayout | null {
    const layout = this.#layouts.get(hash);
    if (layout === undefined) this.#layouts.set(hash, "new");
    if (layout !== "new") return layout ?? null;
    const newLayout = this.#buildLayout(hash, bytes);
    this.#layouts.set(hash, newLayout);
    return newLayout;
  }

  /**
   * @returns null if no layout is possible, or if the document needs a repair: a repair of a part depends on the
   * whole
   */
  #buildLayout(hash: bigint, bytes: Uint8Array): KnownLayout | null {
    const { eventsAt } = this.#templates;
    const first = eventsAt === null ? bytes : withoutEvents(bytes, eventsAt);
    const example = readFirstPart(first);
    if (example === null) return null;
    const cached = this.hostCache.templateOf(hash)?.decoder;
    const decoder = cached ?? this.#shared(decoderFor(first, example, this.#templates, true));
    return decoder && { decoder, example };
  }

  #decoderOf(hash: bigint, bytes: Uint8Array): TemplateDecoder | null {
    const layout = this.#layouts.peek(hash);
    return typeof layout === "object" && layout !== null
      ? layout.decoder
      : this.#shared(this.#buildDecoder(bytes));
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
    const shared = this.#decoders.get(key);
    if (shared) return shared;
    if (this.#decoders.size >= MAX_SHARED) this.#decoders.clear();
    this.#decoders.set(key, decoder);
    return decoder;
  }
}

/** The template hash, unless its documents contain events: such a document is never a repetition. */
function withoutNews(hash: bigint | null, { events }: AgentMessage): bigint | null {
  return events.length === 0 ? hash : null;
}

/**
 * A field of a decoder as a text key. Arrays are keyed by their bytes, because 0 and -0 are stored
 * differently.
 */
function exactly(value: TemplateDecoder[keyof TemplateDecoder]): string {
  return typeof value === "number" ? String(value) : Buffer.from(value.buffer).toString("hex");
}
