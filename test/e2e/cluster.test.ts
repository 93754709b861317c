/** Two Musters behind HAProxy on a PostgreSQL primary with a synchronous standby, under load: each part fails in turn. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { type FaultName, happen } from "./cluster/faults.ts";
import { Site } from "./cluster/site.ts";

const { afterAll, beforeAll, test } = needing("haproxy", "monit", "postgres");

/** Longer than a lease, milliseconds. */
const HANG_MS = 11_000;

let site: Site;
beforeAll(async () => {
  site = await Site.start();
});
afterAll(() => site?.[Symbol.asyncDispose]());

const CASES: readonly FaultName[] = [
  "the standby Muster is killed",
  "the active Muster is killed",
  "the active Muster hangs",
  "the active Muster is cut off",
  "the primary is killed",
  "the primary is cut off",
];

for (const name of CASES)
  test(`when ${name}, nothing acknowledged is lost or doubled, no host counts as down, and messages arrive`, async () => {
    expect(await happen(site, name, { hang: HANG_MS })).toBeNumber();
  });
