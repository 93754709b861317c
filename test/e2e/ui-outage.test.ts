/** One outage lasts equally long on every page that says how long. */

import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const HOUR = 3600;
const MINUTE = 60;
/** How long before the tests the history ends, seconds; the host was declared down five minutes before. */
const OVER = 2 * HOUR + 35 * MINUTE;
/** How long before that the host last reported, seconds. */
const SILENT = 40 * MINUTE;

const browser = await sharedBrowser();
const muster = await sharedMuster({
  fill: (folder) => {
    const [up, down] = DEMO_HOSTS;
    if (!up || !down) throw new Error("no hosts");
    const hosts = [up, { ...down, outages: [{ from: SILENT }] }];
    makeDemoFleet({ folder, now: Math.floor(Date.now() / 1000) - OVER, days: [0.2, 0.2], hosts });
  },
});
const { page } = await sharedPage(browser, muster);

test("an outage is as long on every page that tells it, and the last report has a time", async () => {
  const id = (await (await muster.admin()).get("/api/1/incidents/list", { state: "open", hostid: 2 })).json
    .records[0].id;
  const row = page.locator(".problem", { hasText: "Host down" });
  const noReport = /No report since \d\d:\d\d \(network, host or Monit down\)/;
  for (const path of ["/", "/hosts/2", "/incidents"]) {
    await page.goto(path);
    await row.filter({ hasText: "for 2 h" }).filter({ hasText: noReport }).first().waitFor();
  }
  for (const path of [`/incidents/${id}`, `/events/${id}`]) {
    await page.goto(path);
    await page
      .locator("dd")
      .filter({ hasText: /^2 h 4\d min$/ })
      .first()
      .waitFor();
    await page.getByRole("heading", { level: 1, name: "Host down" }).waitFor();
    await page.locator(".state-line").getByText("Down", { exact: true }).waitFor();
  }
  await page.goto("/hosts");
  await page
    .getByRole("row", { name: /web-2/ })
    .filter({ hasText: /No report since \d\d:\d\d/ })
    .waitFor();
  await page.goto("/hosts/2");
  await page.getByText(/^This host has not reported since \d\d:\d\d\./).waitFor();
});
