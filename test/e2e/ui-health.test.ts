/** Health of Muster itself in the UI, from a finding to a rule about it: one story, in this order. */
import { Database } from "bun:sqlite";
import { expect } from "bun:test";
import { join } from "node:path";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { layoutShift } from "./browser.ts";
import { expectSoon } from "./page-reads.ts";
import { forgive, problemsEverywhere, setUpAlerts, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const DAY = 86_400;
const SHOTS = process.env.SCREENSHOTS ?? "";
const FINDING = "No backup was made.";

/** A Muster of thirty days without a backup, in which a rule has been disabled for forty. */
const muster = await sharedMuster({
  fill: (folder) => {
    const now = Math.floor(Date.now() / 1000);
    makeDemoFleet({ folder, now, days: [0.1, 0.1], hosts: DEMO_HOSTS.slice(0, 1) });
    using database = new Database(join(folder, "muster.db"));
    database.run("insert into database_sizes (day, bytes) values (?, ?)", [Math.floor(now / DAY) - 30, 1e9]);
    const disabledAt = now - 40 * DAY;
    database.run("insert into rules (name, position, enabled, disabled_at) values ('Nights', 1, 0, ?)", [
      disabledAt,
    ]);
  },
  prepare: setUpAlerts,
});
const { page, trouble } = await sharedPage(await sharedBrowser(), muster);

const button = (name: string) => page.getByRole("button", { name, exact: true });
const content = () => page.locator("#content");
const finding = () => page.getByRole("listitem").filter({ hasText: FINDING });

test("an administrator acknowledges a finding with a note and an end, by keyboard", async () => {
  await page.goto("/health");
  await button(`Acknowledge: ${FINDING}`).focus();
  await page.keyboard.press("Enter");
  const dialog = page.getByRole("dialog", { name: "Acknowledge what is wrong with Muster" });
  await dialog.getByLabel("Note (optional)").fill("cron job to come");
  await dialog.getByLabel("4 hours").check();
  await dialog.getByRole("button", { name: "Acknowledge" }).click();
  await dialog.waitFor({ state: "detached" });
  await finding().getByText("Acknowledged by admin until").waitFor();
  await finding().getByText("“cron job to come”").waitFor();
});

test("it is acknowledged after a reload, too, and the page is fit for everyone", async () => {
  await page.reload();
  await button(`Unacknowledge: ${FINDING}`).waitFor();
  await finding().getByText("“cron job to come”").waitFor();
  expect(await layoutShift(page)).toBeLessThan(0.02);
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("what may be forgotten is listed with its age, and leads to where it is taken up again", async () => {
  const row = page.getByRole("table", { name: "Possibly forgotten" }).getByRole("row", { name: /Nights/ });
  await row.getByText("Disabled", { exact: true }).waitFor();
  await page.getByText("1 rule has been disabled for more than 30 days: Nights.").waitFor();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/health-forgotten.png`, fullPage: true });
  await row.getByRole("link", { name: "Nights" }).click();
  await expectSoon(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe("Nights");
  await page.goBack();
});

test("the acknowledgement is taken back, and a failure to do so says why", async () => {
  const url = "**/api/1/admin/health/unacknowledge";
  await page.route(url, (route) =>
    route.fulfill({ status: 503, json: { error: "It is busy", code: "busy" } }),
  );
  await button(`Unacknowledge: ${FINDING}`).click();
  await finding().getByRole("alert").getByText("It is busy").waitFor();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/health-failed.png` });
  await page.unroute(url);
  forgive(trouble, /status of 503/);
  await button(`Unacknowledge: ${FINDING}`).click();
  await button(`Acknowledge: ${FINDING}`).waitFor();
  await finding().getByText("Acknowledged by admin").waitFor({ state: "detached" });
});

test("a rule about Muster itself shows what it selects now, and whom it notifies", async () => {
  await page.goto("/alerts/rules/edit");
  await page.getByLabel("Name", { exact: true }).fill("Own health");
  await page.getByLabel("About", { exact: true }).selectOption("Muster itself");
  await page.getByLabel("Hook", { exact: true }).check();
  await button("Preview the last week").click();
  const current = page.getByRole("table", { name: "What the rule selects now" });
  await current.getByRole("row", { name: FINDING }).getByText("Hook").waitFor();
  await content().getByText("Wrong now: 2 matching findings.").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("one of critical failures only selects nothing", async () => {
  await page.getByLabel("Critical failures").check();
  await button("Preview the last week").click();
  await content().getByText("Wrong now: 0 matching findings.").waitFor();
  await page.getByRole("table", { name: "What the rule selects now" }).waitFor({ state: "detached" });
});
