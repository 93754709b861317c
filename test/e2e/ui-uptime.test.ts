/** Uptime of a host group in a month against its target, on the screen and on paper: one story, in this order. */
import { expect } from "bun:test";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { openDatabase } from "../../src/platform/storage/open.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { openPage } from "./browser.ts";
import { expectAbsent, expectHidden, expectSoon, settled } from "./page-reads.ts";
import { choose, forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

/** No browser of these tests is in this zone. */
const TIME_ZONE = "Pacific/Auckland";
const OSLO = DEMO_HOSTS.filter(({ group }) => group === "Oslo").map(({ name }) => name);

const now = Math.floor(Date.now() / 1000);

/** The first host was down for three hours. */
function addOutage(file: string): void {
  const db = openDatabase(file);
  db.$client.run("insert into names (name, name_key) values ('Monit', 'monit') on conflict do nothing");
  db.$client.run(
    `insert into downtime_intervals (host_id, name_id, event_type, limit_id, started_at, ended_at)
     select 1, id, 1048576, 0, ${now - 30 * 3600}, ${now - 27 * 3600} from names where name = 'Monit'`,
  );
  db.$client.close();
}

const browser = await sharedBrowser();
const muster = await sharedMuster({
  fill: (folder) => {
    makeDemoFleet({ folder, now, days: [2, 1.5], hosts: DEMO_HOSTS });
    addOutage(join(folder, "muster.db"));
  },
  prepare: async (started) => {
    const admin = await started.admin();
    await admin.post("/api/1/admin/settings/update", { timezone: TIME_ZONE });
    await admin.post("/api/1/admin/tags/add", { tags: ["role=web"], hosts: [1, 2] });
    const { records } = (await admin.get("/api/1/status/hostgroups/list")).json;
    const view = records.find(({ name }: { name: string }) => name === "Oslo").id;
    await admin.post("/api/1/admin/users/create", {
      uname: "anna",
      password: "anna password",
      fullname: "Anna",
    });
    await admin.post("/api/1/admin/grants/set", { uname: "anna", view, restricted: true });
  },
});
const { page, trouble } = await sharedPage(browser, muster);

const table = page.getByRole("table", { name: "Uptime of hosts" });
const fact = (name: string) => page.locator("dl.facts div").filter({ hasText: name }).locator("dd");
const heading = (name: string, on: Page = page) => on.getByRole("heading", { level: 1, name, exact: true });
const shoot = async (name: string) => {
  if (process.env.SHOTS) await page.screenshot({ path: `${process.env.SHOTS}/${name}.png`, fullPage: true });
};
/** A time as the browser writes it in the time zone of reports. */
const written = (at: number) =>
  page.evaluate(
    ([time, timeZone]) =>
      new Intl.DateTimeFormat(navigator.language, {
        year: "numeric",
        month: "short",
        day: "numeric",
        hour: "2-digit",
        minute: "2-digit",
        timeZone,
      }).format(time),
    [at * 1000, TIME_ZONE] as const,
  );

test("the target of a group is set where its uptime is shown, and the error budget follows", async () => {
  await page.goto(new URL("/uptime?range=5", muster.url).href);
  await table.waitFor();
  await expectAbsent(page.locator("dl.facts"));
  await choose(page.getByLabel("Group"), "Oslo");
  await heading("Uptime of Oslo").waitFor();
  await expectSoon(() => table.getByRole("rowheader").count()).toBe(OSLO.length);
  // However short the range is, events are counted as long as they are stored.
  await table.getByRole("columnheader", { name: "Events stored" }).waitFor();
  await page.getByRole("button", { name: "Set target" }).click();
  await page.getByLabel("Uptime target, %").fill("99.99999");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("target must be a number from 0 to 100 with at most 3 decimals").waitFor();
  forgive(trouble, /400/);
  await page.getByLabel("Uptime target, %").fill("99,5");
  await page.getByRole("button", { name: "Save" }).click();
  await fact("Target").getByText("99.5 %, missed").waitFor();
  await settled(page);
  const [budget, used, left] = await Promise.all(
    ["Error budget", "Used", "Left"].map((name) => fact(name).textContent()),
  );
  const minutes = (text: string | null | undefined) =>
    Number(/[\d.,]+/.exec(text ?? "")?.[0].replace(",", ""));
  expect(minutes(used)).toBeGreaterThan(170);
  expect(left).toStartWith("over by ");
  expect(minutes(left)).toBeCloseTo(minutes(used) - minutes(budget), 0);
  const web = table.getByRole("row", { name: /web-1/ });
  await expectSoon(() => web.textContent()).toMatch(/-\d+\.?\d* min/);
  await expectSoon(() => table.getByRole("row", { name: /web-2/ }).textContent()).not.toMatch(
    /-\d+\.?\d* min/,
  );
  await expectAbsent(page.getByText("still running"));
  for (const width of [390, 820, 1280, 1920])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await shoot(`uptime-${width}-${colorScheme}`);
    }
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.emulateMedia({ colorScheme: "light" });
});

