/** How the active node keeps its lease, and what it logs when another one has it. */
import { expect, test } from "bun:test";
import { KeptLease } from "../../../src/operations/nodes/kept-lease.ts";
import { createLog } from "../../../src/platform/log.ts";
import type { Lease } from "../../../src/platform/storage/lease.postgres.ts";
import type { Nodes } from "../../../src/platform/storage/nodes.postgres.ts";
import { DatabaseAway } from "../../../src/platform/storage/postgres/postgres-error.ts";

/** The outcome of an attempt to renew the lease. */
type Outcome = "renewed" | "away" | "lost";

function kept() {
  let now = 0;
  let outcome: Outcome = "renewed";
  const lines: string[] = [];
  const lease = {
    renew: () => {
      if (outcome === "away") throw new DatabaseAway("the connection was lost");
      return outcome === "renewed";
    },
  };
  const node = new KeptLease(
    lease as unknown as Lease,
    { seen: () => undefined } as unknown as Nodes,
    createLog((line) => lines.push(line)),
    () => now,
  );
  // Its own timer would renew at other times.
  node.stop();
  return {
    lines,
    step: (seconds: number, next: Outcome) => {
      now += seconds * 1000;
      outcome = next;
      node.step();
    },
    said: () => (node.replaced.aborted ? String(node.replaced.reason.message) : null),
  };
}

test("a node that stood still says for how long", () => {
  const { step, said } = kept();
  step(3, "renewed");
  expect(said()).toBeNull();
  step(63, "lost");
  expect(said()).toBe("another Muster has become the active one, since this one hung for 60 s: it ends here");
});

test("a node that could not reach the database says so, and names the reason once", () => {
  const { step, said, lines } = kept();
  step(3, "renewed");
  for (let i = 0; i < 4; i++) step(3, "away");
  expect(lines).toEqual([
    'warn the lease cannot be renewed reason="the database server cannot be reached: the connection was lost"',
  ]);
  step(3, "lost");
  expect(said()).toBe(
    "another Muster has become the active one, since this one could not reach the database for 15 s: it ends here",
  );
});

test("a node to which neither happened points to the clocks", () => {
  const { step, said } = kept();
  step(63, "renewed");
  step(3, "lost");
  expect(said()).toBe(
    "another Muster has become the active one, although this one renewed its lease 3 s ago: " +
      "compare the clocks of the database servers: it ends here",
  );
});

test("an outage that is over is not a reason later, and a new one is named again", () => {
  const { step, said, lines } = kept();
  step(3, "away");
  step(3, "renewed");
  step(3, "away");
  expect(lines).toHaveLength(2);
  step(3, "renewed");
  step(3, "lost");
  expect(said()).toContain("although this one renewed its lease 3 s ago");
});
