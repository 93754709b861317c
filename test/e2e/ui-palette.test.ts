/** The palette, the other keys of every page, and the text search in events. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { accessibilityProblems, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: async (started) => {
    for (const [id, hostname, message] of [
      ["a", "web-1.example.org", "space usage 97% matches resource limit"],
      ["b", "db-1.example.org", "process is not running"],
    ] as const) {
      const services = [{ name: "nginx" }, { name: "data disk" }];
      const event = { service: "nginx", message };
      const reply = await started.report({ id, hostname, services, event, hostGroups: ["Oslo"] });
      expect(reply.status).toBe(200);
    }
  },
});
const { page } = await sharedPage(browser, muster);

const input = () => page.getByRole("combobox", { name: /Hosts, services/ });
const options = () => page.locator(".palette-option");
const chosen = () => page.locator(".palette-option[aria-selected=true]");

/** Opens the palette, types, waits for the entry, and opens it. Only by keyboard. */
async function goTo(text: string, entry: RegExp): Promise<void> {
  await page.keyboard.press("Control+k");
  await expectSoon(() => isFocused(input())).toBe(true);
  // The search waits until nobody types. What it finds moves the other entries.
  const found = page.waitForResponse((response) => {
    const { pathname, searchParams } = new URL(response.url());
    return pathname.endsWith("/status/search") && searchParams.get("text") === text;
  });
  await page.keyboard.type(text);
  await found;
  await settled(page);
  await options().filter({ hasText: entry }).first().waitFor();
  const names = await options().allTextContents();
  for (let i = names.findIndex((name) => entry.test(name)); i > 0; i--)
    await page.keyboard.press("ArrowDown");
  await chosen().filter({ hasText: entry }).waitFor();
  await page.keyboard.press("Enter");
}

