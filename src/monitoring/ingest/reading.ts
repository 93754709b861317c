/** From the bytes of a message to what is done with it. */
import type { AgentMessage } from "../../monit/message.types.ts";
import { TemplateReader } from "../../monit/message-template.ts";
import { readMessage } from "../../monit/read-message.ts";
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

/** A message of which everything is to be looked at. */
export interface Receipt extends Post {
  message: AgentMessage;
  /** Of its document, if it has one. */
  template?: bigint | null;
}

/** A message that differs from the last one of its host in numbers alone. */
export interface Repeat extends Post, Reading {
  host: CachedTemplate;
  /** The document, should its host have changed meanwhile. */
  bytes: Uint8Array;
}

/** A document of up to so many bytes takes 5 ms to parse, when it is made to take long; an ordinary one 0.5 ms. */
const PARSED_AT_ONCE = 64 * 1024;
/** A plan for a document of up to so many bytes is tried though it has to be repaired each time. */
const PLANNED_WITH_REPAIR = 8 * 1024;
/** Plans that are shared by hosts with the same services. */
const MAX_SHARED = 1000;

/**
 * Reads messages. One that repeats what is known of its host costs a fifth of one that has to be parsed.
 */
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
   * As `read`, but not what would take too long.
   * @returns null for a document that is large or has to be repaired, and is no repetition
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

  /** By which the next message like this one is recognised, if it can be. */
  skeletonOf(bytes: Uint8Array): bigint | null {
    return this.#templates.read(bytes);
  }

  #repeat(template: bigint | null, bytes: Uint8Array, receivedAt: number, source: string): Repeat | null {
    const host = template === null ? undefined : this.hostCache.cachedTemplate(template);
    if (host?.source !== source) return null;
    // Not before there is a second such message: documents that differ each time would be parsed for nothing.
    if (host.decoder === undefined) host.decoder = this.#shared(this.#planned(bytes));
    const reading = host.decoder && decode(host.decoder, this.#templates);
    if (!reading) return null;
    const agentNow = Math.max(host.incarnation + reading.uptime, reading.checkedAt);
    if (offsetOf(agentNow, receivedAt, host.clockOffset) !== host.clockOffset) return null;
    return { ...reading, host, bytes, receivedAt, source };
  }

  /** A document that has to be repaired would be repaired as often as a plan is tried. */
  #planned(bytes: Uint8Array): TemplateDecoder | null {
    if (bytes.byteLength > PLANNED_WITH_REPAIR && !needsNoRepair(bytes)) return null;
    return decoderFor(bytes, readMessage(bytes), this.#templates);
  }

  /** A plan is some hundred bytes, and hosts that are set up alike have the same. */
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

/** A value of a plan as text. Numbers go by their bytes: 0 and -0 read alike, but are not stored alike. */
function exactly(value: TemplateDecoder[keyof TemplateDecoder]): string {
  return typeof value === "number" ? String(value) : Buffer.from(value.buffer).toString("hex");
}
