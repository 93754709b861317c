/** Which values exceed a limit of Muster or of an agent now. */
import { CPU_PARTS } from "../../monit/cpu-usage.ts";
import { STATISTIC as S } from "../../monit/statistic-types.ts";
import type { Db } from "../../platform/storage/open.ts";
import { exceededLimits, resourceFailures } from "./exceeded.repository.ts";

/** 0: not exceeded, 1: the warning bound, 2: the critical bound, or a limit of the agent. */
export type ExceededLevel = 0 | 1 | 2;
const CRITICAL = 2;

/** Only the message of an agent says which value of a service it is about. */
const WORDS: readonly (readonly [words: RegExp, codes: readonly number[]])[] = [
  [/\bcpu\b/i, [...CPU_PARTS, S.processCpu.code, S.processCpuTotal.code]],
  [
    /\bmem(ory)?\b/i,
    [
      ...[S.memoryPercent, S.memoryKb, S.processMemory, S.processMemoryKb],
      ...[S.processMemoryTotal, S.processMemoryKbTotal],
    ].map(({ code }) => code),
  ],
  [/\bswap\b/i, [S.swapPercent.code, S.swapKb.code]],
  [/\bload/i, [S.load.code]],
  [/\bspace\b/i, [S.spacePercent.code, S.spaceMb.code]],
  [/\binode/i, [S.inodePercent.code, S.inodeCount.code]],
  [/\bchildren\b/i, [S.children.code]],
  [/\bthreads\b/i, [S.threads.code]],
];

const keyOf = (hostId: number, service: string, type: number) => `${hostId} ${type} ${service}`;

/** The values of all hosts that exceed a limit when the object is created. */
export class ExceededNumbers {
  readonly #levels = new Map<string, ExceededLevel>();

  constructor(db: Db) {
    for (const { hostId, service, message } of resourceFailures(db))
      for (const [words, codes] of WORDS)
        if (words.test(message)) this.#raise(hostId, service, codes, CRITICAL);
    for (const { hostId, service, statistics, level } of exceededLimits(db))
      this.#raise(hostId, service, statistics as number[], level >= CRITICAL ? CRITICAL : 1);
  }

  #raise(hostId: number, service: string, types: readonly number[], level: ExceededLevel): void {
    for (const type of types) {
      const key = keyOf(hostId, service, type);
      this.#levels.set(key, Math.max(level, this.#levels.get(key) ?? 0) as ExceededLevel);
    }
  }

  /** The highest level of the sum of these statistics of a service. @param service its name */
  of(hostId: number, service: string, types: readonly number[]): ExceededLevel {
    return Math.max(
      0,
      ...types.map((type) => this.#levels.get(keyOf(hostId, service, type)) ?? 0),
    ) as ExceededLevel;
  }
}
