/** What changed before a failure, on its page. */
import { expect } from "bun:test";
import { programXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { expectSoon, settled } from "./page-reads.ts";
import { problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const HOSTILE = `<img src=x onerror="wasRun=1"> שרת ${"0123456789".repeat(12)}`;
/** The output of the program, and how many seconds before the failure. */
const OUTPUTS = [
  ["shop: valid\nmail: valid", 900],
  ["shop: valid\nmail: expired", 600],
  ["", 400],
  [HOSTILE, 200],
] as const;

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: async (started) => {
    const at = Math.floor(Date.now() / 1000);
    const report = async (output: string, collectedSec: number, isFailing = false) => {
      const services = [
        { name: "certificates", type: 7, collectedSec, body: programXml({ output }) },
        { name: "nginx", collectedSec: at, status: isFailing ? 512 : 0 },
      ];
      const event = isFailing ? { service: "nginx", message: "process is not running" } : null;
      const host = { id: "web-1", hostname: "web-1", at, incarnation: at - 7200, poll: 3600 };
      expect((await started.report({ ...host, services, event })).status).toBe(200);
    };
    for (const [output, ago] of OUTPUTS) await report(output, at - ago);
    await report(HOSTILE, at - 200, true);
  },
});
const { page } = await sharedPage(browser, muster);

test("the page of a failure shows what a program printed before and after, newest first, as text", async () => {
  await page.goto("/events/1");
  const rows = page.getByRole("table", { name: "Changes before it" }).getByRole("row");
  const changes = rows.filter({ hasText: "certificates" });
  await changes.first().waitFor();
  const texts = (tag: string) => changes.locator(tag).allTextContents();
  await expectSoon(() => texts("dt")).toEqual(OUTPUTS.slice(1).flatMap(() => ["Before", "After"]));
  await expectSoon(() => texts("dd")).toEqual([
    "empty",
    HOSTILE,
    "shop: valid\nmail: expired",
    "empty",
    "mail: valid",
    "mail: expired",
  ]);
  await settled(page);
  await expectSoon(() => page.evaluate(() => "wasRun" in window)).toBe(false);
  expect(await problemsEverywhere(page)).toEqual([]);
});
