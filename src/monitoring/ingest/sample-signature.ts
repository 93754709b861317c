/** Signatures of messages, by which those with the same sample layout are found. */
import type { AgentService } from "../../monit/message.types.ts";

interface Signature {
  signature: bigint;
  count: number;
}

/** A hash of the statistics in a message and their texts, and their number. Equal lists have equal hashes. */
function signed(services: readonly AgentService[]): Signature {
  const parts: (string | number | null)[] = [];
  let count = 0;
  for (const { name, statistics } of services) {
    parts.push(name);
    for (const { type, descriptor, text } of statistics) parts.push(type, descriptor, text);
    count += statistics.length;
  }
  return { signature: BigInt(Bun.hash(JSON.stringify(parts))), count };
}

/** The signature of a message is needed before its flush, and again when it is stored. */
const signatures = new WeakMap<readonly AgentService[], Signature>();

/** The signature of a message, calculated once for each list of services. */
export function signatureOf(services: readonly AgentService[]): Signature {
  const signature = signatures.get(services) ?? signed(services);
  signatures.set(services, signature);
  return signature;
}

/** Declares that the services of a message have the same statistics and texts as those of another message. */
export function shareSignature(services: readonly AgentService[], others: readonly AgentService[]): void {
  signatures.set(others, signatureOf(services));
}
