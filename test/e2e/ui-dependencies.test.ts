/** Dependencies on the settings page of a host. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import {
  accessibilityProblems,
  announced,
  excessWidth,
  sharedBrowser,
  sharedDemo,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();

test("an administrator says what a service depends on, and takes it back", async () => {
  const admin = await muster.admin();
  const { json } = await admin.get("/api/1/status/hosts/list");
  const other = json.records.find((record: { id: number }) => record.id !== 1);
  await using open = await signedInPage(browser, muster, "/hosts/1/settings");
  const { page, trouble } = open;
  await page.getByLabel("Service of this host").fill("nginx");
  await page.getByLabel("Depends on host").fill(other.hostname);
  await page.getByRole("button", { name: "Add dependency" }).click();
  const row = page.getByRole("listitem").filter({ hasText: `depends on ${other.hostname}` });
  await row.waitFor();
  for (const label of ["Service of this host", "Depends on host"])
    await expectSoon(() => page.getByLabel(label).inputValue()).toBe("");
  const { json: list } = await admin.get("/api/1/admin/dependencies/list?hostid=1");
  expect(list.records).toMatchObject([
    { dependent: { host: 1, service: "nginx" }, cause: { host: other.id, service: "" } },
  ]);
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.setViewportSize({ width: 390, height: 800 });
  expect(await excessWidth(page)).toBe(0);
  await row.getByRole("button").click();
  await row.waitFor({ state: "detached" });
  await announced(page, "Dependency deleted");
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  expect((await admin.get("/api/1/admin/dependencies/list")).json.totalRecords).toBe(0);
  expect(trouble).toEqual([]);
});
