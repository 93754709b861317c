/** Choices made by typing, by keyboard and by touch, and how what opens moves. */
import { expect } from "bun:test";
import type { Locator, Page } from "playwright-core";
import { needing } from "../support/programs.ts";
import { notifying } from "../support/rules.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { eventually } from "./support.ts";
import {
  accessibilityProblems,
  excessWidth,
  forgive,
  sharedBrowser,
  sharedDemo,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedDemo();
const { page, trouble } = await sharedPage(browser, muster);

const options = (within: Page) => within.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
const isExpanded = (field: Locator) => field.getAttribute("aria-expanded");
/** The text of the option at which the arrow keys are. */
const active = (field: Locator) =>
  field.evaluate((input) => {
    const id = input.getAttribute("aria-activedescendant");
    return id === null ? null : (document.getElementById(id)?.textContent ?? "");
  });

test("a host is picked by keyboard: typing narrows, arrows move in a circle, Enter chooses, Escape closes", async () => {
  await page.goto("/events");
  const field = page.getByRole("combobox", { name: "Host", exact: true });
  await field.click();
  await options(page).first().waitFor();
  await expectSoon(() => isExpanded(field)).toBe("true");
  await expectSoon(() => active(field)).toBeNull();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expectSoon(() => isExpanded(field)).toBe("false");
  await expectSoon(() => new URL(page.url()).search).toBe("");

  await field.pressSequentially("web");
  await expectSoon(() => options(page).count()).toBe(2);
  await settled(page);
  await expectSoon(() => active(field)).toBe("web-1.example.org");
  await page.keyboard.press("ArrowDown");
  await expectSoon(() => active(field)).toBe("web-2.example.org");
  await page.keyboard.press("ArrowDown");
  await expectSoon(() => active(field)).toBe("web-1.example.org");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await page.waitForURL(/hostid=2/);
  await expectSoon(() => field.inputValue()).toBe("web-2.example.org");
  await expectSoon(() => isExpanded(field)).toBe("false");
  await expectSoon(() => isFocused(field)).toBe(true);

  await field.fill("nothing of this kind");
  await page.keyboard.press("Enter");
  await page.getByRole("alert").getByText("Nothing is named “nothing of this kind”").waitFor();
  await field.blur();
  await expectSoon(() => field.inputValue()).toBe("nothing of this kind");
  await expectSoon(() => page.url()).toMatch(/hostid=2/);
  // A filter is not saved while it is another one than is typed.
  await page.getByRole("button", { name: "Save this filter" }).click();
  await expectSoon(() => isFocused(field)).toBe(true);
  await expectAbsent(page.getByRole("dialog"));
  // Then it keeps the choice.
  for (let times = 0; times < 2; times++) {
    await page.keyboard.press("Escape");
    await expectSoon(() => field.inputValue()).toBe("web-2.example.org");
    await expectAbsent(page.getByRole("alert"));
    await expectSoon(() => page.url()).toMatch(/hostid=2/);
  }
});

test("a search that failed is repeated when the user goes on, of a host and of a group", async () => {
  const cases = [
    {
      path: "/events",
      label: "Host",
      reads: /status\/hosts\/list/,
      text: "web-2.example.org",
      chosen: /hostid=2/,
    },
    {
      path: "/incidents",
      label: "Host group",
      reads: /hostgroups\/list/,
      text: "Oslo",
      chosen: /hostgroupid=1/,
    },
  ];
  for (const { path, label, reads, text, chosen } of cases) {
    await page.route(reads, (route) => route.abort());
    await page.goto(path);
    const field = page.getByRole("combobox", { name: label, exact: true });
    await field.fill(text);
    await field.press("Enter");
    await page.getByRole("alert").getByText("The service cannot be reached").waitFor();
    await page.unroute(reads);
    await field.press("Enter");
    await page.waitForURL(chosen);
  }
  forgive(trouble, /ERR_FAILED/);
});

test("Escape closes the list of a field in a dialog, and not the dialog", async () => {
  await page.goto("/alerts/maintenance?new=1");
  const field = page.getByRole("dialog").getByRole("combobox", { name: "Hosts" });
  await field.click();
  await options(page).first().waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await expectSoon(() => isExpanded(field)).toBe("false");
  await settled(page);
  await page.getByRole("dialog").waitFor();
});

test("a group and a state are picked by touch on a phone", async () => {
  const touch = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true };
  await using open = await openPage(browser, muster, "/", touch);
  const phone = open.page;
  await signIn(phone);
  await heading(phone, "Overview");
  await phone.goto("/hosts");
  await phone.getByRole("combobox", { name: "Group" }).tap();
  const option = options(phone).filter({ hasText: "Oslo" });
  await option.waitFor();
  await expectSoon(async () => (await option.boundingBox())?.height ?? 0).toBeGreaterThanOrEqual(44);
  expect(await excessWidth(phone)).toBe(0);
  await option.tap();
  await phone.waitForURL(/group=1/);
});

