import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);

test("a limit is made in a form that tells what it would have done, changed, and deleted", async () => {
  await page.goto(new URL("/limits", muster.url).href);
  await page.getByRole("link", { name: "New limit" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Disk in use");
  await page.getByLabel("Number").selectOption({ label: "Disk space used" });
  await page.getByLabel("Warning above").fill("1");
  await page.getByLabel("For at least").fill("0");
  const preview = page.locator(".preview-head");
  await preview
    .filter({ hasText: /^Would have warned \d+ times? in 30 days, longest .+ on \d+ of \d+ hosts\./ })
    .waitFor();
  await page.getByLabel("Warning above").fill("99,9");
  await preview.filter({ hasText: "Would not have warned in 30 days" }).waitFor();
  await page.getByLabel("Note").fill("Look for old logs");
  await page.getByRole("button", { name: "Create limit" }).click();
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByText("Disk space used above 99.9 %. All hosts and services.").waitFor();

  await limits.getByRole("link", { name: "Disk in use" }).click();
  expect(await page.getByLabel("Warning above").inputValue()).toBe("99.9");
  await page.getByLabel("Critical above").fill("99,95");
  await page.getByRole("button", { name: "Save limit" }).click();
  await limits.getByText(/above 99\.9 %, critical above 99\.95 %/).waitFor();

  await limits.getByRole("button", { name: "Delete Disk in use" }).click();
  await page.getByRole("button", { name: "Delete limit" }).click();
  await page.getByText("No limit yet").waitFor();
});

test("a suggested limit is in force once it is taken", async () => {
  await page.goto(new URL("/limits", muster.url).href);
  const suggestions = page.getByRole("table", { name: "Suggested limits", exact: true });
  await suggestions
    .getByText(/^Would (not )?have warned/)
    .first()
    .waitFor();
  await suggestions.getByRole("button", { name: "Take Disk almost full" }).click();
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByRole("link", { name: "Disk almost full" }).waitFor();
  expect(await suggestions.getByRole("button", { name: "Take Disk almost full" }).count()).toBe(0);
});

test("a rule can be about nothing but what limits call critical, and about everything again", async () => {
  const rules = page.getByRole("table", { name: "Rules in their order", exact: true });
  const change = async (isOnly: boolean) => {
    await page.goto(new URL("/alerts", muster.url).href);
    await rules.getByRole("link", { name: "Oslo" }).click();
    const critical = page.getByLabel("Critical failures of limits");
    expect(await critical.isChecked()).toBe(!isOnly);
    await critical.setChecked(isOnly);
    await page.getByRole("button", { name: "Save rule" }).click();
  };
  await change(true);
  await rules.getByText("Severity: Critical failures of limits. Notifies").waitFor();
  await change(false);
  await rules.getByText("States: Failures or Changes. Notifies").waitFor();
});
