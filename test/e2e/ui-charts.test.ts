import { describe, expect } from "bun:test";
import type { Locator } from "playwright-core";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { eventually } from "./support.ts";
import { excessWidth, passCycle, sharedBrowser, sharedDemo, sharedPage, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const { page } = await sharedPage(browser, muster);

const chart = (name: string) => page.getByRole("figure", { name, exact: true });
const slider = (name: string) => page.getByRole("slider", { name: `${name}, point in time` });

/** The position of a chart in the window, which is scrolled to it, once nothing moves it any more. */
async function placeOf(name: string) {
  await settled(page);
  await slider(name).scrollIntoViewIfNeeded();
  const box = await slider(name).boundingBox();
  if (!box) throw new Error(`${name} has no place`);
  return box;
}

async function show(path: string): Promise<void> {
  await page.goto(path);
  await page.locator(".chart canvas").first().waitFor();
  await settled(page);
}

/** Colours of the pixels that are drawn at all, as "r,g,b", the most frequent first. */
function inks(of: Locator): Promise<string[]> {
  return of.locator("canvas").evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    const counts = new Map<string, number>();
    for (let i = 0; i < data.length; i += 4) {
      if ((data[i + 3] ?? 0) < 250) continue;
      const ink = `${data[i]},${data[i + 1]},${data[i + 2]}`;
      counts.set(ink, (counts.get(ink) ?? 0) + 1);
    }
    return [...counts].sort((a, b) => b[1] - a[1]).map(([ink]) => ink);
  });
}

test("the drawing library is loaded with the first chart, not before", async () => {
  await using fresh = await signedInPage(browser, muster);
  const loaded: string[] = [];
  fresh.page.on("request", (request) => loaded.push(new URL(request.url()).pathname));
  await fresh.page.goto("/hosts");
  await fresh.page.getByRole("table", { name: "Hosts", exact: true }).waitFor();
  expect(loaded.filter((path) => path.includes("plot"))).toEqual([]);
  await fresh.page.getByRole("link", { name: "web-1.example.org" }).first().click();
  await fresh.page.locator(".chart canvas").first().waitFor();
  expect(loaded.filter((path) => path.includes("plot"))).toHaveLength(1);
  expect(fresh.trouble).toEqual([]);
});

test("a host has charts of CPU, memory, load, disks and network, each with its numbers", async () => {
  await show("/hosts/1");
  for (const name of ["CPU", "Memory", "Load average", "Disk space used", "Network"])
    await expectSoon(async () => (await inks(chart(name))).length).toBeGreaterThan(3);
  const disks = chart("Disk space used");
  const series = disks.getByRole("list", { name: /series/ }).getByRole("listitem");
  await expectSoon(() => series.filter({ hasText: "srv" }).textContent()).toMatch(/srv78\.\d %$/);
  await disks.getByText("Figures and values").click();
  const figures = disks.getByRole("table", { name: /figures for the range shown/ });
  await expectSoon(() => figures.getByRole("row", { name: /srv/ }).textContent()).toMatch(
    /^ ?srv78\.\d %77\.\d %/,
  );
  await expectSoon(() => chart("Memory").locator("figcaption p").textContent()).toMatch(
    /memory: average 5\d\.\d %, lowest .* highest .* at \d+ \w+ \d{4}, /,
  );
});

