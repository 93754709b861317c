/**
 * Common tasks, with the clicks and keys that they take. Typing a text counts nothing: the text is the same
 * everywhere.
 */
import { describe, expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { processXml, systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import type { Muster } from "./support.ts";
import { forgive, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { beforeEach, test } = needing("chromium");

const HOST = "web-1.example.org";
let steps: number;

/** Reports a host with a failing and a healthy service, in the group "web". */
function report(muster: Muster) {
  return muster.report({
    hostname: HOST,
    hostGroups: ["web"],
    poll: 3600,
    at: Math.floor(Date.now() / 1000),
    services: [
      { name: HOST, type: 5, body: systemXml() },
      { name: "nginx", type: 3, body: processXml() },
      { name: "worker", type: 3, status: 512 },
    ],
    event: {
      service: "worker",
      message: "process is not running",
      collectedSec: Math.floor(Date.now() / 1000),
    },
  });
}

const browser = await sharedBrowser();
const muster = await sharedMuster({ prepare: report });
const { page, trouble } = await sharedPage(browser, muster);
await page.addInitScript(() => {
  window.print = () => document.documentElement.setAttribute("data-printed", location.search);
});

beforeEach(async () => {
  steps = 0;
  await page.goto("/");
  await heading(page, "Overview");
});

async function click(target: Locator): Promise<void> {
  steps += 1;
  await target.click();
}

const button = (name: string, within: Page | Locator = page) =>
  within.getByRole("button", { name, exact: true });
const problem = () => page.getByRole("list", { name: "Active problems" }).getByRole("listitem");

describe("from the overview", () => {
  test("the failing service is one click away", async () => {
    await click(problem().getByRole("link", { name: "worker" }));
    await heading(page, "worker");
    expect(steps).toBe(1);
  });

  test("what fails and why is shown, and its incident is one click away", async () => {
    await click(problem().getByRole("link", { name: "process is not running" }));
    await page.waitForURL("**/incidents/*");
    await heading(page, "worker");
    expect(steps).toBe(1);
  });

  test("it is unmonitored in three", async () => {
    await click(problem().getByRole("link", { name: "worker" }));
    await click(button("Unmonitor"));
    await click(button("Unmonitor", page.getByRole("dialog")));
    // The agent of this test has no interface; the action was sent anyway.
    await page.getByRole("dialog").getByRole("alert").waitFor();
    forgive(trouble, /status of 50\d/);
    expect(steps).toBe(3);
  });

  test("it is acknowledged with a note in two, and says who knows", async () => {
    await click(button(`Acknowledge: worker on ${HOST}`));
    await expectSoon(() => isFocused(page.getByRole("dialog").getByLabel("Note (optional)"))).toBe(true);
    await page.keyboard.type("I am at it");
    await click(button("Acknowledge", page.getByRole("dialog")));
    await problem().getByText("Acknowledged by admin").waitFor();
    expect(steps).toBe(2);
    await button(`Unacknowledge: worker on ${HOST}`).click();
    await button(`Acknowledge: worker on ${HOST}`).waitFor();
  });

  test("it is dismissed in one, and one more takes that back; the focus is there", async () => {
    await click(button(`Dismiss: worker on ${HOST}`));
    await problem().first().waitFor({ state: "detached" });
    const none = page.getByText("No open problems.");
    await none.getByRole("link", { name: "1 dismissed problem", exact: true }).waitFor();
    const undo = button("Undo");
    await expectSoon(() => isFocused(undo)).toBe(true);
    steps += 1;
    await page.keyboard.press("Enter");
    await problem().getByRole("link", { name: "worker" }).waitFor();
    expect(steps).toBe(2);
    await expectSoon(() => page.evaluate(() => document.activeElement?.tagName)).toBe("H1");
  });

  test("a group is muted for an hour in three, every page says so, and it is ended in two", async () => {
    await click(page.getByRole("link", { name: "Groups", exact: true }));
    await click(button("Mute group web"));
    await page.getByRole("radio", { name: "1 hour" }).and(page.locator(":checked")).waitFor();
    await click(button("Mute", page.getByRole("dialog")));
    await page.getByText("Muted", { exact: true }).first().waitFor();
    expect(steps).toBe(3);
    await page.goto("/");
    await page.getByText("1 mute active").waitFor();
    await problem()
      .getByText(/^Muted by admin until /)
      .waitFor();
    for (const path of ["/hosts", "/hosts/1", "/hosts/1/services/3"]) {
      await page.goto(path);
      await page
        .getByText(/Muted by admin until |1 mute active/)
        .first()
        .waitFor();
    }
    steps = 0;
    await page.goto("/");
    await click(page.getByRole("link", { name: "Show mutes" }));
    await click(page.getByRole("button", { name: /^End now: / }));
    await page.getByText("Nothing is muted.").waitFor();
    expect(steps).toBe(2);
  });

  test("the uptime of the last month is printed in three", async () => {
    await click(page.getByRole("link", { name: "Uptime", exact: true }));
    await click(button("1 month"));
    await page.getByRole("table", { name: "Uptime of hosts" }).waitFor();
    await click(button("Print"));
    await expectSoon(() => page.locator("html").getAttribute("data-printed")).toBe("?range=6");
    expect(steps).toBe(3);
  });
});
