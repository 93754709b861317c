/** Levels in host groups in the browser: granted, and what a user then sees and may do. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  problemsEverywhere,
  sharedBrowser,
  sharedDemo,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);
const PASSWORD = "long enough";

async function create(uname: string, fullname: string): Promise<void> {
  const admin = await muster.admin();
  const user = { uname, password: PASSWORD, fullname };
  expect((await admin.post("/api/1/admin/users/create", user)).status).toBe(200);
}

/** Gives the user a level in the first group. */
async function give(level: "None" | "View" | "Operate" | "Manage"): Promise<void> {
  await page.goto("/users/edit?uname=ola");
  const choice = page.locator("select[name=level-1]");
  await choice.waitFor();
  await choice.selectOption(level === "None" ? "" : level.toLowerCase());
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.locator("#content").getByText("Saved", { exact: true }).waitFor();
}

const group = async () => {
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/status/hostgroups/list")).json;
  return records.find(({ id }: { id: number }) => id === 1) as { name: string; hosts: number[] };
};

/** A page on which the user has signed in, at the first host of the group. */
async function pageOfUser() {
  const opened = await openPage(browser, muster);
  await signIn(opened.page, PASSWORD, "ola");
  await heading(opened.page, "Overview");
  return opened.page;
}

test("a user with a level in a group sees its hosts, and may do what the level allows", async () => {
  await create("ola", "Ola");
  const { hosts } = await group();
  const [host = 0] = hosts;

  await give("View");
  expect(await accessibilityProblems(page)).toEqual([]);
  const userPage = await pageOfUser();
  await userPage.goto("/hosts");
  await userPage.locator(".host-row").first().waitFor();
  await expectSoon(() => userPage.locator(".host-row").count()).toBe(hosts.length);
  await userPage.goto(`/hosts/${host}`);
  await userPage.getByRole("link", { name: "Uptime", exact: true }).last().waitFor();
  await expectAbsent(userPage.getByRole("button", { name: /^Mute/ }));
  await expectAbsent(userPage.getByRole("link", { name: "Settings", exact: true }));

  await give("Manage");
  await userPage.reload();
  await userPage.getByRole("button", { name: /^Mute/ }).first().waitFor();
  await userPage.goto(`/hosts/${host}/settings`);
  await userPage.getByText("Already set; leave empty to keep it").waitFor();
  await userPage.getByLabel("Description").fill("described by its manager");
  await userPage.getByRole("button", { name: "Save" }).click();
  await userPage.locator("#content").getByText("Host settings saved").waitFor();
  await userPage.goto("/users");
  await heading(userPage, "Page not found");
});

test("whoever operates a host ends its mutes where they began them", async () => {
  await create("oda", "Oda");
  const [host = 0] = (await group()).hosts;
  const admin = await muster.admin();
  expect((await admin.post("/api/1/admin/grants/set", { uname: "oda", operate: 1 })).status).toBe(200);
  const { services } = (await admin.get("/api/1/status/hosts/get", { id: host })).json.records.host;
  await using opened = await openPage(browser, muster);
  await signIn(opened.page, PASSWORD, "oda");
  await heading(opened.page, "Overview");
  const banner = (text: string) => opened.page.locator(".muted-banner").getByText(text);
  for (const path of [`/hosts/${host}`, `/hosts/${host}/services/${services[0].id}`]) {
    await opened.page.goto(path);
    await opened.page.getByRole("button", { name: /^Mute / }).click();
    const dialog = opened.page.getByRole("dialog");
    await dialog.getByLabel("Reason (optional)").fill("an upgrade");
    await dialog.getByRole("button", { name: "Mute", exact: true }).click();
    await banner("“an upgrade” No notifications are sent for it.").waitFor();
    expect(await problemsEverywhere(opened.page)).toEqual([]);
    await opened.page.getByRole("button", { name: /^End now: / }).click();
    await announced(opened.page, "The mute has ended");
    await expectAbsent(banner("Muted by oda until "));
    await expectSoon(() => isFocused(opened.page.getByRole("heading", { level: 1 }))).toBe(true);
  }
  // That of a group covers more hosts, and outlasts another of the host, whose end would change nothing.
  for (const [filter, minutes] of [
    [{ hostgroups: [1] }, 120],
    [{ hosts: [host] }, 60],
  ])
    expect((await admin.post("/api/1/mutes/create", { filter, minutes })).status).toBe(200);
  await opened.page.goto(`/hosts/${host}`);
  await banner("Muted by admin until ").waitFor();
  await expectAbsent(opened.page.getByRole("button", { name: /^End now: / }));
  // Whoever may end none does not ask for them all the time.
  expect((await admin.post("/api/1/admin/grants/set", { uname: "oda", view: 1 })).status).toBe(200);
  const asked: string[] = [];
  opened.page.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await opened.page.reload();
  await banner("Muted by admin until ").waitFor();
  await expectAbsent(opened.page.getByRole("button", { name: /^Mute / }));
  expect(asked).toContain("/api/1/status/hosts/get");
  expect(asked).not.toContain("/api/1/mutes/list");
  expect(opened.trouble).toEqual([]);
});

