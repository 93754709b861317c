/** Hosts that are expected, in the browser, from a list until they come: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { announced, forgive, problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: async (started) => {
    await started.report({ id: "a", hostname: "here-already" });
    const admin = await started.admin();
    await admin.post("/api/1/admin/groups/create", { name: "Web" });
  },
});
const { page, trouble } = await sharedPage(browser, muster);
const dialog = page.getByRole("dialog", { name: "Add expected hosts" });
const list = dialog.getByLabel("List", { exact: true });
const row = (name: string) => page.getByRole("row", { name: new RegExp(name) });
const admin = await muster.admin();
const names = async () =>
  (await admin.get("/api/1/admin/expected/list")).json.records.map(
    ({ hostname }: { hostname: string }) => hostname,
  );

test("a list is tried before it is taken: what is wrong in it is told with its line", async () => {
  await page.goto("/hosts");
  await page.getByRole("link", { name: "Expected hosts" }).click();
  await page.getByText(/^No expected hosts/).waitFor();
  await page.getByRole("button", { name: "Add expected hosts" }).click();
  await list.fill("hostname,skew\nweb-1,3\nhere-already,3\nweb-2,none\n");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("1 will be added, 1 already reporting, 1 wrong").waitFor();
  await dialog.getByText(/^Line 4, web-2: /).waitFor();
  await expectAbsent(dialog.getByText("Ignored columns"));
  await list.fill("hostname,groupe,skew,owner\nweb-1,Web,3,me\nhere-already,Web,3,me\nweb-2,Web,none,me\n");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("Ignored columns: groupe, owner", { exact: true }).waitFor();
  expect(await names()).toEqual([]);
  await dialog.getByRole("button", { name: "Add expected hosts" }).click();
  await dialog
    .getByRole("alert")
    .getByText(/^Line 4 of the list \(web-2\): /)
    .waitFor();
  expect(await names()).toEqual([]);
  forgive(trouble, /400/);
});

test("once it is right, its hosts are expected with groups and tags", async () => {
  await list.fill("web-1\nweb-2");
  await dialog.getByRole("checkbox", { name: "Web" }).check();
  await dialog.getByLabel("Tags for all").fill("env=prod");
  await dialog.getByRole("button", { name: "Preview" }).click();
  await dialog.getByText("2 will be added").waitFor();
  await dialog.getByRole("button", { name: "Add expected hosts" }).click();
  await row("web-1").getByText("not reported yet").waitFor();
  await row("web-2").getByText("env=prod").waitFor();
  await row("web-2").getByText("Web", { exact: true }).waitFor();
  await settled(page);
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("a host that has come is linked, and one that will not come is removed", async () => {
  await muster.report({ id: "w", hostname: "web-1" });
  await page.reload();
  await row("web-1").getByText("reported", { exact: true }).waitFor();
  await page.getByRole("button", { name: "Remove web-2" }).click();
  await announced(page, "web-2 removed");
  await expectSoon(names).toEqual(["web-1"]);
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  await page.getByRole("link", { name: "web-1" }).click();
  await page.getByRole("heading", { level: 1, name: "web-1" }).waitFor();
});
