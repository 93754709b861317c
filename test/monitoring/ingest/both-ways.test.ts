/**
 * A message that repeats what is known of its host is not parsed: what comes of it must be what parsing makes of it.
 * `bun test/monitoring/ingest/both-ways.ts 60m` compares for as long as one likes; `100000 SEED` so many messages.
 */
import { expect, setDefaultTimeout, test } from "bun:test";
import { compareBothWays } from "./both-ways.ts";

/** No machine is that slow, milliseconds. */
setDefaultTimeout(300_000);

/** About six seconds of one processor each. */
const MESSAGES = 4000;
const NEW_SEED = Date.now() % 1_000_000_000;

for (const [name, seed] of [
  ["always the same", 1],
  [`new each time, seed ${NEW_SEED}`, NEW_SEED],
] as const)
  test(`mutated messages are stored or refused alike on both ways (${name})`, async () => {
    const { messages, repeats, opened } = await compareBothWays(seed, (n) => n < MESSAGES);
    expect(messages).toBe(MESSAGES);
    expect(repeats).toBeGreaterThan(MESSAGES / 10);
    expect(opened).toBeGreaterThan(MESSAGES / 1000);
  });
