/** A user's input and mistakes are not lost: questions before leaving, drafts, and confirmations. */
import { expect } from "bun:test";
import { ADMIN_PASSWORD } from "../support/app.ts";
import { needing } from "../support/programs.ts";
import { heading, signIn } from "./browser.ts";
import { expectSoon, isFocused, settled } from "./page-reads.ts";
import { accessibilityProblems, forgive, passCycle, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

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

test("Escape in a dialog with typed text asks first", async () => {
  await page.goto("/alerts/channels");
  await page.getByRole("link", { name: "New channel" }).click();
  const channel = dialog("New channel");
  await channel.getByLabel("Name", { exact: true }).fill("Ops");
  await page.keyboard.press("Escape");
  await channel.getByRole("button", { name: "Keep editing" }).click();
  await expectSoon(() => channel.getByLabel("Name", { exact: true }).inputValue()).toBe("Ops");
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
  const list = async () => (await admin.get("/api/1/admin/maintenance/list")).json.records;
  expect(await list()).toEqual([]);
  await form.getByLabel(/^Everything/).check();
  await form.getByRole("button", { name: "Create" }).click();
  await form.waitFor({ state: "detached" });
  expect(await list()).toEqual([expect.objectContaining({ name: "Patching", filter: {} })]);
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
