/** A user's input and mistakes are not lost: questions before leaving, drafts, and confirmations. */
import { expect } from "bun:test";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { notifying } from "../support/rules.ts";
import { heading, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import {
  accessibilityProblems,
  choose,
  forgive,
  passCycle,
  sharedBrowser,
  sharedMuster,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: (started) => started.report({ id: "a", hostname: "web-1", services: [{ name: "nginx" }] }),
});
const { page, trouble } = await sharedPage(browser, muster, "/", { steppable: true });

const dialog = (name: string) => page.getByRole("dialog", { name });
const leaving = () => dialog("Leave without saving?");

test("a save is confirmed where it can be seen, for some seconds", async () => {
  await page.goto("/settings");
  await page.getByLabel(/Audit log \(days\)/).fill("900");
  await page.getByRole("button", { name: "Save settings" }).click();
  const notice = page.locator(".toast").getByText("Settings saved");
  await notice.waitFor();
  await expectSoon(() => isFocused(page.getByRole("button", { name: "Save settings" }))).toBe(true);
  expect(await accessibilityProblems(page)).toEqual([]);
  await passCycle(page);
  await notice.waitFor({ state: "detached" });
  await page.getByRole("link", { name: "Hosts" }).click();
  await heading(page, "Hosts");
});

test("a notice stays while it is pointed at or focused", async () => {
  await page.goto("/settings");
  await page.getByLabel(/Audit log \(days\)/).fill("901");
  await page.getByRole("button", { name: "Save settings" }).click();
  const notice = page.locator(".toast").getByText("Settings saved");
  await notice.hover();
  await passCycle(page);
  await expectSoon(() => notice.count()).toBe(1);
  await page.getByRole("button", { name: "Close notice" }).focus();
  await page.mouse.move(0, 0);
  await passCycle(page);
  await expectSoon(() => notice.count()).toBe(1);
  await page.getByLabel(/Audit log \(days\)/).focus();
  await passCycle(page);
  await notice.waitFor({ state: "detached" });
});

test.each([
  ["no-preference", [120]],
  ["reduce", []],
] as const)(
  "a closed notice fades out, unless the user wants less motion: %s",
  async (reducedMotion, durations) => {
    await page.emulateMedia({ reducedMotion });
    await page.goto("/settings");
    await page.getByLabel(/Audit log \(days\)/).fill(reducedMotion === "reduce" ? "902" : "903");
    await page.getByRole("button", { name: "Save settings" }).click();
    await page.locator(".toast").getByText("Settings saved").waitFor();
    const closing = page.evaluate(
      () =>
        new Promise<unknown[]>((resolve) => {
          new MutationObserver(() => {
            const picture = document.querySelector(".toast.leaving");
            if (picture) resolve(picture.getAnimations().map(({ effect }) => effect?.getTiming().duration));
            else if (!document.querySelector(".toast")) resolve([]);
          }).observe(document.body, { childList: true, subtree: true });
          document.querySelector<HTMLElement>(".toast button:last-child")?.click();
        }),
    );
    expect(await closing).toEqual([...durations]);
    await page.emulateMedia({ reducedMotion: "reduce" });
  },
);

test("a page with unsaved changes is left by link and back button only after a question", async () => {
  await page.goto("/hosts");
  await heading(page, "Hosts");
  await page.getByRole("link", { name: "Settings" }).click();
  const field = page.getByLabel(/Audit log \(days\)/);
  await field.fill("800");
  await page.getByRole("link", { name: "Events" }).click();
  await leaving().getByRole("button", { name: "Stay on the page" }).click();
  await leaving().waitFor({ state: "detached" });
  await expectSoon(() => field.inputValue()).toBe("800");
  await page.goBack();
  await leaving().getByRole("button", { name: "Stay on the page" }).click();
  await expectSoon(() => new URL(page.url()).pathname).toBe("/settings");
  await expectSoon(() => field.inputValue()).toBe("800");
  await page.getByRole("link", { name: "Events" }).click();
  await leaving().getByRole("button", { name: "Discard changes" }).click();
  await heading(page, "Events");
  await page.getByRole("link", { name: "Hosts" }).click();
  await heading(page, "Hosts");
});

