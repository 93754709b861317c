/** Backups in the browser: one story, in this order. */
import { afterAll, expect } from "bun:test";
import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { temporaryFolder } from "./support.ts";
import { forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const folder = temporaryFolder();
afterAll(() => folder.remove());
const disk = join(folder.path, "disk");
mkdirSync(disk);

const muster = await sharedMuster({
  prepare: async (started) => void (await started.report({ hostname: "web-1", services: [{ name: "app" }] })),
});
const { page, trouble } = await sharedPage(await sharedBrowser(), muster);
const button = (name: string) => page.getByRole("button", { name, exact: true });
const stored = () => page.getByRole("table", { name: "Stored backups" }).getByRole("rowheader");

test("the settings lead to backups, which are off", async () => {
  await page.goto("/settings");
  await page.getByRole("link", { name: "Set up backups" }).click();
  await page.getByText("No backups are made.").waitFor();
  await expectAbsent(button("Back up now"));
});

test("a wrong place is refused at its field", async () => {
  await page.getByLabel("Place").fill(join(folder.path, "nowhere"));
  await button("Save settings").click();
  await page.getByText("Must be a folder that Muster can write to").waitFor();
  await expectSoon(() => page.getByLabel("Place").evaluate((field) => field === document.activeElement)).toBe(
    true,
  );
  forgive(trouble, /status of 400/);
});

test("with a place, the first backup is made automatically and proven", async () => {
  await page.getByLabel("Place").fill(disk);
  await button("Save settings").click();
  await stored().first().waitFor();
  await page.getByRole("cell", { name: "Proven" }).waitFor();
  expect(readdirSync(disk)).toHaveLength(1);
  await expectSoon(() => page.getByText("Last proven restore").count()).toBe(1);
});

test("another one is made on request", async () => {
  const [first = ""] = readdirSync(disk);
  await button("Back up now").click();
  // Of the backups of a day the newest is kept.
  await expectSoon(
    () => readdirSync(disk).filter((name) => name !== first && !name.endsWith(".partial")).length,
  ).toBe(1);
  await expectSoon(() => stored().count()).toBe(1);
});

test("the button that makes a backup keeps the focus while one is made, and does nothing", async () => {
  const list = /\/admin\/backups\/list/;
  await page.route(list, async (route) => {
    // Without it the reply has its body, even if nothing has changed.
    const { "if-none-match": _etag, ...headers } = route.request().headers();
    const response = await route.fetch({ headers });
    const running = { phase: "copying", done: 0, total: 0 };
    await route.fulfill({ response, json: { ...(await response.json()), running } });
  });
  const starting = button("Back up now");
  await starting.press("Enter");
  await expectSoon(() => starting.isDisabled()).toBe(true);
  await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
  expect(await isFocused(starting)).toBe(true);
  const requests: string[] = [];
  const note = (request: { url: () => string }) => requests.push(request.url());
  page.on("request", note);
  await page.keyboard.press("Enter");
  await settled(page);
  page.off("request", note);
  expect(requests.filter((url) => url.includes("/backups/start"))).toEqual([]);
  await page.unrouteAll({ behavior: "wait" });
});

test("the screen fits at every width, and is accessible", async () => {
  await page.goto("/settings/backups");
  await stored().first().waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("a list that cannot be read is said once, and stays as it was", async () => {
  const list = /\/admin\/backups\/list/;
  await page.route(list, (route) =>
    route.fulfill({ status: 400, json: { error: "not now", code: "request.invalid" } }),
  );
  await page.getByText("not now").first().waitFor();
  await expectSoon(() => page.getByText("not now").count()).toBe(1);
  await expectSoon(() => stored().count()).toBe(1);
  await page.unroute(list);
  await expectSoon(() => page.getByText("not now").count()).toBe(0);
  forgive(trouble, /status of 400/);
});
