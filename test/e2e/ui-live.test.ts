import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { AgentHttpd } from "../support/agent-httpd.ts";
import { type AgentXml, processXml, systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { eventually, freePort, Muster, temporaryFolder } from "./support.ts";
import { announced, passCycle, sharedBrowser, sharedMuster, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const HOST = "web-1.example.org";
const browser = await sharedBrowser();
const muster = await sharedMuster();

function messageOf(more: Partial<AgentXml> = {}): AgentXml {
  return {
    id: HOST,
    hostname: HOST,
    at: Math.floor(Date.now() / 1000),
    services: [
      { name: HOST, type: 5, body: systemXml() },
      { name: "nginx", body: processXml() },
    ],
    ...more,
  };
}

/** Distinguishes events of one second, which would count as repetitions of each other. */
let collectedUsec = 0;

async function report({ event, ...more }: Partial<AgentXml> = {}): Promise<void> {
  const numbered = event && { event: { collectedUsec: ++collectedUsec, ...event } };
  expect((await muster.report(messageOf({ ...more, ...numbered }))).status).toBe(200);
}

const FAILING: Partial<AgentXml> = {
  services: [
    { name: HOST, type: 5, body: systemXml() },
    { name: "nginx", status: 512 },
  ],
  event: { service: "nginx", message: "process is not running" },
};

/** Paths of the API that the page requests from now on. */
function callsOf(page: Page): string[] {
  const calls: string[] = [];
  page.on("request", (request) => {
    const { pathname } = new URL(request.url());
    if (pathname.startsWith("/api/")) calls.push(pathname);
  });
  return calls;
}

/** Puts the tab of the page into the background, or back to the front. */
function setHidden(page: Page, hidden: boolean): Promise<void> {
  return page.evaluate((value) => {
    Object.defineProperty(document, "hidden", { value, configurable: true });
    document.dispatchEvent(new Event("visibilitychange"));
  }, hidden);
}

describe("without a reload", () => {
  test("a failure appears, is announced, and shows in the title; and so does its end", async () => {
    await report();
    await using open = await signedInPage(browser, muster, "/", { steppable: true });
    const { page, trouble } = open;
    await page.getByRole("link", { name: HOST }).first().waitFor();
    await expectSoon(() => page.title()).toBe("Overview - Muster");
    await report(FAILING);
    await passCycle(page);
    const problems = page.getByRole("list", { name: "Active problems" });
    await problems.getByRole("link", { name: "process is not running" }).waitFor();
    await announced(page, "1 degraded");
    await expectSoon(() => page.title()).toBe("(1) Overview - Muster");
    await report({ event: { service: "nginx", state: 0, message: "process is running" } });
    await passCycle(page);
    await problems.waitFor({ state: "detached" });
    expect(trouble).toEqual([]);
  });

  test("a host's page follows within a cycle", async () => {
    await report();
    await using open = await signedInPage(browser, muster, "/hosts/1", { steppable: true });
    const { page, trouble } = open;
    const row = page.getByRole("table", { name: "Services by type" }).getByRole("row", { name: /nginx/ });
    await row.getByText("OK").last().waitFor();
    await report(FAILING);
    await passCycle(page);
    await row.getByText("process is not running").last().waitFor();
    await report();
    expect(trouble).toEqual([]);
  });
});

test("the page of an event says within a cycle that it is over, and lists follow what others make", async () => {
  const admin = await muster.admin();
  await report();
  await report(FAILING);
  const { records } = (await admin.get("/api/1/reports/events/list", { active: 1 })).json;
  await using open = await signedInPage(browser, muster, `/events/${records[0].id}`, { steppable: true });
  const { page, trouble } = open;
  const state = page.locator(".state-line");
  await state.getByText("Failing").waitFor();
  const repeated = { service: "nginx", message: "process is still not running" };
  await report({ ...FAILING, event: repeated });
  await passCycle(page);
  await page.getByRole("button", { name: "Acknowledge" }).waitFor({ state: "detached" });
  await state.getByText("Failing").waitFor();
  await page.getByText("Duration so far").waitFor();
  await report({ event: { service: "nginx", state: 0, message: "process is running" } });
  await passCycle(page);
  await state.getByText("Resolved").waitFor();
  const turn = { start: "2026-01-05", handover: "09:00", unit: "week", every: 1 };
  const rotations = [{ name: "any", users: ["admin"], hours: null, ...turn }];
  const settings = { url: "https://hooks.invalid/" };
  for (const [path, none, operation, fields] of [
    ["/limits", "No limits yet", "limits/create", { statistics: [18], warning: 99 }],
    ["/alerts/channels", "No channels yet", "admin/channels/create", { kind: "webhook", settings }],
    ["/on-call", "No on-call schedules yet", "oncall/create", { rotations }],
  ] as const) {
    await page.goto(path);
    await page.getByText(none).waitFor();
    expect((await admin.post(`/api/1/${operation}`, { name: "Made by others", ...fields })).status).toBe(200);
    for (let cycle = 0; cycle < 3; cycle++) await passCycle(page);
    await page.getByText("Made by others").first().waitFor();
  }
  expect(trouble).toEqual([]);
});

test("what a poll inserts waits for the click of a pressed button", async () => {
  await report();
  await report({ ...FAILING, event: { service: "nginx", message: "it is the first" } });
  await using open = await signedInPage(browser, muster, "/events", { steppable: true });
  const { page, trouble } = open;
  const link = page.getByRole("link", { name: "it is the first" });
  await link.waitFor();
  const inserted = page.getByRole("link", { name: "it is inserted" });
  const polled = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  await page.route("**/reports/events/list?**", async (route) => {
    const reply = await route.fetch();
    polled.resolve();
    await released.promise;
    await route.fulfill({ response: reply });
  });
  await report({ ...FAILING, event: { service: "nginx", message: "it is inserted", id: 2 } });
  await passCycle(page);
  await polled.promise;
  await link.hover();
  await page.mouse.down();
  released.resolve();
  await expectAbsent(inserted);
  await page.mouse.up();
  await page.waitForURL(/\/events\/\d+$/);
  await page.goBack();
  await inserted.waitFor();
  // A press on what does nothing is over as well.
  await page.mouse.click(640, 790);
  await report({ ...FAILING, event: { service: "nginx", message: "it comes later", id: 4 } });
  await passCycle(page);
  await page.getByRole("link", { name: "it comes later" }).waitFor();
  await report();
  expect(trouble).toEqual([]);
});

test("a hidden page requests nothing, and everything once it is visible again", async () => {
  await report();
  await using open = await openPage(browser, muster);
  const { page } = open;
  await page.clock.install();
  await signIn(page);
  await heading(page, "Overview");
  // The last day of hosts is read once they are drawn, on a hidden page too.
  await page.locator(".host-row .beats rect").first().waitFor();
  await settled(page);
  await setHidden(page, true);
  const calls = callsOf(page);
  await page.clock.runFor(60_000);
  expect(calls).toEqual([]);
  await setHidden(page, false);
  await eventually("it asks again", () => calls.includes("/api/1/status/hosts/summary"));
});

test("a page that was opened hidden has the last day of hosts, of now and of a moment", async () => {
  await report();
  const now = Math.floor(Date.now() / 1000);
  await using open = await signedInPage(browser, muster);
  const { page } = open;
  await page.addInitScript(() => {
    Object.defineProperty(document, "hidden", { value: true, configurable: true });
  });
  const beats = page.locator(".host-row .beats rect").first();
  await page.goto("/hosts");
  await beats.waitFor();
  await page.goto(`/hosts?at=${now}`);
  await beats.waitFor();
});

test("while Muster is away the page keeps its content and says how old it is; then it continues", async () => {
  using folder = temporaryFolder();
  const options = { cwd: folder.path, port: freePort() };
  const first = await Muster.start(options);
  expect((await first.report(messageOf())).status).toBe(200);
  await using open = await signedInPage(browser, first, "/hosts/1", { steppable: true });
  const { page } = open;
  await heading(page, HOST);
  await first.stop();
  await passCycle(page);
  const banner = page.getByRole("alert").filter({ hasText: "Muster cannot be reached" });
  await banner.waitFor();
  await expectSoon(() => banner.textContent()).toMatch(/out of date: it was loaded (now|\d+ s ago)/);
  await expectSoon(() => page.title()).toStartWith("(?) ");
  await page.getByRole("row", { name: /nginx/ }).first().waitFor();
  await using _second = await Muster.start(options);
  await passCycle(page);
  await banner.waitFor({ state: "detached" });
  await heading(page, HOST);
});

test.each([
  ["errors", 503, '{"error":"The database is busy","code":"busy"}'],
  ["what cannot be read", 200, "<h1>Sign in to the network</h1>"],
] as const)("while replies are %s, the page says when it was last updated", async (_, status, body) => {
  await report();
  await using open = await signedInPage(browser, muster, "/hosts/1", { steppable: true });
  const { page } = open;
  await heading(page, HOST);
  await settled(page);
  const updated = page.locator(".updated");
  await expectSoon(() => updated.textContent()).toMatch(/^Updated (just now|\d s ago)$/);
  await page.route("**/api/1/**", (route) => route.fulfill({ status, body }));
  for (let cycles = 0; cycles < 3; cycles++) {
    await passCycle(page);
    await settled(page);
  }
  await expectSoon(() => updated.textContent()).toMatch(/^Updated 3\d s ago$/);
});

describe("signing in", () => {
  test("is offered on a first visit, after asking no more than how one can sign in", async () => {
    await using open = await openPage(browser, muster, "about:blank", { serviceWorkers: "allow" });
    const { page } = open;
    const calls = callsOf(page);
    const complaints: string[] = [];
    page.on("console", (message) => complaints.push(message.text()));
    await page.goto("/");
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await settled(page);
    expect(calls).toEqual(["/api/1/login/methods"]);
    expect(complaints).toEqual([]);
  });

  test("again, after the session has ended, leads back to the same place", async () => {
    await report();
    await using open = await signedInPage(browser, muster, "/events?state=1", { steppable: true });
    const { page, trouble } = open;
    await heading(page, "Events");
    await page.context().clearCookies();
    await passCycle(page);
    await page.getByText("Your session has expired").waitFor();
    await expectAbsent(page.getByText(HOST));
    await signIn(page);
    await heading(page, "Events");
    await expectSoon(() => new URL(page.url()).search).toBe("?state=1");
    expect(trouble).toEqual([]);
  });

  test("as someone else in another tab turns the page into theirs, and nothing chosen before is done", async () => {
    await report(FAILING);
    const admin = await muster.admin();
    const bob = { uname: "bob", password: "bob's secret", fullname: "Bob" };
    await admin.post("/api/1/admin/users/create", bob);
    await using open = await openPage(browser, muster);
    const { page } = open;
    await signIn(page, bob.password, bob.uname);
    const shownUser = (of: Page) => of.locator(".side-user").first().textContent();
    await expectSoon(() => shownUser(page)).toBe("bob");
    const other = await page.context().newPage();
    const signInAs = async (uname: string, password?: string) => {
      await setHidden(page, true);
      await other.goto("/");
      await other.getByRole("button", { name: "Sign out" }).click();
      await signIn(other, password, uname);
      await expectSoon(() => shownUser(other)).toBe(uname);
    };

    await page.getByRole("button", { name: `Dismiss: nginx on ${HOST}`, exact: true }).waitFor();
    await signInAs("admin");
    await page.getByRole("button", { name: `Dismiss: nginx on ${HOST}`, exact: true }).click();
    await page.locator(".toast").getByText("You are now signed in as admin").waitFor();
    expect(await shownUser(page)).toBe("admin");
    await page.getByRole("link", { name: "Users" }).waitFor();
    const { records } = (await admin.get("/api/1/admin/audit/list", { operation: "reports/events/dismiss" }))
      .json;
    expect(records).toEqual([]);

    await page.getByRole("link", { name: "Settings" }).click();
    await page.getByLabel(/Audit log \(days\)/).fill("888");
    await signInAs("bob", bob.password);
    expect(await shownUser(page)).toBe("admin");
    await setHidden(page, false);
    await page.locator(".toast").getByText("You are now signed in as bob").waitFor();
    expect(await shownUser(page)).toBe("bob");
    await heading(page, "Page not found");
    await report();
  });

  test("as someone else in another window turns a page that is in view into theirs", async () => {
    await report();
    const admin = await muster.admin();
    const eve = { uname: "eve", password: "eve's secret", fullname: "Eve" };
    await admin.post("/api/1/admin/users/create", eve);
    await using open = await openPage(browser, muster);
    const { page } = open;
    await signIn(page, eve.password, eve.uname);
    const shownUser = page.locator(".side-user").first();
    await expectSoon(() => shownUser.textContent()).toBe("eve");
    const other = await page.context().newPage();
    await other.goto("/");
    await other.getByRole("button", { name: "Sign out" }).click();
    await signIn(other);
    await expectSoon(() => shownUser.textContent()).toBe("admin");
  });

  test("is remembered by the browser until one signs out", async () => {
    await using open = await signedInPage(browser, muster, "/account");
    const { page } = open;
    await heading(page, "Your account");
    // The form reads once it is painted: that must not count for the next visit.
    const asked = page.waitForResponse("**/api/1/login/methods");
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await asked;
    await expectAbsent(page.getByText("Your session has expired"));
    const calls = callsOf(page);
    await page.reload();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    expect(calls).toEqual(["/api/1/login/methods"]);
  });
});

describe("an action on a service", () => {
  async function ask(page: Page): Promise<void> {
    await page.getByRole("checkbox", { name: "Select nginx" }).check();
    await page.getByRole("button", { name: "Restart", exact: true }).click();
    const dialog = page.getByRole("dialog", { name: `Restart nginx on ${HOST}?` });
    await dialog.getByText("nginx", { exact: true }).waitFor();
    await dialog.getByRole("button", { name: "Restart" }).click();
  }

  test("is sent, and what the agent then reports of it is shown", async () => {
    const agent = await AgentHttpd.start();
    try {
      const httpd = { address: "127.0.0.1", port: agent.port };
      await report({ httpd, poll: 600 });
      await using open = await signedInPage(browser, muster, "/hosts/1");
      const { page, trouble } = open;
      await ask(page);
      await page.getByText("Waiting for the next report (every 10 min).").waitFor();
      expect(agent.asked.filter(({ method }) => method === "POST")).toHaveLength(1);
      await report({
        httpd,
        poll: 600,
        event: { service: "nginx", id: 131_072, state: 2, message: "restart action done" },
      });
      await page.locator(".outcome").getByRole("link", { name: "restart action done" }).waitFor();
      expect(trouble).toEqual([]);
    } finally {
      await agent.stop();
    }
  });

  test("that does not reach the agent says why, and can be tried again", async () => {
    await report({ httpd: { address: "127.0.0.1", port: freePort() } });
    await using open = await signedInPage(browser, muster, "/hosts/1");
    const { page } = open;
    await ask(page);
    const problem = page.getByRole("dialog").getByRole("alert");
    await problem.waitFor();
    await expectSoon(() => problem.textContent()).toMatch(/127\.0\.0\.1/);
    await expectSoon(() =>
      page.getByRole("dialog").getByRole("button", { name: "Restart" }).isEnabled(),
    ).toBe(true);
  });
});