test("the skip link leads to the content of a page with unsaved changes, without a question", async () => {
  await page.goto("/settings");
  const field = page.getByLabel(/Audit log \(days\)/);
  await field.fill("801");
  await page.getByRole("link", { name: "Skip to content" }).focus();
  await page.keyboard.press("Enter");
  await page.waitForURL("**/settings#content");
  await expectAbsent(leaving());
  await page.keyboard.press("Tab");
  await expectSoon(() => page.evaluate(() => document.activeElement?.closest("main") !== null)).toBe(true);
  await expectSoon(() => field.inputValue()).toBe("801");
  await page.getByRole("link", { name: "Hosts" }).click();
  await leaving().getByRole("button", { name: "Discard changes" }).click();
  await heading(page, "Hosts");
});

test("Escape in a dialog with typed text asks first", async () => {
  await page.goto("/alerts/channels");
  await page.getByRole("link", { name: "New channel" }).click();
  const channel = dialog("New channel");
  const name = channel.getByLabel("Name", { exact: true });
  const question = channel.getByRole("alert");
  await name.fill("Ops");
  for (const answer of ["Escape", "Enter"]) {
    await page.keyboard.press("Escape");
    await expectSoon(() => isFocused(channel.getByRole("button", { name: "Keep editing" }))).toBe(true);
    await page.keyboard.press(answer);
    await expectAbsent(question);
    await expectSoon(() => isFocused(name)).toBe(true);
  }
  await expectSoon(() => name.inputValue()).toBe("Ops");
  await page.keyboard.press("Escape");
  await channel.getByRole("button", { name: "Discard changes" }).click();
  await channel.waitFor({ state: "detached" });
});

test("what was typed outlives an expired session, but for secrets", async () => {
  await page.goto("/settings");
  await page.getByLabel(/Public address/).fill("https://muster.example.org");
  await page.getByLabel(/^Agent password/).fill("another secret");
  await page.getByRole("button", { name: "Show Agent password" }).click();
  await page.context().clearCookies();
  await passCycle(page);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await expectSoon(() => page.content()).not.toContain("another secret");
  await signIn(page);
  await page.locator(".toast").getByText("Your input was restored").waitFor();
  await expectSoon(() => page.getByLabel(/Public address/).inputValue()).toBe("https://muster.example.org");
  await expectSoon(() => page.getByLabel(/^Agent password/).inputValue()).not.toBe("another secret");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.locator(".toast").getByText("Settings saved").waitFor();
});

test("what was typed outlives a save that finds the session expired", async () => {
  await page.goto("/settings");
  await page.getByLabel(/Public address/).fill("https://saved.example.org");
  await page.context().clearCookies();
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.getByText("Sign in to continue where you left off").waitFor();
  await signIn(page);
  await page.locator(".toast").getByText("Your input was restored").waitFor();
  await expectSoon(() => page.getByLabel(/Public address/).inputValue()).toBe("https://saved.example.org");
  await page.getByRole("button", { name: "Save settings" }).click();
  await page.locator(".toast").getByText("Settings saved").waitFor();
});

/** The session ends, which the page notices, and the user signs in again. */
async function signInAgain(): Promise<void> {
  await page.context().clearCookies();
  await passCycle(page);
  await page.getByText("Sign in to continue where you left off").waitFor();
  await signIn(page);
  await page.locator(".toast").getByText("Your input was restored").waitFor();
}

