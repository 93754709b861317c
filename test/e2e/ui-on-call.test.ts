/** People on call: the editor, the calendar, overrides by click, and the overview. It is one story, in this order. */
import { expect } from "bun:test";
import { mkdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { needing } from "../support/programs.ts";
import { heading, layoutShift } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused } from "./page-reads.ts";
import { accessibilityProblems, choose, excessWidth, sharedBrowser, sharedDemo, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const WIDTHS_AND_SCHEMES = [
  [1280, "light"],
  [1280, "dark"],
  [390, "light"],
  [390, "dark"],
] as const;
/** Where to save screenshots, for those who look at them. */
const SHOTS = process.env.SCREENSHOTS ?? "";

/** Wide and narrow, light and dark: nothing overflows, and the page is accessible. */
async function looksRight(page: Page, name: string): Promise<void> {
  for (const [width, scheme] of WIDTHS_AND_SCHEMES) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.setViewportSize({ width, height: 900 });
    expect(await excessWidth(page)).toBe(0);
    expect(await accessibilityProblems(page)).toEqual([]);
    if (SHOTS === "") continue;
    mkdirSync(SHOTS, { recursive: true });
    await page.screenshot({ path: `${SHOTS}/${name}-${width}-${scheme}.png`, fullPage: true });
  }
  await page.setViewportSize({ width: 1280, height: 900 });
}

