/** Lists hold still: 800 hosts with names of 80 characters. Hosts that do not report are not green now. */
import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { DEMO_HOSTS, isUp } from "../../src/demo/demo-hosts.ts";
import { programXml } from "../support/agent-messages.ts";
import { makeHosts } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { heading, layoutShift } from "./browser.ts";
import { expectSoon, settled } from "./page-reads.ts";
import { choose, excessWidth, sharedBrowser, sharedDemo, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

/** A list of as many is higher than the tests scroll, and draws only a window of its rows. */
const HOSTS = 800;
const NAME_LENGTH = 80;
const MAX_LINES = 3;
const MAX_SHIFT = 0.02;

const browser = await sharedBrowser();

/** Left and right edges of the heads of the columns that are shown, and of the frame around them. */
function edges(page: Page) {
  return page.evaluate(() => {
    const box = (element: Element) => {
      const { left, right } = element.getBoundingClientRect();
      return [Math.round(left), Math.round(right)] as const;
    };
    const heads = [...document.querySelectorAll(".host-table thead th")];
    return {
      heads: heads.filter((head) => head.getBoundingClientRect().width > 0).map(box),
      frame: box(document.querySelector(".table-frame") ?? document.body),
    };
  });
}

/** The height of the highest row, in lines of text. */
function highestRow(page: Page): Promise<number> {
  return page.evaluate(() => {
    const rows = [...document.querySelectorAll(".host-table tr[data-row]")];
    const line = Number.parseFloat(getComputedStyle(document.body).lineHeight) || 21;
    const inner = (row: Element) => {
      const texts = [...row.querySelectorAll(".col-host > *")].filter(
        (element) => element.getClientRects().length > 0,
      );
      return texts.reduce((sum, text) => sum + text.getBoundingClientRect().height, 0);
    };
    return Math.max(...rows.map(inner)) / line;
  });
}

const many = await sharedMuster({
  fill: (data) =>
    makeHosts(data, Math.floor(Date.now() / 1000), HOSTS, (i) =>
      `host-${i}-`.padEnd(NAME_LENGTH, "abcdefghij"),
    ),
});
const { page: manyHosts, trouble } = await sharedPage(browser, many, "/hosts");
await manyHosts.locator(".host-row").first().waitFor();

describe("800 hosts with names of 80 characters", () => {
  test.each([1280, 390])("stay in the frame, in rows of at most three lines, at %i pixels", async (width) => {
    await manyHosts.setViewportSize({ width, height: 900 });
    await settled(manyHosts);
    const { heads, frame } = await edges(manyHosts);
    expect(heads.length).toBe(width > 1000 ? 8 : 2);
    for (const [left, right] of heads) {
      expect(left).toBeGreaterThanOrEqual(frame[0]);
      expect(right).toBeLessThanOrEqual(frame[1]);
    }
    await expectSoon(() => highestRow(manyHosts)).toBeLessThanOrEqual(MAX_LINES);
  });

  test.each([1280, 390])(
    "do not move a column while one scrolls through them, at %i pixels",
    async (width) => {
      await manyHosts.setViewportSize({ width, height: 900 });
      await manyHosts.reload();
      await manyHosts.locator(".host-row").first().waitFor();
      await settled(manyHosts);
      const before = await edges(manyHosts);
      for (let step = 1; step <= 60; step++) {
        await manyHosts.evaluate((to) => scrollTo(0, to), step * 700);
        await manyHosts.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
      }
      await expectSoon(() => edges(manyHosts)).toEqual(before);
      expect(await layoutShift(manyHosts)).toBeLessThan(MAX_SHIFT);
      expect(trouble).toEqual([]);
      await manyHosts.evaluate(() => scrollTo(0, 0));
    },
  );

  test("are all in the report that is printed", async () => {
    await manyHosts.setViewportSize({ width: 1280, height: 900 });
    await manyHosts.goto("/uptime");
    const rows = manyHosts.getByRole("table", { name: "Uptime of hosts" }).locator("tr[data-row]");
    await rows.first().waitFor();
    await expectSoon(() => rows.count()).toBeLessThan(HOSTS);
    await manyHosts.evaluate(() => {
      addEventListener("afterprint", ({ isTrusted }) => {
        if (isTrusted)
          document.body.dataset.printed = String(document.querySelectorAll("tr[data-row]").length);
      });
    });
    await manyHosts.getByRole("button", { name: "Print" }).click();
    await expectSoon(() => manyHosts.locator("body").getAttribute("data-printed")).toBe(String(HOSTS));
    await expectSoon(() => rows.count()).toBeLessThan(HOSTS);
    expect(trouble).toEqual([]);
  });
});

/** The elements that draw the past. */
const PAST = ".beats, .strip, .uptime-bar, .chart";

/** Texts and classes of all that is painted in one of the greens of the theme, in pictures of the past or outside them. */
async function greenThings(page: Page, within: string, where: "past" | "now" = "now"): Promise<string[]> {
  await settled(page);
  const options = { selector: within, past: PAST, isPast: where === "past" };
  return page.evaluate(({ selector, past, isPast }) => {
    const isGreen = (colour: string) => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
      return alpha > 0 && green > red + 24 && green > blue + 24;
    };
    return [...document.querySelectorAll(`${selector} *`)].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0 || (element.closest(past) !== null) !== isPast) return [];
      const { color, fill, stroke, backgroundColor } = getComputedStyle(element);
      const painted = element instanceof SVGElement ? [fill, stroke] : [color, backgroundColor];
      return painted.some(isGreen) ? [`${element.tagName} ${element.getAttribute("class")}`] : [];
    });
  }, options);
}