test("a moment in the past has the target and error budget of then, and no button to set one", async () => {
  const present = page.url();
  const address = new URL(present);
  address.searchParams.set("at", String(Math.floor(Date.now() / 1000)));
  await page.goto(address.href);
  await heading("Uptime of Oslo").waitFor();
  await fact("Target").getByText("99.5 %, missed").waitFor();
  await fact("Error budget").waitFor();
  await expectAbsent(page.getByRole("button", { name: "Set target" }));
  await page.goto(present);
  await heading("Uptime of Oslo").waitFor();
});

test("the address has the group, tags and period, and everyone who opens it sees the same of what they may see", async () => {
  await page.getByLabel("Tags").fill("role=web");
  await page.getByLabel("Tags").press("Enter");
  await page.getByLabel("Calendar").selectOption({ label: "This quarter" });
  await page.getByText("still running").waitFor();
  await page.getByText("assuming that all hosts monitored now stay monitored").waitFor();
  await expectSoon(() => new URL(page.url()).searchParams.get("range")).toBe("102");
  await settled(page);
  const address = new URL(page.url());
  const csv = await page.getByRole("link", { name: "CSV" }).getAttribute("href");
  const admin = await muster.admin();
  const { text } = await admin.get(csv ?? "");
  const rows = text.split("\r\n").map((line) => line.split(","));
  expect(rows.map(([kind, , name]) => `${kind} ${name}`).slice(1, -1)).toEqual([
    "total Oslo",
    `host ${OSLO[0]}`,
    `host ${OSLO[1]}`,
  ]);
  await using theirs = await openPage(browser, muster, address.href.slice(address.origin.length));
  await theirs.page.getByLabel("User name").fill("anna");
  await theirs.page.getByLabel("Password").fill("anna password");
  await theirs.page.getByRole("button", { name: "Sign in" }).click();
  await heading("Uptime of Oslo", theirs.page).waitFor();
  await theirs.page.getByText("99.5 %").waitFor();
  await expectSoon(() => theirs.page.getByRole("rowheader").count()).toBe(2);
  await expectAbsent(theirs.page.getByRole("button", { name: "Set target" }));
  expect(theirs.trouble).toEqual([]);
});

test("dates are shown and chosen in the time zone of reports", async () => {
  await page.getByText(`(${TIME_ZONE})`).waitFor();
  await page.getByRole("button", { name: "Custom" }).click();
  await page.getByLabel("From").fill("2026-01-15T00:00");
  await page.getByLabel("From").blur();
  await page.waitForURL(/datefrom=1768388400/);
  await page.getByText(`${await written(1_768_388_400)} to `).waitFor();
  await expectSoon(() => page.getByLabel("From").inputValue()).toBe("2026-01-15T00:00");
});

test("paper has the group, period, time zone, tags and time, and no row is cut", async () => {
  await page.getByLabel("Calendar").selectOption({ label: "This month" });
  await page.getByText("still running").waitFor();
  await page.emulateMedia({ media: "print", colorScheme: "dark" });
  await expectHidden(page.getByRole("navigation", { name: "Pages" }));
  for (const name of ["Print", "Set target"]) await expectHidden(page.getByRole("button", { name }));
  await expectHidden(page.getByLabel("Group"));
  await heading("Uptime of Oslo").waitFor();
  const period = page.locator(".headline").getByText(/ to .* \(Pacific\/Auckland\)$/);
  await period.waitFor();
  await page.getByText(/^Hosts tagged role=web\. Created .*\d:\d\d.*\.$/).waitFor();
  await page.getByText("Uptime is the time up of all hosts").waitFor();
  const paper = () =>
    page.evaluate(() => {
      const style = (selector: string) => {
        const element = document.querySelector(selector);
        if (!element) throw new Error(`no ${selector}`);
        return getComputedStyle(element);
      };
      return [
        style("html").backgroundColor,
        style("html").colorScheme,
        style("tbody tr").breakInside,
        style("thead").display,
      ];
    });
  await expectSoon(paper).toEqual(["rgb(255, 255, 255)", "light", "avoid", "table-header-group"]);
  await page.setViewportSize({ width: 718, height: 1000 });
  await shoot("uptime-print");
  if (process.env.SHOTS) await page.pdf({ path: `${process.env.SHOTS}/uptime.pdf`, format: "A4" });
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.emulateMedia({ media: "screen", colorScheme: "light" });
  await expectHidden(page.getByText(/Made /));
});
