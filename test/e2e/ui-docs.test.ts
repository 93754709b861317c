/** The documentation in the executable, and the way to it. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const muster = await sharedMuster();
const { page, trouble } = await sharedPage(await sharedBrowser(), muster);

test("a heading is found with Ctrl-K, and its page opens there", async () => {
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Hosts, services/ }).fill("deleted hosts");
  await page.getByRole("option", { name: "Deleted hosts Documentation: Running Muster" }).click();
  await page.waitForURL("/docs/operations.html#deleted-hosts");
  await heading(page, "Running Muster");
  await page.getByRole("heading", { name: "Deleted hosts" }).waitFor();
});

test("a page leads to the list of all pages, and that to the others and back", async () => {
  await page.goto("/docs/operations.html");
  await page.getByRole("link", { name: "Documentation", exact: true }).click();
  await heading(page, "Documentation");
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByRole("link", { name: "Alerts", exact: true }).click();
  await heading(page, "Alerts");
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByRole("link", { name: "Muster", exact: true }).click();
  await page.getByRole("link", { name: "About", exact: true }).click();
  await page.getByRole("link", { name: "Documentation of this version" }).click();
  await heading(page, "Documentation");
  expect(trouble).toEqual([]);
});

test("it is there without signing in", async () => {
  const reply = await muster.client().get("/docs/security.html");
  expect([reply.status, reply.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
});