test("an expired session returns fields that depend on a choice, and hosts that were picked", async () => {
  await page.goto("/alerts/maintenance?new=1");
  const form = dialog("New maintenance");
  await form.getByLabel("Name", { exact: true }).fill("Weekly");
  await form.getByLabel("When").selectOption("weekly");
  await form.getByLabel("Starts at").fill("05:15");
  await form.getByLabel("Minutes").fill("90");
  await form.getByLabel("Monday").check();
  await choose(form.getByRole("combobox", { name: "Hosts" }), "web-1");
  await form.getByRole("button", { name: "Remove web-1" }).waitFor();
  await signInAgain();
  // The address opens the dialog.
  await expectAbsent(page.getByText("Your input in “New maintenance” was kept"));
  await expectSoon(() => form.getByLabel("Starts at").inputValue()).toBe("05:15");
  await expectSoon(() => form.getByLabel("Minutes").inputValue()).toBe("90");
  for (const day of ["Monday", "Sunday"]) await expectSoon(() => form.getByLabel(day).isChecked()).toBe(true);
  await form.getByRole("button", { name: "Create" }).click();
  await form.waitFor({ state: "detached" });
  const { json } = await (await muster.admin()).get("/api/1/admin/maintenance/list");
  expect(json.records.find(({ name }: { name: string }) => name === "Weekly")).toMatchObject({
    filter: { hosts: [1] },
    schedule: { kind: "weekly", days: [0, 1], from: "05:15", minutes: 90 },
  });
});

test("an expired session returns the steps of a rule, and none of the hosts that were removed", async () => {
  const admin = await muster.admin();
  const users = { after: 0, channels: [], users: ["admin"], schedules: [] };
  const rule = { name: "Of a host", filter: { hosts: [1], tags: ["a"] }, steps: [users] };
  const { json } = await admin.post("/api/1/admin/rules/create", rule);
  await page.goto(`/alerts/rules/edit?id=${json.id}`);
  await page.getByRole("button", { name: "Remove web-1" }).click();
  const hosts = page.getByRole("combobox", { name: "Hosts" });
  await hosts.pressSequentially("web-");
  await page.getByRole("button", { name: "Add step" }).click();
  const second = page.getByRole("group", { name: "Step 2", exact: true });
  await second.getByLabel("Users").fill("admin");
  await signInAgain();
  await expectSoon(() => second.getByLabel("Users").inputValue()).toBe("admin");
  await expectAbsent(page.getByRole("button", { name: "Remove web-1" }));
  // What was typed and not chosen is back too. The rule would be saved for all hosts.
  await expectSoon(() => hosts.inputValue()).toBe("web-");
  await page.getByRole("alert").getByText("Choose one of the suggestions for “web-”").waitFor();
  await page.getByRole("button", { name: "Save rule" }).click();
  await expectSoon(() => isFocused(hosts)).toBe(true);
  await page.keyboard.press("Escape");
  await expectSoon(() => hosts.inputValue()).toBe("");
  await page.getByRole("button", { name: "Save rule" }).click();
  await page.getByRole("table", { name: "Rules, in order" }).waitFor();
});

test("an expired session returns a host that was chosen by its name", async () => {
  for (const id of ["another", "cause"]) await muster.report({ id, hostname: "router" });
  await page.goto("/hosts/1/settings");
  const cause = page.getByRole("combobox", { name: "Depends on host" });
  await choose(cause, "router (3)");
  await page.getByLabel("Service of that host").fill("uplink");
  await signInAgain();
  await expectSoon(() => cause.inputValue()).toBe("router (3)");
  await page.getByRole("button", { name: "Add dependency" }).click();
  await page.getByText("web-1 depends on uplink on router").waitFor();
  const { records } = (await (await muster.admin()).get("/api/1/admin/dependencies/list", { hostid: 1 }))
    .json;
  expect(records).toMatchObject([{ cause: { host: 3, service: "uplink" } }]);
});