test("a host, a service of a host, a group, a screen and an action are opened by keyboard alone", async () => {
  await goTo("db", /^db-1\.example\.org/);
  await heading(page, "db-1.example.org");
  await goTo("data web", /^data disk/);
  await page.getByRole("heading", { level: 1, name: "data disk" }).waitFor();
  await expectSoon(() => new URL(page.url()).pathname).toMatch(/^\/hosts\/1\/services\//);
  await goTo("oslo", /^Oslo/);
  await page.waitForURL("**/hosts?group=1");
  await goTo("set", /^Settings/);
  await heading(page, "Settings");
  await goTo("dark", /^Use dark/);
  await expectSoon(() => page.locator("html").getAttribute("data-theme")).toBe("dark");
});

test("a host whose name is a sign is found by it, without screens that have nothing to do with it", async () => {
  await muster.report({ id: "fire", hostname: "🔥", services: [{ name: "★ shop" }] });
  await page.goto("/events");
  await heading(page, "Events");
  await goTo("🔥", /^🔥/u);
  await heading(page, "🔥");
});

test("the list of hosts finds a host by a sign in the name of one of its services", async () => {
  await page.goto("/hosts?text=★");
  await page.locator(".filters-result").getByText("1 of 3 hosts").waitFor();
  await page.locator(".host-row", { hasText: "🔥" }).waitFor();
});

test("the arrow keys go round, Escape closes, and the focus returns", async () => {
  await page.goto("/hosts");
  await heading(page, "Hosts");
  const before = page.getByRole("button", { name: /^Find/ });
  await before.focus();
  await page.keyboard.press("Enter");
  await expectSoon(() => isFocused(input())).toBe(true);
  await settled(page);
  const names = await options().allTextContents();
  await expectSoon(() => chosen().textContent()).toBe(names[0] ?? "");
  await page.keyboard.press("ArrowUp");
  await expectSoon(() => chosen().textContent()).toBe(names.at(-1) ?? "");
  await page.keyboard.press("ArrowDown");
  await expectSoon(() => chosen().textContent()).toBe(names[0] ?? "");
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.type("no such thing");
  await page.getByText("Nothing found.").waitFor();
  await page.keyboard.press("Escape");
  await input().waitFor({ state: "detached" });
  await expectSoon(() => isFocused(before)).toBe(true);
});

test("/ goes to the filter and ? lists the keys, but not while somebody types", async () => {
  await page.goto("/hosts");
  await heading(page, "Hosts");
  const filter = page.getByLabel("Search", { exact: true });
  await filter.waitFor();
  await page.keyboard.press("/");
  await expectSoon(() => isFocused(filter)).toBe(true);
  await page.keyboard.type("a/?");
  await expectSoon(() => filter.inputValue()).toBe("a/?");
  await page.getByRole("heading", { level: 1 }).focus();
  await page.keyboard.press("?");
  const keys = page.getByRole("dialog", { name: "Keyboard shortcuts" });
  await keys.getByText("Focus the page's filter").waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await keys.waitFor({ state: "detached" });
});

test("J and K go through events by their texts, X selects one, and keys work on after a click on its checkbox", async () => {
  await page.goto("/events");
  const link = (text: string) => page.getByRole("link", { name: text, exact: true });
  const [newest, oldest] = [
    link("process is not running"),
    link("space usage 97% matches resource limit"),
  ] as const;
  await oldest.waitFor();
  await page.keyboard.press("j");
  await expectSoon(() => isFocused(newest)).toBe(true);
  await page.keyboard.press("j");
  await expectSoon(() => isFocused(oldest)).toBe(true);
  const checkbox = page.getByRole("checkbox", { name: /^Select: web-1/ });
  await page.keyboard.press("x");
  await expectSoon(() => checkbox.isChecked()).toBe(true);
  await checkbox.click();
  await expectSoon(() => isFocused(checkbox)).toBe(true);
  await page.keyboard.press("k");
  await expectSoon(() => isFocused(newest)).toBe(true);
  await checkbox.focus();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
  await page.keyboard.press("Escape");
});

test("events are found by words, which stand in the address", async () => {
  await page.goto("/events");
  await heading(page, "Events");
  await page.getByLabel("Search", { exact: true }).waitFor();
  await page.keyboard.press("/");
  await expectSoon(() => isFocused(page.getByLabel("Search", { exact: true }))).toBe(true);
  await page.keyboard.type("web usage 97");
  await page.waitForURL("**/events?text=web+usage+97");
  await page.getByText("1 event", { exact: true }).waitFor();
  await page.reload();
  await expectSoon(() => page.getByLabel("Search", { exact: true }).inputValue()).toBe("web usage 97");
  await page.getByText("1 event", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Clear filter" }).click();
  await page.getByText("2 events", { exact: true }).waitFor();
  await expectSoon(() => page.getByLabel("Search", { exact: true }).inputValue()).toBe("");
});

test("a host's name and Enter open the host before the search has answered, and beside actions of the page that contain its name", async () => {
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/incidents/list", { state: "open", hostid: 2 })).json;
  const problem = { id: records[0].eventid };
  expect((await admin.post("/api/1/problems/acknowledge", problem)).status).toBe(200);
  await page.goto("/");
  await page.getByRole("button", { name: "Unacknowledge: nginx on db-1.example.org" }).waitFor();
  await page.keyboard.press("Control+k");
  await expectSoon(() => isFocused(input())).toBe(true);
  await expectAbsent(options().filter({ hasText: "Unacknowledge" }));
  // Faster than the search, which answers once Enter was pressed.
  const held = Promise.withResolvers<void>();
  await page.route("**/status/search?*", async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.keyboard.type("db-1");
  await page.keyboard.press("Enter");
  held.resolve();
  await heading(page, "db-1.example.org");
  await page.unroute("**/status/search?*");
  await page.getByRole("button", { name: "Unacknowledge: nginx on db-1.example.org" }).first().waitFor();
  await page.goto("/");
  await page.getByRole("button", { name: "Acknowledge: nginx on web-1.example.org", exact: true }).waitFor();
  await page.keyboard.press("Control+k");
  await expectSoon(() => isFocused(input())).toBe(true);
  await page.keyboard.type("web-1");
  await options().filter({ hasText: "Acknowledge: nginx on web-1" }).waitFor();
  await page.keyboard.press("Enter");
  await heading(page, "web-1.example.org");
});
