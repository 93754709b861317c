/** Muster is killed under load, many times, on one data folder. Nothing acknowledged may be lost or doubled. */
import { killRounds } from "../e2e/kill-rounds.ts";
import type { Figure } from "./harness/figures.ts";

/** @throws when a check fails */
export async function benchKill(rounds: number): Promise<Figure[]> {
  const result = await killRounds(rounds);
  return [
    { what: "rounds", value: result.rounds },
    { what: "messages sent", value: result.messages },
    { what: "of those never acknowledged", value: result.unacknowledged },
    { what: "events sent again", value: result.again },
    { what: "acknowledged and lost, or there twice", value: 0, target: { atMost: 0 } },
  ];
}