describe("the range", () => {
  test("is chosen by a button, stands in the address, and survives a reload", async () => {
    await show("/hosts/1");
    await page.getByRole("button", { name: "6 hours" }).click();
    await expectSoon(() => new URL(page.url()).searchParams.get("range")).toBe("6h");
    await page.reload();
    const button = page.getByRole("button", { name: "6 hours" });
    await button.waitFor();
    await expectSoon(() => button.getAttribute("aria-pressed")).toBe("true");
    for (const name of ["1 hour", "24 hours", "7 days", "30 days", "1 year"])
      await expectSoon(() =>
        page.getByRole("button", { name, exact: true }).getAttribute("aria-pressed"),
      ).toBe("false");
  });

  test("is typed while time passes", async () => {
    await using open = await signedInPage(browser, muster, "/hosts/1?range=1h", { steppable: true });
    await open.page.getByText("Custom range").click();
    const form = open.page.locator(".custom-range");
    const from = form.getByLabel("From");
    const until = form.getByLabel("Until");
    await expectSoon(() => from.inputValue()).not.toBe("");
    // While the year is typed, it is one of few digits.
    for (const text of ["0202-01-15T08:00", "2026-01-15T08:00"]) {
      await from.fill(text);
      const csv = () => open.page.getByRole("link", { name: "CSV" }).getAttribute("href");
      const before = await csv();
      await passCycle(open.page);
      await passCycle(open.page);
      await expectSoon(csv).not.toBe(before);
      await settled(open.page);
      await expectSoon(() => from.inputValue()).toBe(text);
    }
    await until.fill("2026-01-15T09:00");
    await form.getByRole("button", { name: "Show" }).click();
    await open.page.waitForURL(/from=1768464000&to=1768467600/);
    // Another range is shown in the fields again.
    await open.page.getByRole("button", { name: "6 hours" }).click();
    await expectSoon(() => from.inputValue()).not.toBe("2026-01-15T08:00");
    expect(open.trouble).toEqual([]);
  });

  test("goes along to other pages with charts", async () => {
    await show("/hosts/1?range=7d");
    await page.getByRole("link", { name: "Overview" }).first().click();
    await heading(page, "Overview");
    await expectSoon(() => new URL(page.url()).search).toBe("");
    await page.getByRole("link", { name: "Fleet" }).click();
    await page.waitForURL(/\/fleet\?.*range=7d/);
  });

  test("is dragged over to zoom, and given back by a button or a double-click", async () => {
    await show("/hosts/1");
    const zoom = async () => {
      const box = await placeOf("CPU");
      const y = box.y + box.height / 2;
      await page.mouse.move(box.x + box.width * 0.4, y);
      await page.mouse.down();
      await page.mouse.move(box.x + box.width * 0.6, y, { steps: 5 });
      await page.mouse.up();
      await page.waitForURL(/from=\d+&to=\d+/);
    };
    await zoom();
    const { searchParams } = new URL(page.url());
    const seconds = Number(searchParams.get("to")) - Number(searchParams.get("from"));
    expect(seconds).toBeGreaterThan(3 * 3600);
    expect(seconds).toBeLessThan(9 * 3600);
    await page.getByRole("button", { name: "Reset zoom" }).click();
    await page.waitForURL((url) => !url.searchParams.has("from"));
    await zoom();
    const box = await placeOf("CPU");
    await page.mouse.dblclick(box.x + box.width / 2, box.y + box.height / 2);
    await page.waitForURL((url) => !url.searchParams.has("from"));
  });

  test("that is summed up keeps its lowest and highest, and its gaps", async () => {
    const asked = page.waitForResponse((response) => {
      const { pathname, searchParams } = new URL(response.url());
      const seconds = Number(searchParams.get("dateto")) - Number(searchParams.get("datefrom"));
      return pathname.endsWith("/reports/history/get") && seconds === 7 * 86_400;
    });
    await page.goto("/hosts/1?range=7d");
    const reply = (await (await asked).json()) as {
      resolution: number;
      times: number[];
      series: { type: number; min: number[]; max: number[] }[];
    };
    const load = reply.series.find(({ type }) => type === 0);
    expect(load?.max.some((value, i) => value > (load.min[i] ?? value))).toBe(true);
    await settled(page);
    await slider("Load average").focus();
    const words: (string | null)[] = [];
    const text = () => slider("Load average").getAttribute("aria-valuetext");
    for (let i = 0; i < 6; i++) {
      await expectSoon(text).not.toBe(words.at(-1) ?? null);
      words.push(await text());
      await page.keyboard.press("PageDown");
    }
    expect(words.some((shown) => shown?.includes("no data"))).toBe(true);
  });
});

