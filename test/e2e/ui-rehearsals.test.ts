/** Rehearsals in a real browser, through a real mail server: one story, in this order. */
import { afterAll, expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { MailServer } from "../alerting/channels/mail-server.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectHidden } from "./page-reads.ts";
import { problemsEverywhere, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

const mail = await MailServer.start();
afterAll(() => mail[Symbol.asyncDispose]());

const browser = await sharedBrowser();
const now = Math.floor(Date.now() / 1000);
const muster = await sharedMuster({
  args: ["--channel-reach", "loopback"],
  fill: (folder) => makeDemoFleet({ folder, now, days: [2, 1.5], hosts: DEMO_HOSTS.slice(0, 5) }),
  prepare: async (started) => {
    const admin = await started.admin();
    const post = async (path: string, fields: object) => {
      const reply = await admin.post(`/api/1/${path}`, { ...fields });
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    };
    const server = { host: "localhost", port: String(mail.port), security: "none", from: "m@example.org" };
    await post("admin/channels/create", {
      name: "Mail",
      kind: "email",
      settings: { ...server, to: "o@example.org" },
    });
    for (const uname of ["anna", "ben"])
      await post("admin/users/create", {
        uname,
        password: `${uname} password`,
        fullname: uname,
        email: `${uname}@example.org`,
      });
    await post("admin/rules/create", { name: "Night shift", steps: [{ users: ["anna", "ben"] }] });
    const turn = { start: "2020-01-01", handover: "00:00", unit: "week", every: 1, hours: null };
    const rotations = [{ name: "All", users: ["ben"], ...turn }];
    await post("oncall/create", { name: "Weekend", timezone: "UTC", rotations });
    await post("admin/settings/update", { baseurl: started.url });
  },
});
const { page } = await sharedPage(browser, muster);

const table = (name: string) => page.getByRole("table", { name, exact: true });
const row = (name: string, text: string) => table(name).getByRole("row").filter({ hasText: text });
/** The link in the mail to a recipient, once it has arrived. */
async function linkTo(recipient: string): Promise<string> {
  for (;;) {
    const text = mail.mails.find(({ to }) => to.includes(recipient))?.text.replaceAll("=\r\n", "");
    const link = /Acknowledge: (\S+)/.exec(text ?? "")?.[1];
    if (link) return link;
    await Bun.sleep(50);
  }
}

test("a rule is rehearsed by a button, and its page shows who acknowledged and who would have slept", async () => {
  await page.goto(new URL("/alerts", muster.url).href);
  await page.getByRole("button", { name: "Rehearse Night shift" }).click();
  await page.getByRole("heading", { name: "Rehearse Night shift?" }).waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByLabel("Wait for answers (minutes)").fill("60");
  await page.getByRole("button", { name: "Start rehearsal" }).click();
  await heading(page, "Rehearsal of Night shift");
  await row("Messages of the rehearsal", "anna").getByText("not yet").waitFor();

  // The recipient follows the link of the mail and presses its button, without signing in.
  const reader = await browser.newContext();
  const phone = await reader.newPage();
  await phone.goto(await linkTo("anna@example.org"));
  await phone.getByText("This is a rehearsal.").waitFor();
  await phone.getByRole("button", { name: "Acknowledge" }).click();
  await phone.getByText("You would have noticed a problem").waitFor();
  await reader.close();
  await page.getByText("Not acknowledged yet: ben").waitFor();
  await row("Messages of the rehearsal", "anna")
    .getByText(/^(after|at once)/)
    .last()
    .waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
});

test("a schedule is rehearsed by a button, and the list shows both", async () => {
  await page.goto(new URL("/on-call", muster.url).href);
  await page.getByRole("button", { name: "Rehearse Weekend" }).click();
  await page.getByRole("button", { name: "Start rehearsal" }).click();
  await heading(page, "Rehearsal of Weekend");
  await page.getByText("schedule Weekend").waitFor();
  await page.getByRole("link", { name: "Alerts: Rehearsals" }).click();
  await row("Rehearsals, newest first", "schedule Weekend").getByText("0 of 1 acknowledged").waitFor();
  await row("Rehearsals, newest first", "rule Night shift").getByText("1 of 2 acknowledged").waitFor();
});

test("a weekly rehearsal is made in a form, changed and deleted", async () => {
  await page.getByRole("link", { name: "New weekly rehearsal" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Friday check");
  await page.getByLabel("Rule or schedule").selectOption({ label: "Rule: Night shift" });
  await page.getByLabel("Go on to further steps").check();
  await page.getByLabel("Day").selectOption({ label: "Friday" });
  await page.getByLabel("Time", { exact: true }).fill("14:30");
  await page.getByLabel("Time zone").fill("Europe/Oslo");
  expect(await problemsEverywhere(page)).toEqual([]);
  await page.getByRole("button", { name: "Create weekly rehearsal" }).click();
  const weekly = row("Weekly rehearsals", "Friday check");
  await weekly.getByText("rule Night shift: Friday at 14:30 (Europe/Oslo)").waitFor();
  await weekly.getByText("goes on to further steps").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);

  await page.getByRole("button", { name: "Edit Friday check" }).click();
  await page.getByLabel("Rule or schedule").selectOption({ label: "Schedule: Weekend" });
  // A schedule has no further steps.
  await page.getByLabel("Go on to further steps").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await weekly.getByText("schedule Weekend: Friday at 14:30 (Europe/Oslo)").waitFor();

  await page.getByRole("button", { name: "Delete Friday check" }).click();
  await page.getByRole("button", { name: "Delete weekly rehearsal" }).click();
  await page.getByText("No weekly rehearsals yet").waitFor();
});

test("a rehearsal is deleted on its page, which asks before", async () => {
  await page.getByRole("link", { name: "rule Night shift" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("button", { name: "Delete rehearsal" }).click();
  await row("Rehearsals, newest first", "schedule Weekend").waitFor();
  await expectHidden(row("Rehearsals, newest first", "rule Night shift"));
});

test("channels that have delivered nothing lately are suggested, with buttons that rehearse what reaches them", async () => {
  const rules = Array.from({ length: 12 }, (_, i) => ({
    id: 1,
    name: `Rule with a longer name, number ${i + 1}`,
  }));
  const schedules = [{ id: 1, name: "Weekend" }];
  await page.route("**/api/1/admin/rehearsals/suggestions*", (route) =>
    route.fulfill({
      json: {
        records: [
          { channelid: 1, channel: "Mail", last: now - 40 * 86_400, rules: [], schedules },
          { channelid: 3, channel: "Chat", last: null, rules, schedules },
          { channelid: 2, channel: "Old pager", last: null, rules: [], schedules: [] },
        ],
      },
    }),
  );
  await page.reload();
  const idle = "Channels without a delivery for 30 days";
  await row(idle, "Old pager").getByText("no rule or schedule reaches it now").waitFor();
  await row(idle, "Mail").getByText("40 d ago").waitFor();
  await row(idle, "Chat").getByText("and 10 more").waitFor();
  expect(await problemsEverywhere(page)).toEqual([]);
  await row(idle, "Mail").getByRole("button", { name: "Rehearse Weekend" }).click();
  await page.getByRole("heading", { name: "Rehearse Weekend?" }).waitFor();
});
