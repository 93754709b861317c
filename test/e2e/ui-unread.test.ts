/** What could not be read is not taken for nothing. */
import { expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { forgive, problemsEverywhere, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo(DEMO_HOSTS.slice(0, 1));
const { page, trouble } = await sharedPage(browser, muster);

const WHY = "The database is busy";

/** Makes an operation fail. @returns the function that ends this */
async function failing(operation: string): Promise<() => Promise<void>> {
  const url = (address: URL) => address.pathname === `/api/1${operation}`;
  await page.route(url, (route) => route.fulfill({ status: 503, json: { error: WHY, code: "busy" } }));
  return async () => {
    await page.unroute(url);
    forgive(trouble, /status of 503/);
  };
}

test.each([
  ["/", "/oncall/now", "On call"],
  ["/", "/mutes/list", "Mutes and maintenance"],
  ["/", "/reports/forecasts/list", "Forecasts"],
  ["/hosts/1", "/reports/forecasts/get", "Forecasts"],
  ["/hosts/1", "/publicnotes/list", "Public notes"],
  ["/hosts/1", "/admin/hosts/action/list", "Queued actions"],
  ["/hosts/1", "/mutes/history", "Mutes and maintenance of this range"],
  ["/events", "/filters/list", "Saved filters"],
  ["/events?active=1", "/filters/list", "Saved filters"],
  ["/setup", "/admin/refusals/list", "Rejected messages"],
  ["/fleet", "/views/list", "Saved views"],
  ["/health", "/forgotten/list", "What is possibly forgotten"],
  ["/alerts/rehearsals", "/admin/rehearsals/suggestions", "Channels without a delivery for 30 days"],
  ["/alerts", "/admin/rules/unmatched", "Which rules match nothing"],
  ["/limits", "/limits/unmatched", "Which limits match nothing"],
  ["/about", "/admin/nodes/list", "Nodes"],
  ["/", "/admin/rules/list", "Rules"],
  ["/", "/reports/events/list", "The problems of hosts"],
  ["/hosts", "/reports/events/list", "The problems of hosts"],
  ["/alerts/rules/edit", "/admin/users/list", "Users"],
  ["/alerts/reports?new=1", "/admin/users/list", "Users"],
  ["/hosts/1/settings", "/status/tags/list", "Tags"],
  ["/audit", "/admin/groups/list", "Names of hosts, groups, channels and schedules"],
  ["/hosts?text=oslo", "/status/search", "Which hosts have services or groups of this name"],
  ["/hosts/change?text=oslo", "/status/search", "Which hosts have services or groups of this name"],
  ["/hosts", "/status/hosts/glance", "The last 24 hours"],
  ["/hosts?sort=disk", "/reports/history/top", "The values to sort by"],
  ["/uptime", "/status/tags/list", "Tags"],
  ["/events?eventtype=1", "/status/servicegroups/list", "Service groups"],
  ["/hosts/1", "/status/hosts/glance", "The last 24 hours"],
])("%s says that what %s answers could not be read, and reads it again", async (path, operation, what) => {
  const end = await failing(operation);
  await page.goto(path);
  const message = page.getByRole("alert").filter({ hasText: `${what} could not be read: ${WHY}` });
  await message.waitFor();
  await settled(page);
  if (operation === "/oncall/now") expect(await problemsEverywhere(page)).toEqual([]);
  await end();
  await message.getByRole("button", { name: "Try again" }).press("Enter");
  await expectAbsent(message);
  await expectSoon(() => page.locator("body").evaluate((body) => body === document.activeElement)).toBe(
    false,
  );
});

test.each([
  ["/users/edit?uname=nobody", "There is no user nobody", "Users"],
  ["/hosts/99999", "There is no host 99999", "Hosts"],
  ["/hosts/99999/settings", "There is no host 99999", "Hosts"],
  ["/events/99999", "There is no event 99999", "Events"],
  ["/incidents/99999", "There is no incident 99999", "Incidents"],
  ["/uptime/99999", "There is no host 99999", "Uptime"],
  ["/keys/99999", "There is no key 99999", "Agent keys"],
  ["/alerts/rules/edit?id=99999", "There is no rule 99999", "Alerts"],
  ["/limits/edit?id=99999", "There is no limit 99999", "Limits"],
  ["/mail-reports/99999", "There is no report 99999", "Alerts: Reports"],
  ["/rehearsals/99999", "There is no rehearsal 99999", "Alerts: Rehearsals"],
])("%s says that there is no such record, and leads back to the list", async (path, missing, list) => {
  await page.goto(path);
  const message = page.getByRole("alert").filter({ hasText: `${missing}. It may have been deleted` });
  const back = message.getByRole("link", { name: `Back to ${list}`, exact: true });
  await back.waitFor();
  await settled(page);
  await expectAbsent(page.getByRole("button", { name: "Try again" }));
  await expectAbsent(page.getByRole("button", { name: "Delete" }));
  if (path === "/hosts/99999") expect(await problemsEverywhere(page)).toEqual([]);
  await back.click();
  await page.waitForURL((url) => url.href !== new URL(path, url).href);
  await expectAbsent(message);
  forgive(trouble, /status of 404/);
});

test("what is refused for its arguments is not read again by a button", async () => {
  await page.goto("/events?hostid=abc");
  const message = page.getByRole("alert").filter({ hasText: "hostid must be an id" });
  await message.waitFor();
  await settled(page);
  await expectAbsent(message.getByRole("button"));
  forgive(trouble, /status of 400/);
});

test("what could not be read because the service was away is named once it is back", async () => {
  const url = (address: URL) => address.pathname === "/api/1/filters/list";
  await page.route(url, (route) => route.abort());
  await page.goto("/events");
  const message = page.getByRole("alert").filter({ hasText: "Saved filters could not be read" });
  await message.waitFor();
  await page.unroute(url);
  await message.getByRole("button", { name: "Try again" }).click();
  await expectAbsent(message);
  forgive(trouble, /ERR_FAILED/);
});

test("a new user gets no access to all hosts unseen: groups that could not be read are read again", async () => {
  const end = await failing("/status/hostgroups/list");
  await page.goto("/users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog", { name: "New user" });
  await dialog.getByRole("alert").filter({ hasText: WHY }).waitFor();
  await end();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByRole("checkbox", { name: "Oslo" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a host of a key is not said to move to a deleted one while the keys could not be read", async () => {
  const admin = await muster.admin();
  const { json } = await admin.post("/api/1/admin/keys/create", { name: "Racks" });
  await admin.post("/api/1/admin/keys/move", { id: json.id, hosts: [1] });
  const end = await failing("/admin/keys/list");
  await page.goto(`/keys/${json.id}`);
  await page.getByRole("alert").filter({ hasText: WHY }).waitFor();
  await expectAbsent(page.getByRole("table", { name: "Hosts" }));
  await end();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("table", { name: "Hosts" }).getByRole("button", { name: /^Move/ }).waitFor();
});

test("a mute that could not be ended says why beside its button", async () => {
  const admin = await muster.admin();
  await admin.post("/api/1/mutes/create", { filter: { hosts: [1] }, minutes: 60 });
  await page.goto("/hosts/1");
  const button = page.getByRole("button", { name: /^End now/ });
  await button.waitFor();
  const end = await failing("/mutes/delete");
  await button.click();
  await page.getByRole("alert").filter({ hasText: WHY }).waitFor();
  await settled(page);
  expect(await problemsEverywhere(page)).toEqual([]);
  await end();
  await button.click();
  await page.locator(".toast").getByText("The mute has ended").waitFor();
  await expectAbsent(button);
});

test("a mute whose button cannot be shown because the mutes could not be read is not silent about it", async () => {
  const admin = await muster.admin();
  const { json } = await admin.post("/api/1/mutes/create", { filter: { hosts: [1] }, minutes: 60 });
  const end = await failing("/mutes/list");
  await page.goto("/hosts/1");
  const message = page.getByRole("alert").filter({ hasText: `Mutes could not be read: ${WHY}` });
  await message.waitFor();
  await end();
  await message.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("button", { name: /^End now/ }).waitFor();
  await admin.post("/api/1/mutes/delete", { id: json.id });
});