test("an event is a flag at the axis, and a line only while the pointer is there", async () => {
  const listed = page.waitForResponse((response) =>
    response.url().includes("/reports/events/list?hostid=1&datefrom"),
  );
  await show("/hosts/1?range=24h");
  const { searchParams } = new URL((await listed).url());
  const [from, to] = ["datefrom", "dateto"].map((name) => Number(searchParams.get(name)));
  const { records } = (await (await listed).json()) as { records: { date: number; eventtype: number }[] };
  const failure = records.find(({ eventtype }) => eventtype === 1);
  if (!failure || !from || !to) throw new Error("there is no failure in the range");
  await slider("Memory").scrollIntoViewIfNeeded();
  const plot = await chart("Memory").locator(".u-over").boundingBox();
  if (!plot) throw new Error("nothing is drawn");
  const x = plot.x + ((failure.date - from) / (to - from)) * plot.width;
  const line = chart("Memory").locator(".mark-line:not([hidden])");
  const red = await page
    .locator(".mark-failure")
    .first()
    .evaluate((mark) => getComputedStyle(mark).backgroundColor);
  await expectSoon(() => inks(chart("Memory"))).toContain(red.replace(/[^\d,]/g, ""));
  await expectAbsent(line);
  await page.mouse.move(x, plot.y + 20);
  await line.waitFor();
  await expectSoon(() => line.getAttribute("class")).toContain("mark-failure");
  await expectSoon(async () => Math.abs(((await line.boundingBox())?.x ?? 0) - x)).toBeLessThan(4);
  // The pointer is shared, and so is the line.
  await chart("CPU").locator(".mark-line:not([hidden])").waitFor();
  await page.mouse.move(x - 60, plot.y + 20);
  await line.waitFor({ state: "detached" });
  await page.mouse.move(5, 5);
});

describe("values", () => {
  test("under the pointer are shown in all charts at once", async () => {
    await show("/hosts/1");
    const box = await placeOf("CPU");
    await page.mouse.move(box.x + box.width * 0.7, box.y + box.height / 2);
    const at = chart("Network").locator(".legend-time");
    await expectSoon(() => at.textContent()).toMatch(/\d+ [A-Z][a-z]{2,3} \d\d:\d\d/);
    const shown = () => chart("CPU").locator(".legend-time").textContent();
    await expectSoon(async () => (await at.textContent()) === (await shown())).toBe(true);
    await page.mouse.move(5, 5);
    await expectSoon(() => at.textContent()).toBe("Latest");
  });

  test("are read, and the chart is zoomed, by keyboard alone", async () => {
    await show("/hosts/1");
    await slider("Memory").focus();
    const text = () => slider("Memory").getAttribute("aria-valuetext");
    await expectSoon(text).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d: memory \d+\.\d %, swap 0\.0 %$/);
    const last = await text();
    await page.keyboard.press("ArrowLeft");
    await expectSoon(() => text()).not.toBe(last);
    await page.keyboard.press("End");
    await expectSoon(() => text()).toBe(last);
    await page.keyboard.press("Home");
    await page.keyboard.press("+");
    await page.waitForURL(/from=/);
    await page.keyboard.press("Escape");
    await page.waitForURL((url) => !url.searchParams.has("from"));
  });

  test("are a table for those who want one, and a file for programs", async () => {
    await show("/hosts/1?range=6h");
    await chart("CPU").getByText("Figures and values").click();
    const rows = chart("CPU").getByRole("table", { name: "CPU, newest first" }).getByRole("row");
    // The table is created only on demand.
    await rows.nth(51).waitFor();
    await expectSoon(() => rows.nth(1).textContent()).toMatch(/^\d+ \w+ \d{4}, \d\d:\d\d:\d\d[\d.]+ %/);
    const download = page.waitForEvent("download");
    await page.getByRole("link", { name: "CSV" }).click();
    const stream = await (await download).createReadStream();
    const csv = await new Response(stream as unknown as ReadableStream).text();
    expect(csv.split("\r\n")[0]).toContain("web-1.example.org 1 mean");
  });
});

