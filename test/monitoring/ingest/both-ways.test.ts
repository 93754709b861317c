/**
 * Of a message with a known layout only the events are parsed: the result must equal that of parsing the whole. `bun
 * test/monitoring/ingest/both-ways.ts 60m` compares for that long; `100000 SEED` compares so many messages.
 */
import { expect, test } from "bun:test";
import { seeds } from "../../support/random.ts";
import { compareBothWays } from "./both-ways.ts";

/** About six seconds of one processor each. */
const MESSAGES = 4000;

for (const seed of seeds(1, 2))
  test(`mutated messages are stored or refused alike on both ways (seed ${seed})`, async () => {
    const { messages, ways, opened } = await compareBothWays(seed, (n) => n < MESSAGES);
    expect(messages).toBe(MESSAGES);
    expect(ways.repeated).toBeGreaterThan(MESSAGES / 10);
    expect(ways.decoded).toBeGreaterThan(MESSAGES / 100);
    expect(ways["decoded with events"]).toBeGreaterThan(MESSAGES / 100);
    expect(opened).toBeGreaterThan(MESSAGES / 1000);
  });
