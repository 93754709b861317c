/** Tags of hosts in the browser, given and filtered by: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { accessibilityProblems, excessWidth, sharedBrowser, sharedDemo, sharedPage, typeOn } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const { page } = await sharedPage(browser, await sharedDemo());
const rows = () => page.locator(".host-row .host-name").allTextContents();
const count = (text: RegExp) => page.locator(".filters-result", { hasText: text }).waitFor();
const tags = () => page.getByLabel("Tags", { exact: true });

test("a host is given tags in its settings, its page shows them, and each leads to the hosts that have it", async () => {
  await page.goto("/hosts/1/settings");
  await tags().fill(" Env=Prod, critical ");
  await page.getByRole("button", { name: "Save" }).click();
  await page.locator("#content").getByText("Host settings saved").waitFor();
  await page.goto("/hosts/1");
  await page.locator(".state-line .tag-link").first().waitFor();
  await expectSoon(() => page.locator(".state-line .tag-link").allTextContents()).toEqual([
    "Oslo",
    "critical",
    "env=prod",
  ]);
  await page.getByRole("link", { name: "env=prod" }).click();
  await heading(page, "Hosts");
  await count(/^1 host/);
  await expectSoon(() => rows()).toEqual(["web-1.example.org"]);
});

test("the list of hosts is filtered by tags that are suggested, and by the words of a tag", async () => {
  await page.goto("/hosts");
  await page.locator(".host-row").first().waitFor();
  await settled(page);
  const total = (await rows()).length;
  await tags().fill("en");
  const suggested = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
  await suggested.first().waitFor();
  await expectSoon(() => suggested.allTextContents()).toEqual(["env", "env=prod"]);
  await tags().fill("env");
  await count(/^1 host/);
  await expectSoon(() => new URL(page.url()).searchParams.get("tag")).toBe("env");
  await page.getByRole("button", { name: "Clear filter" }).click();
  await count(new RegExp(`^${total} hosts`));
  await typeOn(tags(), "env", "env=");
  await settled(page);
  await expectSoon(() => tags().inputValue()).toBe("env=");
  await tags().fill("env=prod,critical");
  await tags().blur();
  await expectSoon(() => new URL(page.url()).searchParams.get("tag")).toBe("env=prod, critical");
  await expectSoon(() => tags().inputValue()).toBe("env=prod, critical");
  await page.getByRole("button", { name: "Clear filter" }).click();
  await expectSoon(() => tags().inputValue()).toBe("");
  await page.getByLabel("Search").fill("critical");
  await count(new RegExp(`^1 of ${total} hosts`));
});

test("events are filtered by tags of their hosts", async () => {
  await page.goto("/events?tag=env%3Dprod");
  await page.locator(".table tbody tr").first().waitFor();
  const hosts = () => page.locator('.table tbody a[href="/hosts/1"]').allTextContents();
  await expectSoon(async () => new Set(await hosts()).size).toBe(1);
  await expectAbsent(page.locator('.table tbody a[href="/hosts/2"]'));
});

test.each([1280, 390])(
  "lists with tags stay in the window at %i pixels, and are accessible",
  async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto("/hosts?tag=env");
    await page.locator(".row-tags").first().waitFor();
    expect(await excessWidth(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
  },
);
