/** Reports by mail in a real browser, through a real mail server: one story, in this order. */
import { afterAll, expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { MailServer } from "../alerting/channels/mail-server.ts";
import { partsOf } from "../alerting/mail-reports/support.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectHidden, expectSoon, settled, watchTraffic } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  excessWidth,
  forgive,
  problemsEverywhere,
  sharedBrowser,
  sharedMuster,
  sharedPage,
} from "./ui.ts";

const { test } = needing("chromium");

const mail = await MailServer.start();
afterAll(() => mail[Symbol.asyncDispose]());

const browser = await sharedBrowser();
const now = Math.floor(Date.now() / 1000);
const muster = await sharedMuster({
  args: ["--channel-reach", "loopback"],
  fill: (folder) => makeDemoFleet({ folder, now, days: [2, 1.5], hosts: DEMO_HOSTS.slice(0, 5) }),
  prepare: async (started) => {
    const admin = await started.admin();
    await admin.post("/api/1/admin/channels/create", {
      name: "Mail",
      kind: "email",
      settings: {
        host: "localhost",
        port: String(mail.port),
        security: "none",
        from: "muster@example.org",
        to: "ops@example.org",
      },
    });
    const anna = { uname: "anna", password: "anna password", fullname: "Anna", email: "anna@example.org" };
    await admin.post("/api/1/admin/users/create", anna);
  },
});
const { page, trouble } = await sharedPage(browser, muster);

const reports = page.getByRole("table", { name: "E-mail reports", exact: true });

test("a report is made in a form, changed, and sent by a button", async () => {
  await page.goto(new URL("/alerts/reports", muster.url).href);
  await page.getByText("No reports yet").waitFor();
  await page.getByRole("link", { name: "New report" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Fleet");
  await page.getByLabel("Period").selectOption({ label: "Daily" });
  await page.getByLabel("anna", { exact: true }).check();
  await page.getByLabel("Other addresses").fill("chief@example.org, board@example.org");
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByRole("button", { name: "Create report" }).click();
  await reports.getByText("daily, all hosts, target 99.9 %").waitFor();
  // Saved before the users are loaded, the report keeps its recipients.
  const users = "**/api/1/admin/users/list*";
  const held = Promise.withResolvers<void>();
  await page.route(users, async (route) => {
    await held.promise;
    await route.continue();
  });
  await reports.getByRole("button", { name: "Edit Fleet" }).click();
  await page.getByLabel("Uptime target, %").fill("99,95");
  await page.getByLabel("Other addresses").fill("chief@example.org");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await reports.getByText("daily, all hosts, target 99.95 %").waitFor();
  await reports.getByText("anna, chief@example.org").waitFor();
  held.resolve();
  await settled(page);
  await page.unroute(users);
  expect(await problemsEverywhere(page)).toEqual([]);

  await reports.getByRole("button", { name: "Send Fleet now" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Send now" }).click();
  await announced(page, "Sending 2 e-mails");
  await expectSoon(() => mail.mails.map(({ to }) => to)).toEqual([
    ["anna@example.org"],
    ["chief@example.org"],
  ]);
  await page.goto(new URL("/alerts/deliveries", muster.url).href);
  await page.getByText("Fleet → Mail (anna@example.org)").waitFor();
});

test("the mail fits windows of 600 and 390 pixels in both themes, and loads nothing", async () => {
  const { html, text } = partsOf(mail.mails[0]?.text ?? "");
  expect(text).toContain("Daily report,");
  for (const width of [600, 390])
    for (const colorScheme of ["light", "dark"] as const) {
      const context = await browser.newContext({ viewport: { width, height: 900 }, colorScheme });
      const shown = await context.newPage();
      watchTraffic(shown);
      const requests: string[] = [];
      shown.on("request", (request) => requests.push(request.url()));
      await shown.setContent(html);
      await shown.getByRole("heading", { name: "Worst hosts" }).waitFor();
      expect([await excessWidth(shown), requests]).toEqual([0, []]);
      const contrast = await accessibilityProblems(shown, ["color-contrast"]);
      expect(contrast).toEqual([]);
      if (process.env.SCREENSHOTS)
        await shown.screenshot({
          path: `${process.env.SCREENSHOTS}/mail-${width}-${colorScheme}.png`,
          fullPage: true,
        });
      await context.close();
    }
});

test("its page has the same figures, on the screen and on paper", async () => {
  await page.goto(new URL("/alerts/reports", muster.url).href);
  await reports.getByRole("link", { name: "Fleet" }).click();
  await heading(page, "Fleet");
  await page.getByRole("heading", { name: "Noise" }).waitFor();
  const uptime = page.getByRole("table", { name: "Uptime, target 99.95%" });
  const { text } = partsOf(mail.mails[0]?.text ?? "");
  await settled(page);
  const names = await uptime
    .getByRole("row", { name: /All hosts/ })
    .getByRole("cell")
    .allInnerTexts();
  const [percent, before] = names[0]?.split("\n") ?? [];
  expect(before).toStartWith("previously ");
  expect(text).toContain(`uptime ${percent} (${before}), down ${names[1]}, budget left ${names[2]}`);
  expect(await problemsEverywhere(page)).toEqual([]);
  const shoot = async (name: string) => {
    if (process.env.SCREENSHOTS)
      await page.screenshot({ path: `${process.env.SCREENSHOTS}/${name}.png`, fullPage: true });
  };
  for (const width of [1280, 390])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await shoot(`report-${width}-${colorScheme}`);
    }
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expectHidden(page.getByRole("button", { name: "Print" }));
  await uptime.waitFor();
  await shoot("report-print");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await page.getByRole("link", { name: "Earlier" }).click();
  await page.getByText("No time was counted for any host").or(uptime).first().waitFor();
  await page.getByRole("link", { name: "Later" }).click();
  await page.waitForURL(/before=/);
});

test("figures that could not be read are read again by a button", async () => {
  await page.goto(new URL("/alerts/reports", muster.url).href);
  const figures = "**/api/1/reports/mail/get*";
  await page.route(figures, (route) => route.abort());
  await reports.getByRole("link", { name: "Fleet" }).click();
  await page.getByRole("alert").getByText("The service cannot be reached").first().waitFor();
  await page.unroute(figures);
  await page.getByRole("button", { name: "Try again" }).click();
  await heading(page, "Fleet");
  await page.getByRole("heading", { name: "Noise" }).waitFor();
  forgive(trouble, /ERR_FAILED/);
});

test("a report that is deleted goes to nobody", async () => {
  await page.goto(new URL("/alerts/reports", muster.url).href);
  await reports.getByRole("button", { name: "Delete Fleet" }).click();
  await page.getByRole("button", { name: "Delete report" }).click();
  await announced(page, "Deleted");
  await page.getByText("No reports yet").waitFor();
});
