/** All numbers of a message as one row, and the texts among its statistics. */
import type { AgentMessage } from "../agent/message.types.ts";
import type { Db } from "../database/open.ts";
import type { KnownHost } from "./fleet.ts";
import {
  hotStatements,
  insertStatistic,
  layoutIdOf,
  statisticsOfHost,
  updateStatisticText,
} from "./ingest.repository.ts";

function keyOf(serviceId: number, type: number, descriptor: string): string {
  return `${serviceId} ${type} ${descriptor}`;
}

/** Which statistics a message holds, in order, as a number that is the same for the same list. */
function signatureOf(message: AgentMessage): { signature: bigint; texts: bigint; count: number } {
  let layout = "";
  let texts = "";
  let count = 0;
  for (const service of message.services) {
    layout += `${service.name}\0`;
    for (const statistic of service.statistics) {
      layout += `${statistic.type} ${statistic.descriptor}\n`;
      if (statistic.text !== null) texts += `${statistic.text}\0`;
      count++;
    }
  }
  return { signature: BigInt(Bun.hash(layout)), texts: BigInt(Bun.hash(texts)), count };
}

/** The message's statistics as ids; new ones are stored, and so are texts that changed. */
function identify(db: Db, host: KnownHost, message: AgentMessage, count: number): Uint32Array {
  const known = new Map(
    statisticsOfHost(db, host.row.id).map((row) => [keyOf(row.serviceId, row.type, row.descriptor), row]),
  );
  const ids = new Uint32Array(count);
  let n = 0;
  for (const service of message.services) {
    const serviceId = host.services.get(service.name)?.id;
    if (serviceId === undefined) throw new Error(`service "${service.name}" has no row`);
    for (const { type, descriptor, text } of service.statistics) {
      const row = known.get(keyOf(serviceId, type, descriptor));
      const id = row?.id ?? insertStatistic(db, serviceId, type, descriptor);
      if (text !== null && text !== row?.text) updateStatisticText(db, id, text);
      ids[n++] = id;
    }
  }
  return ids;
}

function pack(message: AgentMessage, count: number): Buffer {
  const values = new Float64Array(count);
  let n = 0;
  for (const service of message.services)
    for (const statistic of service.statistics) values[n++] = statistic.value;
  return Buffer.from(values.buffer);
}

/** Stores the sample of a message, also an empty one: what it lacks is not known any more. */
export function storeSample(db: Db, host: KnownHost, message: AgentMessage, at: number): void {
  const { signature, texts, count } = signatureOf(message);
  if (host.layout?.signature !== signature || host.textsSignature !== texts) {
    const ids = identify(db, host, message, count);
    host.layout = { signature, id: layoutIdOf(db, host.row.id, ids) };
    host.textsSignature = texts;
  }
  hotStatements(db).insertSample.run({
    hostId: host.row.id,
    layoutId: host.layout.id,
    at,
    values: pack(message, count),
  });
}
