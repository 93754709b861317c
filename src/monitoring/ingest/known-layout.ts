/** Reads documents with a known layout: only their numbers differ from the first one. */
import type { EventPart } from "../../monit/event-part.ts";
import type { AgentMessage, AgentService, AgentStatistic } from "../../monit/message.types.ts";
import type { TemplateReader } from "../../monit/message-template.ts";
import { shareSignature } from "./sample-signature.ts";
import { decode, type Reading, type TemplateDecoder } from "./template-decoder.ts";

/** What all messages with one template have in common. */
export interface KnownLayout {
  decoder: TemplateDecoder;
  /** One of these messages, without events. Numbers that change have arbitrary values. */
  example: AgentMessage;
}

/** A message that was decoded, with its numbers. */
export interface DecodedMessage {
  message: AgentMessage;
  reading: Reading;
}

/**
 * A service whose statistics are listed on demand. A message without new statistics or texts is stored from its
 * sample alone; copying its statistics would add an eighth to its cost.
 */
class DecodedService implements AgentService {
  readonly name: string;
  readonly type: number;
  readonly status: number | null;
  readonly statusHint: number;
  readonly monitor: number | null;
  readonly monitorMode: number;
  readonly onReboot: number;
  readonly pendingAction: number;
  readonly every: string;

  /** @param sample values of all services @param begin index of the first value of this service */
  constructor(
    private readonly example: AgentService,
    readonly collectedSec: number,
    readonly collectedUsec: number,
    private readonly sample: Float64Array,
    private readonly begin: number,
  ) {
    this.name = example.name;
    this.type = example.type;
    this.status = example.status;
    this.statusHint = example.statusHint;
    this.monitor = example.monitor;
    this.monitorMode = example.monitorMode;
    this.onReboot = example.onReboot;
    this.pendingAction = example.pendingAction;
    this.every = example.every;
  }

  get statistics(): AgentStatistic[] {
    return this.example.statistics.map((statistic, i) => ({
      ...statistic,
      value: this.sample[this.begin + i] as number,
    }));
  }
}

/**
 * Decodes the message that the TemplateReader has just read.
 * @returns null if a number is out of range for its place
 */
export function decodeMessage(
  { decoder, example }: KnownLayout,
  template: TemplateReader,
  { events, unreadable }: EventPart,
): DecodedMessage | null {
  const reading = decode(decoder, template);
  if (reading === null) return null;
  const { numbers } = template;
  const { seconds, microseconds } = decoder;
  let next = 0;
  const services = example.services.map((service, i) => {
    const begin = next;
    next += service.statistics.length;
    const [second, microsecond] = [numbers[seconds[i] as number], numbers[microseconds[i] as number]];
    return new DecodedService(service, second as number, microsecond as number, reading.values, begin);
  });
  shareSignature(example.services, services);
  const server = { ...example.server, uptime: reading.uptime };
  return { message: { ...example, server, services, events, unreadable }, reading };
}