test("an expired session returns the rotations of a schedule", async () => {
  const rotation = { users: ["admin"], start: "2026-01-05", handover: "09:00", unit: "day", every: 1 };
  const rotations = [{ ...rotation, name: "day", hours: null }];
  await (await muster.admin()).post("/api/1/oncall/create", { name: "Operations", rotations });
  await page.goto("/on-call");
  const edit = async () => {
    await page.getByRole("button", { name: "Edit Operations" }).click();
    return dialog("Edit Operations");
  };
  const form = await edit();
  await form.getByRole("button", { name: "Add rotation" }).click();
  const added = form.getByRole("group", { name: "Rotation 2" });
  await added.getByLabel("Rotation name").fill("night");
  await added.getByLabel("Only at certain hours").check();
  await added.getByLabel("From").fill("21:30");
  await page.context().clearCookies();
  await passCycle(page);
  await signIn(page);
  await edit();
  await page.locator(".toast").getByText("Your input was restored").waitFor();
  await expectSoon(() => added.getByLabel("Rotation name").inputValue()).toBe("night");
  await expectSoon(() => added.getByLabel("From").inputValue()).toBe("21:30");
  await form.getByRole("button", { name: "Cancel" }).click();
});

test("an expired session returns input to the dialog of its record, not to another's, and says where it is", async () => {
  const admin = await muster.admin();
  for (const name of ["Alpha", "Beta"]) {
    const settings = { url: `https://${name}.invalid/` };
    await admin.post("/api/1/admin/channels/create", { name, kind: "webhook", settings });
  }
  await page.goto("/alerts/channels");
  const edit = (name: string) => page.getByRole("button", { name: `Edit or test ${name}` }).click();
  const nameIn = (title: string) => dialog(title).getByLabel("Name", { exact: true });
  await edit("Alpha");
  await nameIn("Channel Alpha").fill("Alpha of ours");
  await page.context().clearCookies();
  await passCycle(page);
  await signIn(page);
  await page.locator(".toast").getByText("Your input in “Channel Alpha” was kept").waitFor();
  await edit("Beta");
  await settled(page);
  await expectSoon(() => nameIn("Channel Beta").inputValue()).toBe("Beta");
  await page.keyboard.press("Escape");
  await edit("Alpha");
  await page.locator(".toast").getByText("Your input was restored").waitFor();
  await expectSoon(() => nameIn("Channel Alpha").inputValue()).toBe("Alpha of ours");
  await dialog("Channel Alpha").getByRole("button", { name: "Cancel" }).click();
});

test("what a form needs and could not be read is read again by a button", async () => {
  const admin = await muster.admin();
  const { json } = await admin.post("/api/1/admin/rules/create", {
    name: "Rehearsed",
    steps: [{ users: ["admin"] }],
  });
  const weekly = { name: "Mondays", rule: json.id, day: 1, time: "14:00", timezone: "UTC" };
  expect((await admin.post("/api/1/admin/weeklyrehearsals/create", weekly)).status).toBe(200);
  for (const [path, needed, edit, title] of [
    ["/alerts/channels", "admin/channels/kinds", "Edit or test Alpha", "Channel Alpha"],
    ["/alerts/rehearsals", "admin/rules/list", "Edit Mondays", "Edit Mondays"],
  ] as const) {
    await page.route(`**/api/1/${needed}`, (route) => route.abort());
    await page.goto(path);
    const again = page.getByRole("button", { name: "Try again" });
    await again.waitFor();
    await page.unroute(`**/api/1/${needed}`);
    await again.click();
    await page.getByRole("button", { name: edit }).click();
    await dialog(title).getByRole("button", { name: "Cancel" }).click();
  }
  forgive(trouble, /ERR_FAILED/);
});

