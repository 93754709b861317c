/** The UI under a thumb: what is tapped is large enough, and nothing on the way to it is cut off. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import { needing } from "../support/programs.ts";
import { expectSoon, settled } from "./page-reads.ts";
import { excessWidth, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const rotation = { start: "2020-01-01", handover: "00:00", unit: "week", every: 1, hours: null };
const schedule = {
  name: "Nights",
  timezone: "UTC",
  rotations: [{ name: "All", users: ["admin"], ...rotation }],
};
await (await muster.admin()).post("/api/1/oncall/create", schedule);
const { page } = await sharedPage(browser, muster);

/** Height and width of a fingertip, as guidelines of platforms have it, pixels. */
const FINGERTIP = 44;

/** Controls that are lower than a fingertip. A checkbox is tapped with its label. Links in text are as high as that. */
function lowControls(on: Page): Promise<string[]> {
  return on.evaluate((least) => {
    const controls = document.querySelectorAll<HTMLElement>(
      "button, .button, select, input, summary, [role=tab], .parts a, .radio-chip",
    );
    const targets = [...controls].map((control) => control.closest<HTMLElement>("label") ?? control);
    const shown = targets.filter((target) => target.checkVisibility() && target.offsetWidth > 1);
    return shown
      .filter((target) => target.getBoundingClientRect().height < least - 0.5)
      .map((target) => `${target.outerHTML.slice(0, 120)} is ${target.getBoundingClientRect().height} high`);
  }, FINGERTIP);
}

const SCREENS = [
  "/",
  "/hosts",
  "/hosts/1",
  "/hosts/1/settings",
  "/hosts/1/services/1",
  "/hosts/change",
  "/events",
  "/events/1",
  "/uptime",
  "/fleet?number=disk",
  "/groups",
  "/users",
  "/users/edit?uname=user",
  "/alerts",
  "/alerts/rules/edit?id=1",
  "/alerts/channels?new=1",
  "/alerts/maintenance?new=1",
  "/alerts/reports",
  "/alerts/rehearsals?new=1",
  "/on-call",
  "/limits",
  "/status-pages",
  "/keys",
  "/account",
  "/settings",
  "/settings/backups",
  "/audit",
  "/setup",
];

test.each(SCREENS)("every control of %s is as high as a fingertip", async (path) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(new URL(path, muster.url).href);
  await page.locator("main h1").waitFor();
  await settled(page);
  expect(await lowControls(page)).toEqual([]);
  expect(await excessWidth(page)).toBe(0);
});

test.each(["/", "/hosts", "/health", "/groups", "/status-pages", "/fleet", "/events"])(
  "links of %s that are no part of a text are large enough to be tapped",
  async (path) => {
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(new URL(path, muster.url).href);
    await page.locator("main h1").waitFor();
    await settled(page);
    const links = page.locator(
      ".facts dd > a, .vital-limit, .problem-service a, .problem-host, .host-name, .table :is(th, td) > a",
    );
    const small = await links.evaluateAll((all) =>
      all
        .map((link) => ({ text: link.textContent, size: link.getBoundingClientRect() }))
        .filter(({ size }) => size.width > 0 && Math.min(size.width, size.height) < 24)
        .map(({ text, size }) => `${text} is ${size.width} by ${size.height}`),
    );
    expect(small).toEqual([]);
  },
);

test.each([...SCREENS, "/incidents", "/limits/edit", "/alerts/rules/edit"])(
  "with text twice as large, %s is scrolled in one direction only, and its menu is in view",
  async (path) => {
    await page.setViewportSize({ width: 390, height: 800 });
    await page.goto(new URL(path, muster.url).href);
    await page.evaluate(() => {
      document.documentElement.style.fontSize = "200%";
    });
    expect(await excessWidth(page)).toBe(0);
    const menu = await page.locator(".menu-button").boundingBox();
    expect(menu && menu.x + menu.width).toBeLessThanOrEqual(390);
  },
);

test("the columns of the audit log fit", async () => {
  const admin = await muster.admin();
  const change = { uname: "user", channels: [1] };
  expect((await admin.post("/api/1/admin/contacts/set", change)).status).toBe(200);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/audit");
  const entry = page.getByText("Changed the notification channels of");
  await entry.waitFor();
  const frame = page.locator(".table-frame");
  await expectSoon(() => frame.evaluate(({ scrollWidth, clientWidth }) => scrollWidth - clientWidth)).toBe(0);
});

test("in a low window with text twice as large, the buttons of a dialog do not cover its field in use", async () => {
  await page.setViewportSize({ width: 390, height: 450 });
  await page.goto("/alerts/maintenance?new=1");
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
  const field = page.getByRole("dialog").getByLabel("Name", { exact: true });
  await field.focus();
  await expectSoon(() =>
    field.evaluate((input) => {
      const { left, width, top, height } = input.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === input;
    }),
  ).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
});

test("with text twice as large, counts do not overlap, and the way back from the past stays within the page", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto(`/?at=${Math.floor(Date.now() / 1000) - 3600}`);
  await page.getByRole("button", { name: "Back to now" }).waitFor();
  await page.locator(".count").first().waitFor();
  await page.evaluate(() => {
    document.documentElement.style.fontSize = "200%";
  });
  expect(await excessWidth(page)).toBe(0);
  const excess = await page
    .locator(".count-label")
    .evaluateAll((labels) => labels.map((label) => label.scrollWidth - label.clientWidth));
  expect(excess).toEqual([0, 0, 0]);
  await page.goto("/");
});

test("a notice covers neither the heading of the page nor the button that saves", async () => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/users/edit?uname=user");
  await page.getByLabel("Full name").fill("Ursula");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  // In one step, as it goes again.
  const places = await page.waitForFunction(() => {
    if (!document.querySelector(".toast")) return null;
    scrollTo(0, 0);
    return ["main h1", ".toast", ".form-buttons"].map((part) => {
      const { top = 0, bottom = 0 } = document.querySelector(part)?.getBoundingClientRect() ?? {};
      return { top, bottom };
    });
  });
  const [heading, notice, buttons] = (await places.jsonValue()) ?? [];
  expect(heading?.bottom).toBeLessThan(notice?.top ?? 0);
  expect(notice?.bottom).toBeLessThan(buttons?.top ?? 0);
});

test("in a window as low as one that is magnified four times, the clock is scrolled to its buttons", async () => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto("/");
  await page.locator("main h1").waitFor();
  await page.keyboard.press("t");
  const show = page.getByRole("dialog").getByRole("button", { name: "Show", exact: true });
  await show.focus();
  await expectSoon(() =>
    show.evaluate((button) => {
      const { left, width, top, height } = button.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2) === button;
    }),
  ).toBe(true);
  await page.setViewportSize({ width: 390, height: 844 });
});

test("in such a window, the line about the past scrolls away with the page", async () => {
  await page.setViewportSize({ width: 320, height: 256 });
  await page.goto(`/?at=${Math.floor(Date.now() / 1000) - 3600}`);
  const line = page.locator(".past-banner");
  await line.waitFor();
  await page.locator(".count").first().waitFor();
  await settled(page);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await expectSoon(() => line.evaluate((banner) => banner.getBoundingClientRect().bottom)).toBeLessThan(0);
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto("/");
});
