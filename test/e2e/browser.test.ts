import { describe, expect } from "bun:test";
import type { Page } from "playwright-core";
import { type AgentXml, processXml, systemXml } from "../support/agent-messages.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { Muster, temporaryFolder } from "./support.ts";
import { excessWidth, sharedBrowser } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();

const HOST = "web-1.example.org";

function messageOf(hostname: string, more: Partial<AgentXml> = {}): AgentXml {
  return {
    id: hostname,
    hostname,
    at: Math.floor(Date.now() / 1000),
    services: [
      { name: hostname, type: 5, body: systemXml() },
      { name: "nginx", body: processXml() },
      { name: "worker", status: 512 },
    ],
    ...more,
  };
}

/** A Muster in a new folder, with these messages. */
async function musterWith(...messages: AgentXml[]) {
  const folder = temporaryFolder();
  const muster = await Muster.start({ cwd: folder.path });
  for (const message of messages) expect((await muster.report(message)).status).toBe(200);
  const dispose = async () => {
    await muster.kill();
    folder.remove();
  };
  return { muster, [Symbol.asyncDispose]: dispose };
}

const failing: Partial<AgentXml> = { event: { service: "worker", message: "process is not running" } };

describe("signing in", () => {
  test("leads to the overview, and on to a host", async () => {
    await using scene = await musterWith(messageOf(HOST, failing), messageOf("db-1.example.org"));
    await using open = await openPage(browser, scene.muster);
    const { page, trouble } = open;
    await signIn(page);
    await heading(page, "Overview");
    const problems = page.getByRole("list", { name: "Active problems" });
    await problems.getByRole("link", { name: "process is not running" }).waitFor();
    await expectSoon(() => page.title()).toBe("(2) Overview - Muster");

    await page.getByRole("table", { name: "Hosts, worst first" }).getByRole("link", { name: HOST }).click();
    await heading(page, HOST);
    await expectSoon(() => new URL(page.url()).pathname).toBe("/hosts/1");
    const services = page.getByRole("table", { name: "Services by type" });
    await services.getByRole("row", { name: /worker.*process is not running/ }).waitFor();
    await services.getByRole("row", { name: /nginx.*OK/ }).waitFor();

    // The session outlives the page, and the page has an address of its own.
    await page.reload();
    await heading(page, HOST);
    await page.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await expectAbsent(page.getByText(HOST));
    expect(trouble).toEqual([]);
  });

  test("with a wrong password says so, and asks again", async () => {
    await using scene = await musterWith();
    await using open = await openPage(browser, scene.muster, "/hosts");
    const { page, trouble } = open;
    await signIn(page, "not the password");
    const alert = page.getByRole("alert");
    await alert.waitFor();
    await expectSoon(() => alert.textContent()).toMatch(/password/i);
    await signIn(page);
    // The page requested before the sign-in is shown after it.
    await heading(page, "Hosts");
    expect(trouble).toEqual([]);
  });

  test("and going to a host takes nothing but a keyboard", async () => {
    await using scene = await musterWith(messageOf(HOST));
    await using open = await openPage(browser, scene.muster);
    const { page, trouble } = open;
    await page.getByRole("button", { name: "Sign in" }).waitFor();
    await tabTo(page, "User name");
    await page.keyboard.type("admin");
    await page.keyboard.press("Tab");
    await page.keyboard.type(ADMIN_PASSWORD);
    await page.keyboard.press("Enter");
    await heading(page, "Overview");
    await page.getByRole("link", { name: HOST }).first().waitFor();
    await tabTo(page, HOST);
    await page.keyboard.press("Enter");
    await heading(page, HOST);
    await expectSoon(() => focusedName(page)).toBe(HOST);
    expect(trouble).toEqual([]);
  });
});

/** The focused element, as people know it: its label or text. */
function focusedName(page: Page): Promise<string> {
  return page.evaluate(() => {
    const focused = document.activeElement;
    if (focused instanceof HTMLInputElement) return focused.labels?.[0]?.textContent ?? "";
    return focused?.textContent ?? "";
  });
}

/** Presses Tab until the element with that label or text has the focus. */
async function tabTo(page: Page, name: string): Promise<void> {
  const passed: string[] = [];
  for (let presses = 0; presses < 60; presses++) {
    const focused = await focusedName(page);
    if (focused === name) return;
    passed.push(focused.slice(0, 20));
    await page.keyboard.press("Tab");
  }
  throw new Error(`Tab does not lead to "${name}", only to ${passed.join(", ")}`);
}