test("a time that ends before it starts is refused at its end, and not asked for", async () => {
  await page.goto("/audit?datefrom=1767225600");
  const until = page.getByLabel("Until");
  await until.fill("2025-12-31T23:00");
  await until.blur();
  await page.getByText("Must be later than the first date").waitFor();
  await expectSoon(() => until.getAttribute("aria-invalid")).toBe("true");
  await expectSoon(() => new URL(page.url()).search).toBe("?datefrom=1767225600");
  await until.fill("2026-01-02T00:00");
  await until.blur();
  await page.waitForURL(/dateto=\d+/);
  await expectSoon(() => until.getAttribute("aria-invalid")).toBeNull();
});

test("what opens moves for 100 to 150 ms, and not at all where the system asks for no motion", async () => {
  const durations = () =>
    page.evaluate(() => {
      const box = document.querySelector("dialog[open]");
      const lists = document.querySelectorAll(".options, details");
      if (!box || lists.length === 0) throw new Error("nothing to measure");
      const all = [
        getComputedStyle(box).animationName === "none" ? "0s" : getComputedStyle(box).animationDuration,
        ...[...lists].map((list) =>
          list instanceof HTMLDetailsElement
            ? getComputedStyle(list, "::details-content").transitionDuration
            : getComputedStyle(list).transitionDuration,
        ),
      ];
      return [...new Set(all.flatMap((text) => text.split(", ").map(Number.parseFloat)))];
    });
  await page.emulateMedia({ reducedMotion: "no-preference" });
  await page.goto("/alerts/maintenance?new=1");
  await page.getByRole("dialog").waitFor();
  for (const seconds of await eventually("there is what to measure", durations)) {
    expect(seconds).toBeGreaterThanOrEqual(0.1);
    expect(seconds).toBeLessThanOrEqual(0.15);
  }
  await page.emulateMedia({ reducedMotion: "reduce" });
  await expectSoon(durations).toEqual([0]);
});

/** Sets the rate of all motion on the page: 0 stops it, however long the test looks at it. */
async function motionAtRate(playbackRate: number): Promise<void> {
  const client = await page.context().newCDPSession(page);
  await client.send("Animation.enable");
  await client.send("Animation.setPlaybackRate", { playbackRate });
}

const CLOSING = [
  {
    what: "a dialog",
    path: "/hosts",
    opened: "dialog[open]",
    toggle: async (isOpen: boolean) => page.keyboard.press(isOpen ? "Escape" : "Control+k"),
  },
  {
    what: "an incident beside the list",
    path: "/incidents",
    opened: "aside.peek",
    toggle: async () => page.locator(".peek-button").first().click(),
  },
];

