/** First starts on an empty PostgreSQL database are killed many times. A later start has to finish each of them. */
import { killFirstStarts } from "../e2e/first-start-kills.ts";
import { PostgresServer } from "../support/postgres-server.ts";
import type { Figure } from "./harness/figures.ts";

/** @throws when a later start does not finish one */
export async function benchFirstStart(rounds: number): Promise<Figure[]> {
  await using server = await PostgresServer.start();
  const reached = await killFirstStarts(server, rounds);
  return [
    { what: "rounds", value: rounds },
    ...Object.entries(reached).map(([stage, value]) => ({ what: `of them killed with ${stage}`, value })),
    { what: "that no later start finished", value: 0, target: { atMost: 0 } },
  ];
}
