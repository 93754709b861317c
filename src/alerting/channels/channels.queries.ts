import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { inNameOrder } from "../../platform/sort-key.ts";
import type { Db } from "../../platform/storage/open.ts";
import { type ChannelRow, channelRows, rulesOfChannels } from "./channels.repository.ts";

/**
 * Queries of channels that run on query workers. Their settings stay sealed: only the message thread has the key, and
 * opens them (`ListedChannels`).
 */
export function channelQueries(db: Db) {
  const withRules = (rows: ChannelRow[]) => {
    const ids = rows.map(({ id }) => id);
    return { rows, rules: rulesOfChannels(db, ids) };
  };
  return {
    /** All channels by name, and the rules that use them. */
    sealedChannels: () => withRules(inNameOrder(channelRows.all(db), ({ name }) => name)),
    /** The same for one channel; without a row if it does not exist. */
    sealedChannel: (id: number) => {
      const row = channelRows.find(db, id);
      return withRules(row ? [row] : []);
    },
  };
}

export type ChannelQueries = AsyncQueries<ReturnType<typeof channelQueries>>;
