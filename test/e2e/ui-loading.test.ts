/** What is shown while data is on its way, and what stays in sight while one scrolls through it. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { layoutShift } from "./browser.ts";
import { sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);

const addressOf = (path: string) => new URL(path, muster.url).href;
/** Cumulative layout shift from which on people notice, by half a margin. */
const MAX_SHIFT = 0.02;

test("a page whose data is slow shows grey lines, for which nothing moves when the data comes", async () => {
  const held = Promise.withResolvers<void>();
  await page.route("**/api/1/reports/uptime/**", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(addressOf("/uptime"));
  // The lines fade in; `waitForFunction` waits until they are there.
  await page.waitForFunction(() => {
    const body = document.querySelector(".page-body");
    if (!body) return false;
    const lines = getComputedStyle(body, "::before");
    return lines.visibility === "visible" && lines.opacity === "1" && Number.parseFloat(lines.height) > 100;
  });
  await page.getByText("Loading...").waitFor({ state: "attached" });
  held.resolve();
  await page.getByRole("table", { name: "Uptime of hosts" }).waitFor();
  expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
  await page.unroute("**/api/1/reports/uptime/**");
});

test.each([
  ["/uptime", "Uptime of hosts"],
  ["/events", "Events"],
  ["/hosts", "Hosts"],
  ["/audit", "Audit log"],
])("the head of the table of %s stays in sight", async (path, name) => {
  await page.setViewportSize({ width: 1280, height: 220 });
  await page.goto(addressOf(path), { waitUntil: "networkidle" });
  const rows = page.getByRole("table", { name, exact: true }).getByRole("row");
  await rows.last().scrollIntoViewIfNeeded();
  const tops = () =>
    rows.evaluateAll((all) =>
      [all.at(0), all.at(-1)].map((row) => {
        const cell = row?.querySelector("th, td");
        return Math.round(cell?.getBoundingClientRect().top ?? -1);
      }),
    );
  const [head = -1, last = -1] = await tops();
  expect(head).toBe(0);
  expect(last).toBeGreaterThan(0);
  await page.setViewportSize({ width: 1280, height: 800 });
});
