/** A moment in the past in the browser: the clock, the banner, what cannot be done there, and an incident that is played. */
import { describe, expect } from "bun:test";
import { isReady, needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import type { Muster } from "./support.ts";
import {
  excessWidth,
  forgive,
  problemsEverywhere,
  sharedBrowser,
  sharedDemo,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

interface Incident {
  id: number;
  hostid: number;
  hostname: string;
  servicename: string;
  serviceid: number;
  since: number;
  ended: number;
}

/** A failure of web-1 that ended some hours ago. */
async function endedIncident(started: Muster): Promise<Incident> {
  const admin = await started.admin();
  const { json } = await admin.get("/api/1/incidents/list?state=ended&hostid=1&results=1");
  const [incident] = (json as { records: Incident[] }).records;
  if (!incident) throw new Error("no incident has ended");
  return incident;
}

const browser = await sharedBrowser();
const muster = await sharedDemo();
const open = await sharedPage(browser, muster, "/", { steppable: true });
const { page } = open;
const incident = isReady("chromium")
  ? await endedIncident(muster)
  : { id: 0, hostid: 0, hostname: "", servicename: "", serviceid: 0, since: 0, ended: 0 };
const { hostid, hostname, servicename, since, ended } = incident;
/** In the middle of the failure. */
const during = Math.floor((since + ended) / 2);
const banner = page?.locator(".past-banner");
const problems = page?.getByRole("list", { name: "Active problems" });
const shownAt = () => new URL(page.url()).searchParams.get("at");

/** What a datetime-local input has for a time in the time zone of the page. */
const inputOf = (at: number) => new Date(at * 1000).toISOString().slice(0, 19);

async function chooseInPalette(entry: string): Promise<void> {
  const options = page.locator(".palette-option");
  await page.keyboard.press("Control+k");
  await options.first().waitFor();
  await page.keyboard.type(entry);
  await expectSoon(() => options.first().textContent()).toContain(entry);
  await page.keyboard.press("Enter");
}

describe("the clock", () => {
  test("shows a moment by keyboard alone: what had failed then, its age then, the banner, title and icon", async () => {
    await page.goto("/");
    await heading(page, "Overview");
    await page.keyboard.press("t");
    const panel = page.getByRole("dialog", { name: "Show a moment in the past" });
    const field = panel.getByLabel("Date and time");
    await expectSoon(() => isFocused(field)).toBe(true);
    await field.fill(inputOf(during));
    await page.keyboard.press("Enter");
    await banner.getByText("what is known now about that moment").waitFor();
    await expectSoon(shownAt).toBe(String(during));
    const problem = problems.getByRole("listitem").filter({ hasText: servicename });
    await problem.getByText(hostname).waitFor();
    await expectSoon(() => problem.textContent()).toMatch(/for \d+ min/);
    await expectSoon(() => page.title()).toMatch(/^\[.*\d\d:\d\d\] \(\d+\) Overview/);
    await expectSoon(() => page.locator("link[rel=icon]").getAttribute("href")).toContain("past");
    await expectSoon(() => page.locator(".past-details").textContent()).toMatch(/single reports|means of/);
  });

  test("goes on in steps while the page follows, and leads back to now", async () => {
    await page.goto(`/?at=${during}`);
    await page.getByRole("button", { name: /Show another moment$/ }).click();
    const panel = page.getByRole("dialog", { name: "Show a moment in the past" });
    await panel.getByRole("button", { name: "+ 1 h" }).click();
    await expectSoon(shownAt).toBe(String(during + 3600));
    await panel.getByRole("button", { name: "− 1 min" }).click();
    await expectSoon(shownAt).toBe(String(during + 3540));
    await expectAbsent(problems.getByRole("listitem").filter({ hasText: `${servicename}${hostname}` }));
    await panel.getByRole("button", { name: "Now", exact: true }).click();
    await expectSoon(shownAt).toBeNull();
    await banner.waitFor({ state: "detached" });
    await expectSoon(() => page.title()).not.toContain("[");
  });

  test("keeps the focus while its steps change the page, and gives it back", async () => {
    await page.goto("/");
    await heading(page, "Overview");
    await page.keyboard.press("t");
    const panel = page.getByRole("dialog", { name: "Show a moment in the past" });
    const back = panel.getByRole("button", { name: "− 1 min" });
    await back.press("Enter");
    await banner.waitFor();
    await settled(page);
    expect(await isFocused(back)).toBe(true);
    await panel.getByRole("button", { name: "+ 1 d" }).press("Enter");
    await banner.waitFor({ state: "detached" });
    await settled(page);
    expect(await isFocused(back)).toBe(true);
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await expectSoon(() => isFocused(page.locator("main h1"))).toBe(true);
  });

  test("stays at the moment that it shows, also in the hour that clocks repeat", async () => {
    // 02:30 after clocks went back in Berlin.
    const at = Date.parse("2025-10-26T01:30:00Z") / 1000;
    await using berlin = await signedInPage(browser, muster, `/hosts?at=${at}`, {
      timezoneId: "Europe/Berlin",
    });
    await berlin.page.getByRole("button", { name: /Show another moment$/ }).click();
    const panel = berlin.page.getByRole("dialog", { name: "Show a moment in the past" });
    await expectSoon(() => panel.getByLabel("Date and time").inputValue()).toMatch(/^2025-10-26T02:30/);
    await panel.getByRole("button", { name: "Show" }).click();
    await panel.waitFor({ state: "detached" });
    await expectSoon(() => new URL(berlin.page.url()).searchParams.get("at")).toBe(String(at));
  });

  test("is found in the palette, and so is the way back", async () => {
    await chooseInPalette("Show a moment in the past");
    const panel = page.getByRole("dialog", { name: "Show a moment in the past" });
    await panel.waitFor();
    await page.keyboard.press("Escape");
    await panel.waitFor({ state: "detached" });
    await page.goto(`/hosts?at=${during}`);
    await banner.waitFor();
    await chooseInPalette("Back to now");
    await expectSoon(shownAt).toBeNull();
  });
});

describe("the moment", () => {
  test("stays from page to page, also in a new tab, and the back button returns to now", async () => {
    await page.goto("/hosts");
    await heading(page, "Hosts");
    await page.getByRole("link", { name: hostname }).click();
    await heading(page, hostname);
    await page.keyboard.press("t");
    await page.getByLabel("Date and time").fill(inputOf(during));
    await page.keyboard.press("Enter");
    await banner.waitFor();
    const [tab] = await Promise.all([
      page.context().waitForEvent("page"),
      page
        .getByRole("link", { name: "Incidents" })
        .first()
        .click({ modifiers: ["ControlOrMeta"] }),
    ]);
    await tab.waitForURL(`**/incidents?at=${during}`);
    await tab.close();
    await page.getByRole("link", { name: "Incidents" }).first().click();
    await heading(page, "Incidents");
    await expectSoon(shownAt).toBe(String(during));
    await page.getByRole("list", { name: "Open", exact: true }).getByText(servicename).first().waitFor();
    await page.goBack();
    await heading(page, hostname);
    await page.goBack();
    await expectSoon(shownAt).toBeNull();
    await banner.waitFor({ state: "detached" });
  });

  test("is shown to someone else who opens the address, after they sign in", async () => {
    await using other = await signedInPage(browser, muster, `/hosts/${hostid}?at=${during}`);
    await other.page.locator(".past-banner").waitFor();
    await other.page.getByRole("link", { name: servicename }).first().waitFor();
    expect(other.trouble).toEqual([]);
  });

  test("is not shown by a screen of the present, which says so", async () => {
    await page.goto(`/settings?at=${during}`);
    await heading(page, "This page only shows the present");
    await page.getByRole("button", { name: "Back to now" }).last().click();
    await heading(page, "Settings");
  });

  test("of which nothing is known leads to the earliest hour that is known, and one to come to now", async () => {
    await page.goto("/hosts?at=86400");
    await heading(page, "No longer known");
    await page.getByRole("link", { name: /^Show the earliest known hour/ }).click();
    await heading(page, "Hosts");
    await banner.waitFor();
    expect(Number(shownAt()) % 3600).toBe(0);
    await page.goto(`/hosts?at=${Math.floor(Date.now() / 1000) + 86_400}`);
    await heading(page, "In the future");
    await page.getByRole("button", { name: "Back to now" }).click();
    await heading(page, "Hosts");
    await expectSoon(shownAt).toBeNull();
    await settled(page);
    forgive(open.trouble, /status of 400/);
  });
});

/** Every page that shows the past. */
const PAST_PAGES = [
  "/",
  "/hosts",
  `/hosts/${hostid}`,
  `/hosts/${hostid}/services/${incident.serviceid}`,
  "/incidents",
  `/incidents/${incident.id}`,
  "/events",
  `/events/${incident.id}`,
  "/uptime",
  `/uptime/${hostid}`,
  "/fleet",
];

describe("nothing can be changed from the past", () => {
  for (const path of PAST_PAGES)
    test(`by any button or key of ${path}`, async () => {
      const writes: string[] = [];
      const note = (request: { method: () => string; url: () => string }) => {
        if (request.method() !== "GET") writes.push(request.url());
      };
      await page.goto(`${path}${path.includes("?") ? "&" : "?"}at=${during}`);
      await banner.waitFor();
      await settled(page);
      page.on("request", note);
      for (const key of ["j", "a", "m", "x"]) await page.keyboard.press(key);
      await settled(page);
      const write = /^(Acknowledge|Dismiss|Mute|Add note|Delete|Set (target|limit)|Start|Stop|Restart|Save)/;
      await expectAbsent(
        page.locator("dialog[open]"),
        page.getByRole("main").getByRole("button", { name: write }),
        page.getByRole("main").getByRole("link", { name: /^(Set limit|New|Edit|Settings|Bulk edit)/ }),
        page.getByRole("main").locator("textarea"),
      );
      page.off("request", note);
      expect(writes).toEqual([]);
    });

  test("nor from the palette", async () => {
    await page.goto(`/hosts?at=${during}`);
    await banner.waitFor();
    const options = page.locator(".palette-option");
    await page.keyboard.press("Control+k");
    await options.first().waitFor();
    await page.keyboard.type(hostname);
    await options.filter({ hasText: "Uptime of this host" }).waitFor();
    await expectAbsent(options.filter({ hasText: /^(Mute|New|Set a limit)/ }));
    await page.keyboard.press("Escape");
  });
});

describe("the host as it was", () => {
  test("is reached from an incident and from an event", async () => {
    for (const from of [`/incidents/${incident.id}`, `/events/${incident.id}`]) {
      await page.goto(from);
      await page.getByRole("link", { name: "As it was then" }).click();
      await heading(page, hostname);
      await expectSoon(shownAt).toBe(String(since));
      await page.locator(".problem").filter({ hasText: "for 0 s" }).first().waitFor();
    }
  });

  test("is reached from a point of a chart by keyboard, and from the end of a range", async () => {
    await page.goto(`/hosts/${hostid}?from=${since - 3600}&to=${during}`);
    const slider = page.getByRole("slider", { name: /^Load average/ });
    await slider.focus();
    await page.keyboard.press("l");
    const link = page
      .getByRole("list", { name: "At this point" })
      .getByRole("link", { name: /^As it was at/ });
    const address = new URL((await link.getAttribute("href")) ?? "", muster.url);
    await link.click();
    await banner.waitFor();
    await expectSoon(shownAt).toBe(address.searchParams.get("at"));
    await page.goto(`/hosts/${hostid}?from=${since - 3600}&to=${during}`);
    await page.getByRole("link", { name: /^As it was at/ }).click();
    await expectSoon(shownAt).toBe(String(during));
  });
});

describe("an incident", () => {
  const bar = page?.getByRole("region", { name: "Play an incident" });
  const button = (name: string) => bar.getByRole("button", { name, exact: true });
  const line = () => bar.getByRole("slider", { name: "Time in the incident" });

  test("is played on its host: the page follows, the clock does not while someone types, and it pauses when told", async () => {
    await page.goto(`/incidents/${incident.id}`);
    await page.getByRole("link", { name: "Play", exact: true }).click();
    await heading(page, hostname);
    await expectSoon(shownAt).toBe(String(since - 600));
    await button("Play").click();
    await expectSoon(async () => {
      await page.clock.runFor(1000);
      return Number(shownAt());
    }).toBeGreaterThan(since);
    await page.locator(".problem").filter({ hasText: servicename }).first().waitFor();
    await page.getByRole("button", { name: /Show another moment$/ }).click();
    const typed = page.getByLabel("Date and time");
    await typed.fill(inputOf(since - 86_400));
    const before = Number(shownAt());
    await expectSoon(async () => {
      await page.clock.runFor(1000);
      return Number(shownAt());
    }).toBeGreaterThan(before);
    await expectSoon(() => typed.inputValue()).toBe(inputOf(since - 86_400));
    await page.keyboard.press("Escape");
    await button("Pause").click();
    const paused = shownAt();
    await page.clock.runFor(5000);
    await settled(page);
    expect(shownAt()).toBe(paused);
  });

  test("has its steps read ahead, so that the page does not wait for them", async () => {
    await page.goto(`/hosts/${hostid}?play=${incident.id}&at=${since - 600}`);
    await button("Play").waitFor();
    await settled(page);
    const read: URL[] = [];
    const onRequest = (request: { url: () => string }) => read.push(new URL(request.url()));
    page.on("request", onRequest);
    const readsOf = (at: number) =>
      read.filter(
        ({ pathname, searchParams }) =>
          pathname.endsWith("/status/hosts/get") && searchParams.get("at") === String(at),
      ).length;
    // The first step is due in a second, which does not pass yet. The clock of the page can be ahead of this one.
    await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 60_000);
    await button("Play").click();
    // Enough to render.
    await page.clock.runFor(100);
    await expectSoon(() => readsOf(since - 480)).toBe(1);
    await expectSoon(shownAt).toBe(String(since - 600));
    await page.clock.resume();
    await expectSoon(async () => {
      await page.clock.runFor(1000);
      return Number(shownAt());
    }).toBeGreaterThan(since - 540);
    await button("Pause").click();
    await settled(page);
    page.off("request", onRequest);
    expect([since - 540, since - 480].map(readsOf)).toEqual([1, 1]);
  });

  test("is stepped through by its events, and by keyboard on its time line", async () => {
    await page.goto(`/hosts/${hostid}?play=${incident.id}&at=${since - 600}`);
    await button("Next event").click();
    await expectSoon(shownAt).toBe(String(since));
    await line().press("ArrowLeft");
    await expectSoon(shownAt).toBe(String(since - 60));
    await line().press("Home");
    await expectSoon(shownAt).toBe(String(since - 600));
    await line().press("ArrowRight");
    await expectSoon(shownAt).toBe(String(since - 540));
    await expectSoon(() => line().getAttribute("aria-valuetext")).toContain(":");
  });

  test("keeps the focus at its first and last event, and gives it back when it is closed", async () => {
    await page.goto(`/hosts/${hostid}?play=${incident.id}&at=${ended}`);
    const previous = button("Previous event");
    await previous.waitFor();
    await settled(page);
    await expectSoon(async () => {
      if (await previous.isEnabled()) await previous.press("Enter");
      return previous.isDisabled();
    }).toBe(true);
    await expectSoon(() => isFocused(button("Play"))).toBe(true);
    await button("Close").press("Enter");
    await bar.waitFor({ state: "detached" });
    await expectSoon(() => isFocused(page.locator("main h1"))).toBe(true);
  });

  test("is played on a group of its host, and stops when it is closed or left", async () => {
    await page.goto(`/hosts/${hostid}?play=${incident.id}&at=${since}`);
    await bar.getByLabel("Play").selectOption({ index: 1 });
    await heading(page, "Hosts");
    await button("Play").waitFor();
    await page.waitForURL(/group=\d+/);
    await button("Play").click();
    await button("Pause").waitFor();
    await page.getByRole("link", { name: "Events" }).first().click();
    await heading(page, "Events");
    await button("Play").waitFor();
    await button("Close").click();
    await bar.waitFor({ state: "detached" });
    await expectSoon(shownAt).not.toBeNull();
  });
});

test("the past of events is filtered by host group", async () => {
  await page.goto(`/events?at=${during}`);
  await page.getByText("More filters").click();
  await page.getByRole("combobox", { name: "Host group" }).waitFor();
});

test("the past has no fault for screen readers or in contrast, and fits a phone", async () => {
  await page.goto(`/hosts/${hostid}?play=${incident.id}&at=${during}`);
  await page.getByRole("region", { name: "Play an incident" }).getByRole("slider").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  await page.goto(`/settings?at=${during}`);
  await page.getByRole("button", { name: /Show another moment$/ }).click();
  await page.getByRole("dialog", { name: "Show a moment in the past" }).waitFor();
  expect(await excessWidth(page)).toBe(0);
  await page.setViewportSize({ width: 1280, height: 800 });
});
