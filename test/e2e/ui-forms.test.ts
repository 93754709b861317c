import { describe, expect } from "bun:test";
import { processXml, systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { eventually, type Muster } from "./support.ts";
import {
  accessibilityProblems,
  announced,
  forgive,
  sharedBrowser,
  sharedMuster,
  sharedPage,
  typeOn,
} from "./ui.ts";

const { test } = needing("chromium");

/** One pixel. */
const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);

/** Six hosts, two of which have the same name, each with an event. */
async function reportHosts(to: Muster): Promise<void> {
  const at = Math.floor(Date.now() / 1000);
  const hostnames = [
    "web-1.example.org",
    "web-2.example.org",
    "db-1.example.org",
    "twin",
    "twin",
    "old-1.example.org",
  ];
  for (const [i, hostname] of hostnames.entries()) {
    const id = `${hostname}-${i}`;
    const message = {
      id,
      hostname,
      at,
      services: [
        { name: hostname, type: 5, body: systemXml() },
        { name: "nginx", body: processXml() },
      ],
      event: { service: "nginx", message: `nginx of ${hostname} is not running` },
    };
    expect((await to.report(message)).status).toBe(200);
  }
}

const browser = await sharedBrowser();
const muster = await sharedMuster({ prepare: reportHosts });
const { page, trouble, gone } = await sharedPage(browser, muster);

const dialog = (name: string) => page.getByRole("dialog", { name });
const table = (name: string) => page.getByRole("table", { name, exact: true });

