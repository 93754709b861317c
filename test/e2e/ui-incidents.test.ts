/** Incidents in the browser, from one row for an outage to its page: one story, in this order. */
import { expect } from "bun:test";
import type { Locator } from "playwright-core";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const HOSTILE = '<img src=x onerror="wasRun=1">';
const HOUR = 3600;

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: async (started) => {
    const now = Math.floor(Date.now() / 1000);
    const event = (service: string, state: number, ago: number, message: string) =>
      started.report({
        id: "web-1",
        hostname: "web-1",
        incarnation: now - 3 * HOUR,
        at: now,
        poll: HOUR,
        services: [{ name: service, status: state === 1 ? 512 : 0, collectedSec: now - ago }],
        event: { service, state, id: 512, message, collectedSec: now - ago },
      });
    await event("nginx", 0, 3, "process is there");
    await event("nginx", 1, 2, "process is not running");
    await event("nginx", 0, 1, "process is running");
    await event("backup", 1, 0, HOSTILE);
  },
});
const { page } = await sharedPage(browser, muster, "/incidents");

test("an outage is one row, with its span and how long it lasted, and what lasts stands above", async () => {
  const open = page.getByRole("list", { name: "Open", exact: true }).getByRole("listitem");
  await open.first().waitFor();
  await expectSoon(() => open.first().textContent()).toContain(HOSTILE);
  const ended = page.locator(".incident-day .problem");
  await ended.first().waitFor();
  await expectSoon(() => ended.count()).toBe(1);
  await expectSoon(() => ended.textContent()).toContain("process is not running");
  await expectSoon(() => ended.textContent()).toContain("1 s");
  await expectSoon(() => ended.textContent()).toContain("Nobody was notified");
});

/** A service fails, and reports another error. @returns the ids of its first and its last error */
async function failingAgain(): Promise<{ id: number; eventid: number }> {
  const now = Math.floor(Date.now() / 1000);
  for (const collectedSec of [now - 2, now - 1])
    await muster.report({
      id: "web-1",
      hostname: "web-1",
      incarnation: now - 3 * HOUR,
      at: now,
      poll: HOUR,
      services: [{ name: "mail", status: 512, collectedSec }],
      event: { service: "mail", state: 1, id: 512, message: `gone at ${collectedSec}`, collectedSec },
    });
  const { json } = await (await muster.admin()).get("/api/1/incidents/list");
  return json.records.find(({ servicename }: { servicename: string }) => servicename === "mail");
}

async function isInView(locator: Locator): Promise<boolean> {
  const box = await locator.boundingBox();
  const height = page.viewportSize()?.height ?? 0;
  return box !== null && box.y >= 0 && box.y + box.height <= height;
}

/** A dialog opens, and Escape closes it. */
async function closes(name: string | RegExp): Promise<void> {
  const dialog = page.getByRole("dialog", { name });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
}

test("it is found, shown beside the list and acted on by keyboard alone", async () => {
  await page.keyboard.press("j");
  await page.keyboard.press("p");
  const peek = page.getByRole("complementary", { name: "Incident" });
  await peek.getByRole("link", { name: "backup" }).first().waitFor();
  // The text of the list keeps most of its width.
  const text = page.locator(".problem-what").first();
  const width = async (of: typeof text) => (await of.boundingBox())?.width ?? 0;
  const share = async () => (await width(text)) / (await width(page.locator(".problem").first()));
  await expectSoon(share).toBeGreaterThan(0.8);
  await page.keyboard.press("p");
  await peek.waitFor({ state: "detached" });
  await page.keyboard.press("p");
  await peek.getByRole("button", { name: "Close" }).click();
  await peek.waitFor({ state: "detached" });
  await expectSoon(() => isFocused(page.getByRole("button", { name: /^Peek: backup on web-1, .+:/ }))).toBe(
    true,
  );
  await page.keyboard.press("a");
  await closes("Acknowledge backup on web-1");
  await page.keyboard.press("m");
  await closes(/^Mute/);
});

test("the palette offers what the page can do first, and mutes a host that it finds", async () => {
  const options = page.locator(".palette-option");
  await page.keyboard.press("Control+k");
  await options.first().waitFor();
  await expectSoon(() => options.first().textContent()).toContain("Acknowledge: backup on web-1");
  await expectSoon(() => isFocused(page.getByRole("combobox", { name: /^Hosts, services/ }))).toBe(true);
  await page.keyboard.type("web-1");
  await options.filter({ hasText: "Mute web-1 for 1 hour" }).click();
  await page.getByText("web-1 muted").first().waitFor();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByText("web-1 muted").first().waitFor({ state: "detached" });
});

test("an acknowledged one is folded away with the note in words", async () => {
  await page.getByRole("button", { name: "Acknowledge: backup on web-1" }).click();
  await page.getByLabel("Note (optional)").fill("disk is on order");
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await page.getByText("Acknowledged (1)").click();
  await page.getByText("Acknowledged by admin: disk is on order").waitFor();
  await page.getByText("Nothing is failing, apart from what is acknowledged, muted or dismissed.").waitFor();
});

test("its page has the message first, takes notes, and is reached from each of its events", async () => {
  await page.getByRole("link", { name: HOSTILE }).click();
  await page.getByText("admin: disk is on order").waitFor();
  await page.getByLabel("New note").fill("arrives on Monday");
  await page.getByRole("button", { name: "Add note" }).click();
  await page.locator(".notes").getByText("arrives on Monday").waitFor();
  await page.goto("/events/2");
  await page.getByRole("link", { name: "Open incident" }).click();
  await page.getByRole("table", { name: "Events" }).getByText("process is running").waitFor();
  await settled(page);
  await expectSoon(() => page.evaluate(() => "wasRun" in window)).toBe(false);
});

