/** A wall in the browser while Muster is away: what it shows, and how it recovers. */
import { expect } from "bun:test";
import { readFileSync } from "node:fs";
import type { CDPSession, Page } from "playwright-core";
import { filesystemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { openPage } from "./browser.ts";
import { expectSoon, settled } from "./page-reads.ts";
import { eventually, Muster, temporaryFolder } from "./support.ts";
import { sharedBrowser } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
/** How often the wall reads, milliseconds. */
const CYCLE = 30_000;
const SPACE_PERCENT = 18;

/** @returns when, unix seconds */
async function reportSpace(muster: Muster, percent: number): Promise<number> {
  const services = [{ name: "data", type: 0, body: filesystemXml({ percent }) }];
  const at = Math.floor(Date.now() / 1000);
  const message = { id: "web", hostname: "web", at, services };
  expect((await muster.report(message)).status).toBe(200);
  return at;
}

/** The address of a wall that shows the fullest disks, and the last day of one. */
async function wallOf(muster: Muster): Promise<string> {
  const admin = await muster.admin();
  const content = { name: "Disks", statistics: [SPACE_PERCENT], hosts: [1] };
  const view = await admin.post("/api/1/views/create", content);
  const { json } = await admin.post("/api/1/views/tokens/create", { id: view.json.id, name: "Lobby" });
  return `${muster.url}/fleet?kiosk#${json.token}`;
}

/** Runs in the page: keeps the timers that were set and neither ran nor were cleared. */
function watchTimers(): void {
  const pending = new Set<unknown>();
  const { setTimeout: set, clearTimeout: clear } = window;
  Object.assign(window, {
    pending,
    setTimeout: (run: () => void, after?: number) => {
      const timer = set(() => {
        pending.delete(timer);
        run();
      }, after);
      pending.add(timer);
      return timer;
    },
    clearTimeout: (timer?: number) => {
      pending.delete(timer);
      clear(timer);
    },
  });
}

/** What grows in a page that leaks: timers, listeners, nodes. */
async function held(page: Page, devtools: CDPSession): Promise<number[]> {
  await devtools.send("HeapProfiler.collectGarbage");
  const { metrics } = await devtools.send("Performance.getMetrics");
  const metric = (name: string) => metrics.find((metric) => metric.name === name)?.value ?? Number.NaN;
  const timers = await page.evaluate(() => (window as unknown as { pending: Set<unknown> }).pending.size);
  return [timers, metric("JSEventListeners"), metric("Nodes")];
}

test("a wall needs no other paths than the documented ones, which a proxy with sign-in lets pass", async () => {
  const documented = readFileSync("docs/operations.md", "utf8");
  const pattern = /for walls [^;]*`(\^[^`]+)`/.exec(documented)?.[1];
  expect(pattern).toBeString();
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  await reportSpace(muster, 71);
  const address = await wallOf(muster);
  await using open = await openPage(browser, muster, "about:blank");
  const paths = new Set<string>();
  open.page.on("request", (request) => paths.add(new URL(request.url()).pathname));
  await open.page.goto(address);
  await open.page.locator(".fleet-value", { hasText: "71.0 %" }).waitFor();
  // What the installed UI needs is optional.
  const optional = /^\/(service-worker\.js|manifest\.webmanifest|icon-.*\.png)$/;
  const allowed = [/^\/fleet$/, /^\/api\/1\/wall\//, new RegExp(pattern ?? ""), optional];
  expect([...paths].filter((path) => !allowed.some((one) => one.test(path)))).toEqual([]);
  expect(paths).toContain("/api/1/wall/show");
});

test("a wall has nothing that a key reaches and that leads away from it", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const reportedAt = await reportSpace(muster, 71);
  // Charts end with the last complete second.
  await eventually("the report is before it", () => Date.now() >= (reportedAt + 1) * 1000);
  await using open = await openPage(browser, muster, await wallOf(muster));
  const { page } = open;
  await page.locator(".fleet-value", { hasText: "71.0 %" }).waitFor();
  await page.locator(".chart canvas").waitFor();
  await settled(page);
  const reached: unknown[] = [];
  for (let keys = 0; keys < 5; keys++) {
    await page.keyboard.press("Tab");
    reached.push(await page.evaluate(() => document.activeElement?.tagName));
  }
  expect(reached).toEqual(Array(5).fill("BODY"));
});

test("a wall survives an outage: its last values stay, marked as old, and it recovers automatically", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const reportedAt = await reportSpace(muster, 71);
  const address = await wallOf(muster);
  // Charts end with the last complete second.
  await eventually("the report is before it", () => Date.now() >= (reportedAt + 1) * 1000);
  await using open = await openPage(browser, muster, "about:blank");
  const { page } = open;
  await page.clock.install();
  await page.addInitScript(watchTimers);
  await page.goto(address);
  const value = (text: string) => page.locator(".fleet-value", { hasText: text });
  await value("71.0 %").waitFor();
  await page.locator(".chart canvas").waitFor();
  const asOf = page.getByText(/^As of /);
  await asOf.waitFor();
  // Screen readers announce what this becomes, so it says nothing while all is well.
  const state = page.getByRole("status");
  await expectSoon(() => state.textContent()).toBe("");
  let loads = 0;
  page.on("load", () => loads++);
  let readings = 0;
  page.on("requestfinished", () => readings++);
  page.on("requestfailed", () => readings++);
  const cycles = async (count: number) => {
    for (let i = 0; i < count; i++) {
      const seen = readings;
      await page.clock.runFor(CYCLE);
      await eventually("the wall has read once more", () => readings > seen);
      expect(readings).toBe(seen + 1);
    }
  };
  const devtools = await page.context().newCDPSession(page);
  await devtools.send("Performance.enable");

  await muster.kill();
  await cycles(2);
  await page.getByText("Muster cannot be reached. Showing data from").waitFor();
  const before = await held(page, devtools);
  expect(before[0]).toBe(1);
  const nothingMore = (than: number[]) => async () =>
    (await held(page, devtools)).every((count, i) => count <= (than[i] ?? 0));
  await cycles(50);
  await eventually("nothing of the readings is left", nothingMore(before));
  await expectSoon(() => state.textContent()).toMatch(/^Muster cannot be reached. Showing data from \d/);
  await expectSoon(() => asOf.count()).toBe(0);
  await expectSoon(() => value("71.0 %").count()).toBe(1);

  await using restarted = await Muster.start({ cwd: folder.path, port: muster.port });
  await reportSpace(restarted, 72);
  await cycles(1);
  await value("72.0 %").waitFor();
  await expectSoon(() => state.textContent()).toBe("");
  await asOf.waitFor();
  await cycles(2);
  const recovered = await held(page, devtools);
  await cycles(10);
  await eventually("nothing of the readings is left", nothingMore(recovered));
  expect(loads).toBe(0);
});