test("host groups that could not be read are read again, for a status page and for expected hosts", async () => {
  const admin = await muster.admin();
  const hostgroup = (await admin.post("/api/1/admin/groups/create", { name: "Shown" })).json.id;
  expect((await admin.post("/api/1/admin/statuspages/create", { title: "Public", hostgroup })).status).toBe(
    200,
  );
  const groups = "**/api/1/admin/groups/list";
  const again = page.getByRole("button", { name: "Try again" });
  await page.route(groups, (route) => route.abort());
  await page.goto("/status-pages");
  await again.waitFor();
  await page.unroute(groups);
  await again.click();
  await page.getByRole("button", { name: "Edit Public" }).waitFor();
  // Before the page reads them too: a dialog shows what the page has read, without a button.
  await page.route(groups, (route) => route.abort());
  await page.goto("/hosts/expected");
  await page.getByRole("button", { name: "Add expected hosts" }).click();
  const expecting = dialog("Add expected hosts");
  await expecting.getByLabel("List", { exact: true }).fill("web-9");
  await expecting.getByRole("button", { name: "Try again" }).waitFor();
  await page.unroute(groups);
  await expecting.getByRole("button", { name: "Try again" }).click();
  await expecting.getByRole("group", { name: "Host groups for all" }).waitFor();
  await expectSoon(() => expecting.getByLabel("List", { exact: true }).inputValue()).toBe("web-9");
  await expecting.getByRole("button", { name: "Cancel" }).click();
  forgive(trouble, /ERR_FAILED/);
});

test("a sign-in in another tab is one in each, which then returns what was typed there", async () => {
  await using open = await signedInPage(browser, muster, "/settings", { steppable: true });
  const { page } = open;
  await page.getByLabel(/Public address/).fill("https://typed.example.org");
  await page.context().clearCookies();
  await passCycle(page);
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  const other = await page.context().newPage();
  await other.goto("/hosts");
  await signIn(other);
  await heading(other, "Hosts");
  await page.bringToFront();
  await expectSoon(() => page.getByLabel(/Public address/).inputValue()).toBe("https://typed.example.org");
  await other.close();
});

test("an expired session returns input to the status page that was edited, not to another of the same title", async () => {
  const admin = await muster.admin();
  for (const slug of ["alpha", "beta"]) {
    const { json } = await admin.post("/api/1/admin/groups/create", { name: slug });
    await admin.post("/api/1/admin/statuspages/create", { title: "Shop", slug, hostgroup: json.id });
  }
  await page.goto("/status-pages");
  const form = dialog("Edit Shop");
  const address = form.getByLabel("URL path");
  const edit = async (group: string) => {
    await page.getByRole("row", { name: group }).getByRole("button", { name: "Edit Shop" }).click();
    await form.waitFor();
    await settled(page);
  };
  await edit("beta");
  await address.fill("beta-shop");
  await page.context().clearCookies();
  await form.getByRole("button", { name: "Save" }).click();
  await signIn(page);
  await edit("alpha");
  await expectSoon(() => address.inputValue()).toBe("alpha");
  await form.getByRole("button", { name: "Cancel" }).click();
  await edit("beta");
  await expectSoon(() => address.inputValue()).toBe("beta-shop");
  await form.getByRole("button", { name: "Cancel" }).click();
});

test("an expired session returns input of a page whose address has changed since it was opened", async () => {
  const admin = await muster.admin();
  const { json } = await admin.post("/api/1/admin/groups/create", { name: "public" });
  await admin.post("/api/1/admin/groups/add", { id: json.id, hostid: [1] });
  await admin.post("/api/1/admin/statuspages/create", {
    title: "Public",
    slug: "public",
    hostgroup: json.id,
  });
  await page.goto("/hosts/1");
  const note = page.getByLabel("New public note");
  await note.fill("A disk is being replaced.");
  await page.getByRole("button", { name: "7 days", exact: true }).click();
  await page.waitForURL(/range=7d/);
  await signInAgain();
  await expectSoon(() => note.inputValue()).toBe("A disk is being replaced.");
  // Meanwhile someone else publishes a note, which changes the button.
  await admin.post("/api/1/publicnotes/create", { hostid: 1, text: "We are looking into it." });
  for (let cycle = 0; cycle < 3; cycle++) await passCycle(page);
  await page.getByRole("button", { name: "Publish in place of the last one" }).waitFor();
  await signInAgain();
  await expectSoon(() => note.inputValue()).toBe("A disk is being replaced.");
  await page.getByRole("button", { name: "Publish in place of the last one" }).click();
  await page.locator(".notes").getByText("A disk is being replaced.").waitFor();
});