const SILENT = DEMO_HOSTS.findIndex((host) => !isUp(host, 60));
const demo = await sharedDemo([DEMO_HOSTS[0], DEMO_HOSTS[SILENT]].filter((host) => host !== undefined));
const { page } = await sharedPage(browser, demo);

describe("a host that does not report", () => {
  test("is green nowhere but in the past, which is known: in lists, on its page and on those of its services", async () => {
    const name = DEMO_HOSTS[SILENT]?.name ?? "";
    await page.goto("/hosts");
    await page.locator(".host-row.silent .beats rect").first().waitFor();
    await expectSoon(() => greenThings(page, ".host-row.silent")).toEqual([]);
    await expectSoon(() => greenThings(page, ".host-row.silent", "past")).not.toEqual([]);
    await page.goto("/hosts/2");
    await heading(page, name);
    await page.locator(".chart canvas").first().waitFor();
    await page.getByText("Unknown").first().waitFor({ state: "attached" });
    for (const selector of [".vitals", ".strip"])
      await expectSoon(() => greenThings(page, selector, "past")).not.toEqual([]);
    await expectSoon(() => greenThings(page, "main")).toEqual([]);
    await page.getByRole("table", { name: "Services by type" }).getByRole("link", { name: "sshd" }).click();
    await heading(page, "sshd");
    await page.getByText("Unknown").first().waitFor();
    await expectSoon(() => greenThings(page, "main")).toEqual([]);
  });

  test("nor on a public status page and in the uptime", async () => {
    const admin = await demo.admin();
    const { groups } = (await admin.get("/api/1/admin/groups/list")).json;
    const group = groups.find(({ hosts }: { hosts: number[] }) => hosts.includes(2));
    await admin.post("/api/1/admin/statuspages/create", {
      title: "Silent",
      hostgroup: group?.id,
      slug: "silent",
    });
    await page.goto("/s/silent");
    const silent = ".hosts > li:first-child";
    await page.locator(silent).getByText("Down, no report since").waitFor();
    await expectSoon(() => greenThings(page, silent)).toEqual([]);
    await expectSoon(() => greenThings(page, silent, "past")).not.toEqual([]);
    await page.goto("/uptime?range=5");
    await page.locator(".uptime-bar").first().waitFor();
    await expectSoon(() => greenThings(page, "tbody tr:first-child", "past")).not.toEqual([]);
  });
});

test("an incident of a host that is down is told in the words of its problem", async () => {
  await page.goto("/incidents");
  const row = page.locator(".problem").filter({ hasText: "Host down" }).first();
  const link = row.getByRole("link", { name: /^No report since .*\(network, host or Monit down\)$/ });
  await link.click();
  await page.getByRole("heading", { level: 1, name: "Host down" }).waitFor();
  await page.locator(".message", { hasText: /^No report since/ }).waitFor();
});

test("the note of an acknowledgement and a mute are told in words", async () => {
  const admin = await demo.admin();
  const { records } = (await admin.get("/api/1/reports/events/list", { hostid: 1, active: 2 })).json;
  const [problem] = records;
  await admin.post("/api/1/problems/acknowledge", { id: problem.id, note: "The provider is on it" });
  const mute = { filter: { hosts: [1] }, minutes: 60, note: "" };
  expect((await admin.post("/api/1/mutes/create", mute)).status).toBe(200);
  await page.goto("/");
  await page.locator(".problem").getByText("“The provider is on it”").waitFor();
  await page.goto("/uptime?range=5");
  await page
    .getByRole("row", { name: /web-1/ })
    .getByText(/^Muted by admin/)
    .waitFor();
  await page.goto("/fleet");
  await page.locator(".fleet-top li", { hasText: "web-1" }).getByText("muted", { exact: true }).waitFor();
});