test("an administrator makes a schedule, sees its gaps, overrides by click, and takes it back", async () => {
  const admin = await muster.admin();
  const anna = { uname: "anna", fullname: "Anna Berg", password: "some password" };
  await admin.post("/api/1/admin/users/create", anna);
  await using open = await signedInPage(browser, muster);
  const { page, trouble } = open;
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /Hosts, services/ }).fill("on call");
  await page.locator(".palette-option[aria-selected=true]").filter({ hasText: "On call" }).waitFor();
  await page.keyboard.press("Enter");
  await heading(page, "On call");
  await page.goto("/");
  await page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "On call" }).click();
  await page.getByText("No on-call schedules").waitFor();
  await page.getByRole("button", { name: "New schedule" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Operations");
  await page.getByLabel("People").fill("anna, admin");
  await page.getByLabel("First turn").fill("2026-01-05");
  await page.getByLabel("Turn length").fill("1");
  await page.getByLabel("Unit").selectOption("day");
  await page.getByLabel("Only at certain hours").check();
  await page.getByLabel("Notice before a shift (minutes)").fill("30");
  await page.getByLabel("At each handover, notify both").check();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/on-call-schedule.png` });
  await page.getByRole("button", { name: "Create schedule" }).click();
  const calendar = page.getByRole("list", { name: "Calendar of Operations" });
  await calendar.waitFor();
  await expectSoon(() => calendar.locator(":scope > li").count()).toBe(14);
  await expectSoon(() => calendar.locator(".on-call-gap").count()).toBeGreaterThan(3);
  const { json } = await admin.get("/api/1/oncall/list");
  expect(json.records[0]).toMatchObject({
    name: "Operations",
    noticeminutes: 30,
    handovernotice: true,
    rotations: [{ users: ["anna", "admin"], unit: "day", hours: { days: [1, 2, 3, 4, 5] } }],
  });

  await looksRight(page, "on-call");
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  await calendar.waitFor();
  expect(await layoutShift(page)).toBeLessThan(0.02);
  await page.setViewportSize({ width: 1280, height: 900 });

  await calendar
    .getByRole("button", { name: /^Override: Nobody/ })
    .last()
    .click();
  await choose(page.getByLabel("Person on call instead"), "anna");
  await page.getByRole("button", { name: "Add override" }).click();
  await calendar.getByText("(override)").waitFor();
  expect((await admin.get("/api/1/oncall/list")).json.records[0].overrides).toMatchObject([
    { user: "anna", createdby: "admin" },
  ]);
  await calendar
    .getByRole("button", { name: /^Override: Anna Berg/ })
    .last()
    .click();
  await page.getByRole("button", { name: "Remove override" }).click();
  await calendar.getByText("(override)").waitFor({ state: "detached" });
  expect((await admin.get("/api/1/oncall/list")).json.records[0].overrides).toEqual([]);

  await page.goto("/");
  const line = page.getByRole("list", { name: "On call" });
  await line.getByText(/Operations: (Anna Berg|Administrator|admin|Nobody)/).waitFor();
  // Outside working hours nobody is on call now, and within them the line names the next gap.
  await line
    .getByText(/nobody/i)
    .first()
    .waitFor();
  if (SHOTS !== "") await page.screenshot({ path: `${SHOTS}/overview-on-call.png` });
  expect(trouble).toEqual([]);
});

test("an override of a running shift is suggested from now on", async () => {
  const admin = await muster.admin();
  const rotation = { start: "2026-01-05", handover: "09:00", unit: "week", every: 1, hours: null };
  const rotations = [{ name: "", users: ["admin"], ...rotation }];
  const schedule = await admin.post("/api/1/oncall/create", { name: "Always", rotations });
  await using open = await signedInPage(browser, muster, "/on-call");
  const { page, trouble } = open;
  const calendar = page.getByRole("list", { name: "Calendar of Always" });
  const opensAt = await page.evaluate(() => Date.now());
  await calendar
    .getByRole("button", { name: /^Override/ })
    .first()
    .click();
  const from = await page.getByLabel("From", { exact: true }).inputValue();
  const suggested = await page.evaluate((text) => Date.parse(text), from);
  // The input shows minutes.
  expect(suggested).toBeGreaterThan(opensAt - 60_000);
  await page.keyboard.press("Escape");
  await admin.post("/api/1/oncall/delete", { id: schedule.json.id });
  expect(trouble).toEqual([]);
});

test("the form of an override is there before the users are read, and has the focus", async () => {
  const admin = await muster.admin();
  const rotation = { start: "2026-01-05", handover: "09:00", unit: "week", every: 1, hours: null };
  const rotations = [{ name: "", users: ["anna"], ...rotation }];
  const schedule = await admin.post("/api/1/oncall/create", { name: "Slow", rotations });
  await using open = await signedInPage(browser, muster, "/on-call");
  const { page, trouble } = open;
  const shift = page.getByRole("list", { name: "Calendar of Slow" }).getByRole("button").first();
  await shift.waitFor();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<void>();
  await page.route("**/admin/users/list", async (route) => {
    asked.resolve();
    await answer.promise;
    await route.continue();
  });
  await shift.click();
  await asked.promise;
  const person = page.getByRole("dialog").getByLabel("Person on call instead");
  await expectSoon(() => isFocused(person)).toBe(true);
  await expectSoon(() => person.inputValue()).toBe("anna");
  answer.resolve();
  await expectSoon(() => person.inputValue()).toBe("Anna Berg");
  await expectSoon(() => isFocused(person)).toBe(true);
  await page.keyboard.press("Escape");
  await expectSoon(() => isFocused(shift)).toBe(true);
  await admin.post("/api/1/oncall/delete", { id: schedule.json.id });
  expect(trouble).toEqual([]);
});

test("a rule of three steps, with a schedule in the second, is made, shown again and changed", async () => {
  const admin = await muster.admin();
  const rotation = { start: "2026-01-05", handover: "09:00", unit: "day", every: 1, hours: null };
  const rotations = [{ name: "", users: ["admin"], ...rotation }];
  const schedule = await admin.post("/api/1/oncall/create", { name: "Night shift", rotations });
  const boss = { uname: "boss", fullname: "The Boss", password: "some password" };
  await admin.post("/api/1/admin/users/create", boss);
  await using open = await signedInPage(browser, muster, "/alerts/rules/edit");
  const { page, trouble } = open;
  const step = (number: number) => page.getByRole("group", { name: `Step ${number}`, exact: true });
  const add = page.getByRole("button", { name: "Add step" });
  await page.getByLabel("Name", { exact: true }).fill("In three steps");
  await page.getByRole("button", { name: "Create rule" }).click();
  await step(1).getByText("Choose who is notified: a channel, a user, or an on-call schedule.").waitFor();
  await expectSoon(() => step(1).evaluate((group) => group.contains(document.activeElement))).toBe(true);
  await step(1).getByLabel("Hook").check();
  await expectAbsent(step(1).getByLabel("After (minutes)"));
  for (let steps = 1; steps < 4; steps++) await add.click();
  await step(2).getByLabel("After (minutes)").fill("15");
  await step(2).getByLabel("Night shift").check();
  await step(3).getByRole("button", { name: "Remove step 3" }).click();
  // The button that had the focus went with its step.
  await expectSoon(() => isFocused(add)).toBe(true);
  await step(3).getByLabel("After (minutes)").fill("45");
  await step(3).getByLabel("Users").fill("nobody-such");
  await looksRight(page, "rule-steps");
  await page.getByRole("button", { name: "Create rule" }).click();
  await step(3).getByText("there is no user nobody-such").waitFor();
  await step(3).getByLabel("Users").fill("boss, admin");
  await page.getByRole("button", { name: "Create rule" }).click();

  const rules = page.getByRole("table", { name: "Rules, in order" });
  const words =
    "Escalates after 15 min to the person on call in Night shift. Escalates after 45 min to admin and boss.";
  await rules.getByText(words).waitFor();
  await looksRight(page, "rules-of-steps");
  const stored = async () => {
    const { json } = await admin.get("/api/1/admin/rules/list");
    return json.records.find(({ name }: { name: string }) => name === "In three steps").steps;
  };
  const nobody = { channels: [], users: [], schedules: [] };
  const saved = [
    { ...nobody, after: 0, channels: [1] },
    { ...nobody, after: 15, schedules: [schedule.json.id] },
    { ...nobody, after: 45, users: ["admin", "boss"] },
  ];
  expect(await stored()).toEqual(saved);

  await rules.getByRole("link", { name: "In three steps" }).click();
  await page.reload();
  await expectSoon(() => step(1).getByLabel("Hook").isChecked()).toBe(true);
  await expectSoon(() => step(2).getByLabel("After (minutes)").inputValue()).toBe("15");
  await expectSoon(() => step(2).getByLabel("Night shift").isChecked()).toBe(true);
  await expectSoon(() => step(3).getByLabel("After (minutes)").inputValue()).toBe("45");
  await expectSoon(() => step(3).getByLabel("Users").inputValue()).toBe("admin, boss");
  await page.getByRole("button", { name: "Save rule" }).click();
  await rules.getByText(words).waitFor();
  expect(await stored()).toEqual(saved);
  // The refusal of the unknown user, which the browser reports.
  expect(trouble).toEqual([expect.stringContaining("status of 400")]);
});

test("an administrator chooses how a user is notified, and leaves it to mail again", async () => {
  const admin = await muster.admin();
  const contact = async () => {
    const { json } = await admin.get("/api/1/admin/contacts/list");
    return json.records.find(({ uname }: { uname: string }) => uname === "user");
  };
  await using open = await signedInPage(browser, muster, "/users/edit?uname=user");
  const { page, trouble } = open;
  const hook = page.getByRole("group", { name: "Channels", exact: true }).getByLabel("Hook");
  const save = async () => {
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await page.locator("#content").getByText("Saved", { exact: true }).waitFor();
    await page.reload();
    await hook.waitFor();
  };
  await page.getByText("This user cannot be notified").waitFor();
  await hook.check();
  await save();
  await expectSoon(() => hook.isChecked()).toBe(true);
  await expectAbsent(page.getByText("This user cannot be notified"));
  expect(await contact()).toMatchObject({ channels: [1], ways: [{ channel: "Hook", address: "" }] });
  await looksRight(page, "notify-by");
  await hook.uncheck();
  await save();
  await expectSoon(() => hook.isChecked()).toBe(false);
  expect(await contact()).toMatchObject({ channels: [], ways: [] });
  expect(trouble).toEqual([]);
});
