/** Many hosts changed and deleted at once in the browser: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import { accessibilityProblems, excessWidth, sharedBrowser, sharedDemo, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page } = await sharedPage(browser, muster);
const said = (text: string) => page.locator("#content").getByText(text).waitFor();
const button = (name: string) => page.getByRole("button", { name, exact: true });
const listed = async () =>
  (await (await muster.admin()).get("/api/1/status/hosts/list")).json.records as {
    hostname: string;
    tags: string[];
  }[];

test("the hosts that match the filter of the list are tagged, but one that is left out", async () => {
  await page.goto("/hosts?text=db-");
  await page.locator(".host-row").first().waitFor();
  await page.getByRole("link", { name: "Bulk edit" }).click();
  await page.getByLabel("db-2.example.org").uncheck();
  await page.getByLabel("Add tags").fill("Role=DB");
  await button("Change 1 host").click();
  await said("1 host changed");
  expect((await listed()).filter(({ tags }) => tags.length > 0)).toMatchObject([
    { hostname: "db-1.example.org", tags: ["role=db"] },
  ]);
});

test("an empty change is not made", async () => {
  await page.goto("/hosts/change");
  await button("Change 5 hosts").click();
  await page.getByText("Choose what to change").waitFor();
});

test("hosts are deleted once their number is typed", async () => {
  await page.goto("/hosts/change?tag=role");
  const typed = page.getByLabel("Type 1 to delete that many hosts");
  await typed.fill("2");
  await button("Delete 1 host").click();
  await page.getByText("Type 1 first").waitFor();
  expect(await listed()).toHaveLength(5);
  await typed.fill("1");
  await button("Delete 1 host").click();
  await said("1 host deleted");
  expect(await listed()).toHaveLength(4);
});

test.each([1280, 390])("the screen stays in the window at %i pixels, and is accessible", async (width) => {
  await page.setViewportSize({ width, height: 900 });
  await page.goto("/hosts/change");
  await button("Change 4 hosts").waitFor();
  expect(await excessWidth(page)).toBe(0);
  expect(await accessibilityProblems(page)).toEqual([]);
});

test("a host that was left out and no longer matches the filter is not counted", async () => {
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/status/hosts/list")).json;
  const [one, other] = records.slice(0, 2) as { id: number; hostname: string }[];
  await admin.post("/api/1/admin/tags/add", { tags: ["counted"], hosts: [one?.id, other?.id] });
  await page.goto("/hosts/change?tag=counted");
  await page.getByLabel(one?.hostname ?? "").uncheck();
  await page.getByRole("group", { name: "1 host chosen" }).waitFor();
  await admin.post("/api/1/admin/tags/remove", { tags: ["counted"], hosts: [one?.id] });
  await page.getByLabel(one?.hostname ?? "").waitFor({ state: "detached" });
  await page.getByRole("group", { name: "1 host chosen" }).waitFor();
});

test("hosts are not deleted in place of as many others that matched when their number was typed", async () => {
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/status/hosts/list")).json;
  const [one, other] = records.slice(0, 2) as { id: number; hostname: string }[];
  await admin.post("/api/1/admin/tags/add", { tags: ["old"], hosts: [one?.id] });
  await page.goto("/hosts/change?tag=old");
  const typed = page.getByLabel("Type 1 to delete that many hosts");
  await typed.fill("1");
  await admin.post("/api/1/admin/tags/remove", { tags: ["old"], hosts: [one?.id] });
  await admin.post("/api/1/admin/tags/add", { tags: ["old"], hosts: [other?.id] });
  await page.getByLabel(other?.hostname ?? "", { exact: true }).waitFor();
  await page.getByLabel(one?.hostname ?? "", { exact: true }).waitFor({ state: "detached" });
  await expectSoon(() => typed.inputValue()).toBe("");
  await button("Delete 1 host").click();
  await expectSoon(() => isFocused(typed)).toBe(true);
  expect(await listed()).toHaveLength(records.length);
});