describe("a limit", () => {
  const field = (name: string) => page.getByLabel(name, { exact: true });

  test("is put where the chart is clicked: host, service, metric and value are filled in", async () => {
    await show("/hosts/1");
    await slider("Disk space used").scrollIntoViewIfNeeded();
    const plot = await chart("Disk space used").locator(".u-over").boundingBox();
    if (!plot) throw new Error("nothing is drawn");
    // The axis reaches from -2 to 100.
    await page.mouse.click(plot.x + plot.width / 2, plot.y + plot.height * (20 / 102));
    const offer = page.getByRole("list", { name: "At this point" }).getByRole("link");
    await offer.filter({ hasText: "srv" }).waitFor();
    await expectSoon(() => offer.first().textContent()).toMatch(/^Set limit at (79|80|81)\.0 %: /);
    expect(await excessWidth(page)).toBe(0);
    await offer.filter({ hasText: "srv" }).click();
    await heading(page, "New limit");
    await expectSoon(() => field("Metric").inputValue()).toBe("disk");
    await expectSoon(() => page.getByRole("textbox", { name: "Warning above" }).inputValue()).toMatch(
      /^(79|80|81)$/,
    );
    const { searchParams } = new URL(page.url());
    expect([searchParams.get("host"), searchParams.get("service")]).toEqual(["1", "srv"]);
    await page.goBack();
  });

  test("is put by keyboard at a value that was read; Escape returns to the chart", async () => {
    await show("/hosts/1");
    await slider("Load average").focus();
    await page.keyboard.press("ArrowLeft");
    await page.keyboard.press("l");
    const offers = page.getByRole("list", { name: "At this point" });
    await expectSoon(() => isFocused(offers.getByRole("link").first())).toBe(true);
    await page.keyboard.press("Escape");
    await offers.waitFor({ state: "detached" });
    await expectSoon(() => isFocused(slider("Load average"))).toBe(true);
    await page.keyboard.press("l");
    await expectSoon(() => isFocused(offers.getByRole("link").first())).toBe(true);
    const text = await offers.getByRole("link").first().textContent();
    await page.keyboard.press("Enter");
    await heading(page, "New limit");
    const warning = page.getByRole("textbox", { name: "Warning above" });
    await expectSoon(() => warning.inputValue()).not.toBe("");
    expect(text).toContain(`at ${await warning.inputValue()}`);
    // Not per processor, as the chart has it.
    const { searchParams } = new URL(page.url());
    expect(searchParams.get("descriptor")).toMatch(/min$/);
    await expectSoon(() => field("Metric").inputValue()).toBe("own");
  });
});

test("a service's charts are chosen by chips, and the choice stands in the address", async () => {
  await show("/hosts/1/services/2");
  const chip = page.getByRole("button", { name: "Threads", exact: true });
  await expectSoon(() => chip.getAttribute("aria-pressed")).toBe("false");
  await chip.click();
  await chart("Threads").waitFor();
  await expectSoon(() => new URL(page.url()).searchParams.get("show")).toMatch(/^\d+(\.\d+)+$/);
  await page.locator(".chip").getByText("Process CPU usage total", { exact: true }).click();
  await chart("Process CPU usage total").waitFor({ state: "detached" });
  await page.reload();
  await chart("Threads").waitFor();
});

