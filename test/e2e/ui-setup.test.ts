/** The first steps, from connecting an agent to who is notified: one story, in this order. */

import { expect } from "bun:test";
import { readdirSync } from "node:fs";
import type { Page } from "playwright-core";
import { MailServer } from "../alerting/channels/mail-server.ts";
import { needing } from "../support/programs.ts";
import { notifying } from "../support/rules.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectHidden, expectSoon } from "./page-reads.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";
import {
  accessibilityProblems,
  announced,
  forgive,
  problemsEverywhere,
  sharedBrowser,
  sharedMuster,
  sharedPage,
  signedInPage,
} from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedMuster({ args: ["--channel-reach", "loopback"] });
const { page, trouble } = await sharedPage(browser, muster, "/setup");

test("the lines can be copied, with a warning where no other machine reaches the address", async () => {
  await page.getByRole("heading", { name: "1. Connect an agent" }).waitFor();
  await page.getByText("Other machines cannot reach this address").waitFor();
  const lines = page.getByRole("textbox", { name: "the lines for Monit's control file" });
  await expectSoon(() => lines.inputValue()).toMatch(
    /^set mmonit http:\/\/monit:\S+@127\.0\.0\.1:\d+\/collector\nset eventqueue/,
  );
  const httpd = page.getByRole("textbox", { name: "the lines for Monit's web interface" });
  await expectSoon(() => httpd.inputValue()).toMatch(
    /^set httpd port 2812\n {4}allow 127\.0\.0\.1\n {4}allow muster:\S{20}$/,
  );
  expect(await accessibilityProblems(page)).toEqual([]);
});

const offer = (on: Page) => on.getByRole("button", { name: "Use this address" });
const savedBaseUrl = async () => {
  const { json } = await (await muster.admin()).get("/api/1/admin/settings/get");
  return json.baseurl;
};

test("users who are no administrators are offered no base URL", async () => {
  const admin = await muster.admin();
  const user = { uname: "mia", password: "long enough", fullname: "Mia" };
  expect((await admin.post("/api/1/admin/users/create", user)).status).toBe(200);
  await using theirs = await openPage(browser, muster);
  await signIn(theirs.page, user.password, user.uname);
  await theirs.page.getByText("No hosts have reported yet").waitFor();
  await expectAbsent(offer(theirs.page));
  for (const path of ["/setup", "/settings"]) {
    await theirs.page.goto(path);
    await heading(theirs.page, "Page not found");
    await expectAbsent(offer(theirs.page));
  }
  expect(theirs.trouble).toEqual([]);
});

test("at the first start an administrator saves the address of the browser as base URL in one click", async () => {
  for (const path of ["/settings", "/setup", "/"]) {
    await page.goto(path);
    await offer(page).waitFor();
    await page.locator("main").getByText(muster.url, { exact: true }).waitFor();
  }
  expect(await problemsEverywhere(page)).toEqual([]);
  expect(await savedBaseUrl()).toEqual({ origin: "", fixed: false });
  await offer(page).click();
  await announced(page, "Notifications now link to this address");
  await offer(page).waitFor({ state: "detached" });
  expect(await savedBaseUrl()).toEqual({ origin: muster.url, fixed: false });
});

test("no base URL is offered once one is saved", async () => {
  await page.goto("/settings");
  await expectSoon(() => page.getByLabel("Public address").inputValue()).toBe(muster.url);
  await expectAbsent(offer(page));
  for (const path of ["/", "/setup"]) {
    await page.goto(path);
    await page.getByRole("heading", { name: "1. Connect an agent" }).waitFor();
    await expectAbsent(offer(page));
  }
});

test("no base URL is offered where one was given at the start", async () => {
  using folder = temporaryFolder();
  const port = freePort();
  const origin = `http://127.0.0.1:${port}`;
  await using fixed = await Muster.start({ cwd: folder.path, port, args: ["--base-url", origin] });
  await using theirs = await signedInPage(browser, fixed);
  for (const path of ["/", "/setup"]) {
    await theirs.page.goto(path);
    await theirs.page.getByRole("heading", { name: "1. Connect an agent" }).waitFor();
    await expectAbsent(offer(theirs.page));
  }
  await theirs.page.goto("/settings");
  await theirs.page.locator("main").getByText(origin, { exact: true }).waitFor();
  await expectAbsent(offer(theirs.page));
  expect(theirs.trouble).toEqual([]);
});

test("a rejected message says why in the box of the waiting user, then the host appears there", async () => {
  await using other = await signedInPage(browser, muster);
  await other.page.getByText("Waiting for the first report").waitFor();
  await page.goto("/");
  await page.getByLabel("Notify via").selectOption("ntfy");
  await page.getByLabel("Topic").fill("half a to");
  await page.getByText("Waiting for the first report").waitFor();
  const wrong = await fetch(`${muster.url}/collector`, {
    method: "POST",
    headers: { Authorization: `Basic ${btoa("monit:wrong")}`, "Content-Type": "text/xml" },
    body: "<monit/>",
  });
  expect(wrong.status).toBe(401);
  await page.locator(".arrivals .form-error").getByText("127.0.0.1").waitFor();
  expect((await muster.report({ id: "a", hostname: "web-1" })).status).toBe(200);
  await page.locator(".arrivals").getByRole("link", { name: "web-1" }).waitFor();
  // The overview does not replace what the user is typing.
  await page.getByRole("button", { name: "Finish later" }).waitFor();
  await expectSoon(() => page.getByLabel("Topic").inputValue()).toBe("half a to");
  // Elsewhere they stay as well, until they are left.
  for (const path of ["/hosts", "/"]) await other.page.goto(path);
  await other.page.getByRole("button", { name: "Finish later" }).click();
  for (let loaded = 0; loaded < 2; loaded++) {
    await other.page.getByRole("heading", { name: "Hosts, worst first" }).waitFor();
    await other.page.reload();
  }
  expect(other.trouble).toEqual([]);
});

