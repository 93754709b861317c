import type { Clock } from "../../platform/clock.ts";
import { pageOf } from "../../platform/http/paging.ts";
import type { Reach, Scope } from "../../platform/http/scope.ts";
import type { AsyncQueries } from "../../platform/queries/queries.ts";
import { CollectionReads } from "../../platform/resources/collection-reads.ts";
import type { ContentOf } from "../../platform/resources/resource.ts";
import type { Db } from "../../platform/storage/open.ts";
import { isJoinManaged } from "../scope/filter-scope.ts";
import { hostsOfKey, type KeyRow, keyRows, usesOfKeys } from "./agent-keys.repository.ts";
import { agentKey } from "./agent-keys.schemas.ts";

/** Keys as those who manage them see them. */
export class KeyReads extends CollectionReads<typeof agentKey, KeyRow> {
  constructor(
    db: Db,
    private readonly clock: Clock,
  ) {
    super(db, agentKey, keyRows, "name");
  }

  /** Leaves out the secret, which is decrypted only to be shown or exported. */
  override contentOf(row: KeyRow): ContentOf<typeof agentKey> {
    return { ...super.contentOf(row), secret: "" };
  }

  override visible(rows: KeyRow[], scope: Scope): KeyRow[] {
    return rows.filter((row) => isJoinManaged(row, scope));
  }

  protected derived({ view }: Reach, rows: readonly KeyRow[]) {
    const ids = rows.map(({ id }) => id);
    const uses = Map.groupBy(usesOfKeys(this.db, ids, view), ({ keyId }) => keyId);
    const now = this.clock.now();
    return ({ id, created, lastused, previousuntil, secretNumber }: KeyRow) => {
      const ofKey = uses.get(id) ?? [];
      const hosts = (some: typeof ofKey) => some.reduce((sum, use) => sum + use.hosts, 0);
      return {
        created,
        // The stored time lags by some minutes, but also covers hosts that have been deleted.
        lastused: Math.max(lastused ?? 0, ...ofKey.map((use) => use.lastmodified ?? 0)) || null,
        previousuntil: previousuntil > now ? previousuntil : null,
        hosts: hosts(ofKey),
        oldsecret: hosts(ofKey.filter(({ keySecret }) => keySecret < secretNumber)),
        groupsignored: ofKey.reduce((sum, { groupsIgnored }) => sum + groupsIgnored, 0),
      };
    };
  }
}

/** Queries of keys that run on a query worker. */
export function agentKeyQueries(db: Db, clock: Clock) {
  const reads = new KeyReads(db, clock);
  return {
    keyList: (reach: Reach) => reads.list(reach),
    /** @throws ApiError 404 */
    key: (id: number, reach: Reach) => reads.get(id, reach),
    /** A page of the hosts that use a key or were moved to it. @throws ApiError 404 */
    keyHosts: (id: number, reach: Reach, pageSize: number, startIndex: number) => {
      reads.get(id, reach);
      const current = keyRows.find(db, id)?.secretNumber ?? 0;
      const { total, rows } = hostsOfKey(db, id, reach.view, pageSize, startIndex);
      const records = rows.map(({ keyId, nextKeyId, keySecret, groupsIgnored, ...host }) => ({
        ...host,
        bound: keyId === id,
        movesto: nextKeyId,
        oldsecret: keyId === id && keySecret < current,
        groupsignored: keyId === id ? groupsIgnored : 0,
      }));
      return pageOf(records, { pageSize, totalRecords: total, startIndex });
    },
  };
}

export type AgentKeyQueries = AsyncQueries<ReturnType<typeof agentKeyQueries>>;
