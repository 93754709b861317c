/** Common tasks by keyboard alone. */
import { expect } from "bun:test";
import { systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectSoon, isFocused, settled } from "./page-reads.ts";
import type { Muster } from "./support.ts";
import { sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const HOSTS = 5;

/** Reports hosts, of which the first has a failing service. */
async function report(muster: Muster): Promise<void> {
  const at = Math.floor(Date.now() / 1000);
  for (let i = 0; i < HOSTS; i++) {
    const hostname = `web-${i}`;
    const event = { service: "worker", message: "process is not running", collectedSec: at };
    const services = [
      { name: hostname, type: 5, body: systemXml() },
      { name: "worker", type: 3, status: i === 0 ? 512 : 0 },
    ];
    const message = { id: hostname, hostname, at, services, ...(i === 0 && { event }) };
    expect((await muster.report(message)).status).toBe(200);
  }
}

const browser = await sharedBrowser();
const muster = await sharedMuster({ prepare: report });
const { page } = await sharedPage(browser, muster);
const { keyboard } = page;

const isOn = (selector: string) =>
  page.evaluate((matching) => document.activeElement?.matches(matching) === true, selector);

async function tabTo(selector: string): Promise<void> {
  for (let keys = 0; keys < 100 && !(await isOn(selector)); keys++) await keyboard.press("Tab");
}

test("what is broken, and why, is opened from the overview, and acknowledged there with a note", async () => {
  await page.goto("/");
  const problems = page.getByRole("list", { name: "Active problems" });
  await problems.getByRole("link", { name: "process is not running" }).waitFor();
  for (const key of ["j", "Enter"]) await keyboard.press(key);
  await page.waitForURL("**/incidents/*");
  await heading(page, "worker");
  await page.locator("main .message").getByText("process is not running").waitFor();
  await keyboard.press("a");
  await expectSoon(() => isOn("dialog textarea, dialog input")).toBe(true);
  await keyboard.type("I am at it");
  await tabTo("button[type=submit]");
  await keyboard.press("Enter");
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByText("I am at it").first().waitFor();
});

test("five hosts are compared", async () => {
  await keyboard.press("Control+k");
  await expectSoon(() => isOn("dialog [role=combobox]")).toBe(true);
  await keyboard.type("Fleet");
  await page.locator(".palette-option[aria-selected=true]").filter({ hasText: "Fleet" }).waitFor();
  await keyboard.press("Enter");
  await heading(page, "Fleet");
  await page.getByLabel("Compare web-0").waitFor();
  const compared = () => (new URL(page.url()).searchParams.get("compare") ?? "").split(".").filter(Boolean);
  for (let chosen = 1; chosen <= HOSTS; chosen++) {
    await tabTo("input[aria-label^=Compare]:not(:checked)");
    await keyboard.press("Space");
    await expectSoon(() => compared().length).toBe(chosen);
  }
  await expectSoon(() => compared().sort()).toEqual(["h1", "h2", "h3", "h4", "h5"]);
  await page
    .locator(".chart canvas")
    .nth(HOSTS - 1)
    .waitFor();
});

test("a rule that reached the top is moved back with the button that has the focus", async () => {
  const admin = await muster.admin();
  const steps = [{ after: 0, channels: [], schedules: [], users: ["admin"] }];
  for (const name of ["Web", "Mail"])
    expect((await admin.post("/api/1/admin/rules/create", { name, steps })).status).toBe(200);
  await page.goto("/alerts");
  const names = () => page.getByRole("table", { name: "Rules, in order" }).getByRole("rowheader");
  await page.getByRole("button", { name: "Move Mail up" }).waitFor();
  await tabTo('button[aria-label="Move Mail up"]');
  await keyboard.press("Enter");
  await expectSoon(() => names().locator("a").allTextContents()).toEqual(["Mail", "Web"]);
  await expectSoon(() => isOn('button[aria-label="Move Mail down"]')).toBe(true);
  await keyboard.press("Enter");
  await expectSoon(() => names().locator("a").allTextContents()).toEqual(["Web", "Mail"]);
});

test("keys of one letter work while Caps Lock is on", async () => {
  // A capital without Shift.
  await keyboard.press("T");
  await page.getByRole("dialog").waitFor();
  await keyboard.press("Escape");
});

test("Enter that is held opens a question, and does not answer it; Enter alone deletes nothing", async () => {
  const admin = await muster.admin();
  const names = async () =>
    (await admin.get("/api/1/admin/groups/list")).json.groups.map(({ name }: { name: string }) => name);
  expect((await admin.post("/api/1/admin/groups/create", { name: "Bergen" })).status).toBe(200);
  await page.goto("/groups");
  await page.getByRole("button", { name: "Delete Bergen" }).focus();
  await keyboard.down("Enter");
  const question = page.getByRole("dialog", { name: "Delete Bergen?" });
  const cancel = question.getByRole("button", { name: "Cancel" });
  await expectSoon(() => isFocused(cancel)).toBe(true);
  // Each is a repetition, as it was not released.
  for (let times = 0; times < 3; times++) await keyboard.down("Enter");
  await settled(page);
  await question.waitFor();
  await keyboard.up("Enter");
  await keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
  expect(await names()).toEqual(["Bergen"]);
  await keyboard.press("Enter");
  await expectSoon(() => isFocused(cancel)).toBe(true);
  await keyboard.press("Shift+Tab");
  await keyboard.press("Enter");
  await question.waitFor({ state: "detached" });
  await expectSoon(names).toEqual([]);
});