test("an expired session returns a bulk edit, although a host has reported for the first time since", async () => {
  await page.goto("/hosts/change");
  const skew = page.getByRole("spinbutton").first();
  await skew.fill("7");
  await muster.report({ id: "late", hostname: "late" });
  await signInAgain();
  await expectSoon(() => skew.inputValue()).toBe("7");
  await page.getByRole("link", { name: "Overview" }).click();
  await leaving().getByRole("button", { name: "Discard changes" }).click();
  await heading(page, "Overview");
});

test("leaving asks after a host or a rotation was removed, or a rotation added", async () => {
  const admin = await muster.admin();
  const place = { name: "One host", filter: { hosts: [1] } };
  const schedule = { kind: "weekly", days: [0], from: "03:00", minutes: 90 };
  await admin.post("/api/1/admin/maintenance/create", { ...place, schedule });
  await page.goto("/alerts/maintenance");
  await page.getByRole("button", { name: "Edit One host" }).click();
  await page.getByRole("button", { name: "Remove web-1" }).click();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard changes" }).click();
  for (const button of ["Add rotation", "Remove rotation"]) {
    await page.goto("/on-call");
    await page.getByRole("button", { name: "New schedule" }).click();
    await page.getByRole("button", { name: button }).click();
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Discard changes" }).click();
  }
});

test("a dialog stays, with what was typed, when what its row is about has ended", async () => {
  const host = { id: "c", hostname: "web-3" };
  const failed = { service: "nginx", message: "nginx of web-3 is gone" };
  await muster.report({ ...host, services: [{ name: "nginx", status: 512 }], event: failed });
  const recovered = { service: "nginx", state: 0, message: "nginx of web-3 is back" };
  await page.goto("/");
  await page.getByRole("button", { name: "Acknowledge: nginx on web-3", exact: true }).click();
  const note = dialog("Acknowledge nginx on web-3").getByLabel("Note");
  await note.fill("The disk was full");
  await muster.report({ ...host, services: [{ name: "nginx" }], event: recovered });
  await passCycle(page);
  await settled(page);
  await expectSoon(() => note.inputValue()).toBe("The disk was full");
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Discard changes" }).click();
  await passCycle(page);
  await expectAbsent(page.getByText("nginx of web-3 is gone"));
});

test("an action on a problem that fails says why beside its button, and is tried again there", async () => {
  const services = [{ name: "worker", status: 512 }];
  const event = { service: "worker", message: "worker is gone" };
  await muster.report({ id: "b", hostname: "web-2", services, event });
  await page.goto("/");
  const button = (name: string) =>
    page.getByRole("button", { name: `${name}: worker on web-2`, exact: true });
  await button("Acknowledge").click();
  await dialog("Acknowledge worker on web-2").getByRole("button", { name: "Acknowledge" }).click();
  await page.getByRole("link", { name: event.message }).first().click();
  await heading(page, "worker");
  for (const [name, operation, next] of [
    ["Unacknowledge", "problems/unacknowledge", "Acknowledge"],
    ["Dismiss", "reports/events/dismiss", "Restore"],
    ["Restore", "reports/events/undismiss", "Dismiss"],
  ] as const) {
    const failure = page.locator("main").getByRole("alert").getByText("It is busy");
    const url = `**/api/1/${operation}`;
    await page.route(url, (route) =>
      route.fulfill({ status: 503, json: { error: "It is busy", code: "busy" } }),
    );
    await button(name).click();
    await failure.waitFor();
    await expectSoon(() => isFocused(button(name))).toBe(true);
    await page.unroute(url);
    await button(name).click();
    await button(next).waitFor();
    await expectAbsent(failure);
  }
  forgive(trouble, /status of 503/);
});

