/** Shared by the tests of the executable's operation: a server that reports, and refusals in one line. */
import { expect } from "bun:test";
import type { EventXml } from "../support/agent-messages.ts";
import { Muster, PASSWORDS, run } from "./support.ts";

export const AT = Math.floor(Date.now() / 1000);
export const report = (muster: Muster, id: string, event: EventXml | null = null) =>
  muster.report({
    id,
    hostname: id,
    at: AT,
    poll: 3600,
    services: [{ name: "app" }],
    event,
  });

export const LINE = /^muster: [^\n]+\n$/;

/** A start, or another command, that is refused in one line. */
export async function expectRefusal(args: string[], cwd: string, said: string): Promise<void> {
  const { code, stdout, stderr } = await run(args, { cwd, env: PASSWORDS });
  expect({ args, code, stdout }).toEqual({ args, code: 1, stdout: "" });
  expect(stderr).toMatch(LINE);
  expect(stderr).toContain(said);
}

export const SERVE = ["serve", "--data", "data", "--listen", "127.0.0.1:0"];

/** A data folder that a service left, with a host. */
export async function setUp(cwd: string): Promise<void> {
  await using muster = await Muster.start({ cwd });
  expect((await report(muster, "first")).status).toBe(200);
  expect(await muster.stop()).toBe(0);
}
