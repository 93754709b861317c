import { describe, expect } from "bun:test";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";
import { needing } from "../support/programs.ts";
import { heading, layoutShift, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectHidden, expectSoon, isFocused } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  excessWidth,
  forgive,
  problemsEverywhere,
  sharedBrowser,
  sharedDemo,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const open = await sharedPage(browser, muster, "/", { serviceWorkers: "allow" });

const table = (page: Page, name: string) => page.getByRole("table", { name, exact: true });
const section = (page: Page, name: string) => page.getByRole("heading", { level: 2, name, exact: true });

/** Cumulative layout shift that people begin to notice, with a margin of half. */
const MAX_SHIFT = 0.02;

/** Every screen, and what shows that it does its main job. */
const SCREENS: readonly (readonly [path: string, shows: (page: Page) => Promise<unknown>])[] = [
  [
    "/",
    (page) =>
      page
        .getByRole("list", { name: "Active problems" })
        .getByRole("link", { name: /Connection timed out/ })
        .waitFor(),
  ],
  ["/hosts", (page) => table(page, "Hosts").getByRole("link", { name: "db-1.example.org" }).waitFor()],
  ["/hosts/1", (page) => page.locator(".chart canvas").nth(4).waitFor()],
  ["/hosts/change", (page) => page.getByRole("button", { name: /^Delete 5 hosts/ }).waitFor()],
  ["/hosts/expected", (page) => page.getByText(/^No expected hosts/).waitFor()],
  ["/hosts/deleted", (page) => page.getByText("No deleted hosts.").waitFor()],
  ["/hosts/1/settings", (page) => page.getByRole("button", { name: /Save/ }).waitFor()],
  ["/hosts/1/services/1", (page) => page.locator(".chart canvas").first().waitFor()],
  ["/incidents", (page) => page.getByRole("list", { name: "Open" }).getByRole("listitem").first().waitFor()],
  ["/incidents/8", (page) => page.getByRole("heading", { name: "Notifications" }).waitFor()],
  [
    "/events",
    (page) => table(page, "Events").getByRole("link", { name: "process is not running" }).first().waitFor(),
  ],
  ["/events/1", (page) => page.getByRole("button", { name: "Add note" }).waitFor()],
  [
    "/uptime",
    (page) => table(page, "Uptime of hosts").getByRole("link", { name: "mail.example.org" }).waitFor(),
  ],
  ["/uptime/1", (page) => table(page, "Uptime of services").getByRole("link", { name: "nginx" }).waitFor()],
  [
    "/fleet?number=disk&compare=h1.h2",
    async (page) => {
      await page.getByRole("list", { name: "Disk space used" }).getByRole("link").first().waitFor();
      await page.locator(".chart canvas").first().waitFor();
    },
  ],
  ["/groups", (page) => page.getByText("Oslo").first().waitFor()],
  ["/users", (page) => table(page, "Users").getByRole("link", { name: "user" }).waitFor()],
  ["/users/edit?uname=user", (page) => page.getByLabel("Full name").waitFor()],
  ["/alerts", (page) => table(page, "Rules, in order").getByRole("link", { name: "Oslo" }).waitFor()],
  ["/alerts/rules/edit", (page) => page.getByRole("button", { name: "Create rule" }).waitFor()],
  ["/alerts/rules/edit?id=1", (page) => page.getByRole("button", { name: "Save rule" }).waitFor()],
  ["/alerts/channels", (page) => table(page, "Channels").getByRole("rowheader", { name: "Hook" }).waitFor()],
  [
    "/alerts/maintenance",
    (page) =>
      table(page, "Maintenance")
        .getByRole("rowheader", { name: /Patching/ })
        .waitFor(),
  ],
  [
    "/limits",
    (page) => table(page, "Suggested limits").getByRole("button", { name: "Add CPU busy" }).waitFor(),
  ],
  ["/limits/edit", (page) => page.getByRole("button", { name: "Create limit" }).waitFor()],
  ["/alerts/rehearsals", (page) => page.getByText("Nothing has been rehearsed yet").waitFor()],
  ["/alerts/deliveries", (page) => page.getByLabel("State").waitFor()],
  ["/status-pages", (page) => table(page, "Status pages").getByRole("link", { name: "Oslo" }).waitFor()],
  ["/s/oslo", (page) => page.getByRole("heading", { level: 1, name: "Oslo" }).waitFor()],
  ["/keys", (page) => page.getByText("No keys yet").waitFor()],
  ["/account", (page) => table(page, "Your sessions").getByText("this session").waitFor()],
  ["/settings", (page) => section(page, "Connect a host").waitFor()],
  ["/settings/backups", (page) => section(page, "Plan").waitFor()],
  [
    "/audit",
    (page) =>
      table(page, "Audit log")
        .getByRole("rowheader", { name: /^Signed in/ })
        .first()
        .waitFor(),
  ],
  ["/health", (page) => section(page, "Findings").waitFor()],
  ["/about", (page) => page.getByRole("link", { name: "API reference" }).waitFor()],
  ["/no/such/page", (page) => page.getByRole("heading", { level: 1 }).waitFor()],
];

