/** Decodes the numbers of a message whose template is known, without parsing the document. */
import { MAX_UNIX_TIME, MAX_USEC, parseAgentMessage, RejectedMessage } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import { MAX_DIGITS, type TemplateReader } from "../../monit/message-template.ts";
import { isSystem, type Usage, usageKind, usageOf } from "./host-facts.ts";

/**
 * The meaning of each number in messages with one template. "Numbers" are indexes into the numbers of the
 * message, "values" are indexes into the sample.
 */
export interface TemplateDecoder {
  /** How many numbers a message with this template has. */
  count: number;
  /** The sample with its constant values filled in; changing values are 0. */
  sample: Float64Array;
  /** Number `numbers[i]` of the message is value `values[i]` of the sample. */
  numbers: Uint16Array;
  values: Uint16Array;
  /**
   * The number that is the agent's uptime; below, the numbers that are seconds and microseconds of a check.
   */
  uptime: number;
  seconds: Uint16Array;
  microseconds: Uint16Array;
  /** The values that make up the usage of CPU and memory. */
  cpu: Uint16Array;
  mem: Uint16Array;
}

/** A decoded message. */
export interface Reading {
  /** The sample, as it is stored. */
  values: Buffer;
  usage: Usage;
  uptime: number;
  /** Date of the newest check, by the agent's clock, unix seconds. */
  checkedAt: number;
}

/** Replaces the nth number of the document with `textOf(n)`. */
function withNumbers(bytes: Uint8Array, template: TemplateReader, textOf: (n: number) => string): Buffer {
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (let n = 0; n < template.count; n++) {
    pieces.push(bytes.subarray(end, template.begins[n]), Buffer.from(textOf(n)));
    end = template.ends[n] ?? 0;
  }
  return Buffer.concat([...pieces, bytes.subarray(end)]);
}

/** Replaces the nth number with `base + n`, where `base` is chosen so that every number changes. */
function probe(bytes: Uint8Array, template: TemplateReader): { base: number; bytes: Buffer } {
  const numbers = template.numbers.subarray(0, template.count);
  const bases = new Set(numbers.map((number, n) => number - n));
  let base = template.count;
  while (bases.has(base)) base++;
  return { base, bytes: withNumbers(bytes, template, (n) => String(base + n)) };
}

// The longest text of a number, the longest text of a percentage, and the largest number.
const LONGEST = `-${"1".repeat(MAX_DIGITS - 1)}.1`;
const LONGEST_SHARE = LONGEST.slice(1);
const LARGEST = "9".repeat(MAX_DIGITS);

/**
 * Variants of the document with its numbers as short and as long as possible. The length of numbers affects
 * where texts are cut and how far a repair searches. An unused number, such as one in a duplicate service,
 * may still be out of range.
 * @param known numbers that are used: they keep values within their range
 */
function extremes(bytes: Uint8Array, template: TemplateReader, known: ReadonlySet<number>): Buffer[] {
  const longest = (n: number) => {
    if (!template.wholes[n]) return template.shares[n] ? LONGEST_SHARE : LONGEST;
    return known.has(n) ? "1".padStart(MAX_DIGITS, "0") : LARGEST;
  };
  return [withNumbers(bytes, template, () => "2"), withNumbers(bytes, template, longest)];
}

/** The part of a message that is the same for every message with the template. */
function unmoving(message: AgentMessage): unknown {
  return {
    ...message,
    server: { ...message.server, uptime: 0 },
    services: message.services.map((service) => ({
      ...service,
      collectedSec: 0,
      collectedUsec: 0,
      statistics: service.statistics.map((statistic) => ({ ...statistic, value: 0 })),
    })),
  };
}

/**
 * Builds the decoder for messages with the template of this one. It finds out what each number means by
 * replacing the numbers and parsing the document again. This takes four times as long as parsing, once per
 * host.
 * @param template must have just read `bytes`
 * @param isWellFormed whether the document is parsed without a repair
 * @returns null if a number affects anything but a sample value or a date
 */
