/** How the numbers of a message are to be understood, once it is known what they stand for. */
import { MAX_UNIX_TIME, MAX_USEC, MessageRefused, parseAgentMessage } from "../agent/message.ts";
import type { AgentMessage } from "../agent/message.types.ts";
import type { SkeletonReader } from "../agent/skeleton.ts";
import { isSystem, type Usage, usageKind, usageOf } from "./host-facts.ts";

/**
 * What each number of a message with a certain skeleton is. Numbers are named by their position in the message, values
 * by theirs in the sample.
 */
export interface Plan {
  /** A sample of such a message: what does not move has its value already, the rest is 0. */
  sample: Float64Array;
  /** Number `numbers[i]` becomes value `values[i]`. */
  numbers: Uint16Array;
  values: Uint16Array;
  /** The number that is the agent's uptime, and those that are seconds and microseconds of a check. */
  uptime: number;
  seconds: Uint16Array;
  microseconds: Uint16Array;
  /** The values that are the usage of CPU and memory. */
  cpu: Uint16Array;
  mem: Uint16Array;
}

/** What a plan makes of a message. */
export interface Reading {
  /** The sample, as it is stored. */
  values: Buffer;
  usage: Usage;
  uptime: number;
  /** The newest date of a check, by the agent's clock, unix seconds. */
  checkedAt: number;
}

/** The message with other numbers: the nth is `base + n`, and none is what it was. */
function probe(bytes: Uint8Array, skeleton: SkeletonReader): { base: number; bytes: Buffer } {
  const numbers = skeleton.numbers.subarray(0, skeleton.count);
  const bases = new Set(numbers.map((number, n) => number - n));
  let base = skeleton.count;
  while (bases.has(base)) base++;
  const pieces: Uint8Array[] = [];
  let end = 0;
  for (let n = 0; n < skeleton.count; n++) {
    pieces.push(bytes.subarray(end, skeleton.begins[n]), Buffer.from(String(base + n)));
    end = skeleton.ends[n] ?? 0;
  }
  return { base, bytes: Buffer.concat([...pieces, bytes.subarray(end)]) };
}

/** All that has to be the same in a message with the same skeleton. */
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
 * The plan for messages with the skeleton of this one. What its numbers stand for is not guessed but tried: they are
 * replaced, and the message is parsed again. It takes three times as long as parsing, once per host.
 * @param skeleton has just read `bytes`
 * @returns null when a number counts for something else than a sample or a date
 */
export function planFor(bytes: Uint8Array, message: AgentMessage, skeleton: SkeletonReader): Plan | null {
  const tried = probe(bytes, skeleton);
  const other = parsed(tried.bytes);
  if (other === null || !Bun.deepEquals(unmoving(message), unmoving(other))) return null;
  const origin = (otherValue: number) => otherValue - tried.base;
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
      // Plans of hosts that are set up alike are to be the same.
      sample.push(isMoving ? 0 : value);
    }
  const plan: Plan = {
    sample: new Float64Array(sample),
    numbers: new Uint16Array(numbers),
    values: new Uint16Array(values),
    uptime: origin(other.server.uptime),
    seconds: new Uint16Array(other.services.map((service) => origin(service.collectedSec))),
    microseconds: new Uint16Array(other.services.map((service) => origin(service.collectedUsec))),
    cpu: new Uint16Array(usage.cpu),
    mem: new Uint16Array(usage.mem),
  };
  return isTrueOf(plan, message, skeleton) ? plan : null;
}

/** A last look: by its plan the message is what the parser says it is. */
function isTrueOf(plan: Plan, message: AgentMessage, { numbers }: SkeletonReader): boolean {
  const { services } = message;
  const values = services.flatMap(({ statistics }) => statistics.map(({ value }) => value));
  return (
    sampleOf(plan, numbers).every((value, i) => Object.is(value, values[i])) &&
    numbers[plan.uptime] === message.server.uptime &&
    services.every(({ collectedSec }, i) => numbers[plan.seconds[i] ?? -1] === collectedSec) &&
    services.every(({ collectedUsec }, i) => numbers[plan.microseconds[i] ?? -1] === collectedUsec)
  );
}

function sampleOf(plan: Plan, numbers: Float64Array): Float64Array {
  const sample = plan.sample.slice();
  for (let i = 0; i < plan.numbers.length; i++)
    sample[plan.values[i] as number] = numbers[plan.numbers[i] as number] as number;
  return sample;
}

/** @returns null when a number is none that the parser allows there */
export function readByPlan(plan: Plan, numbers: Float64Array): Reading | null {
  const uptime = numbers[plan.uptime] as number;
  let checkedAt = 0;
  for (const n of plan.seconds) checkedAt = Math.max(checkedAt, numbers[n] as number);
  if (Math.max(uptime, checkedAt) > MAX_UNIX_TIME) return null;
  for (const n of plan.microseconds) if ((numbers[n] as number) > MAX_USEC) return null;
  const sample = sampleOf(plan, numbers);
  const at = (places: Uint16Array) => Array.from(places, (place) => sample[place] as number);
  return {
    values: Buffer.from(sample.buffer),
    usage: usageOf(at(plan.cpu), at(plan.mem)),
    uptime,
    checkedAt,
  };
}

function parsed(bytes: Uint8Array): AgentMessage | null {
  try {
    return parseAgentMessage(bytes);
  } catch (error) {
    if (error instanceof MessageRefused) return null;
    throw error;
  }
}
