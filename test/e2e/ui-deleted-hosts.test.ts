/** Deleting hosts in the browser, and undoing it: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  excessWidth,
  forgive,
  sharedBrowser,
  sharedDemo,
  sharedPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page, trouble } = await sharedPage(browser, muster);
const button = (name: string) => page.getByRole("button", { name, exact: true });
const dialog = (name: string) => page.getByRole("dialog", { name });
const undo = () => page.locator(".toast").getByRole("button", { name: "Undo" }).click();
const rows = () => page.getByRole("table", { name: "Deleted hosts" }).getByRole("rowheader");
const admin = await muster.admin();
/** The hosts that the API lists. */
const ids = async () =>
  (await admin.get("/api/1/status/hosts/list")).json.records.map(({ id }: { id: number }) => id).sort();

test("a deleted host comes back by Undo on the notice, with its page", async () => {
  const { hostname: name } = (await admin.get("/api/1/admin/hosts/get", { id: 2 })).json;
  await page.goto("/hosts/2");
  await page.getByRole("button", { name: "Delete" }).click();
  await dialog(`Delete ${name}?`).getByRole("button", { name: "Delete host" }).click();
  await page.getByRole("heading", { level: 1, name: "Hosts" }).waitFor();
  await expectSoon(ids).toEqual([1, 3, 4, 5]);
  await undo();
  await page.getByRole("heading", { level: 1, name }).waitFor();
  await expectSoon(() => new URL(page.url()).pathname).toBe("/hosts/2");
  await expectSoon(ids).toEqual([1, 2, 3, 4, 5]);
  // The page of the host, and parts of it, may ask once more between the deletion and its reply.
  forgive(trouble, /status of 404.*[?&](host)?id=2(&|$)/);
});

test("hosts that bulk edit deleted come back together", async () => {
  await page.goto("/hosts/change");
  await page.getByLabel("Type 5 to delete that many hosts").fill("5");
  await button("Delete 5 hosts").click();
  await announced(page, "5 hosts deleted");
  await expectSoon(ids).toEqual([]);
  await undo();
  await button("Change 5 hosts").waitFor();
  await expectSoon(ids).toEqual([1, 2, 3, 4, 5]);
});

test("the list of deleted hosts undoes, deletes for good after a question, and names the new host", async () => {
  await admin.post("/api/1/admin/hosts/bulk/delete", { hosts: [1, 2, 3], count: 3 });
  await page.goto("/hosts");
  await page.getByRole("link", { name: "Deleted hosts" }).click();
  await rows().nth(2).waitFor();
  const [first, second, third] = (await admin.get("/api/1/admin/hosts/deleted/list")).json.records;
  await button(`Undo the deletion of ${first.hostname}`).click();
  await announced(page, `${first.hostname} is back`);
  await expectSoon(() => rows().count()).toBe(2);
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  await button(`Delete ${second.hostname} for good`).click();
  await dialog(`Delete ${second.hostname} for good?`).getByRole("button", { name: "Cancel" }).click();
  await expectSoon(() => rows().count()).toBe(2);
  await button(`Delete ${second.hostname} for good`).click();
  await dialog(`Delete ${second.hostname} for good?`)
    .getByRole("button", { name: "Delete for good" })
    .click();
  await rows().nth(1).waitFor({ state: "detached" });
  await muster.report({ id: third.agentid, hostname: "the-new-one" });
  await page.reload();
  await page.getByRole("link", { name: "the-new-one" }).waitFor();
  await expectSoon(() => button(`Undo the deletion of ${third.hostname}`).isDisabled()).toBe(true);
});

test.each([1280, 390])("the list stays in the window at %i pixels, and is accessible", async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await page.goto("/hosts/deleted");
  await rows().first().waitFor();
  expect(await excessWidth(page)).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a page beyond the end of the list, as after its last row is gone, becomes the last page", async () => {
  const hosts = await ids();
  await admin.post("/api/1/admin/hosts/bulk/delete", { hosts: [hosts[0]], count: 1 });
  await page.goto("/hosts/deleted?startindex=50");
  await rows().first().waitFor();
  await expectSoon(() => new URL(page.url()).searchParams.get("startindex")).toBe("0");
});