export function decoderFor(
  bytes: Uint8Array,
  message: AgentMessage,
  template: TemplateReader,
  isWellFormed: boolean,
): TemplateDecoder | null {
  const tried = probe(bytes, template);
  const other = parsed(tried.bytes);
  const same = unmoving(message);
  const isSame = (one: AgentMessage | null) => one !== null && Bun.deepEquals(same, unmoving(one));
  if (other === null || !isSame(other)) return null;
  const known = new Set<number>();
  /** The index of the number that produced this value. Adds it to `known`. */
  const origin = (otherValue: number) => {
    known.add(otherValue - tried.base);
    return otherValue - tried.base;
  };
  const sample: number[] = [];
  const numbers: number[] = [];
  const values: number[] = [];
  const usage: Record<keyof Usage, number[]> = { cpu: [], mem: [] };
  const system = message.services.find(isSystem);
  for (const [i, service] of message.services.entries())
    for (const [j, { type, value }] of service.statistics.entries()) {
      const otherValue = other.services[i]?.statistics[j]?.value ?? Number.NaN;
      const kind = service === system ? usageKind(type) : null;
      if (kind !== null) usage[kind].push(sample.length);
      const isMoving = value !== otherValue;
      if (isMoving) {
        numbers.push(origin(otherValue));
        values.push(sample.length);
      }
      // Zero, so that hosts with the same configuration have equal decoders.
      sample.push(isMoving ? 0 : value);
    }
  const uptime = origin(other.server.uptime);
  const seconds = other.services.map((service) => origin(service.collectedSec));
  const microseconds = other.services.map((service) => origin(service.collectedUsec));
  for (const n of known) if (!Number.isInteger(n) || n < 0 || n >= template.count) return null;
  // The length of a number matters only in a repair, or within a text. A number within a text is not used.
  const areLengthsHarmless = isWellFormed && known.size === template.count;
  if (!areLengthsHarmless && !extremes(bytes, template, known).every((extreme) => isSame(parsed(extreme))))
    return null;
  const decoder: TemplateDecoder = {
    count: template.count,
    sample: new Float64Array(sample),
    numbers: new Uint16Array(numbers),
    values: new Uint16Array(values),
    uptime,
    seconds: new Uint16Array(seconds),
    microseconds: new Uint16Array(microseconds),
    cpu: new Uint16Array(usage.cpu),
    mem: new Uint16Array(usage.mem),
  };
  return isTrueOf(decoder, message, template) ? decoder : null;
}

/** Final check: the decoder gives the same result as the parser. */
function isTrueOf(decoder: TemplateDecoder, message: AgentMessage, { numbers }: TemplateReader): boolean {
  const { services } = message;
  const values = services.flatMap(({ statistics }) => statistics.map(({ value }) => value));
  return (
    sampleOf(decoder, numbers).every((value, i) => Object.is(value, values[i])) &&
    numbers[decoder.uptime] === message.server.uptime &&
    services.every(({ collectedSec }, i) => numbers[decoder.seconds[i] ?? -1] === collectedSec) &&
    services.every(({ collectedUsec }, i) => numbers[decoder.microseconds[i] ?? -1] === collectedUsec)
  );
}

function sampleOf(decoder: TemplateDecoder, numbers: Float64Array): Float64Array {
  const sample = decoder.sample.slice();
  for (let i = 0; i < decoder.numbers.length; i++)
    sample[decoder.values[i] as number] = numbers[decoder.numbers[i] as number] as number;
  return sample;
}

/**
 * Decodes the message that the TemplateReader has just read.
 * @returns null if a number is out of range for its place
 */
export function decode(decoder: TemplateDecoder, { numbers, count }: TemplateReader): Reading | null {
  if (count !== decoder.count) return null;
  const uptime = numbers[decoder.uptime] as number;
  let checkedAt = 0;
  for (const n of decoder.seconds) checkedAt = Math.max(checkedAt, numbers[n] as number);
  if (Math.max(uptime, checkedAt) > MAX_UNIX_TIME) return null;
  for (const n of decoder.microseconds) if ((numbers[n] as number) > MAX_USEC) return null;
  const sample = sampleOf(decoder, numbers);
  const at = (places: Uint16Array) => Array.from(places, (place) => sample[place] as number);
  return {
    values: Buffer.from(sample.buffer),
    usage: usageOf(at(decoder.cpu), at(decoder.mem)),
    uptime,
    checkedAt,
  };
}

function parsed(bytes: Uint8Array): AgentMessage | null {
  try {
    return parseAgentMessage(bytes);
  } catch (error) {
    if (error instanceof RejectedMessage) return null;
    throw error;
  }
}
