/** What the list of 10,000 hosts costs a real browser: showing its first rows, and each key typed into its filter. */
import { join } from "node:path";
import { launchBrowser } from "../e2e/browser.ts";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { signedInPage } from "../e2e/ui.ts";
import { makeHosts } from "../support/demo-fleet.ts";
import type { Figure } from "./harness/figures.ts";

const HOSTS = 10_000;
/** Length of a frame that a user notices, milliseconds. */
const TARGET_FRAME_MS = 50;

export async function benchUi(): Promise<Figure[]> {
  using folder = temporaryFolder();
  makeHosts(join(folder.path, "data"), Math.floor(Date.now() / 1000), HOSTS);
  await using muster = await Muster.start({ cwd: folder.path });
  const browser = await launchBrowser();
  try {
    const { page } = await signedInPage(browser, muster);
    const startedAt = performance.now();
    await page.goto("/hosts");
    await page.getByText("10,000 hosts").first().waitFor();
    await page.locator("tr[data-row]").first().waitFor();
    const shown = performance.now() - startedAt;
    await page.evaluate(() => {
      const frames: number[] = [];
      let last = performance.now();
      const frame = (now: number) => {
        frames.push(now - last);
        last = now;
        requestAnimationFrame(frame);
      };
      requestAnimationFrame(frame);
      Object.assign(window, { frames });
    });
    await page.getByLabel("Search").pressSequentially("host-0123", { delay: 120 });
    await page
      .getByText(/^10 of 10,000 hosts/)
      .first()
      .waitFor();
    const frames = await page.evaluate(() => (window as unknown as { frames: number[] }).frames);
    const longest = Math.max(...frames.slice(1));
    return [
      { what: "first rows", value: Math.round(shown), unit: "ms" },
      {
        what: "longest frame while typing a filter",
        value: Math.round(longest),
        unit: "ms",
        target: { atMost: TARGET_FRAME_MS },
      },
      {
        what: "frames longer than that",
        value: frames.filter((frame) => frame > TARGET_FRAME_MS).length,
        target: { atMost: 0 },
      },
    ];
  } finally {
    await browser.close();
  }
}