test("one button saves all sections of a user, and those that are not saved say so", async () => {
  const admin = await muster.admin();
  await create("per", "Per");
  await page.goto("/users/edit?uname=per");
  const unsaved = page.getByText("Unsaved", { exact: true });
  await page.locator("select[name=level-1]").selectOption("operate");
  await page.getByLabel("E-mail", { exact: true }).fill("no address");
  await page.getByRole("group", { name: "Channels", exact: true }).getByLabel("Hook").check();
  await expectSoon(() =>
    page.getByRole("group", { name: "Channels", exact: true }).getByLabel("Hook").isChecked(),
  ).toBe(true);
  await expectSoon(() => unsaved.count()).toBe(3);
  await expectSoon(() => page.getByRole("button", { name: "Save", exact: true }).count()).toBe(1);
  await page.getByLabel("E-mail", { exact: true }).fill("per@example.org");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await announced(page, "Saved");
  await unsaved.first().waitFor({ state: "detached" });
  const of = async (path: string) => (await admin.get(`/api/1/admin/${path}`, { uname: "per" })).json;
  expect((await of("users/get")).email).toBe("per@example.org");
  expect((await of("grants/get")).grants).toEqual([
    expect.objectContaining({ groupid: 1, level: "operate" }),
  ]);
  const { records } = await of("contacts/list");
  expect(records.find(({ uname }: { uname: string }) => uname === "per").channels).toEqual([1]);
  await page.getByLabel("New password").fill("another secret");
  await expectSoon(() => unsaved.count()).toBe(1);
  // What is being written no longer counts as unsaved.
  const written = page.waitForResponse("**/api/1/admin/users/update");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  expect((await written).status()).toBe(200);
  await unsaved.waitFor({ state: "detached" });
  await muster.client().signIn("per", "another secret");
  expect((await of("users/get")).email).toBe("per@example.org");
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("what is changed while a save is under way is unsaved, and saved the next time", async () => {
  await create("eva", "Eva");
  await page.goto("/users/edit?uname=eva");
  const level = page.locator("select[name=level-1]");
  await level.selectOption("view");
  const sent = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  await page.route("**/api/1/admin/grants/set", async (route) => {
    sent.resolve();
    await goOn.promise;
    await route.continue();
  });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await sent.promise;
  await level.selectOption("manage");
  goOn.resolve();
  await announced(page, "Saved");
  await page.unroute("**/api/1/admin/grants/set");
  await page.getByText("Unsaved", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await expectAbsent(page.getByText("Unsaved", { exact: true }));
  const admin = await muster.admin();
  const { grants } = (await admin.get("/api/1/admin/grants/get", { uname: "eva" })).json;
  expect(grants).toMatchObject([{ groupid: 1, level: "manage" }]);
});

test("the dialog of a new user says that he sees all hosts, and offers groups", async () => {
  const admin = await muster.admin();
  await page.goto("/users");
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog", { name: "New user" });
  await dialog.getByText("Sees all hosts, unless you choose groups.").waitFor();
  await dialog.getByLabel("Administrator").check();
  await dialog.getByText("Sees all hosts").waitFor({ state: "detached" });
  await dialog.getByLabel("Administrator").uncheck();
  await dialog.getByLabel("User name").fill("nora");
  await dialog.getByLabel("Full name").fill("Nora");
  await dialog.getByLabel("Password").fill("long enough");
  await dialog.getByRole("checkbox", { name: (await group()).name }).check();
  await dialog.getByLabel("Access", { exact: true }).selectOption("operate");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.waitFor({ state: "detached" });
  const { json } = await admin.get("/api/1/admin/grants/get", { uname: "nora" });
  expect(json).toMatchObject({ restricted: true, grants: [{ groupid: 1, level: "operate" }] });
  await page.goto("/users/edit");
  await heading(page, "Page not found");
  await page.goto("/audit");
  await page.getByRole("link", { name: "nora" }).first().waitFor();
  await page
    .getByText(`grants: (empty) → ${(await group()).name} operate`)
    .last()
    .waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("who creates a user for groups reads that the user may see all hosts if the connection is lost", async () => {
  await using open = await signedInPage(browser, muster, "/users");
  const { page } = open;
  await page.route(/admin\/(grants\/set|users\/delete)$/, (route) => route.abort());
  await page.getByRole("button", { name: "New user" }).click();
  const dialog = page.getByRole("dialog", { name: "New user" });
  await dialog.getByLabel("User name").fill("lost");
  await dialog.getByLabel("Full name").fill("Lost");
  await dialog.getByLabel("Password").fill("long enough");
  await dialog.getByRole("checkbox", { name: (await group()).name }).check();
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByText("If lost is in the list of users now, they may see all hosts").waitFor();
});

test("what was typed stays when the right to save it is lost, with the reason, and what is not allowed goes after it", async () => {
  const [host = 0] = (await group()).hosts;
  await give("Manage");
  const userPage = await pageOfUser();
  const told = userPage.locator(".toast").getByText("Your access has changed.");
  await userPage.goto(`/hosts/${host}`);
  const mute = userPage.getByRole("button", { name: /^Mute/ }).first();
  await mute.click();
  const dialog = userPage.getByRole("dialog");
  const reason = dialog.getByLabel(/^Reason/);
  await reason.fill("Disks are replaced");
  await give("View");
  await dialog.getByRole("button", { name: /^Mute/ }).click();
  await dialog.getByRole("alert").getByText("does not allow this").waitFor();
  await told.getByText("What you have typed stays").waitFor();
  // Nothing was done.
  await userPage.locator(".toast-news").waitFor();
  await expectSoon(() => reason.inputValue()).toBe("Disks are replaced");
  await userPage.keyboard.press("Escape");
  await dialog.getByRole("button", { name: "Discard changes" }).click();
  await told.getByText("is hidden").waitFor();
  await expectAbsent(dialog, mute);

  await give("Manage");
  await userPage.goto(`/hosts/${host}/settings`);
  const description = userPage.getByLabel("Description");
  await description.fill("In the cellar");
  await give("View");
  await userPage.getByRole("button", { name: "Save" }).click();
  await userPage.locator(".form-error").waitFor();
  await told.getByText("What you have typed stays").waitFor();
  await expectSoon(() => description.inputValue()).toBe("In the cellar");
  await userPage.getByRole("link", { name: "Overview", exact: true }).click();
  await userPage.getByRole("button", { name: "Discard changes" }).click();
  await told.getByText("is hidden").waitFor();
  await heading(userPage, "Overview");
  await expectAbsent(userPage.getByRole("link", { name: "Limits", exact: true }));
  await userPage.context().close();
});

test("a level that was changed elsewhere shows at the first refusal, and when the page is shown again, and is told", async () => {
  const [host = 0] = (await group()).hosts;
  await give("Operate");
  const userPage = await pageOfUser();
  await userPage.goto(`/hosts/${host}`);
  const mute = userPage.getByRole("button", { name: /^Mute/ }).first();
  const told = userPage.locator(".toast").getByText("Your access has changed.");
  await mute.click();
  const dialog = userPage.getByRole("dialog");
  await dialog.waitFor();
  await give("View");
  await dialog.getByRole("button", { name: /^Mute/ }).click();
  await told.waitFor();
  await expectAbsent(dialog, mute, userPage.getByRole("button", { name: "Start" }));

  await give("Operate");
  await userPage.evaluate(() => document.dispatchEvent(new Event("visibilitychange")));
  await mute.waitFor();
  await userPage.context().close();
});