test.each(CLOSING)(
  "$what that closes moves away for 100 to 150 ms, and takes no part in the page meanwhile",
  async ({ path, opened, toggle }) => {
    const picture = page.locator(".leaving");
    const link = page.getByRole("navigation", { name: "Pages" }).getByRole("link", { name: "Hosts" });
    await page.emulateMedia({ reducedMotion: "no-preference" });
    await page.goto(path);
    await page.locator("main [data-row]").first().waitFor();
    await toggle(false);
    await page.locator(opened).waitFor();
    await motionAtRate(0);
    await toggle(true);
    await picture.waitFor({ state: "attached" });
    await expectSoon(() => page.locator(opened).count()).toBe(0);
    const seen = await picture.evaluate((element: HTMLElement) => ({
      durations: element.getAnimations({ subtree: true }).map(({ effect }) => effect?.getTiming().duration),
      focused: element.contains(document.activeElement),
      named: element.querySelectorAll("[id], [name]").length,
      inert: element.inert,
      hit: element.contains(document.elementFromPoint(innerWidth / 2, innerHeight / 2)),
    }));
    expect(seen.durations.every((duration) => Number(duration) >= 100 && Number(duration) <= 150)).toBe(true);
    expect(seen).toMatchObject({ focused: false, named: 0, inert: true, hit: false });
    // The page beneath it is used meanwhile.
    await link.focus();
    await expectSoon(() => isFocused(link)).toBe(true);
    await motionAtRate(1);
    await picture.waitFor({ state: "detached" });
    await expectSoon(() => isFocused(link)).toBe(true);

    // While all motion stands still, only what does not move can go.
    await page.emulateMedia({ reducedMotion: "reduce" });
    await toggle(false);
    await page.locator(opened).waitFor();
    await motionAtRate(0);
    await toggle(true);
    await page.locator(opened).waitFor({ state: "detached" });
    await picture.waitFor({ state: "detached" });
    await motionAtRate(1);
  },
);

test("people and services are completed one after the other, and what is not suggested stays as typed", async () => {
  // A page with changes asks before it is left, so the other tests cannot use it.
  await using open = await signedInPage(browser, muster, "/alerts/rules/edit");
  const { page, trouble } = open;
  const users = page.getByRole("combobox", { name: "Users" });
  await users.fill("someone, a u");
  await options(page).first().waitFor();
  await settled(page);
  await page.keyboard.press("ArrowDown");
  await expectSoon(() => active(users)).toBe("A Useruser");
  await page.keyboard.press("Enter");
  await expectSoon(() => users.inputValue()).toBe("someone, user");
  const services = page.getByRole("combobox", { name: "Services" });
  await services.fill("web-*, ngi");
  await options(page).filter({ hasText: "nginx" }).click();
  await expectSoon(() => services.inputValue()).toBe("web-*, nginx");
  expect(trouble).toEqual([]);
});

test("a host is added to a scope by its whole typed name, although the names of others begin like that", async () => {
  for (const hostname of ["api-1", "api-10", "api-100", "an-api-1"])
    expect((await muster.report({ id: hostname, hostname })).status).toBe(200);
  await using open = await signedInPage(browser, muster, "/alerts/maintenance?new=1");
  const dialog = open.page.getByRole("dialog");
  const field = dialog.getByRole("combobox", { name: "Hosts" });
  const added = dialog.getByRole("button", { name: /^Remove / });
  await field.pressSequentially("api-100");
  await options(open.page).filter({ hasText: "api-100" }).waitFor();
  await settled(open.page);
  await expectSoon(() => field.inputValue()).toBe("api-100");
  await expectSoon(() => added.count()).toBe(0);
  await field.press("Enter");
  await expectSoon(() => added.allTextContents()).toEqual(["api-100"]);
  await expectSoon(() => field.inputValue()).toBe("");

  await field.pressSequentially("api-1");
  await expectSoon(() => active(field)).toBe("api-1");
  await field.press("Enter");
  await expectSoon(() => added.allTextContents()).toEqual(["api-100", "api-1"]);

  await field.pressSequentially("api-10");
  await options(open.page).filter({ hasText: "api-10" }).first().waitFor();
  await settled(open.page);
  await field.press("Tab");
  await expectSoon(() => added.allTextContents()).toEqual(["api-100", "api-1", "api-10"]);
  expect(open.trouble).toEqual([]);
});

