/** CPU usage of a host: the sum of its parts. */
import { STATISTIC as S } from "./statistic-types.ts";

/** Codes of the parts. They do not overlap: Monit counts time of guests neither as user nor as nice. */
export const CPU_PARTS: readonly number[] = [
  ...[S.cpuUser, S.cpuSystem, S.cpuWait, S.cpuNice, S.cpuHardIrq],
  ...[S.cpuSoftIrq, S.cpuSteal, S.cpuGuest, S.cpuGuestNice],
].map(({ code }) => code);

/**
 * The highest sum of values of these types. Parts of CPU usage are rounded one by one, so that their sum can exceed the
 * whole.
 */
export function highestSum(types: readonly number[]): number {
  return types.length > 1 && types.every((type) => CPU_PARTS.includes(type)) ? 100 : Number.POSITIVE_INFINITY;
}