test("a sign-out that fails says so, from the menu and from the palette", async () => {
  await page.goto("/hosts");
  await page.route("**/api/1/session/invalidate", (route) => route.abort());
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.locator(".side-foot").getByText("The service cannot be reached").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: /^Hosts, services/ }).fill("sign out");
  await page.getByRole("option", { name: "Sign out" }).click();
  await page.locator(".toast").getByText("The service cannot be reached").waitFor();
  await page.unroute("**/api/1/session/invalidate");
  forgive(trouble, /ERR_FAILED/);
  expect(trouble).toEqual([]);
});

test("maintenance of everything has to be asked for", async () => {
  await page.goto("/alerts/maintenance");
  await page.getByRole("link", { name: "New maintenance" }).click();
  const form = dialog("New maintenance");
  await form.getByLabel("Name", { exact: true }).fill("Patching");
  // A window that does not show the fields and the message at once.
  await page.setViewportSize({ width: 1280, height: 500 });
  await form.getByRole("button", { name: "Create" }).click();
  const message = form.getByText("Choose hosts, groups, tags or services, or “Everything”.");
  await message.waitFor();
  await expectSoon(() => isFocused(form.getByLabel(/^Everything/))).toBe(true);
  await settled(page);
  const [text, buttons] = [await message.boundingBox(), await form.locator(".form-buttons").boundingBox()];
  expect(text?.y).toBeGreaterThan(0);
  expect((text?.y ?? 0) + (text?.height ?? 0)).toBeLessThan(buttons?.y ?? 0);
  await page.setViewportSize({ width: 1280, height: 800 });
  const admin = await muster.admin();
  const list = async () => {
    const { records } = (await admin.get("/api/1/admin/maintenance/list")).json;
    return records.filter(({ name }: { name: string }) => name === "Patching");
  };
  expect(await list()).toEqual([]);
  await form.getByLabel(/^Everything/).check();
  await form.getByRole("button", { name: "Create" }).click();
  await form.waitFor({ state: "detached" });
  expect(await list()).toEqual([expect.objectContaining({ name: "Patching", filter: {} })]);
});

test("a record that was deleted elsewhere leaves the list when its dialog closes, and the focus stays on the page", async () => {
  const admin = await muster.admin();
  const { id } = (await admin.post("/api/1/admin/groups/create", { name: "attic" })).json;
  await page.goto("/groups");
  await page.getByRole("button", { name: "Delete attic" }).click();
  await admin.post("/api/1/admin/groups/delete", { id });
  await dialog("Delete attic?").getByRole("button", { name: "Delete group" }).click();
  await dialog("Delete attic?")
    .getByRole("alert")
    .getByText(/^There is no/)
    .waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Delete attic" }).waitFor({ state: "detached" });
  await expectSoon(() => isFocused(page.getByRole("heading", { level: 1, name: "Groups" }))).toBe(true);
  forgive(trouble, /status of 404/);
});

test("dismissed events come back by Undo", async () => {
  const services = [{ name: "nginx", status: 512 }];
  const event = { service: "nginx", message: "nginx is gone" };
  expect((await muster.report({ id: "a", hostname: "web-1", services, event })).status).toBe(200);
  await page.goto("/events?active=2");
  await page.getByRole("checkbox", { name: "Select: web-1, nginx" }).check();
  await page.getByRole("button", { name: "Dismiss selected" }).click();
  await dialog("Dismiss 1 event?").getByRole("button", { name: "Dismiss" }).click();
  await page.getByRole("link", { name: "nginx is gone" }).waitFor({ state: "detached" });
  await page.locator(".toast").getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "nginx is gone" }).waitFor();
});