test("what a program wrote stands on its page, and a long message has more", async () => {
  const message = `${"failed, as ".repeat(60)}the last words`;
  const service = {
    name: "backup",
    type: 7,
    status: 4_194_304,
    body: programXml({ output: "disk full\nno copy" }),
  };
  const event = { service: "backup", serviceType: 7, id: 4_194_304, message };
  const at = Math.floor(Date.now() / 1000);
  const report = { id: "long", hostname: "long", at, services: [service], event };
  expect((await demo.report(report)).status).toBe(200);
  await page.goto("/hosts/3");
  const row = page.locator(".problem");
  const height = async () => (await row.boundingBox())?.height ?? 0;
  const more = row.getByRole("button", { name: "more" });
  await more.waitFor();
  await settled(page);
  const before = await height();
  await more.click();
  await row.getByRole("button", { name: "less" }).waitFor();
  await expectSoon(height).toBeGreaterThan(before);
  await page
    .getByRole("table", { name: "Services by type" })
    .getByRole("link", { name: "backup", exact: true })
    .click();
  await page.locator(".program-output pre").getByText("no copy").waitFor();
});

test("hosts are found by the names of their services and groups", async () => {
  await page.goto("/hosts");
  await page.locator(".host-row").first().waitFor();
  const field = page.getByRole("searchbox", { name: "Search" });
  const shown = (name: string) =>
    expectSoon(() => page.locator(".host-row .host-name").allTextContents()).toEqual([name]);
  await field.fill("php-fpm");
  await shown("web-1.example.org");
  await field.fill(DEMO_HOSTS[SILENT]?.group ?? "");
  await shown(DEMO_HOSTS[SILENT]?.name ?? "");
});

test("the uptime of a group in a month of the calendar is a choice of two lists", async () => {
  await page.goto("/uptime");
  await choose(page.getByLabel("Group"), DEMO_HOSTS[0]?.group ?? "");
  await page.getByLabel("Calendar").selectOption({ label: "Last month" });
  const asked = (name: string) => new URL(page.url()).searchParams.get(name);
  await expectSoon(() => asked("range")).toBe("101");
  await expectSoon(() => page.locator("tbody th").allTextContents()).toEqual([
    expect.stringMatching(/^web-1\.example\.org/),
  ]);
  const csv = () => page.getByRole("link", { name: "CSV" }).getAttribute("href");
  await expectSoon(csv).toContain(`hostgroupid=${asked("group")}`);
  await expectSoon(csv).toContain("range=101");
});

test.each([
  [820, "/hosts"],
  [320, "/settings"],
  [320, "/hosts"],
])("at %i pixels nothing of %s is cut", async (width, path) => {
  await page.setViewportSize({ width, height: 800 });
  await page.goto(path);
  await page.locator("main h2, .host-row").first().waitFor();
  expect(await excessWidth(page)).toBe(0);
  const cut = await page
    .locator(".host-row .col-seen")
    .evaluateAll((cells) =>
      cells.filter((cell) => cell.scrollWidth > cell.clientWidth).map((cell) => cell.textContent),
    );
  expect(cut).toEqual([]);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("an older page of a list is shown from its first row", async () => {
  const count = 120;
  await manyHosts.setViewportSize({ width: 1280, height: 900 });
  await manyHosts.route(/\/admin\/rehearsals\/list/, (route) => {
    const first = Number(new URL(route.request().url()).searchParams.get("startindex"));
    const records = Array.from({ length: Math.min(50, count - first) }, (_, i) => ({
      id: count - first - i,
      of: `rehearsal-${first + i}`,
      ruleid: 1,
      date: 0,
      ended: 1,
      outcome: "",
      notified: 1,
      acknowledged: 1,
      asleep: [],
    }));
    return route.fulfill({ json: { totalRecords: count, records } });
  });
  await manyHosts.goto("/alerts/rehearsals");
  await manyHosts.getByRole("button", { name: "Older" }).click();
  const row = manyHosts.getByRole("row", { name: /rehearsal-50/ });
  await row.waitFor();
  await expectSoon(() => row.evaluate((element) => element.getBoundingClientRect().top)).toBeLessThan(100);
  await expectSoon(() => row.evaluate((element) => element.getBoundingClientRect().top)).toBeGreaterThan(0);
  expect(trouble).toEqual([]);
});
