/** Levels in host groups in the browser: given, and what a user sees and may do then. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { accessibilityProblems, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);
const PASSWORD = "long enough";

/** Gives the user a level in the first group. */
async function give(level: "None" | "View" | "Operate" | "Manage"): Promise<void> {
  await page.goto("/users/edit?uname=ola");
  const choice = page.locator("select[name=level-1]");
  await choice.waitFor();
  await choice.selectOption(level === "None" ? "" : level.toLowerCase());
  await page.getByRole("button", { name: "Save levels" }).click();
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
  const admin = await muster.admin();
  const user = { uname: "ola", password: PASSWORD, fullname: "Ola" };
  expect((await admin.post("/api/1/admin/users/create", user)).status).toBe(200);
  const { hosts } = await group();
  const [host = 0] = hosts;

  await give("View");
  expect(await accessibilityProblems(page)).toEqual([]);
  const own = await pageOfUser();
  await own.goto("/hosts");
  await own.locator(".host-row").first().waitFor();
  expect(await own.locator(".host-row").count()).toBe(hosts.length);
  await own.goto(`/hosts/${host}`);
  await own.getByRole("link", { name: "Uptime", exact: true }).last().waitFor();
  expect(await own.getByRole("button", { name: /^Mute/ }).count()).toBe(0);
  expect(await own.getByRole("link", { name: "Settings", exact: true }).count()).toBe(0);

  await give("Manage");
  await own.reload();
  await own.getByRole("button", { name: /^Mute/ }).first().waitFor();
  await own.goto(`/hosts/${host}/settings`);
  await own.getByText("The agent's password is not shown").waitFor();
  await own.getByLabel("Description").fill("described by its manager");
  await own.getByRole("button", { name: "Save" }).click();
  await own.locator("#content").getByText("Host settings saved").waitFor();
  await own.goto("/users");
  await heading(own, "Page not found");
});
