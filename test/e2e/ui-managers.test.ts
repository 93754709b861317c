/** What managers of a host group see and do in the browser: the screens of what they may change. */
import { expect } from "bun:test";
import type { Page } from "playwright-core";
import type { Fields } from "../support/client.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { accessibilityProblems, choose, sharedBrowser, sharedDemo } from "./ui.ts";

const { beforeAll, test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const PASSWORD = "long enough";
interface Problem {
  id: number;
  hostid: number;
  servicename: string;
}

let page: Page;
let own: { name: string; hosts: number[] };
/** Problems of a host that they manage, and of one that they only see. */
let problems: { own: Problem; seen: Problem };

beforeAll(async () => {
  const admin = await muster.admin();
  const made = async (path: string, fields: Fields) => {
    const { status, json } = await admin.post(`/api/1/${path}`, fields);
    expect([path, status]).toEqual([path, 200]);
    return json;
  };
  const events = (await admin.get("/api/1/reports/events/list", { active: 1, results: 1000 })).json;
  const [first, ...others]: Problem[] = events.records;
  const second = others.find(({ hostid }) => hostid !== first?.hostid);
  if (!first || !second) throw new Error("Too few problems");
  problems = { own: first, seen: second };
  const { hosts } = (await admin.get("/api/1/admin/groups/list")).json as { hosts: { id: number }[] };
  const other = hosts.find(({ id }) => id !== first.hostid && id !== second.hostid)?.id ?? 0;
  own = { name: "Ours", hosts: [first.hostid, other] };
  const { id: manage } = await made("admin/groups/create", { name: own.name });
  await made("admin/groups/add", { id: manage, hostid: own.hosts });
  const { id: view } = await made("admin/groups/create", { name: "Only seen" });
  await made("admin/groups/add", { id: view, hostid: second.hostid });
  await made("limits/create", { name: "Everywhere", statistics: [18], warning: 99 });
  await made("admin/users/create", { uname: "mia", password: PASSWORD, fullname: "Mia" });
  await made("admin/grants/set", { uname: "mia", manage, view });
  ({ page } = await openPage(browser, muster));
  await signIn(page, PASSWORD, "mia");
  await heading(page, "Overview");
});

test("the menu has the screens of what they may change, and no others", async () => {
  const links = page.getByRole("navigation", { name: "Pages" }).getByRole("link");
  await expectSoon(async () => (await links.allTextContents()).slice(-4)).toEqual([
    "Alerts",
    "Limits",
    "Status pages",
    "Agent keys",
  ]);
  for (const path of ["/users", "/settings", "/groups", "/audit", "/alerts/channels", "/alerts/deliveries"]) {
    await page.goto(path);
    await heading(page, "Page not found");
  }
});

test("a rule is created for their group and uses a channel by its name; they cannot change the order", async () => {
  await page.goto("/alerts");
  await page.getByRole("link", { name: "New rule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Mine");
  await page.getByLabel("Hook").first().check();
  const group = page.getByLabel(own.name, { exact: true });
  await expectSoon(() => group.isChecked()).toBe(true);
  await expectAbsent(page.getByLabel("Only seen", { exact: true }));

  await group.uncheck();
  await page.getByRole("button", { name: "Create rule" }).click();
  await expectSoon(() => group.evaluate((box: HTMLInputElement) => box.validationMessage)).toBe(
    "Choose a host group",
  );
  await group.check();
  await page.getByRole("button", { name: "Preview the last week" }).click();
  await page.locator("#content").getByText("Last week: ").waitFor();
  await page.getByRole("button", { name: "Create rule" }).click();
  await page.getByRole("link", { name: "Mine", exact: true }).waitFor();
  await expectAbsent(page.getByRole("link", { name: "Oslo", exact: true }));
  await expectAbsent(page.getByRole("link", { name: "Channels" }));
  await expectAbsent(page.getByRole("button", { name: /^Move/ }));
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("maintenance is planned for their group, and not for everything", async () => {
  await page.goto("/alerts/maintenance");
  await page.getByText("No maintenance planned for your host groups.").waitFor();
  // "Patching" covers their hosts, too.
  await page.getByText("Maintenance that also covers other hosts is not listed here.").waitFor();
  await page.goto("/alerts/maintenance?new=1");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name", { exact: true }).fill("Reboot");
  await expectAbsent(dialog.getByLabel(/^Everything/));
  await dialog.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("table", { name: "Maintenance", exact: true }).getByRole("row");
  await row.filter({ hasText: `Host groups: ${own.name}.` }).waitFor();
  await expectAbsent(row.filter({ hasText: "Patching" }));
});

test("a limit is made for their group; those of others are shown, and not changed", async () => {
  await page.goto("/limits");
  const limits = page.getByRole("table", { name: "Limits", exact: true });
  await limits.getByText("Everywhere").waitFor();
  await expectAbsent(limits.getByRole("link", { name: "Everywhere" }));
  await expectAbsent(limits.getByRole("button", { name: "Delete Everywhere" }));
  const suggestions = page.getByRole("table", { name: "Suggested limits", exact: true });
  await suggestions
    .getByText(/^Would (not )?have been exceeded/)
    .first()
    .waitFor();
  await suggestions.getByRole("button", { name: "Add Disk almost full" }).click();
  await limits.getByRole("link", { name: "Disk almost full" }).click();
  await expectSoon(() => page.getByLabel(own.name, { exact: true }).isChecked()).toBe(true);
  await page.getByLabel("Warning above").fill("84");
  await page.getByRole("button", { name: "Save limit" }).click();
  await limits.getByText(`Host groups: ${own.name}.`).waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a status page is made of their group", async () => {
  await page.goto("/status-pages");
  await page.getByRole("button", { name: "New page" }).click();
  const dialog = page.getByRole("dialog");
  const choice = dialog.getByLabel("Host group");
  await expectSoon(() => choice.locator("option").allTextContents()).toEqual([own.name]);
  await dialog.getByLabel("Title").fill("Page of ours");
  await dialog.getByLabel("Only hosts with these tags").fill("public, tier=1");
  await dialog.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "Page of ours" }).waitFor();
  await page.getByText("Ours, tagged public, tier=1").waitFor();
});

test("a host of theirs depends on another of theirs", async () => {
  const [host = 0, cause = 0] = own.hosts;
  const admin = await muster.admin();
  const { json } = await admin.get("/api/1/status/hosts/list", { hostid: cause });
  const causeName = json.records[0].hostname as string;
  await page.goto(`/hosts/${host}/settings`);
  await page.getByLabel("Depends on host").fill(causeName);
  await page.getByRole("button", { name: "Add dependency" }).click();
  await page.getByText(`depends on ${causeName}`).first().waitFor();
});

test("problems are acknowledged where their level allows it, and only looked at elsewhere", async () => {
  await page.goto(`/events/${problems.own.id}`);
  await page.getByRole("button", { name: /^Acknowledge/ }).waitFor();
  await page.getByRole("button", { name: "Add note" }).waitFor();
  await page.goto(`/events/${problems.seen.id}`);
  await heading(page, problems.seen.servicename);
  await expectAbsent(page.getByRole("button", { name: /^(Acknowledge|Dismiss|Add note)/ }));
  await page.goto("/");
  await page
    .getByRole("button", { name: /^Acknowledge/ })
    .first()
    .waitFor();
  await page.goto("/events?active=2");
  await page
    .getByRole("checkbox", { name: /^Select: / })
    .first()
    .waitFor();
  await settled(page);
  const rows = await page.getByRole("table", { name: "Events" }).getByRole("row").count();
  await expectSoon(() => page.getByRole("checkbox", { name: /^Select: / }).count()).toBeLessThan(rows - 1);
});

test("a key is made of their group, whose secret they see", async () => {
  await page.goto("/keys");
  await page.getByRole("button", { name: "New key" }).click();
  const dialog = page.getByRole("dialog");
  await expectSoon(() => dialog.getByLabel(own.name, { exact: true }).isChecked()).toBe(true);
  await dialog.getByLabel("Name", { exact: true }).fill("ours");
  await dialog.getByRole("button", { name: "Create key" }).click();
  await page.getByRole("button", { name: "Show secret" }).click();
  const lines = page.getByLabel("the lines for Monit's control file").first();
  await expectSoon(() => lines.inputValue()).toContain("set mmonit http://ours:");
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("what is another's to do is no page to them, neither the host of that name", async () => {
  await page.goto("/hosts/change");
  await heading(page, "Page not found");
});

test("who is bound to groups without hosts reads that they see none, not that there is none", async () => {
  const admin = await muster.admin();
  await admin.post("/api/1/admin/users/create", { uname: "nina", password: PASSWORD, fullname: "Nina" });
  await admin.post("/api/1/admin/grants/set", { uname: "nina", restricted: true });
  await using open = await openPage(browser, muster);
  await signIn(open.page, PASSWORD, "nina");
  await heading(open.page, "Overview");
  await open.page.getByText("You do not have access to any hosts.").waitFor();
  for (const path of ["/hosts", "/events", "/uptime", "/fleet"]) {
    await open.page.goto(path);
    await open.page.getByText("You do not have access to any hosts.").waitFor();
  }
  await open.page.goto("/incidents");
  await open.page.getByText("No incident of the hosts you can see has ended yet.").waitFor();
  const at = Math.floor(Date.now() / 1000) - 600;
  for (const path of ["/", "/hosts", "/events", "/uptime", "/fleet"]) {
    await open.page.goto(`${path}?at=${at}`);
    await open.page.getByText("You do not have access to any hosts.").waitFor();
    await expectAbsent(open.page.getByText("No problems."));
  }
  const { json } = await admin.post("/api/1/admin/groups/create", { name: "Empty" });
  await admin.post("/api/1/admin/grants/set", { uname: "nina", restricted: true, view: json.id });
  await open.page.goto(`/hosts?at=${at}`);
  await open.page.getByText("There were no hosts then.").waitFor();
  for (const path of ["/", "/hosts", "/uptime"]) {
    await open.page.goto(path);
    await open.page.getByText("The host groups you have access to contain no hosts.").waitFor();
  }
  expect(open.trouble).toEqual([]);
});

test("events are filtered by a host group that they see", async () => {
  await page.goto("/events");
  await page.getByText("More filters").click();
  await choose(page.getByLabel("Host group", { exact: true }), own.name);
  await page.waitForURL(/hostgroupid=\d/);
});
