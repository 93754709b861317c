/** Muster is killed under load, many times, on one data folder: nothing acknowledged may be lost or be there twice. */
import { type KillResult, killRounds } from "../e2e/kill-rounds.ts";

/** @throws when anything was not as it should be */
export async function benchKill(rounds: number): Promise<(KillResult & { seconds: number })[]> {
  const startedAt = performance.now();
  const result = await killRounds(rounds);
  return [{ ...result, seconds: Math.round((performance.now() - startedAt) / 1000) }];
}