const MU = ["mu", ...Array.from({ length: 22 }, (_, i) => `app-mu-${i}`)];
/** Their ids. They have the same name. */
const TWINS = Array.from({ length: 22 }, (_, i) => `twin-${i}`);

test("a host is found by its whole name or id, although more others have that name than are suggested", async () => {
  for (const hostname of MU) expect((await muster.report({ id: hostname, hostname })).status).toBe(200);
  for (const id of TWINS) expect((await muster.report({ id, hostname: "twin" })).status).toBe(200);
  const { records } = (await (await muster.admin()).get("/api/1/status/hosts/list", { hostname: "twin" }))
    .json;
  const lastTwin = `twin (${records.at(-1).id})`;
  await using open = await signedInPage(browser, muster, "/alerts/maintenance?new=1");
  const dialog = open.page.getByRole("dialog");
  const field = dialog.getByRole("combobox", { name: "Hosts" });
  const added = dialog.getByRole("button", { name: /^Remove / });
  await field.pressSequentially("mu");
  await expectSoon(() => active(field)).toBe("mu");
  await field.press("Enter");
  await expectSoon(() => added.allTextContents()).toEqual(["mu"]);
  await field.press("Tab");
  await added.click();
  await field.pressSequentially("MU");
  await field.press("Tab");
  await expectSoon(() => added.allTextContents()).toEqual(["mu"]);
  await field.pressSequentially("twin");
  await options(open.page).first().waitFor();
  await field.pressSequentially(lastTwin.slice("twin".length));
  await field.press("Enter");
  await expectSoon(() => added.allTextContents()).toEqual(["mu", lastTwin]);

  const filter = page.getByRole("combobox", { name: "Host", exact: true });
  await page.goto(`/events?hostid=${records.at(-1).id}`);
  await expectSoon(() => filter.inputValue()).toBe(lastTwin);
  await filter.fill("mu");
  await page.waitForURL(({ searchParams }) => searchParams.get("hostid") !== String(records.at(-1).id));
  // The next host is not read for now: its name is known from the suggestions, which are replaced.
  const answer = Promise.withResolvers<void>();
  await page.route(/hosts\/list\?hostid/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await filter.fill("WEB-1.example.org");
  await page.locator(".options").getByText("app-mu-0").waitFor({ state: "attached" });
  await expectSoon(() => filter.inputValue()).toBe("web-1.example.org");
  answer.resolve();
  await settled(page);
  await expectSoon(() => filter.inputValue()).toBe("web-1.example.org");
  expect(open.trouble).toEqual([]);
});

/** The form of a new limit on all hosts, which lacks nothing. */
async function newLimit(name: string) {
  const open = await signedInPage(browser, muster, "/limits/edit?new");
  const { page } = open;
  const form = page.locator("form");
  await form.getByLabel("Name", { exact: true }).fill(name);
  await form.locator("input[name=warning]").fill("80");
  const saved = async () => {
    const { records } = (await (await muster.admin()).get("/api/1/limits/list")).json;
    return records
      .filter((limit: { name: string }) => limit.name === name)
      .map(({ filter }: { filter: object }) => filter);
  };
  return {
    ...open,
    field: form.getByRole("combobox", { name: "Hosts" }),
    create: form.locator("button[type=submit]"),
    added: form.getByRole("button", { name: /^Remove / }),
    message: () =>
      form.locator("input:invalid").evaluate((input: HTMLInputElement) => input.validationMessage),
    saved,
  };
}

test("a limit is not saved for all hosts while the name that was pasted is being looked up", async () => {
  await using limit = await newLimit("Pasted");
  const { page, field } = limit;
  const answer = Promise.withResolvers<void>();
  await page.route(/hosts\/list\?.*web-2/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await field.focus();
  await page.keyboard.insertText("web-2.example.org");
  await limit.create.click();
  await expectSoon(limit.message).toStartWith("Searching for “web-2.example.org”");
  await expectSoon(() => isFocused(field)).toBe(true);
  answer.resolve();
  await expectSoon(() => limit.added.allTextContents()).toEqual(["web-2.example.org"]);
  expect(await limit.saved()).toEqual([]);
  await limit.create.click();
  await expectSoon(limit.saved).toEqual([{ hosts: [2] }]);
  expect(limit.trouble).toEqual([]);
});

/** Presses a button with the mouse, and releases it when nothing changes any more. */
async function clickSlowly(button: Locator): Promise<void> {
  const page = button.page();
  await button.hover();
  await page.mouse.down();
  await settled(page);
  await page.mouse.up();
}

test("a limit is created by the click that chooses the typed host, however long the button is pressed", async () => {
  await using limit = await newLimit("Pressed");
  const { page, field } = limit;
  await field.pressSequentially("web-2.example.org");
  await expectSoon(() => active(field)).toBe("web-2.example.org");
  await page.keyboard.press("Escape");
  await clickSlowly(limit.create);
  await expectSoon(limit.saved).toEqual([{ hosts: [2] }]);
  expect(limit.trouble).toEqual([]);
});

test("a button is clicked although the line about typed text moves it, by mouse and by touch", async () => {
  // The whole page is seen: scrolling would keep the button in its place.
  const viewport = { width: 390, height: 3000 };
  for (const hasTouch of [false, true]) {
    await using open = await signedInPage(browser, muster, "/alerts/rules/edit", { hasTouch, viewport });
    const add = open.page.getByRole("button", { name: "Add step" });
    const field = open.page.getByRole("combobox", { name: "Hosts" });
    await field.pressSequentially("web-");
    await expectSoon(() => active(field)).toBe("web-1.example.org");
    await (hasTouch ? add.tap() : clickSlowly(add));
    await open.page.locator(".field-error", { hasText: "web-" }).waitFor();
    await open.page.getByRole("group", { name: "Step 2", exact: true }).waitFor();
    expect(open.trouble).toEqual([]);
  }
});

test("a link of a list is followed although the filter that was typed before removes it, which then applies", async () => {
  const tags = { tags: ["site"], hosts: [1] };
  expect((await (await muster.admin()).post("/api/1/admin/tags/add", tags)).status).toBe(200);
  await using hosts = await signedInPage(browser, muster, "/hosts");
  await hosts.page.getByRole("combobox", { name: "Tags" }).fill("elsewhere");
  await clickSlowly(hosts.page.getByRole("link", { name: "web-1.example.org", exact: true }));
  await hosts.page.waitForURL("**/hosts/1");
  await hosts.page.goBack();
  await hosts.page.waitForURL("**/hosts?tag=elsewhere");
  await using audit = await signedInPage(browser, muster, "/audit");
  await audit.page.getByLabel("User").fill("nobody");
  await clickSlowly(audit.page.locator("tbody a").filter({ visible: true }).first());
  await audit.page.waitForURL((url) => url.pathname !== "/audit");
  expect([...hosts.trouble, ...audit.trouble]).toEqual([]);
});

test("a limit is not saved while a typed name is no host's, which is said, and removed by keyboard alone", async () => {
  await using limit = await newLimit("Typed");
  const { page, field } = limit;
  await field.pressSequentially("web-9.example.org");
  await field.press("Tab");
  const error = page.getByRole("alert").getByText("Nothing is named “web-9.example.org”");
  await error.waitFor();
  await expectSoon(() => field.inputValue()).toBe("web-9.example.org");
  await expectSoon(() => field.getAttribute("aria-invalid")).toBe("true");
  await expectSoon(() => field.getAttribute("aria-errormessage")).toBe(await error.getAttribute("id"));
  expect(await accessibilityProblems(page)).toEqual([]);
  await limit.create.press("Enter");
  await expectSoon(() => isFocused(field)).toBe(true);
  await expectSoon(limit.message).toStartWith("Nothing is named “web-9.example.org”");
  await page.keyboard.press("Escape");
  await expectSoon(() => field.inputValue()).toBe("");
  await expectAbsent(error);

  await field.pressSequentially("web");
  await field.press("Tab");
  await page.getByRole("alert").getByText("Choose one of the suggestions for “web”").waitFor();
  await field.fill("WEB-1.EXAMPLE.ORG");
  await field.press("Tab");
  await expectSoon(() => limit.added.allTextContents()).toEqual(["web-1.example.org"]);
  expect(await limit.saved()).toEqual([]);
  await limit.create.press("Enter");
  await expectSoon(limit.saved).toEqual([{ hosts: [1] }]);
  expect(limit.trouble).toEqual([]);
});

test("a group among many and the host of a dependency are not left out either", async () => {
  const admin = await muster.admin();
  for (let n = 10; n < 24; n++) await admin.post("/api/1/admin/groups/create", { name: `Group ${n}` });
  await using limit = await newLimit("Of groups");
  const { page } = limit;
  const groups = page.getByRole("combobox", { name: "Host groups" });
  await groups.fill("group 9");
  await limit.create.click();
  await expectSoon(limit.message).toStartWith("Nothing is named “group 9”");
  await groups.fill("group 12");
  // This choice is made, and the limit created, by one click.
  await limit.create.click();
  await expectSoon(limit.saved).toEqual([{ hostgroups: [expect.any(Number)] }]);

  await page.goto("/hosts/1/settings");
  const cause = page.getByRole("combobox", { name: "Depends on host" });
  const add = page.getByRole("button", { name: "Add dependency" });
  await cause.fill("WEB-2.example.org");
  await expectSoon(() => add.isEnabled()).toBe(true);
  await cause.fill("web-2.example.orgs");
  await add.click();
  await page.getByRole("alert").getByText("Nothing is named “web-2.example.orgs”").waitFor();
  expect((await admin.get("/api/1/admin/dependencies/list", { hostid: 1 })).json.records).toEqual([]);
  expect(limit.trouble).toEqual([]);
});

test("Enter on a name that is being looked up chooses that name, and not another host that is still suggested", async () => {
  for (const hostname of MU) expect((await muster.report({ id: hostname, hostname })).status).toBe(200);
  await using limit = await newLimit("Hurried");
  const { page, field } = limit;
  await field.pressSequentially("app-mu");
  await expectSoon(() => active(field)).toBe("app-mu-0");
  const answer = Promise.withResolvers<void>();
  await page.route(/hosts\/list\?.*=mu(&|$)/, async (route) => {
    await answer.promise;
    await route.continue();
  });
  await field.fill("mu");
  await field.press("Enter");
  await expectSoon(() => field.inputValue()).toBe("mu");
  answer.resolve();
  await expectSoon(() => limit.added.allTextContents()).toEqual(["mu"]);
  expect(limit.trouble).toEqual([]);
});

test("names with a comma are suggested in quotes, and a rule with them is saved as it was", async () => {
  const admin = await muster.admin();
  const names = { servicenames: ["disk, root", "web-*"], servicegroups: ["east, west"] };
  const fields = { name: "Disks", filter: names, delay: 0, repeat: 0, ...notifying(1) };
  const created = await admin.post("/api/1/admin/rules/create", fields);
  const host = { id: "comma", hostname: "comma", services: [{ name: "disk, root", status: 0 }] };
  expect((await muster.report(host)).status).toBe(200);
  await using open = await signedInPage(browser, muster, `/alerts/rules/edit?id=${created.json.id}`);
  const { page } = open;
  const services = page.getByRole("combobox", { name: "Services" });
  await expectSoon(() => services.inputValue()).toBe('"disk, root", web-*');
  await services.fill("disk");
  await options(page).filter({ hasText: "disk, root" }).click();
  await expectSoon(() => services.inputValue()).toBe('"disk, root"');
  await services.fill('"disk, root", web-*');
  await page.getByRole("button", { name: "Save rule" }).click();
  await page.waitForURL((url) => !url.pathname.endsWith("/edit"));
  const { records } = (await admin.get("/api/1/admin/rules/list")).json;
  expect(records.find(({ name }: { name: string }) => name === "Disks").filter).toMatchObject(names);
  expect(open.trouble).toEqual([]);
});