test("an Undo that fails says why in place of what was done, and can be tried again", async () => {
  await page.goto("/events?active=2");
  await page.getByRole("checkbox", { name: "Select: web-1, nginx" }).check();
  await page.getByRole("button", { name: "Dismiss selected" }).click();
  await dialog("Dismiss 1 event?").getByRole("button", { name: "Dismiss" }).click();
  const why = "The database is busy";
  const url = "**/api/1/reports/events/undismiss";
  await page.route(url, (route) => route.fulfill({ status: 503, json: { error: why, code: "busy" } }));
  const toast = page.locator(".toast");
  await toast.getByRole("button", { name: "Undo" }).click();
  await toast
    .getByRole("alert")
    .filter({ hasText: `Not undone: ${why}` })
    .waitFor();
  expect(await accessibilityProblems(page)).toEqual([]);
  await page.unroute(url);
  await toast.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("link", { name: "nginx is gone" }).waitFor();
  await expectAbsent(toast);
  forgive(trouble, /status of 503/);
});

test("who signs out while a save is under way is signed out, and is not kept on the page", async () => {
  for (const isRefused of [false, true]) {
    await page.goto("/account");
    const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const rights = "**/api/1/session/rights";
    await page.getByLabel("Title").fill(`Countess ${isRefused}`);
    await page.getByLabel("Confirm with your password").fill(ADMIN_PASSWORD);
    await page.route(rights, async (route) => {
      const response = await route.fetch();
      read.resolve();
      await held.promise;
      await (isRefused ? route.abort() : route.fulfill({ response }));
    });
    await page.getByRole("button", { name: "Save", exact: true }).first().click();
    await read.promise;
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    held.resolve();
    await settled(page);
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await page.unroute(rights);
    // A question of the browser would be a fault.
    await page.goto("/hosts");
    await signIn(page);
    await heading(page, "Hosts");
  }
  forgive(trouble, /ERR_FAILED/);
  expect(trouble).toEqual([]);
});

test("a rule that others have changed since it was last open is opened with their changes, which saving keeps", async () => {
  const admin = await muster.admin();
  const settings = { url: "https://hooks.invalid/" };
  const channel = await admin.post("/api/1/admin/channels/create", {
    name: "Hook",
    kind: "webhook",
    settings,
  });
  const rule = { name: "Nights", ...notifying(channel.json.id) };
  const { id } = (await admin.post("/api/1/admin/rules/create", rule)).json;
  await page.goto("/alerts");
  const link = page.getByRole("link", { name: "Nights" });
  await link.click();
  await page.getByRole("button", { name: "Save rule" }).waitFor();
  await page.goBack();
  await admin.post("/api/1/admin/rules/update", { id, ...rule, filter: { hosts: [1] } });
  await link.click();
  await page.getByRole("button", { name: "Remove web-1" }).waitFor();
  await page.getByLabel("Name", { exact: true }).fill("Nights at sea");
  await page.getByRole("button", { name: "Save rule" }).click();
  await heading(page, "Alerts");
  const stored = (await admin.get("/api/1/admin/rules/get", { id })).json;
  expect([stored.name, stored.filter.hosts]).toEqual(["Nights at sea", [1]]);
});

test("a list that stays open follows others, so that its forms begin with what they have changed", async () => {
  const admin = await muster.admin();
  const group = await admin.post("/api/1/admin/groups/create", { name: "Oslo" });
  const content = { title: "Oslo", hostgroup: group.json.id, slug: "oslo" };
  const { id } = (await admin.post("/api/1/admin/statuspages/create", content)).json;
  await page.goto("/status-pages");
  await page.getByRole("button", { name: "Edit Oslo" }).waitFor();
  await admin.post("/api/1/admin/statuspages/update", { id, ...content, title: "Oslo and Bergen" });
  await page.clock.runFor(30_000);
  await page.getByRole("button", { name: "Edit Oslo and Bergen" }).click();
  await expectSoon(() => dialog("Edit Oslo and Bergen").getByLabel("Title").inputValue()).toBe(
    "Oslo and Bergen",
  );
  await page.keyboard.press("Escape");
});
