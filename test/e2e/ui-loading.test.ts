/** What is shown while data is loading, and what stays in view while scrolling through it. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading, layoutShift } from "./browser.ts";
import { expectSoon, settled } from "./page-reads.ts";
import { forgive, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const admin = await muster.admin();
await admin.post("/api/1/admin/keys/create", { name: "Edge", hostgroups: [1] });
await admin.post("/api/1/admin/keys/codes/create", { id: 1, uses: 20, lifetime: 3600 });
const turns = { name: "", users: ["admin"], start: "2026-01-05", handover: "09:00", unit: "day", every: 1 };
await admin.post("/api/1/oncall/create", { name: "Day", rotations: [{ ...turns, hours: null }] });
const to = Math.floor(Date.now() / 1000) + 86_400;
await admin.post("/api/1/mutes/create", { filter: { rules: [1] }, to });
const { page, trouble } = await sharedPage(browser, muster);

const addressOf = (path: string) => new URL(path, muster.url).href;
/** Cumulative layout shift that people begin to notice, with a margin of half. */
const MAX_SHIFT = 0.02;

/** Pages, what they wait for, and what they show then. */
const SLOW = [
  { path: "/uptime", width: 1280, slow: "**/api/1/reports/uptime/**", shown: "table" },
  // Where the controls beside its heading take lines of their own.
  { path: "/hosts/1", width: 390, slow: "**/api/1/status/hosts/get?*", shown: ".vitals" },
] as const;

test.each(SLOW)(
  "$path, $width wide, shows grey lines while its data is slow, for which nothing moves when it comes",
  async ({ path, width, slow, shown }) => {
    const held = Promise.withResolvers<void>();
    await page.route(slow, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.setViewportSize({ width, height: 844 });
    await page.goto(addressOf(path));
    // The lines fade in; `waitForFunction` waits until they are there.
    await page.waitForFunction(() => {
      const body = document.querySelector(".page-body");
      if (!body) return false;
      const lines = getComputedStyle(body, "::before");
      return lines.visibility === "visible" && lines.opacity === "1" && Number.parseFloat(lines.height) > 100;
    });
    await page.getByText("Loading…").waitFor({ state: "attached" });
    held.resolve();
    await page.locator(shown).first().waitFor();
    expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
    await page.unroute(slow);
  },
);

test("a page says that it is loading while it is not known who is signed in", async () => {
  const held = Promise.withResolvers<void>();
  await page.route("**/api/1/session/get", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto(addressOf("/"));
  await page.getByText("Loading…").waitFor();
  held.resolve();
  await heading(page, "Overview");
  expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
  await page.unroute("**/api/1/session/get");
});

test.each([
  ["/uptime", "Uptime of hosts"],
  ["/events", "Events"],
  ["/hosts", "Hosts"],
  ["/audit", "Audit log"],
])("the head of the table of %s stays in sight", async (path, name) => {
  await page.setViewportSize({ width: 1280, height: 220 });
  await page.goto(addressOf(path));
  const rows = page.getByRole("table", { name, exact: true }).getByRole("row");
  await rows.nth(1).waitFor();
  await settled(page);
  await rows.last().scrollIntoViewIfNeeded();
  const tops = () =>
    rows.evaluateAll((elements) =>
      [elements.at(0), elements.at(-1)].map((row) => {
        const cell = row?.querySelector("th, td");
        return Math.round(cell?.getBoundingClientRect().top ?? -1);
      }),
    );
  await expectSoon(async () => (await tops())[0]).toBe(0);
  await expectSoon(async () => (await tops())[1] ?? -1).toBeGreaterThan(0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test.each([
  ["/alerts", "rules/list", "Rules, in order", "Host groups: Oslo. Notifies Hook"],
  ["/limits", "limits/list", "Suggested limits", "All hosts"],
])("%s calls nothing deleted whose name is still loading", async (path, list, name, text) => {
  const groups = "**/api/1/admin/groups/list";
  const held = Promise.withResolvers<void>();
  await page.route(groups, async (route) => {
    await held.promise;
    await route.continue();
  });
  const others = [list, "channels/list", "oncall/list"].map((asked) =>
    page.waitForResponse((response) => response.url().endsWith(`/${asked}`)),
  );
  await page.goto(addressOf(path));
  await Promise.all(others);
  // What has arrived is drawn.
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  const table = page.getByRole("table", { name, exact: true });
  await expectSoon(() => table.count()).toBe(0);
  held.resolve();
  await table.getByText(text).first().waitFor();
  await page.unroute(groups);
});

test.each([
  ["/alerts", "**/api/1/admin/groups/list", "Host groups: Oslo. Notifies Hook"],
  ["/status-pages", "**/api/1/admin/groups/list", "hosts and services"],
  ["/on-call", "**/api/1/oncall/list", "Edit"],
  ["/keys/1", "**/api/1/admin/keys/codes/list?*", "20 of 20"],
])("%s says that it could not read %s, and asks again", async (path, asked, text) => {
  const shown = page.locator("main").getByText(text).first();
  await page.goto(addressOf(path));
  await shown.waitFor();
  await page.route(asked, (route) => route.abort());
  await page.reload();
  const failure = page.locator("main .error-message");
  await failure.getByText("The service cannot be reached").waitFor();
  await page.unroute(asked);
  forgive(trouble, /ERR_FAILED/);
  await failure.getByRole("button", { name: "Try again" }).click();
  await shown.waitFor();
});

test.each([
  ["/keys", "/admin/groups/list", "keys/list", "#1", "Oslo"],
  ["/setup", "/admin/keys/list", "settings/get", "Install Monit.", "Edge"],
  ["/setup", "/status/hosts/list?*", "settings/get", "Waiting for the first report", "5 hosts"],
  ["/alerts/maintenance", "/admin/rules/list", "mutes/list", "rule 1", "rule Oslo"],
])("%s says nothing wrong while %s is slow", async (path, list, asked, wrong, right) => {
  const requests = `**/api/1${list}`;
  const held = Promise.withResolvers<void>();
  await page.route(requests, async (route) => {
    await held.promise;
    await route.continue();
  });
  const other = page.waitForResponse((response) => response.url().endsWith(`/${asked}`));
  await page.goto(addressOf(path));
  await other;
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  await expectSoon(() => page.getByText(wrong).count()).toBe(0);
  held.resolve();
  await page.getByText(right).first().waitFor({ state: "attached" });
  await page.unroute(requests);
});
