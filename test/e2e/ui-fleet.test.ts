/** The fleet by a metric, saved as a view, and on a wall: one story, in this order. */
import { describe, expect } from "bun:test";
import { filesystemXml, systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { eventually, type Muster } from "./support.ts";
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

const DISKS = [40, 42, 41, 39, 43, 97];

/** Hosts of one group, of which the last has a fuller disk than the others. */
async function reportHosts(to: Muster): Promise<void> {
  for (const [i, percent] of DISKS.entries()) {
    const hostname = `web-${i}`;
    const services = [
      { name: hostname, type: 5, body: systemXml({ user: 10 * i, load: 6 - i }) },
      { name: "data", type: 0, body: filesystemXml({ percent }) },
    ];
    const at = Math.floor(Date.now() / 1000);
    const message = { id: hostname, hostname, at, services, hostGroups: ["web"] };
    expect((await to.report(message)).status).toBe(200);
  }
}

const browser = await sharedBrowser();
const muster = await sharedMuster({ prepare: reportHosts });
const { page, trouble } = await sharedPage(browser, muster);

const top = (name: string) => page.getByRole("list", { name, exact: true }).getByRole("listitem");
const hosts = (of: ReturnType<typeof top>) => of.locator(".fleet-host > a:first-child").allTextContents();

test("hosts are ranked by the chosen number, which is in the address", async () => {
  await page.goto("/");
  await page.getByRole("link", { name: "Fleet", exact: true }).click();
  await top("CPU usage").first().waitFor();
  await expectSoon(async () => (await hosts(top("CPU usage")))[0]).toBe("web-5");
  await page.getByLabel("Metric").selectOption({ label: "Load average (1 min)" });
  await top("Load average (1 min)").first().waitFor();
  const ranked = DISKS.map((_, i) => `web-${i}`);
  await expectSoon(() => hosts(top("Load average (1 min)"))).toEqual(ranked);
  await page.getByLabel("Order").selectOption({ label: "Lowest first" });
  await expectSoon(() => hosts(top("Load average (1 min)"))).toEqual(ranked.toReversed());
  await expectSoon(() => new URL(page.url()).search).toBe("?number=load&order=asc");
});

test("the odd host out is named with the median of its group", async () => {
  await page.goto("/fleet?number=disk");
  const row = page.getByRole("table", { name: "Outliers" }).getByRole("row").nth(1);
  await expectSoon(() => row.textContent()).toContain("web-597.0 %41.5 % in web+");
  await page.getByRole("img", { name: "6 hosts from 0 % to 100 %, median 41.5 %" }).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("the median stands at its value, on a wide and on a narrow window", async () => {
  const text = page.getByText("Median 41.5 %", { exact: true });
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 800 });
    await settled(page);
    const [chart, label] = [
      await page.locator(".fleet-distribution svg").boundingBox(),
      await text.boundingBox(),
    ];
    if (!chart || !label) throw new Error("nothing is drawn");
    const value = chart.x + 0.415 * chart.width;
    expect(label.x).toBeLessThan(value);
    expect(label.x + label.width).toBeGreaterThan(value);
    expect(label.y + label.height).toBeLessThanOrEqual(chart.y);
    expect(await excessWidth(page)).toBe(0);
  }
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("a comparison that cannot be drawn says so, and does not load the page again and again", async () => {
  await page.route("**/plot-*.js", (route) => route.abort());
  await page.goto("/fleet?compare=h1");
  await page.getByText("The charts could not be loaded. The numbers are below.").waitFor();
  await page.unroute("**/plot-*.js");
  forgive(trouble, /ERR_FAILED/);
  await page.getByRole("button", { name: "Reload the page" }).click();
  await page.locator(".chart canvas").first().waitFor();
});

test("what loads after the page was shown neither hides it nor takes the focus", async () => {
  await page.goto("/fleet");
  await top("CPU usage").first().waitFor();
  const held = Promise.withResolvers<void>();
  await page.route("**/api/1/reports/history/compare?**", async (route) => {
    await held.promise;
    await route.continue();
  });
  const box = page.getByLabel("Compare web-3");
  await box.press("Space");
  await page.locator("main").getByText("Loading…").waitFor();
  await expectSoon(() => isFocused(box)).toBe(true);
  await top("CPU usage").first().waitFor();
  held.resolve();
  await page.locator("main").getByText("Loading…").waitFor({ state: "detached" });
  await page.unroute("**/api/1/reports/history/compare?**");
});

test("chosen hosts are drawn in one chart that has an address", async () => {
  await page.goto("/fleet?number=disk");
  for (const name of ["web-5", "web-0"]) await page.getByLabel(`Compare ${name}`).check();
  await page.locator(".chart canvas").first().waitFor();
  await expectSoon(() => new URL(page.url()).searchParams.get("compare")).toBe("h6.h1");
  await page.reload();
  const legend = page.getByRole("figure", { name: "Disk space used" });
  for (const name of [/data on web-5/, /data on web-0/])
    await legend.getByRole("listitem").filter({ hasText: name }).first().waitFor();
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await excessWidth(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("more than three hosts have a chart each, the fullest first, on one scale", async () => {
  await page.goto("/fleet?number=load&compare=h1.h2.h3.h4.h6");
  const charts = page.getByRole("figure");
  await charts.nth(4).locator("canvas").waitFor();
  await expectSoon(() => charts.getByRole("heading").allTextContents()).toEqual([
    "web-0",
    "web-1",
    "web-2",
    "web-3",
    "web-5",
  ]);
});

test("the list of hosts is sorted by disk and by load", async () => {
  const first = () => page.locator(".host-row .host-name").first().textContent();
  await page.goto("/hosts");
  await page.locator(".host-row").first().waitFor();
  await page.getByRole("button", { name: "Disk" }).click();
  await expectSoon(first).toBe("web-5");
  await page.getByRole("button", { name: "Load" }).click();
  await expectSoon(first).toBe("web-0");
});

describe("a saved view", () => {
  const dialog = (name: string) => page.getByRole("dialog", { name });
  let link = "";

  test("has a name and an address, and brings back what was shown", async () => {
    await page.goto("/fleet?number=disk&order=asc&compare=h1");
    await page.getByRole("button", { name: "Save this view" }).click();
    await dialog("Save this view").getByLabel("Name").fill("Emptiest disks");
    await dialog("Save this view").getByRole("button", { name: "Save" }).click();
    await page
      .getByRole("list", { name: "Saved views" })
      .getByRole("link", { name: "Emptiest disks" })
      .waitFor();
    await page.goto("/fleet");
    await page.getByRole("link", { name: "Emptiest disks" }).click();
    await top("Disk space used").first().waitFor();
    await expectSoon(() => new URL(page.url()).search).toBe("?number=disk&order=asc&count=20&compare=h1");
  });

  test("is renamed, and has its new name after a reload", async () => {
    await page.getByRole("button", { name: "Rename Emptiest disks" }).click();
    const form = dialog("Rename Emptiest disks");
    await form.getByLabel("Name").fill("Most space");
    await form.getByRole("button", { name: "Rename" }).click();
    await page.getByRole("link", { name: "Most space" }).waitFor();
    await page.reload();
    const link = page.getByRole("link", { name: "Most space" });
    await expectSoon(() => link.getAttribute("href")).toBe(
      "/fleet?number=disk&order=asc&count=20&compare=h1",
    );
    await expectAbsent(page.getByRole("link", { name: "Emptiest disks" }));
  });

  test("is shown on a wall without a user, by a link that leaves nothing in the address", async () => {
    await page.getByRole("button", { name: "Wall Most space" }).click();
    const form = dialog("Show Most space on a wall display");
    await form.getByLabel("Where the display is").fill("Lobby");
    await form.getByRole("button", { name: "Create link" }).click();
    const address = form.getByRole("textbox", { name: "the link of the wall" });
    await expectSoon(() => address.inputValue()).toMatch(/\/fleet\?kiosk#mustwall_\S{43}$/);
    link = await address.inputValue();
    await page.keyboard.press("Escape");
    await form.getByRole("button", { name: "Done" }).click();
  });

  test("has further rankings on the wall, which are chosen in its dialog", async () => {
    await page.getByRole("button", { name: "Wall Most space" }).click();
    const form = dialog("Show Most space on a wall display");
    for (const name of ["CPU usage", "Memory usage"]) {
      const saved = page.waitForResponse("**/api/1/views/update");
      await form.getByRole("checkbox", { name, exact: true }).check();
      expect((await saved).status()).toBe(200);
    }
    await announced(page, "Rankings saved");
    expect(await problemsEverywhere(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await using open = await openPage(browser, muster, "about:blank");
    const { page: wall } = open;
    await wall.goto(link);
    for (const name of ["Disk space used", "CPU usage", "Memory usage"])
      await wall.getByRole("list", { name, exact: true }).getByText("web-3").waitFor();
    expect(await problemsEverywhere(wall)).toEqual([]);
  });

  test("is read again and again on the wall without growing, survives a reload, and ends when it is revoked", async () => {
    await using open = await openPage(browser, muster, "about:blank");
    const { page: wall } = open;
    await wall.clock.install();
    await wall.goto(link);
    await wall.getByRole("heading", { name: "Most space" }).waitFor();
    await wall.getByText("web-3").first().waitFor();
    await expectSoon(() => wall.url()).toBe(`${muster.url}/fleet?kiosk`);
    expect(await accessibilityProblems(wall)).toEqual([]);
    const nodes = () => wall.evaluate(() => document.getElementsByTagName("*").length);
    const before = await nodes();
    const readings: string[] = [];
    wall.on("response", (response) => readings.push(new URL(response.url()).pathname));
    for (let i = 0; i < 20; i++) {
      const seen = readings.length;
      await wall.clock.runFor(30_000);
      await eventually("it reads again", () => readings.length > seen);
    }
    expect([...new Set(readings)]).toEqual(["/api/1/wall/show"]);
    await expectSoon(nodes).toBe(before);
    await wall.reload();
    await wall.getByText("web-3").first().waitFor();
    await page.getByRole("button", { name: "Wall Most space" }).click();
    await page.route("**/api/1/views/tokens/delete", (route) => route.abort());
    const revoke = page.getByRole("button", { name: "Revoke Lobby" });
    await revoke.click();
    await page.getByRole("dialog").getByText("The service cannot be reached").waitFor();
    await page.unroute("**/api/1/views/tokens/delete");
    forgive(trouble, /ERR_FAILED/);
    await revoke.click();
    await revoke.waitFor({ state: "detached" });
    await wall.clock.runFor(30_000);
    await wall.getByText("This link is not valid or has been revoked.").waitFor();
  });
});

test("a view of a sum that the page does not offer opens with it, and its chart offers no limit on a part of it", async () => {
  const view = { name: "User and system", statistics: [1, 2], results: 10, hosts: [1, 6] };
  expect((await (await muster.admin()).post("/api/1/views/create", view)).status).toBe(200);
  await page.goto("/fleet");
  await page.getByRole("link", { name: "User and system" }).click();
  const name = "CPU usage (2 of 9 parts)";
  await top(name).first().waitFor();
  await expectSoon(() => page.getByLabel("Metric").inputValue()).toBe("types-1.2");
  const menu = page.getByRole("list", { name: "At this point" });
  const openMenu = async () => {
    // The chart of another number may still be there, and is replaced.
    await settled(page);
    await page.getByRole("slider").focus();
    await page.keyboard.press("l");
    await menu.getByRole("link", { name: /^As it was at/ }).waitFor();
  };
  await openMenu();
  await expectAbsent(menu.getByRole("link", { name: /^Set limit/ }));
  await page.getByLabel("Metric").selectOption({ label: "CPU usage" });
  await top("CPU usage").first().waitFor();
  await openMenu();
  await menu
    .getByRole("link", { name: /^Set limit/ })
    .first()
    .waitFor();
});

test("a number is coloured by a limit alone, which is set where the number stands", async () => {
  await page.goto("/hosts/6");
  const disk = page.locator(".vital", { hasText: "Disk: data" });
  await disk.getByText("97 %").waitFor();
  // Nothing but a limit makes a number bad, however high it is.
  await expectAbsent(page.locator(".level-high, .level-raised"));
  await disk.getByRole("link", { name: "Set limit: Disk: data" }).click();
  await heading(page, "New limit");
  await expectSoon(() => page.getByLabel("Metric").inputValue()).toBe("disk");
  await page.getByRole("button", { name: "Remove web-5" }).waitFor();
  await expectSoon(() => page.getByLabel("Services", { exact: true }).inputValue()).toBe("data");
  await page.getByLabel("Name", { exact: true }).fill("Full disk");
  await page.getByLabel("Critical above").fill("95");
  await page.getByLabel("For at least").fill("0");
  await page.getByRole("button", { name: "Create limit" }).click();
  await page.locator(".toast").waitFor();
  await reportHosts(muster);
  await page.goto("/hosts/6");
  await page.locator(".vital.level-high", { hasText: "97 %" }).waitFor();
  await page.goto("/fleet?number=disk");
  const coloured = page.locator(".fleet-top .level-high");
  await coloured.first().waitFor();
  await expectSoon(() => coloured.count()).toBe(1);
  await page.goto("/hosts");
  await page.locator(".host-row .col-value .level-high", { hasText: "97 %" }).first().waitFor();
});