describe("each screen works, wide and narrow, light and dark, for everyone, and holds still while it loads", () => {
  test.each(SCREENS.map(([path, shows]) => ({ path, shows })))("$path", async ({ path, shows }) => {
    const { page, trouble } = open;
    await page.setViewportSize({ width: 1920, height: 1080 });
    await page.goto(path);
    await shows(page);
    expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goto(path);
    await shows(page);
    expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
    expect(trouble).toEqual([]);
  });

  test("signing in", async () => {
    await using fresh = await openPage(browser, muster);
    await fresh.page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await problemsEverywhere(fresh.page)).toEqual([]);
  });

  test("a dialog, from which the focus goes back to where it came from", async () => {
    const { page, trouble } = open;
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.goto("/hosts/1");
    const button = page.getByRole("button", { name: "Delete" });
    await button.click();
    await page.getByRole("dialog", { name: "Delete web-1.example.org?" }).waitFor();
    expect(await accessibilityProblems(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await expectSoon(() => isFocused(button)).toBe(true);
    expect(trouble).toEqual([]);
  });
});

test("everything stays within the page when it is zoomed to 200 percent", async () => {
  const { page } = open;
  // A browser zooms a window of 1280 pixels by laying it out as one of 640 that has twice the pixels.
  await page.setViewportSize({ width: 640, height: 450 });
  const tooWide: string[] = [];
  for (const path of ["/", "/hosts", "/hosts/1", "/events", "/uptime", "/settings"]) {
    await page.goto(path);
    await page.locator("main h1").waitFor();
    if ((await excessWidth(page)) > 0) tooWide.push(path);
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  expect(tooWide).toEqual([]);
});

describe("tables", () => {
  test("say how they are sorted, and sort by the button in their head", async () => {
    const { page } = open;
    await page.goto("/hosts");
    const head = page.getByRole("columnheader", { name: "Memory" });
    await head.waitFor();
    await expectSoon(() => head.getAttribute("aria-sort")).toBe("none");
    await head.getByRole("button").click();
    await expectSoon(() => head.getAttribute("aria-sort")).toBe("descending");
    await expectSoon(() => new URL(page.url()).searchParams.get("sort")).toBe("mem");
    const first = table(page, "Hosts").getByRole("rowheader").first();
    await expectSoon(() => first.textContent()).toContain("db-1.example.org");
  });

  test("filter as one types, and tell how many are left", async () => {
    const { page } = open;
    await page.goto("/hosts");
    await page.getByLabel("Search").pressSequentially("web");
    await page.locator(".filters-result").getByText("2 of 5 hosts").waitFor();
    await announced(page, "2 of 5 hosts shown");
  });

  test("leave what they announced in the page when something else is announced after it", async () => {
    const { page } = open;
    const summary = /\/status\/hosts\/summary/;
    const held = Promise.withResolvers<void>();
    await page.route(summary, async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto("/hosts");
    await page.getByLabel("Search").pressSequentially("web");
    await announced(page, "2 of 5 hosts shown");
    held.resolve();
    await announced(page, "degraded");
    await announced(page, "2 of 5 hosts shown");
    await page.unroute(summary);
  });
});

test("the uptime of a time that has not come is a dash", async () => {
  const { page } = open;
  const tomorrow = Math.floor(Date.now() / 1000) + 86_400;
  await page.goto(`/uptime?range=12&datefrom=${tomorrow}&dateto=${tomorrow + 3600}`);
  const row = table(page, "Uptime of hosts").getByRole("row").nth(1);
  await row.waitFor();
  await expectSoon(() => row.getByRole("cell").nth(0).textContent()).toBe("–");
  await expectSoon(() => page.locator(".headline strong").textContent()).toBe("–");
  await page.goto("/uptime?range=5");
  await page.locator(".headline strong").getByText("%").waitFor();
});

test("numbers and times are those of the browser's language, in reports in the report time zone", async () => {
  await using german = await openPage(browser, muster, "/", { locale: "de-DE", timezoneId: "Asia/Tokyo" });
  const { page } = german;
  await signIn(page);
  await heading(page, "Overview");
  await page.goto("/hosts/1");
  await page.locator(".vital-value", { hasText: /^\d+,\d+$/ }).waitFor();
  await page.goto("/uptime?range=12&datefrom=1767225600&dateto=1767232800");
  const span = page.locator(".headline").getByText("(UTC)");
  await expectSoon(() => span.textContent()).toBe("1. Jan. 2026, 00:00 to 02:00 (UTC)");
});

test("the uptime report prints without what belongs to the screen", async () => {
  const { page } = open;
  await page.goto("/uptime");
  await table(page, "Uptime of hosts").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expectHidden(page.getByRole("navigation", { name: "Pages" }));
  await expectHidden(page.getByRole("button", { name: "Print" }));
  await table(page, "Uptime of hosts").waitFor();
  const background = () => page.evaluate(() => getComputedStyle(document.documentElement).backgroundColor);
  await expectSoon(background).toBe("rgb(255, 255, 255)");
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
});

test("a user who is not an administrator is offered nothing that they may not do", async () => {
  await using fresh = await openPage(browser, muster, "/hosts/1");
  const { page, trouble } = fresh;
  await page.getByLabel("User name").fill("user");
  await page.getByLabel("Password").fill("user secret");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { level: 1, name: "web-1.example.org" }).waitFor();
  for (const name of ["Delete", "Stop", "Select all services"])
    await expectAbsent(page.getByRole("button", { name }));
  for (const name of ["Users", "Audit log", "Settings"]) await expectAbsent(page.getByRole("link", { name }));
  expect(trouble).toEqual([]);
});

test("the licence of the typeface is read from the page about Muster", async () => {
  // Beside a text, the browser asks for an icon that is not there.
  await using fresh = await signedInPage(browser, muster, "/about");
  const { page } = fresh;
  const packaged = join(import.meta.dir, "../../node_modules/@fontsource-variable/geist/LICENSE");
  await page.getByRole("link", { name: "Licence of the typeface" }).click();
  await page.getByText("SIL OPEN FONT LICENSE Version 1.1").waitFor();
  const reply = await page.request.get(page.url());
  expect(reply.headers()["content-type"]).toStartWith("text/plain");
  // An update of the typeface may come with another text.
  expect(await reply.text()).toBe(readFileSync(packaged, "utf8"));
});

/** Fonts with which the browser set the heading of the page, and whether the page declared them. */
async function fontsOfHeading(page: Page): Promise<(readonly [family: string, declared: boolean])[]> {
  await page.evaluate(() => document.fonts.load("16px Geist"));
  const client = await page.context().newCDPSession(page);
  await client.send("DOM.enable");
  await client.send("CSS.enable");
  const { root } = await client.send("DOM.getDocument");
  const { nodeId } = await client.send("DOM.querySelector", { nodeId: root.nodeId, selector: "h1" });
  const { fonts } = await client.send("CSS.getPlatformFontsForNode", { nodeId });
  await client.detach();
  return fonts.map(({ familyName, isCustomFont }) => [familyName, isCustomFont]);
}

test.each(["/s/oslo", "/acknowledge/none", "/api"])(
  "%s, outside the UI, is set in its typeface, of which the browser keeps one copy",
  async (path) => {
    await using fresh = await openPage(browser, muster, path);
    const { page, trouble } = fresh;
    expect(await fontsOfHeading(page)).toEqual([["Geist", true]]);
    expect(await layoutShift(page)).toBeLessThan(MAX_SHIFT);
    const used = await page.evaluate(() =>
      performance.getEntriesByType("resource").flatMap(({ name }) => (name.endsWith(".woff2") ? [name] : [])),
    );
    const [file = ""] = used;
    expect(new Set(used).size).toBe(1);
    const reply = await page.request.get(file);
    expect(reply.headers()["cache-control"]).toBe("public, max-age=31536000, immutable");
    await page.goto("/");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(await fontsOfHeading(page)).toEqual([["Geist", true]]);
    const again = await page.evaluate(
      (name) =>
        performance.getEntriesByName(name).map((entry) => (entry as PerformanceResourceTiming).transferSize),
      file,
    );
    expect(again.every((size) => size === 0)).toBe(true);
    forgive(trouble, /status of 404/);
    expect(trouble).toEqual([]);
  },
);

test("where the system forces its colours, the current page and pressed buttons still differ from others", async () => {
  await using forced = await signedInPage(browser, muster, "/uptime", { forcedColors: "active" });
  const underlined = () =>
    forced.page.evaluate(() =>
      [...document.querySelectorAll("nav a, .choices button")]
        .filter((each) => getComputedStyle(each).textDecorationLine === "underline")
        .map((each) => each.textContent?.trim()),
    );
  await forced.page.getByRole("button", { name: "Today" }).waitFor();
  await expectSoon(underlined).toEqual(["Uptime", "Today"]);
});

test("text is set in the typeface that Muster serves, whose files have at most 60 kB", async () => {
  const { page } = open;
  await page.goto("/hosts");
  await table(page, "Hosts").waitFor();
  const files = await page.evaluate(async () => {
    await document.fonts.load("16px Geist", "Ågå Łódź");
    return performance
      .getEntriesByType("resource")
      .filter(({ name }) => name.endsWith(".woff2"))
      .map((entry) => (entry as PerformanceResourceTiming).encodedBodySize || entry.name);
  });
  expect(await fontsOfHeading(page)).toEqual([["Geist", true]]);
  expect(files).toHaveLength(2);
  const stored = readdirSync(join(import.meta.dir, "../../dist/web")).filter((name) =>
    name.endsWith(".woff2"),
  );
  const sizes = stored.map((name) => statSync(join(import.meta.dir, "../../dist/web", name)).size);
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(60_000);
});

test("the first load is at most 60 kB, compressed, besides the typeface", () => {
  const folder = join(import.meta.dir, "../../dist/web");
  const page = readFileSync(join(folder, "index.html"), "utf8");
  const names = [...page.matchAll(/(?:src|href)="\/([^"]+)"/g)].map((match) => match[1] ?? "");
  expect(names.filter((name) => name.endsWith(".js"))).toHaveLength(1);
  const sizes = ["index.html", ...names.filter((name) => !name.endsWith(".woff2"))].map(
    (name) => [name, gzipSync(readFileSync(join(folder, name))).length] as const,
  );
  const total = sizes.reduce((sum, [, size]) => sum + size, 0);
  console.log(`first load: ${total} bytes`);
  expect(total).toBeLessThanOrEqual(60_000);
});
