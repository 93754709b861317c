/** From nothing to a mail in the box, only through the UI, with a real mail server: one story, in this order. */
import { afterAll, describe, expect } from "bun:test";
import { MailServer } from "../alerting/channels/mail-server.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectSoon, isFocused } from "./page-reads.ts";
import { eventually, type Muster } from "./support.ts";
import { sharedBrowser, sharedMuster, sharedPage, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const DISK = { service: "disk", type: 512, message: "disk is full" };
const FAILING = [{ name: "nginx" }, { name: "disk", status: 512 }];

const STARTED = Math.floor(Date.now() / 1000);
const report = (to: Muster, message: object) => {
  const at = Math.floor(Date.now() / 1000);
  return to.report({ id: "edge-1", hostname: "edge-1", at, incarnation: STARTED - 3600, ...message });
};

const mail = await MailServer.start();
afterAll(() => mail[Symbol.asyncDispose]());
const browser = await sharedBrowser();
const muster = await sharedMuster({
  args: ["--channel-reach", "loopback"],
  prepare: async (started) => {
    await report(started, { services: [{ name: "nginx" }, { name: "disk" }] });
    await report(started, { services: FAILING, event: DISK });
  },
});
const { page } = await sharedPage(browser, muster);

const dialog = (name: string) => page.getByRole("dialog", { name });
const table = (name: string) => page.getByRole("table", { name, exact: true });
const button = (name: string) => page.getByRole("button", { name, exact: true });

/** A group named Edge with the host in it. */
async function makeGroup(): Promise<void> {
  await page.goto("/groups");
  await button("New group").click();
  await dialog("New group").getByLabel("Name").fill("Edge");
  await dialog("New group").getByRole("button", { name: "Create" }).click();
  await button("Hosts of Edge").click();
  await dialog("Hosts in Edge").getByLabel("edge-1").check();
  await dialog("Hosts in Edge").getByRole("button", { name: "Save" }).click();
  await dialog("Hosts in Edge").waitFor({ state: "detached" });
}

describe("an administrator", () => {
  test("sets up a channel, and sees what the mail server answers to a test", async () => {
    await makeGroup();
    await page.getByRole("link", { name: "Alerts" }).click();
    await heading(page, "Alerts");
    await page.getByRole("link", { name: "Channels", exact: true }).click();
    await page.getByRole("link", { name: "New channel" }).click();
    const form = dialog("New channel");
    await form.getByLabel("Kind").selectOption("email");
    await form.getByLabel("Name", { exact: true }).fill("Me");
    await form.getByLabel("Mail server").fill("127.0.0.1");
    await form.getByLabel("Port").fill("1");
    await form.getByLabel("Encryption").selectOption("none");
    await form.getByLabel("From").fill("muster@example.org");
    await form.getByLabel("To").fill("me@example.org");
    await form.getByRole("button", { name: "Send a test" }).click();
    await form.getByText("Could not be sent").waitFor();
    await form.getByLabel("Port").fill(String(mail.port));
    await form.getByRole("button", { name: "Send a test" }).click();
    await form.getByText("Test sent").waitFor();
    await form.getByText("queued as 4711").waitFor();
    await form.getByRole("button", { name: "Create" }).click();
    await table("Channels").getByRole("rowheader", { name: "Me" }).waitFor();
    expect(mail.mails).toHaveLength(1);
    expect(mail.mails[0]?.to).toEqual(["me@example.org"]);
  });

  test("makes the rule and sees beforehand what it would have sent", async () => {
    await page.getByRole("link", { name: "Rules", exact: true }).click();
    await page.getByRole("link", { name: "New rule" }).click();
    await heading(page, "New rule");
    await page.getByLabel("Name", { exact: true }).fill("Edge stays broken");
    await page.getByLabel("Edge", { exact: true }).check();
    await page.getByLabel("Me", { exact: true }).first().check();
    await page.getByLabel("Wait before notifying (minutes)").fill("5");
    await button("Add step").click();
    const second = page.getByRole("group", { name: "Step 2", exact: true });
    await second.getByLabel("After (minutes)").fill("60");
    await second.getByLabel("Me", { exact: true }).check();
    await button("Preview the last week").click();
    // The failure is younger than five minutes.
    const preview = (text: string) => page.locator("main").getByText(`Last week: 1 matching event, ${text}`);
    await preview("0 messages would have been sent.").waitFor();
    await page.getByLabel("Wait before notifying (minutes)").fill("0");
    // Messages wait some seconds for others to join; so does the preview.
    await eventually("the failure would have been told", async () => {
      const answered = page.waitForResponse(/preview/);
      await button("Preview the last week").click();
      const { total } = await (await answered).json();
      return total === 1;
    });
    await preview("1 message would have been sent.").waitFor();
    await table("What the rule would have sent").getByRole("rowheader", { name: /disk/ }).waitFor();
    await page.getByLabel("Wait before notifying (minutes)").fill("5");
    await button("Create rule").click();
    await heading(page, "Alerts");
    const words = "Notifies Me after 5 min and on recovery. Escalates after 1 h to Me.";
    await table("Rules, in order").getByText(words).waitFor();
    expect(mail.mails).toHaveLength(1);
  });

  test("later finds on the event that it was delivered, and that the end of it was", async () => {
    await page.getByRole("link", { name: "Edge stays broken" }).click();
    await page.getByLabel("Wait before notifying (minutes)").fill("0");
    await button("Save rule").click();
    await heading(page, "Alerts");
    await report(muster, {
      services: [{ name: "nginx", status: 1 }, FAILING[1]],
      event: { service: "nginx", message: "nginx is gone" },
    });
    await page.goto("/events");
    await table("Events").getByRole("link", { name: "nginx is gone" }).click();
    // Simultaneous events share a message, so for some seconds nobody is notified.
    await page.getByText("Edge stays broken: waiting for the rule's delay").waitFor();
    const told = table("Notifications of this event");
    await told.getByRole("row", { name: /problem.*Edge stays broken → Me.*sent/ }).waitFor();
    await report(muster, {
      services: FAILING,
      event: { service: "nginx", state: 0, message: "nginx is back" },
    });
    await told.getByRole("row", { name: /recovery.*Edge stays broken → Me.*sent/ }).waitFor();
    const texts = mail.mails.map(({ text }) => text);
    expect(texts.map((text) => /^X-Muster-Kind: (\w+)/m.exec(text)?.[1])).toEqual([
      "test",
      "problem",
      "recovery",
    ]);
    expect(texts[1]).toContain("nginx is gone");
    await page.goto("/alerts/deliveries");
    await expectSoon(() => table("Deliveries").getByRole("row").count()).toBe(3);
  });

  test("plans maintenance, during which nobody is notified and the event says why", async () => {
    await page.goto("/alerts/maintenance");
    await page.getByRole("link", { name: "New maintenance" }).click();
    const form = dialog("New maintenance");
    await form.getByLabel("Name", { exact: true }).fill("Patching");
    await form.getByLabel("Edge", { exact: true }).check();
    await form.getByRole("button", { name: "Create" }).click();
    await table("Maintenance")
      .getByRole("row", { name: /Patching.*now/ })
      .waitFor();
    await report(muster, {
      services: [{ name: "nginx", status: 1 }, FAILING[1]],
      event: { service: "nginx", message: "nginx is gone again" },
    });
    await page.goto("/events");
    await table("Events").getByRole("link", { name: "nginx is gone again" }).click();
    await page.getByText(/Edge stays broken: .*Patching/).waitFor();
    expect(mail.mails).toHaveLength(3);
  });

  test("renames maintenance, whose times stay exact, also in the hour that clocks repeat", async () => {
    // 02:30 after clocks went back in Berlin.
    const from = Date.parse("2027-10-31T01:30:15Z") / 1000;
    const times = { from, to: from + 40 };
    const admin = await muster.admin();
    const fields = { name: "Night", filter: { hosts: [1] }, schedule: { kind: "once", ...times } };
    const { json: created } = await admin.post("/api/1/admin/maintenance/create", fields);
    await using berlin = await signedInPage(browser, muster, "/alerts/maintenance", {
      timezoneId: "Europe/Berlin",
    });
    await berlin.page.getByRole("button", { name: "Edit Night" }).click();
    const form = berlin.page.getByRole("dialog", { name: "Edit Night" });
    await expectSoon(() => form.getByLabel("From").inputValue()).toBe("2027-10-31T02:30");
    await form.getByLabel("Name", { exact: true }).fill("Repeated night");
    await form.getByRole("button", { name: "Save" }).click();
    await form.waitFor({ state: "detached" });
    const { json } = await admin.get("/api/1/admin/maintenance/list");
    const saved = json.records.find(({ id }: { id: number }) => id === created.id);
    expect(saved).toMatchObject({ name: "Repeated night", schedule: times });
    await admin.post("/api/1/admin/maintenance/delete", { id: created.id });
  });

  test("mutes a rule, which the list of mutes and the audit log call by its name", async () => {
    await page.goto("/alerts");
    await button("Mute rule Edge stays broken").click();
    await dialog("Mute rule Edge stays broken").getByRole("button", { name: "Mute", exact: true }).click();
    await dialog("Mute rule Edge stays broken").waitFor({ state: "detached" });
    await page.goto("/alerts/maintenance");
    const row = table("Mutes").getByRole("row", { name: /rule Edge stays broken/ });
    await row.waitFor();
    await page.goto("/audit?operation=mutes/create");
    const entry = table("Audit log").getByText("rules: Edge stays broken");
    await entry.filter({ visible: true }).waitFor();
    await page.goto("/alerts/maintenance");
    await button("End now: rule Edge stays broken").click();
    await row.waitFor({ state: "detached" });
    await expectSoon(() => isFocused(page.getByRole("heading", { level: 1 }))).toBe(true);
  });

  test("makes a rule about Muster itself, whose health the sidebar shows", async () => {
    await page.goto("/alerts/rules/edit");
    await page.getByLabel("Name", { exact: true }).fill("Own health");
    await page.getByLabel("About", { exact: true }).selectOption("Muster itself");
    await page.getByLabel("Critical failures").check();
    await page.getByLabel("Me", { exact: true }).check();
    await button("Create rule").click();
    await table("Rules, in order")
      .getByText("Muster itself. Severity: Critical failures. Notifies")
      .waitFor();
    await page.getByRole("link", { name: /^Health (OK|Warning|Critical)$/ }).click();
    await heading(page, "Health");
    await page.getByRole("heading", { level: 2, name: "Findings" }).waitFor();
  });

  test("shares a status page of the group, which shows to strangers what it should", async () => {
    await page.goto("/status-pages");
    await button("New page").click();
    await dialog("New status page").getByLabel("Title").fill("The edge");
    await dialog("New status page").getByRole("button", { name: "Create" }).click();
    await button("Share The edge").click();
    const field = dialog("Share The edge").getByRole("textbox").first();
    await expectSoon(() => field.inputValue()).toMatch(/\/s\/[0-9a-f]{32}$/);
    const address = await field.inputValue();
    const stranger = await browser.newPage();
    await stranger.goto(address);
    await stranger.getByRole("heading", { name: "The edge" }).waitFor();
    await stranger.getByText("1 of 1 host has problems").waitFor();
    expect((await stranger.request.get(`${address}/badge.svg`)).status()).toBe(200);
    await stranger.close();
  });
});
