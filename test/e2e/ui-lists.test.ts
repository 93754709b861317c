/** Lists hold still: 2,000 hosts with names of 80 characters, and what does not report shows nothing green. */
import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { makeHosts } from "../support/demo-fleet.ts";
import { DEMO_HOSTS } from "../support/demo-hosts.ts";
import { needing } from "../support/programs.ts";
import { heading, layoutShift } from "./browser.ts";
import { sharedBrowser, sharedDemo, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

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
        (one) => one.getClientRects().length > 0,
      );
      return texts.reduce((sum, one) => sum + one.getBoundingClientRect().height, 0);
    };
    return Math.max(...rows.map(inner)) / line;
  });
}

const many = await sharedMuster({
  fill: (data) =>
    makeHosts(data, Math.floor(Date.now() / 1000), 2000, (i) =>
      `host-${i}-`.padEnd(NAME_LENGTH, "abcdefghij"),
    ),
});
const { page: manyHosts, trouble } = await sharedPage(browser, many, "/hosts");
await manyHosts.locator(".host-row").first().waitFor();

describe("2,000 hosts with names of 80 characters", () => {
  test.each([1280, 390])("stay in the frame, in rows of at most three lines, at %i pixels", async (width) => {
    await manyHosts.setViewportSize({ width, height: 900 });
    const { heads, frame } = await edges(manyHosts);
    expect(heads.length).toBe(width > 1000 ? 8 : 2);
    for (const [left, right] of heads) {
      expect(left).toBeGreaterThanOrEqual(frame[0]);
      expect(right).toBeLessThanOrEqual(frame[1]);
    }
    expect(await highestRow(manyHosts)).toBeLessThanOrEqual(MAX_LINES);
  });

  test.each([1280, 390])(
    "do not move a column while one scrolls through them, at %i pixels",
    async (width) => {
      await manyHosts.setViewportSize({ width, height: 900 });
      await manyHosts.reload();
      await manyHosts.locator(".host-row").first().waitFor();
      const before = await edges(manyHosts);
      for (let step = 1; step <= 60; step++) {
        await manyHosts.evaluate((to) => scrollTo(0, to), step * 700);
        await manyHosts.evaluate(
          () => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))),
        );
      }
      expect(await edges(manyHosts)).toEqual(before);
      expect(await layoutShift(manyHosts)).toBeLessThan(MAX_SHIFT);
      expect(trouble).toEqual([]);
      await manyHosts.evaluate(() => scrollTo(0, 0));
    },
  );
});

/** Texts and classes of all that is painted in one of the greens of the theme. */
function greenThings(page: Page, within: string): Promise<string[]> {
  return page.evaluate((selector) => {
    const isGreen = (colour: string) => {
      const [red = 0, green = 0, blue = 0, alpha = 1] = (colour.match(/[\d.]+/g) ?? []).map(Number);
      return alpha > 0 && green > red + 24 && green > blue + 24;
    };
    return [...document.querySelectorAll(`${selector} *`)].flatMap((element) => {
      const { width, height } = element.getBoundingClientRect();
      if (width === 0 || height === 0) return [];
      const { color, fill, stroke, backgroundColor } = getComputedStyle(element);
      const painted = element instanceof SVGElement ? [fill, stroke] : [color, backgroundColor];
      return painted.some(isGreen) ? [`${element.tagName} ${element.getAttribute("class")}`] : [];
    });
  }, within);
}

const SILENT = DEMO_HOSTS.findIndex(({ isUp }) => isUp?.(60) === false);
const demo = await sharedDemo([DEMO_HOSTS[0], DEMO_HOSTS[SILENT]].filter((host) => host !== undefined));
const { page } = await sharedPage(browser, demo);

describe("a host that does not report", () => {
  test("shows nothing green in the list of hosts, on its page and on those of its services", async () => {
    const name = DEMO_HOSTS[SILENT]?.name ?? "";
    await page.goto("/hosts");
    await page.locator(".host-row.silent .beats rect").first().waitFor();
    expect(await greenThings(page, ".host-row.silent")).toEqual([]);
    expect(await greenThings(page, ".host-row:not(.silent)")).not.toEqual([]);
    await page.goto("/hosts/2");
    await heading(page, name);
    await page.locator(".chart canvas").first().waitFor();
    await page.getByText("Unknown").first().waitFor({ state: "attached" });
    expect(await greenThings(page, "main")).toEqual([]);
    await page.getByRole("table", { name: "Services by type" }).getByRole("link", { name: "sshd" }).click();
    await heading(page, "sshd");
    await page.getByText("Unknown").first().waitFor();
    expect(await greenThings(page, "main")).toEqual([]);
  });

  test("nor on a public status page", async () => {
    const admin = await demo.admin();
    const { groups } = (await admin.get("/api/1/admin/groups/list")).json;
    const group = groups.find(({ hosts }: { hosts: number[] }) => hosts.includes(2));
    await admin.post("/api/1/admin/statuspages/create", {
      title: "Silent",
      groupid: group?.id,
      slug: "silent",
    });
    await page.goto("/s/silent");
    await page.locator(".silent .beats rect").first().waitFor();
    expect(await greenThings(page, ".silent")).toEqual([]);
  });
});