test("charts follow the theme and the width of the window", async () => {
  await page.emulateMedia({ colorScheme: "light" });
  await show("/hosts/1");
  const light = (await inks(chart("Memory")))[0];
  await page.emulateMedia({ colorScheme: "dark" });
  await eventually("it is drawn in other colours", async () => (await inks(chart("Memory")))[0] !== light);
  const wide = (await chart("Memory").locator("canvas").boundingBox())?.width ?? 0;
  await page.setViewportSize({ width: 390, height: 800 });
  await eventually("it is narrower", async () => {
    const width = (await chart("Memory").locator("canvas").boundingBox())?.width ?? 0;
    return width < wide && width > 250;
  });
  expect(await excessWidth(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
  await page.emulateMedia({ colorScheme: "light" });
});

test("a range of one's own, hidden series and marks: the address has what is shown", async () => {
  await show("/hosts/1?range=24h");
  await page.getByText("Custom range").click();
  const now = new Date(Date.now() - 60_000);
  const local = (hoursAgo: number) => {
    const date = new Date(now.getTime() - hoursAgo * 3_600_000 - now.getTimezoneOffset() * 60_000);
    return date.toISOString().slice(0, 16);
  };
  await page.getByLabel("From", { exact: true }).fill(local(2));
  await page.getByLabel("Until", { exact: true }).fill(local(4));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.getByText("Must be later than the first date").waitFor();
  await page.getByLabel("Until", { exact: true }).fill(local(1));
  await page.getByRole("button", { name: "Show", exact: true }).click();
  await page.waitForURL(/from=\d+&to=\d+/);
  const { searchParams } = new URL(page.url());
  expect(Number(searchParams.get("to")) - Number(searchParams.get("from"))).toBe(3600);
  // The marks of the new range move what is below them, and a click would miss.
  await settled(page);
  const swap = chart("Memory").getByRole("button", { name: "swap" });
  const memory = chart("Memory").getByRole("button", { name: "memory", exact: true });
  await swap.click();
  await page.waitForURL(/hide=\d+/);
  await page.reload();
  await expectSoon(() => memory.getAttribute("aria-pressed")).toBe("false");
  await expectSoon(() => swap.getAttribute("aria-pressed")).toBe("true");
  await swap.click();
  await page.waitForURL((url) => !url.searchParams.has("hide"));
  await swap.click({ modifiers: ["Control"] });
  await page.waitForURL(/hide=\d+/);
  await expectSoon(() => swap.getAttribute("aria-pressed")).toBe("false");
  await swap.click({ modifiers: ["Control"] });
  await page.waitForURL((url) => !url.searchParams.has("hide"));
});

test("percent is drawn from 0 to 100", async () => {
  await show("/hosts/1");
  const { series, columns } = await chart("Memory")
    .locator("canvas")
    .evaluate((canvas: HTMLCanvasElement) => {
      const context = canvas.getContext("2d");
      const { data, width, height } = context?.getImageData(0, 0, canvas.width, canvas.height) ?? {
        data: [],
        width: 0,
        height: 0,
      };
      // The colour of the first series, row by row.
      const rows: number[] = [];
      for (let i = 0; i < data.length; i += 4) {
        const [r = 0, g = 0, b = 0, a = 0] = [data[i], data[i + 1], data[i + 2], data[i + 3]];
        if (a > 250 && r === 31 && g === 95 && b === 174) rows.push(Math.floor(i / 4 / width) / height);
      }
      return { series: rows, columns: width };
    });
  expect(columns).toBeGreaterThan(100);
  // Memory is a little above a half: its line is near the middle of the chart, not at its top.
  expect(Math.min(...series)).toBeGreaterThan(0.25);
});

test("a chart is saved as an image, with its title and the names of its series", async () => {
  await show("/hosts/1");
  const download = page.waitForEvent("download");
  await chart("Memory").getByRole("button", { name: "Image" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("memory.png");
  const stream = await file.createReadStream();
  const bytes = new Uint8Array(await new Response(stream as unknown as ReadableStream).arrayBuffer());
  expect([...bytes.slice(1, 4)]).toEqual([0x50, 0x4e, 0x47]);
  expect(bytes.length).toBeGreaterThan(3000);
});

test("a custom range in the hour that clocks repeat stays what it is when nothing was changed", async () => {
  // 02:40 before and 02:20 after clocks went back in Berlin.
  const [from, to] = ["2025-10-26T00:40:00Z", "2025-10-26T01:20:00Z"].map((text) => Date.parse(text) / 1000);
  const path = `/hosts/1?from=${from}&to=${to}`;
  await using open = await signedInPage(browser, muster, path, { timezoneId: "Europe/Berlin" });
  await open.page.getByText("Custom range").click();
  const form = open.page.locator(".custom-range");
  await expectSoon(() => form.getByLabel("From").inputValue()).toBe("2025-10-26T02:40");
  await form.getByRole("button", { name: "Show" }).click();
  const shown = () => {
    const { searchParams } = new URL(open.page.url());
    return [searchParams.get("from"), searchParams.get("to")];
  };
  await settled(open.page);
  await expectSoon(shown).toEqual([String(from), String(to)]);
  await expectAbsent(form.locator(".field-error"));
  await form.getByLabel("Until").fill("2025-10-26T04:00");
  await form.getByRole("button", { name: "Show" }).click();
  await expectSoon(shown).toEqual([String(from), String(Date.parse("2025-10-26T03:00:00Z") / 1000)]);
});
