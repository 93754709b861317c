/** Schedules of people on call: the editor, the calendar with its gaps, overrides by click, and the overview. */
import { expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { accessibilityProblems, excessWidth, sharedBrowser, sharedDemo, signedInPage } from "./ui.ts";

const browser = await sharedBrowser();
const muster = await sharedDemo();
/** Where to save screenshots, for those who look at them. */
const SHOTS = process.env.SCREENSHOTS ?? "";

test("an administrator makes a schedule, sees its gaps, overrides by click, and takes it back", async () => {
  const admin = await muster.admin();
  const anna = { uname: "anna", fullname: "Anna Berg", password: "some password" };
  await admin.post("/api/1/admin/users/create", anna);
  await using open = await signedInPage(browser, muster, "/on-call");
  const { page, trouble } = open;
  await page.getByText("There are no schedules").waitFor();
  await page.getByRole("button", { name: "New schedule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Operations");
  await page.getByLabel("People").fill("anna, admin");
  await page.getByLabel("First turn").fill("2026-01-05");
  await page.getByLabel("A turn lasts").fill("1");
  await page.getByLabel("Unit").selectOption("day");
  await page.getByLabel("Only at some hours").check();
  await page.getByRole("button", { name: "Create the schedule" }).click();
  const calendar = page.getByRole("list", { name: "Calendar of Operations" });
  await calendar.waitFor();
  expect(await calendar.locator(":scope > li").count()).toBe(14);
  expect(await calendar.locator(".on-call-gap").count()).toBeGreaterThan(3);
  const { json } = await admin.get("/api/1/oncall/list");
  expect(json.records[0]).toMatchObject({
    name: "Operations",
    rotations: [{ users: ["anna", "admin"], unit: "day", hours: { days: [1, 2, 3, 4, 5] } }],
  });

  for (const [width, scheme] of [
    [1280, "light"],
    [1280, "dark"],
    [390, "light"],
    [390, "dark"],
  ] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await excessWidth(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    if (SHOTS === "") continue;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: `${SHOTS}/on-call-${width}-${scheme}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });

  await calendar
    .getByRole("button", { name: /^Override: Nobody/ })
    .last()
    .click();
  await page.getByLabel("Who is on call instead").selectOption("anna");
  await page.getByRole("button", { name: "Put on call" }).click();
  await calendar.getByText("(override)").waitFor();
  expect((await admin.get("/api/1/oncall/list")).json.records[0].overrides).toMatchObject([
    { uname: "anna", createdby: "admin" },
  ]);
  await calendar
    .getByRole("button", { name: /^Override: Anna Berg/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Remove this override" }).click();
  await calendar.getByText("(override)").waitFor({ state: "detached" });
  expect((await admin.get("/api/1/oncall/list")).json.records[0].overrides).toEqual([]);

  await page.goto("/");
  const line = page.getByRole("list", { name: "On call" });
  await line.getByText(/Operations: (Anna Berg|Administrator|admin|Nobody)/).waitFor();
  await line
    .getByText(/Nobody/)
    .first()
    .waitFor();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/overview-on-call.png` });
  expect(trouble).toEqual([]);
});
