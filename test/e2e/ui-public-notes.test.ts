/** Public notes in the browser, from the incident to the status page and back: one story, in this order. */

import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { eventually, type Muster } from "./support.ts";
import { excessWidth, forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const SHOTS = process.env.SCREENSHOTS ?? "";
const HOSTILE = '<b onmouseover="wasRun=1">back</b>';

/** Reports an error of nginx on web-1. */
function reportFailure(to: Muster, message: string) {
  const now = Math.floor(Date.now() / 1000);
  return to.report({
    id: "web-1",
    hostname: "web-1",
    hostGroups: ["edge"],
    incarnation: now - 3600,
    at: now,
    poll: 3600,
    services: [{ name: "nginx", status: 512, collectedSec: now }],
    event: { service: "nginx", state: 1, id: 512, message, collectedSec: now },
  });
}

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: (started) => reportFailure(started, "process is not running"),
});
const { page, trouble } = await sharedPage(browser, muster);
const admin = await muster.admin();
const notes = () =>
  page.locator("section").filter({ has: page.getByRole("heading", { name: "Public notes" }) });
const button = (name: string) => notes().getByRole("button", { name });

/** Screenshots of the page in all widths and colours, if somebody wants to look at them. */
async function look(name: string): Promise<void> {
  if (SHOTS === "") return;
  mkdirSync(SHOTS, { recursive: true });
  for (const width of [1280, 390])
    for (const colorScheme of ["light", "dark"] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await page.screenshot({ path: `${SHOTS}/${name}-${width}-${colorScheme}.png`, fullPage: true });
    }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test("there is nothing to publish without a status page", async () => {
  await page.goto("/incidents/1");
  await page.getByRole("heading", { name: "Events" }).waitFor();
  await expectAbsent(notes());
});

test("what is typed stays when the incident goes on with another error", async () => {
  await admin.post("/api/1/admin/statuspages/create", { title: "Edge", hostgroup: 1, slug: "edge" });
  await page.reload();
  const note = page.getByLabel("New public note");
  await note.fill("nginx is restarted.\nBack soon.");
  await reportFailure(muster, "process is still not running");
  await page
    .getByRole("table", { name: "Events" })
    .getByText("process is still not running")
    .first()
    .waitFor();
  await settled(page);
  await expectSoon(() => note.inputValue()).toBe("nginx is restarted.\nBack soon.");
});

test("a note on an incident says where it will be read, and is published", async () => {
  await notes().getByText("everyone who opens the status page Edge, without your name").waitFor();
  await button("Publish").click();
  await notes().getByText("Shown now").waitFor();
  await button("Publish in place of the last one").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await look("public-note-incident");
});

test("the page of the host lists it, and has notes of its own", async () => {
  await page.goto("/hosts/1");
  await notes().getByText("on nginx").waitFor();
  await page.getByLabel("New public note").fill(HOSTILE);
  await button("Publish").click();
  await expectSoon(() => notes().getByText("Shown now").count()).toBe(2);
  await look("public-note-host");
});

test("both stand on the status page, as text, at every width", async () => {
  await page.goto("/s/edge");
  await page.getByText("nginx is restarted.").waitFor();
  await page.getByText(HOSTILE).waitFor();
  await expectAbsent(page.getByText("admin"));
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await excessWidth(page)).toBe(0);
  }
  await look("public-note-page");
});

test("one that is withdrawn is in the history there, and a withdrawal that fails says why", async () => {
  await page.goto("/hosts/1");
  await page.route("**/api/1/publicnotes/withdraw", (route) => route.abort());
  await button(`Withdraw: ${HOSTILE}`).click();
  await notes().getByText("The service cannot be reached").waitFor();
  await page.unroute("**/api/1/publicnotes/withdraw");
  forgive(trouble, /ERR_FAILED/);
  await button(`Withdraw: ${HOSTILE}`).click();
  await notes().getByText("Ended by admin").waitFor();
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  // Browsers keep the page for ten seconds.
  await eventually("the earlier note", async () => {
    await page.goto("/s/edge");
    return (await page.content()).includes("Earlier notes (1)");
  });
  await page.getByText("Earlier notes (1)").click();
  await page.getByText(HOSTILE).waitFor();
  await look("public-note-history");
});
