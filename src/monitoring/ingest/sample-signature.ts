/** What the samples of a host with the same layout have in common, in short. */
import type { AgentService } from "../../monit/message.types.ts";

interface Signature {
  signature: bigint;
  count: number;
}

/** A hash of the list of statistics in a message with their texts, and their number. Equal lists have equal hashes. */
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

/** A message is asked for its signature before its flush, and when it is stored. */
const signatures = new WeakMap<readonly AgentService[], Signature>();

export function signatureOf(services: readonly AgentService[]): Signature {
  const signature = signatures.get(services) ?? signed(services);
  signatures.set(services, signature);
  return signature;
}

/** Says that the services of a message have the same statistics and texts as those of another one. */
export function shareSignature(services: readonly AgentService[], others: readonly AgentService[]): void {
  signatures.set(others, signatureOf(services));
}