test("what moved before it is listed: what an agent reported, with its event, and what a user did, in words", async () => {
  const admin = await muster.admin();
  await admin.post("/api/1/admin/groups/create", { name: "rack" });
  const now = Math.floor(Date.now() / 1000);
  const report = (event: { state: number; id: number; message: string }) =>
    muster.report({
      id: "web-1",
      hostname: "web-1",
      incarnation: now - 3 * HOUR,
      at: now,
      poll: HOUR,
      services: [{ name: "ssh", status: event.state === 1 ? 512 : 0, collectedSec: now }],
      event: { service: "ssh", collectedSec: now, ...event },
    });
  await report({ state: 2, id: 1, message: "configuration changed" });
  await report({ state: 1, id: 512, message: "ssh is not running" });
  await page.goto("/incidents");
  await page.getByRole("link", { name: "ssh is not running" }).click();
  const moved = page.getByRole("table", { name: "What moved first" });
  await moved.getByRole("link", { name: "configuration changed" }).first().waitFor();
  await expectSoon(() => moved.textContent()).toContain("Created group rack by admin");
});

test("who acknowledged it is no longer named once that is undone", async () => {
  await page.goto("/incidents");
  const ssh = page.locator(".problem", { hasText: "ssh is not running" });
  await ssh.getByRole("button", { name: "Acknowledge: ssh on web-1", exact: true }).click();
  await page.getByLabel("Note (optional)").fill("on it");
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await page.getByText("Acknowledged (1)").click();
  await ssh.getByText("Acknowledged by admin: on it").waitFor();
  await ssh.getByRole("button", { name: "Unacknowledge: ssh on web-1" }).click();
  await ssh.getByRole("button", { name: "Acknowledge: ssh on web-1", exact: true }).waitFor();
  await expectSoon(() => ssh.textContent()).not.toContain("Acknowledged by");
  await ssh.getByRole("link", { name: "ssh is not running" }).click();
  const fact = page.locator("dl.facts div").filter({ hasText: "Acknowledged" }).locator("dd");
  await expectSoon(() => fact.textContent()).toBe("Nobody");
});

test("more ended ones than a list holds are shown in lists, one after the other", async () => {
  const now = Math.floor(Date.now() / 1000);
  const services = Array.from({ length: 503 }, (_, i) => `job-${i}`);
  for (const state of [1, 0]) {
    const replies = services.map((service) =>
      muster.report({
        id: "many",
        hostname: "many",
        at: now,
        poll: HOUR,
        services: [{ name: service, status: state === 1 ? 512 : 0, collectedSec: now - state }],
        event: { service, state, id: 512, message: `${service}: ${state}`, collectedSec: now - state },
      }),
    );
    for (const { status } of await Promise.all(replies)) expect(status).toBe(200);
  }
  await page.goto("/incidents?hostid=2&shown=480");
  const ended = page.locator(".incident-day .problem");
  await expectSoon(() => ended.count()).toBe(480);
  const older = page.getByRole("button", { name: "Show older incidents" });
  const newer = page.getByRole("button", { name: "Show newer incidents" });
  await older.click();
  await expectSoon(() => ended.count()).toBe(500);
  await older.click();
  await expectSoon(() => ended.count()).toBe(3);
  await expectAbsent(older);
  await expectSoon(() => isInView(page.getByRole("heading", { name: "Ended" }))).toBe(true);
  await newer.click();
  await expectSoon(() => ended.count()).toBe(500);
  await expectAbsent(newer);
});

test("an address beyond the last one leads to the first page, and fractions in it are rounded down", async () => {
  const ended = page.locator(".incident-day .problem");
  await page.goto("/incidents?hostid=2&startindex=100000");
  await expectSoon(() => ended.count()).toBe(50);
  await expectSoon(() => new URL(page.url()).searchParams.has("startindex")).toBe(false);
  await page.goto("/incidents?hostid=2&shown=75.5&startindex=1.5");
  await expectSoon(() => ended.count()).toBe(75);
  await page.goto("/incidents?hostid=2&shown=many&startindex=-1");
  await expectSoon(() => ended.count()).toBe(50);
});

test("Back leads to the place in the list at which an incident was opened", async () => {
  await page.goto("/incidents?hostid=2");
  await page.locator(".incident-day .problem").first().waitFor();
  await settled(page);
  await page.evaluate(() => scrollTo(0, 900));
  const links = page.locator(".incident-day [data-opens]");
  const inView = await Promise.all((await links.all()).map(isInView));
  await links.nth(inView.indexOf(true)).click();
  await page.waitForURL(/\/incidents\/\d+$/);
  await settled(page);
  await page.goBack();
  await page.waitForURL(/hostid=2/);
  await settled(page);
  await expectSoon(() => page.evaluate(() => scrollY)).toBe(900);
});

test("the page of an error that a later one replaced offers to acknowledge the failure, as messages link to it", async () => {
  const { id, eventid } = await failingAgain();
  expect(eventid).toBeGreaterThan(id);
  await page.goto(`/events/${id}`);
  await page.getByRole("button", { name: "Acknowledge: mail on web-1" }).click();
  await page.getByRole("button", { name: "Acknowledge", exact: true }).click();
  await page.getByRole("button", { name: "Unacknowledge: mail on web-1" }).waitFor();
  await page.locator(".state-line").getByText("Acknowledged by admin").waitFor();
  const { json } = await (await muster.admin()).get("/api/1/incidents/get", { id });
  expect(json.acknowledged).toMatchObject({ uname: "admin", ended: 0 });
});
