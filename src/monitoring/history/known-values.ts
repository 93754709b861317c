import { STATISTIC_TYPES } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import type { BlockRow } from "./block.ts";
import { typesOf } from "./history.repository.ts";

/** Whether a negative value of this type of statistic says that the agent had none, as after a failed test. */
export function isUnknownBelowZero(type: number): boolean {
  return STATISTIC_TYPES.get(type)?.negative === "unknown";
}

/**
 * Replaces values that their agent did not know by NaN, so that no mean includes them. It looks up types only of
 * statistics with a negative value.
 */
export function withoutUnknown(db: Db, rows: readonly BlockRow[]): readonly BlockRow[] {
  const negative = new Set<number>();
  for (const { ids, values } of rows)
    for (let i = 0; i < ids.length; i++) if ((values[i] ?? 0) < 0) negative.add(ids[i] ?? 0);
  if (negative.size === 0) return rows;
  const unknown = new Set(
    typesOf(db, [...negative]).flatMap(({ id, type }) => (isUnknownBelowZero(type) ? [id] : [])),
  );
  if (unknown.size === 0) return rows;
  return rows.map(({ at, ids, values }) => ({
    at,
    ids,
    values: values.map((value, i) => (value < 0 && unknown.has(ids[i] ?? 0) ? Number.NaN : value)),
  }));
}