describe("the event list", () => {
  test("is filtered by a host, found by a part of its name", async () => {
    await page.goto("/events");
    const field = page.getByLabel("Host", { exact: true });
    await field.fill("db");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await expectSoon(() => options.count()).toBe(1);
    await field.fill("db-1.example.org");
    await page.waitForURL(/hostid=3/);
    await table("Events").getByRole("link", { name: "nginx of db-1.example.org is not running" }).waitFor();
    await expectSoon(() => table("Events").getByRole("row").count()).toBe(2);
    await page.reload();
    await expectSoon(() => field.inputValue()).toBe("db-1.example.org");
    await field.fill("");
    await page.waitForURL((url) => !url.searchParams.has("hostid"));
  });

  test("is filtered by a date once its year is typed", async () => {
    await page.goto("/events?datefrom=1768464000");
    const from = page.getByLabel("From", { exact: true });
    await from.fill("0202-01-15T08:00");
    await settled(page);
    await expectSoon(() => from.inputValue()).toBe("0202-01-15T08:00");
    await expectSoon(() => new URL(page.url()).searchParams.get("datefrom")).toBe("1768464000");
    await from.fill("2026-01-15T09:00");
    await page.waitForURL(/datefrom=1768467600/);
  });

  test("keeps what is typed while the page follows what was typed before", async () => {
    await page.goto("/events?dateto=1768514400");
    const until = page.getByLabel("Until", { exact: true });
    await expectSoon(() => until.inputValue()).toBe("2026-01-15T22:00");
    await typeOn(page.getByLabel("From", { exact: true }), "2026-01-15T02:00", "2026-01-15T23:00");
    await page.getByText("Must be later than the first date").waitFor();
    await expectSoon(() => page.getByLabel("From", { exact: true }).inputValue()).toBe("2026-01-15T23:00");
    const search = page.getByLabel("Search", { exact: true });
    await typeOn(search, "proc", "process");
    await page.waitForURL(/text=process/);
    await expectSoon(() => search.inputValue()).toBe("process");
    await page.getByRole("button", { name: "Clear filter" }).click();
    await expectSoon(() => search.inputValue()).toBe("");
    await expectSoon(() => until.inputValue()).toBe("");
  });

  test("is cleared of what was typed and not applied, too, as is the list of hosts", async () => {
    await page.goto("/events?text=nginx");
    await page.getByLabel("Host", { exact: true }).fill("nobody");
    await page.getByText("More filters").click();
    await page.getByLabel("From", { exact: true }).fill("2026-01-15T23:00");
    await page.waitForURL(/datefrom/);
    await page.getByLabel("Until", { exact: true }).fill("2026-01-15T22:00");
    await page.getByText("Nothing is named “nobody”").waitFor();
    await page.getByRole("button", { name: "Clear filter" }).click();
    for (const label of ["Host", "From", "Until"])
      await expectSoon(() => page.getByLabel(label, { exact: true }).inputValue()).toBe("");
    await (await muster.admin()).post("/api/1/admin/groups/create", { name: "Oslo" });
    await page.goto("/hosts?text=web");
    const group = page.getByLabel("Group", { exact: true });
    await group.fill("nobody");
    await page.getByRole("button", { name: "Clear filter" }).click();
    await expectSoon(() => group.inputValue()).toBe("");
  });

  test("keeps its filters unfolded, and the focus, when the last of them is emptied", async () => {
    await page.goto("/events?servicetype=3");
    const type = page.getByLabel("Service type");
    // Nothing in the page can have the focus before it is shown.
    await type.waitFor();
    await type.focus();
    await type.selectOption({ label: "Any type" });
    await page.waitForURL((url) => !url.searchParams.has("servicetype"));
    await page.getByText("More filters", { exact: true }).waitFor();
    await settled(page);
    await expectSoon(() => isFocused(type)).toBe(true);
  });

  test("says that a date far in the future is none, as does the audit log, and a moment like that is now", async () => {
    for (const [path, title] of [
      ["events", "Events"],
      ["audit", "Audit log"],
    ] as const) {
      await page.goto(`/${path}?datefrom=9e15`);
      await heading(page, title);
      await page.getByText("datefrom must be a unix timestamp").waitFor();
      if (path === "events")
        await expectSoon(() => page.getByLabel("From", { exact: true }).inputValue()).toBe("");
    }
    forgive(trouble, /status of 400/);
    await page.goto("/hosts?at=1795547611000000");
    await heading(page, "Hosts");
    await page.getByRole("button", { name: "Now" }).waitFor();
  });

  test("tells hosts of the same name apart", async () => {
    await page.goto("/events");
    await page.getByLabel("Host", { exact: true }).fill("twin");
    const options = page.getByRole("listbox", { name: "Suggestions" }).getByRole("option");
    await expectSoon(async () => (await options.allTextContents()).sort()).toEqual(["twin (4)", "twin (5)"]);
    await page.getByLabel("Host", { exact: true }).fill("twin (5)");
    await page.waitForURL(/hostid=5/);
  });

  test("has an event dismissed, and an event has notes", async () => {
    await page.goto("/events?active=2");
    await page.getByRole("checkbox", { name: "Select: web-2.example.org, nginx" }).check();
    await page.getByRole("button", { name: "Dismiss selected" }).click();
    await dialog("Dismiss 1 event?").getByRole("button", { name: "Dismiss" }).click();
    await announced(page, "1 event dismissed");
    await table("Events").getByRole("link", { name: /web-2/ }).first().waitFor({ state: "detached" });
    await page.goto("/events/1");
    await page.getByLabel("New note").fill("<b>seen</b> & “done”\nשלום 🚀");
    await page.getByRole("button", { name: "Add note" }).click();
    const note = page.locator(".notes .as-written");
    await note.waitFor();
    await expectSoon(() => note.textContent()).toBe("<b>seen</b> & “done”\nשלום 🚀");
  });

  test("leads to an event, which says why its charts are missing", async () => {
    await page.route("**/api/1/status/hosts/get?*", (route) => route.abort());
    await page.goto("/events/1");
    await page.locator(".error-message").getByText("The service cannot be reached").waitFor();
    await page.unroute("**/api/1/status/hosts/get?*");
    forgive(trouble, /ERR_FAILED/);
    await page.getByRole("button", { name: "Try again" }).click();
    await page.getByRole("heading", { name: "Charts" }).waitFor();
  });

  test("shows what was changed while an older reply was on its way", async () => {
    await page.goto("/events/3");
    await page.getByLabel("New note").waitFor();
    const [read, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const address = "**/api/1/reports/events/get?*";
    await page.route(address, async (route) => {
      const response = await route.fetch();
      read.resolve();
      await held.promise;
      await route.fulfill({ response });
    });
    await page.getByRole("button", { name: "Acknowledge" }).click();
    await dialog("Acknowledge").getByRole("button", { name: "Acknowledge" }).click();
    await read.promise;
    await page.getByLabel("New note").fill("later");
    const noted = page.waitForResponse(/events\/note$/);
    await page.getByRole("button", { name: "Add note" }).click();
    await noted;
    held.resolve();
    await page.locator(".notes .as-written").getByText("later", { exact: true }).waitFor();
    await page.unroute(address);
  });
});

describe("one's account", () => {
  test("makes tokens of either scope, shows each once, and deletes them", async () => {
    await page.goto("/account");
    for (const [title, may] of [
      ["Read only", "read"],
      ["Everything you can do", "read and write"],
    ] as const) {
      await page.getByRole("button", { name: "New token" }).click();
      await page.getByLabel("What it is for").fill(`a ${may} program`);
      await page.getByLabel("Access").selectOption(title);
      await dialog("New API token").getByRole("button", { name: "Create" }).click();
      const field = page.getByRole("textbox", { name: "the token" });
      await expectSoon(() => field.inputValue()).not.toBe("");
      const token = await field.inputValue();
      await page.keyboard.press("Escape");
      await page.getByRole("button", { name: "Done" }).click();
      await table("API tokens")
        .getByRole("row", { name: `a ${may} program ${may}` })
        .waitFor();
      const reply = await muster
        .client()
        .get("/api/1/session/user", {}, { Authorization: `Bearer ${token}` });
      expect(reply.json.uname).toBe("admin");
    }
    await page.getByRole("button", { name: "Delete a read program" }).click();
    await dialog("Delete the token for a read program?")
      .getByRole("button", { name: "Delete token" })
      .click();
    await announced(page, "Token deleted");
  });

  test("takes a picture, shows it, and gives it up again", async () => {
    await page.goto("/account");
    const field = page.getByLabel("New picture");
    await expectSoon(() => field.getAttribute("accept")).toBe("image/png,image/jpeg,image/webp");
    await field.setInputFiles({ name: "me.png", mimeType: "image/png", buffer: PNG });
    await page.getByRole("button", { name: "Upload" }).click();
    const picture = page.locator(".picture img");
    await eventually("the picture is shown", () =>
      picture.evaluate((image: HTMLImageElement) => image.complete && image.naturalWidth === 1),
    );
    await page.getByRole("button", { name: "Remove" }).click();
    await picture.waitFor({ state: "detached" });
  });

  test("says why the picture of another user was not removed", async () => {
    const admin = await muster.admin();
    const pia = { uname: "pia", fullname: "Pia", password: "some password" };
    expect((await admin.post("/api/1/admin/users/create", pia)).status).toBe(200);
    await page.goto("/users/edit?uname=pia");
    const file = { name: "pia.png", mimeType: "image/png", buffer: PNG };
    await page.getByLabel("New picture").setInputFiles(file);
    await page.getByRole("button", { name: "Save" }).click();
    const picture = page.locator(".picture img");
    await picture.waitFor({ state: "attached" });
    await page.route("**/api/1/admin/users/image", (route) => route.abort());
    await page.getByRole("button", { name: "Remove" }).click();
    await page.locator(".picture").getByText("The service cannot be reached").waitFor();
    await page.unroute("**/api/1/admin/users/image");
    forgive(trouble, /ERR_FAILED/);
    await page.getByRole("button", { name: "Remove" }).click();
    await picture.waitFor({ state: "detached" });
  });

  test("lists where one is signed in, and ends another session", async () => {
    const userAgent = "Mozilla/5.0 (Windows NT 10.0; rv:140.0) Gecko/20100101 Firefox/140.0";
    await using other = await openPage(browser, muster, "/", { userAgent });
    await signIn(other.page);
    await heading(other.page, "Overview");
    await page.goto("/account");
    const rows = table("Your sessions").getByRole("row");
    await rows.nth(2).waitFor();
    await settled(page);
    const count = await rows.count();
    // Programs of other tests are signed in as well, and sessions of one second have no certain order.
    await table("Your sessions")
      .getByRole("button", { name: /Firefox on Windows/ })
      .click();
    await dialog("End this session?").getByRole("button", { name: "End session" }).click();
    await announced(page, "Session ended");
    await expectSoon(() => rows.count()).toBe(count - 1);
    await other.page.reload();
    await other.page.getByRole("button", { name: "Sign in" }).waitFor();
  });
});

describe("administration", () => {
  test("makes a user, changes his details and password, and deletes him", async () => {
    await page.goto("/users");
    await page.getByRole("button", { name: "New user" }).click();
    await page.getByLabel("User name").fill("a.b+c@example");
    await page.getByLabel("Full name").fill("Ada <Byron>");
    await page.getByLabel("Password").fill("first secret");
    await dialog("New user").getByRole("button", { name: "Create" }).click();
    await announced(page, "User created");
    await table("Users").getByRole("link", { name: "a.b+c@example" }).click();
    await heading(page, "a.b+c@example");
    await page.getByLabel("Title").fill("Countess");
    await page.getByLabel("New password").fill("second secret");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    await announced(page, "Saved");
    await expectAbsent(page.locator(".form-error"));
    await muster.client().signIn("a.b+c@example", "second secret");
    gone.add(`uname=${encodeURIComponent("a.b+c@example")}`);
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog("Delete a.b+c@example?").getByRole("button", { name: "Delete user" }).click();
    await heading(page, "Users");
    await table("Users").getByRole("link", { name: "admin" }).waitFor();
    await expectAbsent(table("Users").getByRole("link", { name: "a.b+c@example" }));
  });

  test("changes a setting, refuses a wrong one, and the audit log has who did it", async () => {
    await page.goto("/settings");
    const field = page.getByLabel(/Sign out after/);
    await field.fill("45");
    await page.getByRole("button", { name: "Save" }).click();
    await announced(page, "Settings saved");
    await page.getByLabel(/Report time zone/).fill("Nowhere/At all");
    await page.getByRole("button", { name: "Save" }).click();
    await page.locator(".field-error").getByText("Must be the IANA name of a time zone").waitFor();
    await page.getByRole("link", { name: "Audit log" }).click();
    await dialog("Leave without saving?").getByRole("button", { name: "Discard changes" }).click();
    await heading(page, "Audit log");
    await page.goto("/audit?operation=admin/settings/update");
    await table("Audit log")
      .getByText("Sign out after (minutes idle): 30 → 45")
      .filter({ visible: true })
      .waitFor();
    const row = table("Audit log").getByRole("row").nth(1);
    await expectSoon(() => row.textContent()).toContain("admin");
    forgive(trouble, /status of 400/);
  });

  test("imports a configuration, and shows the settings of it", async () => {
    const { json } = await (await muster.admin()).get("/api/1/admin/transfer/export");
    const settings = [{ name: "auditdays", value: 777 }];
    const importFile = async (text: string) => {
      const file = { name: "muster.json", mimeType: "application/json", buffer: Buffer.from(text) };
      await page.getByLabel("File to import").setInputFiles(file);
      await page.getByRole("button", { name: "Import", exact: true }).click();
    };
    await page.goto("/settings");
    await importFile(JSON.stringify({ muster: json.muster, settings }));
    const result = page.getByRole("status").getByText("settings: 0 created, 1 updated, 0 unchanged.");
    await result.waitFor();
    await expectSoon(() => page.getByLabel(/Audit log \(days\)/).inputValue()).toBe("777");
    expect(await accessibilityProblems(page)).toEqual([]);
    await importFile("nothing");
    await page.getByText("The file is not well-formed JSON").waitFor();
    await expectAbsent(result);
    // The file that was refused is still chosen.
    await page.getByRole("link", { name: "Audit log" }).click();
    await dialog("Leave without saving?").getByRole("button", { name: "Discard changes" }).click();
    await heading(page, "Audit log");
    forgive(trouble, /status of 400/);
  });

  test("changes a host's settings, and deletes a host after saying what is lost", async () => {
    await page.goto("/hosts/6/settings");
    await page.getByLabel("Description").fill('quotes " and <tags>');
    await page.getByRole("button", { name: "Save" }).click();
    await announced(page, "aved");
    await page.goto("/hosts/6");
    gone.add("id=6").add("hostid=6");
    await page.getByRole("button", { name: "Delete" }).click();
    await dialog("Delete old-1.example.org?").getByText("2 services").waitFor();
    await dialog("Delete old-1.example.org?").getByRole("button", { name: "Delete host" }).click();
    await heading(page, "Hosts");
    const link = page.getByRole("link", { name: "old-1.example.org" });
    await expectSoon(() => link.count()).toBe(0);
  });
});
