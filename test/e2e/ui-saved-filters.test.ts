/** Saved filters of hosts and of events in the browser: one story, in this order. */
import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectHidden, expectSoon, isFocused } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  excessWidth,
  sharedBrowser,
  sharedDemo,
  sharedPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const { page } = await sharedPage(browser, await sharedDemo());
const link = (name: string) => page.getByRole("link", { name, exact: true });
const save = () => page.getByRole("button", { name: "Save this filter" });

async function saveAs(name: string): Promise<void> {
  await save().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill(name);
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  await link(name).waitFor();
}

test("a filter of hosts is saved, opened by its link, and found in the palette", async () => {
  await page.goto("/hosts");
  await page.locator(".host-row").first().waitFor();
  await expectAbsent(save());
  await page.goto("/hosts?text=web&sort=name");
  await saveAs("Web & hosts");
  expect(await accessibilityProblems(page)).toEqual([]);
  expect(await excessWidth(page)).toBe(0);
  await page.goto("/hosts");
  await link("Web & hosts").click();
  await page.waitForURL("**/hosts?text=web&sort=name");
  await page.goto("/about");
  await heading(page, "About Muster");
  await page.keyboard.press("Control+k");
  await expectSoon(() => isFocused(page.getByRole("combobox", { name: /^Hosts, services/ }))).toBe(true);
  await page.keyboard.type("web hosts");
  const option = page.locator(".palette-option", { hasText: "Host filter" });
  await option.waitFor();
  await expectSoon(() => option.locator(".palette-text").textContent()).toBe("Web & hosts");
  await option.click();
  await page.waitForURL("**/hosts?text=web&sort=name");
});

test("a filter is renamed, and has its new name after a reload", async () => {
  await page.goto("/hosts");
  await page.getByRole("button", { name: "Rename Web & hosts" }).click();
  const dialog = page.getByRole("dialog", { name: "Rename Web & hosts" });
  await expectSoon(() => dialog.getByLabel("Name").inputValue()).toBe("Web & hosts");
  await dialog.getByLabel("Name").fill("Web servers");
  await dialog.getByRole("button", { name: "Rename" }).click();
  await link("Web servers").waitFor();
  await page.reload();
  await expectSoon(() => link("Web servers").getAttribute("href")).toBe("/hosts?text=web&sort=name");
  await expectAbsent(link("Web & hosts"));
});

test("a filter is not saved while one that is folded away is invalid, which is unfolded and focused", async () => {
  await page.goto("/events?active=2");
  const more = page.getByText("More filters");
  const group = page.getByRole("combobox", { name: "Host group", exact: true });
  await more.click();
  await group.fill("nothing of this name");
  await group.blur();
  await page.getByText("Nothing is named “nothing of this name”.").waitFor();
  await more.click();
  await expectHidden(group);
  await save().click();
  await expectSoon(() => isFocused(group)).toBe(true);
  await expectAbsent(page.getByRole("dialog"));
});

test("filters stay in one line while one of them has an error", async () => {
  const top = async (locator: Locator) => Math.round((await locator.boundingBox())?.y ?? -1);
  for (const [path, name, others] of [
    ["/events", "Host", ["select[name=active]", ".more-filters"]],
    ["/uptime", "Group", [".choices", "select[name=calendar]"]],
    ["/hosts", "Group", [".filters-result", ".filters-view"]],
  ] as const) {
    await page.goto(path);
    const field = page.getByRole("combobox", { name, exact: true });
    const line = await top(field);
    await field.fill("nothing of this name");
    await field.blur();
    await page.getByText("Nothing is named “nothing of this name”.").waitFor();
    for (const other of others)
      await expectSoon(async () => [other, await top(page.locator(other).first())]).toEqual([other, line]);
  }
});

test("a filter of events is saved without its page, is not among those of hosts, and is deleted", async () => {
  await page.goto("/events?active=2&startindex=0&text=web");
  await heading(page, "Events");
  await saveAs("Open on the web");
  await expectSoon(() => link("Open on the web").getAttribute("href")).toBe("/events?text=web&active=2");
  await page.goto("/hosts");
  await link("Web servers").waitFor();
  await expectAbsent(link("Open on the web"));
  await page.goto("/events");
  await page.getByRole("button", { name: "Delete Open on the web" }).click();
  await page.getByRole("button", { name: "Delete filter" }).click();
  await announced(page, "Deleted");
  await expectSoon(() => link("Open on the web").count()).toBe(0);
});
