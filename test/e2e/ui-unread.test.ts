/** What could not be read is not taken for nothing. */
import { expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { needing } from "../support/programs.ts";
import { expectAbsent, settled } from "./page-reads.ts";
import { forgive, problemsEverywhere, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const { page, trouble } = await sharedPage(browser, muster);

const WHY = "The database is busy";

test.each([
  ["/", "/oncall/now", "On call"],
  ["/", "/mutes/list", "Mutes and maintenance"],
  ["/", "/reports/forecasts/list", "Forecasts"],
  ["/hosts/1", "/reports/forecasts/get", "Forecasts"],
  ["/hosts/1", "/publicnotes/list", "Public notes"],
  ["/hosts/1", "/admin/hosts/action/list", "Queued actions"],
  ["/hosts/1", "/mutes/history", "Mutes and maintenance of this range"],
  ["/events", "/filters/list", "Saved filters"],
  ["/fleet", "/views/list", "Saved views"],
  ["/health", "/forgotten/list", "What is possibly forgotten"],
  ["/alerts/rehearsals", "/admin/rehearsals/suggestions", "Channels without a delivery for 30 days"],
])("%s says that what %s answers could not be read, and reads it again", async (path, operation, what) => {
  const url = (address: URL) => address.pathname === `/api/1${operation}`;
  await page.route(url, (route) => route.fulfill({ status: 503, json: { error: WHY, code: "busy" } }));
  await page.goto(path);
  const message = page.getByRole("alert").filter({ hasText: `${what} could not be read: ${WHY}` });
  await message.waitFor();
  await settled(page);
  if (operation === "/oncall/now") expect(await problemsEverywhere(page)).toEqual([]);
  await page.unroute(url);
  await message.getByRole("button", { name: "Try again" }).click();
  await expectAbsent(message);
  forgive(trouble, /status of 503/);
});
