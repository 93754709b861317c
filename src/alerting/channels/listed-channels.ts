import { setImmediate as nextTurn } from "node:timers/promises";
import { batchesOf } from "../../platform/batches.ts";
import { found } from "../../platform/http/errors.ts";
import type { Reach } from "../../platform/http/scope.ts";
import type { Turn } from "../../platform/http/turn.ts";
import type { RecordOf } from "../../platform/resources/resource.ts";
import type { ChannelReads } from "./channel-reads.ts";
import type { ChannelQueries } from "./channels.queries.ts";
import type { channel } from "./channels.schemas.ts";

/** Channels whose settings are opened in one turn of the event loop: about a millisecond. */
const STEP = 20;

type ChannelRecord = RecordOf<typeof channel>;

/**
 * Channels as callers see them. Query workers read the rows, and this thread opens their settings in small steps:
 * neither the key nor a secret ever leaves it, and messages are received in between.
 */
export class ListedChannels {
  constructor(
    private readonly reads: ChannelReads,
    private readonly queries: ChannelQueries,
  ) {}

  /** The channels that a caller sees, by name. */
  async list(turn: Turn, reach: Reach): Promise<{ totalRecords: number; records: ChannelRecord[] }> {
    const { rows, rules } = (await this.queries.sealedChannels(turn)).value;
    const visible = this.reads.visible(rows, reach.view);
    const records: ChannelRecord[] = [];
    for (const step of batchesOf(visible, STEP)) {
      records.push(...this.reads.recordsWith(step, rules, reach));
      await nextTurn();
    }
    return { totalRecords: records.length, records };
  }

  /** A channel as a caller sees it. @throws ApiError 404 */
  async get(turn: Turn, id: number, reach: Reach): Promise<ChannelRecord> {
    const { rows, rules } = (await this.queries.sealedChannel(turn, id)).value;
    const [record] = this.reads.recordsWith(this.reads.visible(rows, reach.view), rules, reach);
    return found(record, this.reads.resource.noun, id);
  }
}