test("a test message that fails stores neither channel nor rule, and says what came of it", async () => {
  await page.getByLabel("Notify via").selectOption("email");
  await page.getByLabel("Mail server", { exact: true }).fill("127.0.0.1");
  // Nothing listens there.
  await page.getByLabel("Port", { exact: true }).fill("9");
  await page.getByLabel("Encryption").selectOption("none");
  await page.getByLabel("Sender").fill("muster@example.org");
  await page.getByLabel("To", { exact: true }).fill("ops@example.org");
  await page.getByRole("button", { name: "Send a test and save" }).click();
  await page.getByRole("alert").getByText("no channel was created").waitFor();
  await page.locator(".answer").getByText("Could not be sent").waitFor();
  await page.getByRole("button", { name: "Save without a test" }).waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  const admin = await muster.admin();
  expect((await admin.get("/api/1/admin/channels/list")).json.totalRecords).toBe(0);
  expect((await admin.get("/api/1/admin/rules/list")).json.totalRecords).toBe(0);
});

test("once it is corrected, the test mail arrives, and channel and first rule are made in one form", async () => {
  await using server = await MailServer.start();
  await page.getByLabel("Port", { exact: true }).fill(String(server.port));
  const recipient = page.getByLabel("To", { exact: true });
  await recipient.fill("");
  // The browser asks for the recipient. What is pressed afterwards sends the test all the same.
  await page.getByRole("button", { name: "Save without a test" }).click();
  await recipient.fill("ops@example.org");
  await page.getByRole("button", { name: "Send a test and save" }).click();
  await announced(page, "Channel and rule created");
  await page.getByText("Check that the test message arrived").waitFor();
  await page.locator(".answer").getByText("250 queued as 4711").waitFor();
  expect(server.mails).toMatchObject([{ from: "muster@example.org", to: ["ops@example.org"] }]);
  await page.getByRole("heading", { name: "What next" }).waitFor();
  const admin = await muster.admin();
  const { records } = (await admin.get("/api/1/admin/rules/list")).json;
  expect(records).toMatchObject([{ name: "All failures", steps: [{ channels: [1] }], enabled: true }]);
  const [channel] = (await admin.get("/api/1/admin/channels/list")).json.records;
  expect(channel.settings).toMatchObject({ host: "", to: "ops@example.org" });
});

test("the last step names a folder for backups, the first of which is made at once", async () => {
  await page.getByRole("heading", { name: "4. Make backups" }).waitFor();
  const place = page.getByLabel(/^Folder/);
  await place.fill("/nowhere/at/all");
  await page.getByRole("button", { name: "Start backups" }).click();
  await page.getByText("Must be a folder that Muster can write to").waitFor();
  forgive(trouble, /status of 400/);
  expect(await problemsEverywhere(page)).toEqual([]);
  using disk = temporaryFolder();
  await place.fill(disk.path);
  await page.getByRole("button", { name: "Start backups" }).click();
  await page.getByText(`Muster makes backups to ${disk.path}.`).waitFor();
  await eventually("the first backup is stored", () => readdirSync(disk.path).length === 1);
  const admin = await muster.admin();
  await eventually("it is proven", async () => {
    const { records } = (await admin.get("/api/1/admin/backups/list")).json;
    return records[0]?.state === "proven";
  });
  // Its folder goes with this test.
  expect((await admin.post("/api/1/admin/settings/update", { backupplace: "" })).status).toBe(200);
});

test("after the first steps, the overview has the hosts", async () => {
  await page.getByRole("button", { name: "Go to the overview" }).click();
  await page.getByRole("heading", { name: "Hosts, worst first" }).waitFor();
  await page.reload();
  await page.getByRole("heading", { name: "Hosts, worst first" }).waitFor();
});

test("settings have the mail server afterwards, and a channel asks only for whom it reaches", async () => {
  await page.goto("/settings");
  await expectSoon(() => page.getByLabel(/^Mail server/).inputValue()).toBe("127.0.0.1");
  const settings = "**/api/1/admin/settings/get";
  const held = Promise.withResolvers<void>();
  await page.route(settings, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.goto("/alerts/channels?new=1");
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("To", { exact: true }).waitFor();
  const fold = dialog.getByRole("group").filter({ hasText: "A mail server of its own" });
  // Folded away before it is known that there is a mail server, too.
  await expectSoon(() => fold.getAttribute("open")).toBeNull();
  held.resolve();
  await expectHidden(dialog.getByLabel("Mail server", { exact: true }));
  await expectSoon(() => fold.getAttribute("open")).toBeNull();
  await page.unroute(settings);
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.keyboard.press("Escape");
});

test("the list shows that a channel fails, and why", async () => {
  const admin = await muster.admin();
  // Nothing listens there.
  const channel = { name: "Broken", kind: "webhook", settings: { url: "http://127.0.0.1:9/nobody" } };
  const { id } = (await admin.post("/api/1/admin/channels/create", channel)).json;
  await admin.post("/api/1/admin/rules/create", { name: "To nobody", ...notifying(id) });
  const event = { service: "nginx", message: "nginx is gone" };
  const services = [{ name: "nginx", status: 512 }];
  expect((await muster.report({ id: "a", hostname: "web-1", services, event })).status).toBe(200);
  await eventually("the channel has failed", async () => {
    await page.goto("/alerts/channels");
    const row = page.getByRole("row", { name: /Broken/ });
    await row.waitFor();
    return (await row.getByText(/^Failing: /).count()) > 0;
  });
  expect(await accessibilityProblems(page)).toEqual([]);
});
