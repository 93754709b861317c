/** What is printed is whole and readable, without what only a screen can do. */
import { expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { needing } from "../support/programs.ts";
import { expectHidden, expectSoon, isFocused, settled } from "./page-reads.ts";
import { sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const { page } = await sharedPage(browser, muster, "/events", { colorScheme: "dark" });
/** Paper of A4 between its margins, pixels. */
const PAPER = { width: 718, height: 1000 };

/** Shows a page as it is printed: the browser tells scripts, then lays it out for paper without them. */
async function printed(path: string): Promise<AsyncDisposable> {
  await page.goto(path);
  await settled(page);
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  await page.evaluate(() => new Promise(requestAnimationFrame));
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize(PAPER);
  return {
    async [Symbol.asyncDispose]() {
      await page.emulateMedia({ media: "screen" });
      await page.evaluate(() => dispatchEvent(new Event("afterprint")));
      await page.setViewportSize({ width: 1280, height: 800 });
    },
  };
}

test("a printed list says when something happened, which part of the list it is, and the whole of long messages", async () => {
  await using _paper = await printed("/events");
  const row = page.getByRole("row", { name: /failed protocol test/ }).first();
  const time = row.locator("td time");
  const exact = await time.getAttribute("title");
  expect(exact).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d$/);
  const onPaper = await time.evaluate((element) => [
    getComputedStyle(element).fontSize,
    getComputedStyle(element, "::after").content,
  ]);
  expect(onPaper).toEqual(["0px", `"${exact}"`]);
  const message = row.locator(".clamped");
  const cut = () => message.evaluate((text) => text.scrollHeight - text.clientHeight);
  await expectSoon(cut).toBeLessThanOrEqual(1);
  await page.getByText(/^\d+ to \d+ of \d+$/).waitFor();
  for (const name of ["Newer", "Older", "more"]) await expectHidden(page.getByRole("button", { name }));
  await expectHidden(page.getByRole("checkbox").first());
});

test("printed charts have all their time, in colours for paper", async () => {
  // While the page is laid out for paper, no script learns of it.
  await page.addInitScript(() => {
    ResizeObserver.prototype.observe = () => undefined;
  });
  /** That of the lines of the grid, which are most of what is drawn opaquely. */
  const gridColour = () =>
    page
      .locator(".chart canvas")
      .first()
      .evaluate((canvas: HTMLCanvasElement) => {
        const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? {
          data: [],
        };
        const counts = new Map<string, number>();
        for (let i = 0; i < data.length; i += 4) {
          const ink = `${data[i]},${data[i + 1]},${data[i + 2]}`;
          if (data[i + 3] === 255) counts.set(ink, (counts.get(ink) ?? 0) + 1);
        }
        return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0];
      });
  const paper = await printed("/hosts/1");
  await expectSoon(gridColour).toBe("225,226,223");
  const widths = await page.locator(".chart").evaluateAll((charts) =>
    charts.map((chart) => {
      const drawing = chart.querySelector("canvas")?.getBoundingClientRect();
      return drawing && drawing.width > 200 && drawing.right <= chart.getBoundingClientRect().right;
    }),
  );
  expect(widths.length).toBeGreaterThan(2);
  expect(widths.every(Boolean)).toBe(true);
  for (const name of ["Acknowledge", "Dismiss"]) await expectHidden(page.getByRole("button", { name }));
  await expectHidden(page.getByRole("link", { name: "Set limit" }).first());
  await paper[Symbol.asyncDispose]();
  await expectSoon(gridColour).toBe("43,48,53");
});

test("a printed ranking has the names of its hosts, and no print has a button or an empty column of them", async () => {
  const ranking = await printed("/fleet");
  const names = page.locator(".fleet-host > a");
  await names.first().waitFor();
  const cut = await names.evaluateAll((links) => links.map((link) => link.scrollWidth - link.clientWidth));
  expect(cut.every((pixels) => pixels <= 0)).toBe(true);
  await ranking[Symbol.asyncDispose]();
  const groups = await printed("/groups");
  await page.getByRole("row", { name: /Oslo/ }).waitFor();
  await expectHidden(page.getByRole("columnheader", { name: "Actions", includeHidden: true }));
  await groups[Symbol.asyncDispose]();
  await using _past = await printed(`/?at=${Math.floor(Date.now() / 1000) - 3600}`);
  await page.getByText("As of").waitFor();
  await expectHidden(page.getByRole("button", { name: "Back to now", includeHidden: true }));
});

test("a printed form has its fields with their values, and nothing to press", async () => {
  await using _settings = await printed("/settings");
  const field = page.getByLabel("Audit log (days)");
  await expectSoon(() => field.isVisible()).toBe(true);
  await expectHidden(
    page.getByRole("button", { name: "Save", exact: true }),
    page.getByLabel("File to import"),
  );
  await using _rule = await printed("/alerts/rules/edit?id=1");
  await expectSoon(() => page.getByLabel("Name", { exact: true }).isVisible()).toBe(true);
  // Its values are folded on screen.
  const folded = page.locator("details", { hasText: "Service types and event classes" }).locator("input");
  const opaque = { opacityProperty: true };
  await expectSoon(() => folded.first().evaluate((input, how) => input.checkVisibility(how), opaque)).toBe(
    true,
  );
  await using _event = await printed("/events/1");
  await page.getByRole("heading", { name: "Notes" }).waitFor();
  await expectHidden(page.getByLabel("New note"));
});

test("an open dialog is printed whole, in place of the page behind it", async () => {
  await page.goto("/alerts/maintenance?new=1");
  await page.emulateMedia({ media: "print" });
  await page.setViewportSize({ width: PAPER.width, height: 300 });
  const dialog = page.getByRole("dialog");
  await expectSoon(() => dialog.evaluate((frame) => frame.scrollHeight - frame.clientHeight)).toBe(0);
  const name = dialog.getByLabel("Name", { exact: true });
  await expectSoon(() => name.isVisible()).toBe(true);
  // What only a screen has: the ring of the focus, and a shadow over the page behind.
  const styles = (of: typeof name) =>
    of.evaluate((element) => {
      const { outlineStyle, boxShadow } = getComputedStyle(element);
      return [outlineStyle, boxShadow];
    });
  await expectSoon(() => isFocused(name)).toBe(true);
  expect(await styles(name)).toEqual(["none", "none"]);
  expect(await styles(dialog)).toEqual(["none", "none"]);
  await expectHidden(page.locator("main h1"), dialog.getByRole("button").first());
  await page.emulateMedia({ media: "screen" });
  await page.setViewportSize({ width: 1280, height: 800 });
});