test("while there is no host the overview shows how to add one, and the first one appears automatically", async () => {
  await using scene = await musterWith();
  await using open = await openPage(browser, scene.muster);
  const { page, trouble } = open;
  await signIn(page);
  const line = page.getByRole("textbox", { name: "the lines for Monit's control file" });
  const password = encodeURIComponent(COLLECTOR_PASSWORD);
  await line.waitFor();
  await expectSoon(() => line.inputValue()).toBe(
    `set mmonit http://monit:${password}@127.0.0.1:${scene.muster.port}/collector
set eventqueue basedir /var/lib/monit/events slots 1000`,
  );
  await expectAbsent(page.getByRole("link", { name: HOST }));
  expect((await scene.muster.report(messageOf(HOST))).status).toBe(200);
  await page.getByRole("link", { name: HOST }).waitFor();
  // It stays until it is left, with what was typed into it.
  await expectSoon(() => line.count()).toBe(1);
  await page.getByRole("button", { name: "Finish later" }).click();
  await line.waitFor({ state: "detached" });
  await page.getByRole("link", { name: HOST }).waitFor();
  expect(trouble).toEqual([]);
});

/** What a hostile or just unusual agent may send. */
const AWKWARD = {
  markup: `<script>window.wasRun = 1</script><img src=x onerror="window.wasRun = 1">`,
  quotes: `"double" 'single' \`back\` &amp; & \${1}`,
  languages: "خادم الويب שרת 服务器 smørbrød 🚀𝒳",
} as const;

describe("text from an agent is shown as it was sent", () => {
  test.each(Object.entries(AWKWARD))("%s", async (_, text) => {
    const message = messageOf(text, {
      services: [{ name: text, type: 7, status: 512 }],
      platform: { name: text, release: text },
      event: { service: text, message: text },
    });
    await using scene = await musterWith(message);
    await using open = await openPage(browser, scene.muster);
    const { page, trouble } = open;
    await signIn(page);
    const events = page.getByRole("list", { name: "Active problems" });
    await events.getByRole("link", { name: text }).first().waitFor();

    await page.getByRole("table", { name: "Hosts, worst first" }).locator(".host-name").click();
    await heading(page, text);
    await expectSoon(() => page.title()).toContain(text);
    await page.getByText("About this host and its agent").click();
    await page.getByText(`${text} ${text}`, { exact: true }).waitFor();
    await page
      .getByRole("table", { name: "Services by type" })
      .getByRole("link", { name: text, exact: true })
      .click();
    await page.waitForURL("**/services/*");
    await page.getByRole("heading", { level: 1 }).getByText(text, { exact: true }).waitFor();
    await page.goto("/events/1");
    await page.getByText(text, { exact: true }).last().waitFor();
    await settled(page);
    await expectSoon(() => page.evaluate(() => "wasRun" in window)).toBe(false);
    expect(trouble).toEqual([]);
  });
});

/** Pages with names that agents sent. */
const PAGES = [
  "/",
  "/hosts",
  "/hosts/1",
  "/hosts/1/settings",
  "/hosts/1/services/2",
  "/events",
  "/events/1",
  "/uptime",
  "/uptime/1",
  "/groups",
];

test("no page with long names is wider than the window, at 1280 and at 390 pixels", async () => {
  const long = "a-name-without-any-place-to-break-it-".repeat(5);
  await using scene = await musterWith(
    messageOf(long, {
      ...failing,
      services: [
        { name: long, type: 5, body: systemXml() },
        { name: `${long}nginx`, body: processXml() },
        { name: "worker", status: 512 },
      ],
      event: { service: "worker", message: long },
    }),
  );
  await using open = await openPage(browser, scene.muster);
  const { page, trouble } = open;
  await signIn(page);
  await heading(page, "Overview");
  const tooWide: string[] = [];
  for (const path of PAGES) {
    await page.goto(path);
    await page.locator("h1").waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 800 });
      const excess = await excessWidth(page);
      if (excess > 0) tooWide.push(`${path} at ${width}: ${excess} pixels`);
    }
  }
  expect(tooWide).toEqual([]);
  expect(trouble).toEqual([]);
});
