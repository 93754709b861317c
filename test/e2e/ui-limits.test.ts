/** Limits in the browser: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectHidden, expectSoon, isFocused } from "./page-reads.ts";
import { sharedBrowser, sharedDemo, sharedPage, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);

const SHOTS = process.env.SCREENSHOTS ?? "";
const GIB = 1024 ** 3;

/** A message of a router whose network card has downloaded so many bytes in all. */
function reportRouter(bytes: number, ago: number) {
  const at = Math.floor(Date.now() / 1000) - ago;
  const side = (name: string, total: number) =>
    `<${name}><bytes><now>0</now><total>${total}</total></bytes></${name}>`;
  const body = `<link><state>1</state>${side("download", bytes)}${side("upload", 0)}</link>`;
  const services = [{ name: "uplink", type: 8, body, collectedSec: at }];
  return muster.report({ id: "router", hostname: "router", at, incarnation: at - 60, services });
}

test("a limit is created in a form that previews it, changed, and deleted", async () => {
  await page.goto(new URL("/limits", muster.url).href);
  await page.getByRole("link", { name: "New limit" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Disk in use");
  await page.getByLabel("Metric").selectOption({ label: "Disk space used" });
  await page.getByLabel("Warning above").fill("1");
  await page.getByLabel("For at least").fill("0");
  // The browser names the invalid input, which is folded away.
  const rare = page.getByText("Recovery and missing values");
  await rare.click();
  await page.getByLabel("Recovers after").fill("99999");
  await rare.click();
  await expectHidden(page.getByLabel("Recovers after"));
  await page.getByRole("button", { name: "Create limit" }).click();
  await expectSoon(() => isFocused(page.getByLabel("Recovers after"))).toBe(true);
  await page.getByLabel("Recovers after").fill("0");
  const preview = page.locator(".preview-head");
  await preview
    .filter({
      hasText: /^Would have been exceeded \d+ times? in 30 days, for .+ at most, on \d+ of \d+ hosts\./,
    })
    .waitFor();
  await page.getByLabel("Warning above").fill("99,9");
  await preview.filter({ hasText: "Would not have been exceeded in 30 days" }).waitFor();
  await page.getByLabel("Warning above").fill("1,000");
  await page.getByRole("button", { name: "Create limit" }).click();
  await page.locator(".field-error").getByText("Write thousands without commas").waitFor();
  await page.getByLabel("Warning above").fill("1");
  const failures = page.getByRole("table", { name: "When the limit would have been exceeded" });
  await failures.waitFor();
  await page.getByLabel("Warning above").fill("");
  await failures.waitFor({ state: "detached" });
  await page.getByLabel("Warning above").fill("99,9");
  await preview.filter({ hasText: "Would not have been exceeded in 30 days" }).waitFor();
  await page.getByLabel("Note").fill("Look for old logs");
  await page.getByRole("button", { name: "Create limit" }).click();
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByText("Disk space used above 99.9 %. All hosts and services.").waitFor();

  await limits.getByRole("link", { name: "Disk in use" }).click();
  await expectSoon(() => page.getByLabel("Warning above").inputValue()).toBe("99.9");
  await page.getByLabel("Critical above").fill("99,95");
  await page.getByRole("button", { name: "Save limit" }).click();
  await limits.getByText(/above 99\.9 %, critical above 99\.95 %/).waitFor();

  await limits.getByRole("button", { name: "Delete Disk in use" }).click();
  await page.getByRole("button", { name: "Delete limit" }).click();
  await page.getByText("No limits yet").waitFor();
});

test("the preview is about a typed host, however late that is found", async () => {
  await using open = await signedInPage(browser, muster, "/limits/edit", { steppable: true });
  const preview = open.page.locator(".preview-head");
  await open.page.getByLabel("Warning above").fill("100");
  await open.page.clock.runFor(1000);
  await preview.filter({ hasText: "in 30 days on 5 hosts" }).waitFor();
  const [asked, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  await open.page.route("**/api/1/status/hosts/list?hostname=*", async (route) => {
    asked.resolve();
    await held.promise;
    await route.continue();
  });
  await open.page.getByRole("combobox", { name: "Hosts" }).fill("db-1.example.org");
  await open.page.getByLabel("Note").focus();
  await open.page.clock.runFor(1000);
  await asked.promise;
  held.resolve();
  await open.page.getByRole("button", { name: "Remove db-1.example.org" }).waitFor();
  await open.page.clock.runFor(1000);
  await preview.filter({ hasText: "in 30 days on 1 host" }).waitFor();
});

test("a limit on the traffic of a month is typed in GiB, and shows what is used of it", async () => {
  await reportRouter(GIB, 2);
  await reportRouter(4 * GIB, 1);
  await page.goto(new URL("/limits/edit", muster.url).href);
  await page.getByLabel("Name", { exact: true }).fill("Uplink");
  await page.getByLabel("Metric").selectOption({ label: "Traffic of a calendar month" });
  await expectAbsent(page.getByLabel("Warn if it is"));
  await page.getByLabel("Time zone of the month").fill("Europe/Oslo");
  await page.getByLabel("Warning above").fill("6");
  await page.getByLabel("Critical above").fill("12");
  await page.getByRole("button", { name: "Create limit" }).click();
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByText("Traffic of a calendar month above 6 GiB, critical above 12 GiB.").waitFor();
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/limits/list")).json;
  expect(records).toMatchObject([
    {
      period: "month",
      timezone: "Europe/Oslo",
      statistics: [153, 163],
      warning: 6 * GIB,
      direction: "above",
    },
  ]);

  await reportRouter(4 * GIB, 0);
  await limits.getByRole("link", { name: "Uplink" }).click();
  await expectSoon(() => page.getByLabel("Warning above").inputValue()).toBe("6");
  const sums = page.getByRole("table", { name: /^Sums of / }).getByRole("row", { name: /router/ });
  await sums.getByText("3 GiB").waitFor();
  await sums.getByText("25 %").waitFor();
  await sums.getByText("Less than a day has been counted").waitFor();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/limit-month.png`, fullPage: true });
  await admin.post("/api/1/limits/delete", { id: records[0].id });
});

test("a suggested limit is active once it is added", async () => {
  await page.goto(new URL("/limits", muster.url).href);
  const suggestions = page.getByRole("table", { name: "Suggested limits", exact: true });
  await suggestions
    .getByText(/^Would (not )?have been exceeded/)
    .first()
    .waitFor();
  await suggestions.getByRole("button", { name: "Add Disk almost full" }).click();
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByRole("link", { name: "Disk almost full" }).waitFor();
  await expectAbsent(suggestions.getByRole("button", { name: "Add Disk almost full" }));
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
});

test("a limit that was deleted is suggested again, with a preview", async () => {
  await page.goto(new URL("/limits", muster.url).href);
  const suggestions = page.getByRole("table", { name: "Suggested limits", exact: true });
  await expectAbsent(suggestions.getByText("Looking at the last week"));
  await page.getByRole("button", { name: "Delete Disk almost full" }).click();
  await page.getByRole("button", { name: "Delete limit" }).click();
  const again = suggestions.getByRole("row", { name: /Disk almost full/ });
  await again.getByText(/^Would (not )?have been exceeded/).waitFor();
});

test("a rule can be about critical failures of limits only, and about everything again", async () => {
  const rules = page.getByRole("table", { name: "Rules, in order", exact: true });
  const change = async (isOnly: boolean) => {
    await page.goto(new URL("/alerts", muster.url).href);
    await rules.getByRole("link", { name: "Oslo" }).click();
    const critical = page.getByLabel("Critical limit failures");
    await expectSoon(() => critical.isChecked()).toBe(!isOnly);
    await critical.setChecked(isOnly);
    await page.getByRole("button", { name: "Save rule" }).click();
  };
  await change(true);
  await rules.getByText("Severity: Critical limit failures. Notifies").waitFor();
  await change(false);
  await rules.getByText("States: Failures or Changes. Notifies").waitFor();
});
