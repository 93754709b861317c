/** Decodes the numbers of a message whose template is known, without parsing the document. */
import { parseAgentMessage } from "../../monit/message.ts";
import type { AgentMessage } from "../../monit/message.types.ts";
import { MAX_UNIX_TIME, MAX_USEC } from "../../monit/message-bounds.ts";
import { MAX_DIGITS, type TemplateReader } from "../../monit/message-template.ts";
import { RejectedMessage } from "../../monit/rejected-message.ts";
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
  /** The sample. */
  values: Float64Array;
  usage: Usage;
  uptime: number;
  /** Date of the newest check, by the agent's clock, unix seconds. */
  checkedAt: number;
}

/** Replaces the nth number of the document with `textOf(n)`. */
function withNumbers(bytes: Uint8Array, template: TemplateReader, textOf: (n: number) => string): Buffer {
  const replaced = Buffer.allocUnsafe(bytes.byteLength + template.count * LONGEST.length);
  let [end, length] = [0, 0];
  for (let n = 0; n < template.count; n++) {
    const begin = template.begins[n] as number;
    replaced.set(bytes.subarray(end, begin), length);
    length += begin - end;
    length += replaced.write(textOf(n), length, "latin1");
    end = template.ends[n] as number;
  }
  replaced.set(bytes.subarray(end), length);
  return replaced.subarray(0, length + bytes.byteLength - end);
}

/** Replaces the nth number with `base + n`, where `base` is chosen so that every number changes. */
function probe(bytes: Uint8Array, template: TemplateReader): { base: number; bytes: Buffer } {
  const { count, numbers } = template;
  const isUsed = new Uint8Array(count + 1);
  for (let n = 0; n < count; n++) isUsed[(numbers[n] as number) - n - count] = 1;
  const base = count + isUsed.indexOf(0);
  return { base, bytes: withNumbers(bytes, template, (n) => String(base + n)) };
}

// The longest text of a number, the longest text of a percentage, and the largest number.
const LONGEST = `-${"1".repeat(MAX_DIGITS - 1)}.1`;
const LONGEST_SHARE = LONGEST.slice(1);
const LARGEST = "9".repeat(MAX_DIGITS);

/**
 * Variants of the document with its numbers as short and as long as possible. The length of numbers affects where
 * texts are cut and how far a repair searches. An unused number, such as one in a duplicate service, may still be out
 * of range.
 * @param usedNumbers indexes of numbers that must keep values within their range
 */
function extremes(bytes: Uint8Array, template: TemplateReader, usedNumbers: ReadonlySet<number>): Buffer[] {
  const longest = (n: number) => {
    if (!template.wholes[n]) return template.shares[n] ? LONGEST_SHARE : LONGEST;
    return usedNumbers.has(n) ? "1".padStart(MAX_DIGITS, "0") : LARGEST;
  };
  return [withNumbers(bytes, template, () => "2"), withNumbers(bytes, template, longest)];
}

/** The part of a message that is the same for every message with the template, without the statistics. */
function unmoving(message: AgentMessage): unknown {
  return {
    ...message,
    server: { ...message.server, uptime: 0 },
    services: message.services.map((service) => ({
      ...service,
      ...{ collectedSec: 0, collectedUsec: 0, statistics: service.statistics.length },
    })),
  };
}

/** Whether two messages with equally many services and statistics have the same statistics. */
function haveSameStatistics({ services }: AgentMessage, read: AgentMessage): boolean {
  return services.every(({ statistics }, i) =>
    statistics.every(({ type, descriptor, text }, j) => {
      const expected = read.services[i]?.statistics[j];
      return type === expected?.type && descriptor === expected.descriptor && text === expected.text;
    }),
  );
}

/**
 * Where the numbers of a document are used.
 * @param probed the message in which each number was replaced by its index plus `base`
 * @returns also the indexes of all these numbers; a value that is no number of the document gives an invalid one
 */
function placesOf(message: AgentMessage, probed: AgentMessage, base: number) {
  const usedNumbers = new Set<number>();
  /** The index of the number that produced this value. Adds it to `usedNumbers`. */
  const origin = (otherValue: number) => {
    usedNumbers.add(otherValue - base);
    return otherValue - base;
  };
  const sample: number[] = [];
  const numbers: number[] = [];
  const values: number[] = [];
  const usage: Record<keyof Usage, number[]> = { cpu: [], mem: [] };
  const system = message.services.find(isSystem);
  for (const [i, service] of message.services.entries())
    for (const [j, { type, value }] of service.statistics.entries()) {
      const otherValue = probed.services[i]?.statistics[j]?.value ?? Number.NaN;
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
  return {
    usedNumbers,
    sample: new Float64Array(sample),
    numbers: new Uint16Array(numbers),
    values: new Uint16Array(values),
    uptime: origin(probed.server.uptime),
    seconds: new Uint16Array(probed.services.map((service) => origin(service.collectedSec))),
    microseconds: new Uint16Array(probed.services.map((service) => origin(service.collectedUsec))),
    cpu: new Uint16Array(usage.cpu),
    mem: new Uint16Array(usage.mem),
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
  const variant = probe(bytes, template);
  const probed = parsed(variant.bytes);
  const expected = unmoving(message);
  const isSame = (read: AgentMessage | null) =>
    read !== null && Bun.deepEquals(expected, unmoving(read)) && haveSameStatistics(message, read);
  if (probed === null || !isSame(probed)) return null;
  const { usedNumbers, ...places } = placesOf(message, probed, variant.base);
  for (const n of usedNumbers) if (!Number.isInteger(n) || n < 0 || n >= template.count) return null;
  // The length of a number matters only in a repair, or within a text. A number within a text is not used.
  const areLengthsHarmless = isWellFormed && usedNumbers.size === template.count;
  if (
    !areLengthsHarmless &&
    !extremes(bytes, template, usedNumbers).every((extreme) => isSame(parsed(extreme)))
  )
    return null;
  const decoder: TemplateDecoder = { count: template.count, ...places };
  return isTrueOf(decoder, message, template) ? decoder : null;
}

/** Final check: whether the decoder gives the same result as the parser. */
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
  const checkedAt = largestAt(decoder.seconds, numbers);
  if (Math.max(uptime, checkedAt) > MAX_UNIX_TIME) return null;
  if (largestAt(decoder.microseconds, numbers) > MAX_USEC) return null;
  const values = sampleOf(decoder, numbers);
  const usage = usageOf(numbersAt(decoder.cpu, values), numbersAt(decoder.mem, values));
  return { values, usage, uptime, checkedAt };
}

// Indexed loops: these functions run for each message, and iterating over a typed array takes six times as long.

function numbersAt(places: Uint16Array, numbers: Float64Array): number[] {
  const values: number[] = [];
  for (let i = 0; i < places.length; i++) values.push(numbers[places[i] as number] as number);
  return values;
}

/** The largest of some numbers, none of which is negative; 0 if there are none. */
function largestAt(places: Uint16Array, numbers: Float64Array): number {
  let largest = 0;
  for (let i = 0; i < places.length; i++) largest = Math.max(largest, numbers[places[i] as number] as number);
  return largest;
}

function parsed(bytes: Uint8Array): AgentMessage | null {
  try {
    return parseAgentMessage(bytes);
  } catch (error) {
    if (error instanceof RejectedMessage) return null;
    throw error;
  }
}
