import { expect } from "bun:test";
import { agentXml, filesystemXml, systemXml } from "../support/agent-messages.ts";
import { needing } from "../support/programs.ts";
import { heading, openPage, signIn } from "./browser.ts";
import { expectAbsent, expectSoon, isFocused, settled } from "./page-reads.ts";
import { announced, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

/** What a hostile, a careless and a foreign agent put into every text they send. */
const TEXT = `<script>wasRun=1</script><img src=x onerror="wasRun=1"> "q" 'q' &lt; שרת خادم 🚀`;

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: async (started) => {
    const message = {
      id: "hostile",
      hostname: TEXT,
      at: Math.floor(Date.now() / 1000),
      hostGroups: [TEXT],
      serviceGroups: { [TEXT]: [TEXT] },
      services: [
        { name: "system", type: 5, body: systemXml() },
        { name: TEXT, type: 0, status: 2, body: filesystemXml() },
      ],
      event: { service: TEXT, serviceType: 0, id: 2, message: TEXT },
    };
    for (const sent of [message, { ...message, event: null }])
      expect((await started.report(sent)).status).toBe(200);
  },
});
const { page, trouble } = await sharedPage(browser, muster);

/** The text is there, as it was sent, and nothing of it was taken for markup. */
async function expectAsSent(): Promise<void> {
  await expectSoon(() => page.evaluate(() => document.querySelector("main")?.textContent ?? "")).toContain(
    TEXT,
  );
  await settled(page);
  await expectSoon(() =>
    page.evaluate(() => "wasRun" in window || document.querySelector("main img") !== null),
  ).toBe(false);
  expect(trouble).toEqual([]);
}

test.each([
  "/",
  "/hosts",
  "/hosts/1",
  "/hosts/1/services/2",
  "/events",
  "/events/1",
  "/uptime",
  "/uptime/1",
  "/groups",
])("%s shows an agent's text as text", async (path) => {
  await page.goto(path);
  await expectAsSent();
});

test("charts name a filesystem as its agent does", async () => {
  await page.goto("/hosts/1?range=1h");
  const chart = page.getByRole("figure", { name: "Disk space used" });
  await chart.locator("canvas").waitFor();
  await expectSoon(async () => (await chart.locator(".legend-series").first().textContent())?.trim()).toBe(
    TEXT,
  );
  expect(trouble).toEqual([]);
});

test("dialogs, filters and the audit log do so, too", async () => {
  await page.goto("/hosts/1");
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog", { name: `Delete ${TEXT}?` }).waitFor();
  await page.keyboard.press("Escape");

  await page.goto("/events?hostid=1");
  const field = page.getByLabel("Host", { exact: true });
  await expectSoon(() => field.inputValue()).toBe(TEXT);

  await page.goto("/hosts/1/settings");
  await page.getByLabel("Description").fill(TEXT);
  await page.getByRole("button", { name: "Save" }).click();
  await announced(page, "aved");
  await page.goto("/audit?operation=admin/hosts/update");
  await heading(page, "Audit log");
  await expectAsSent();
  await expectSoon(() => page.title()).toEndWith("Audit log - Muster");
});

test("the whole way from signing in to a value in a chart takes nothing but a keyboard", async () => {
  await page.goto("/hosts");
  await heading(page, "Hosts");
  await page.locator(".host-name").first().waitFor();
  const tabTo = async (selector: string) => {
    for (let presses = 0; presses < 80; presses++) {
      if (await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)) return;
      await page.keyboard.press("Tab");
    }
    throw new Error(`Tab does not lead to ${selector}`);
  };
  await tabTo('a[href="/hosts/1"]');
  await page.keyboard.press("Enter");
  await heading(page, TEXT);
  await page.locator(".chart canvas").first().waitFor();
  await tabTo(".chart-plot");
  const slider = page.getByRole("slider", { name: "CPU, point in time" });
  await expectSoon(() => isFocused(slider)).toBe(true);
  await expectSoon(() => slider.getAttribute("aria-valuetext")).toMatch(/user 2\.0 %/);
  // Focus can be seen.
  await expectSoon(() => slider.evaluate((element) => getComputedStyle(element).outlineStyle)).toBe("solid");
});

test("a host shows only administrators which values could not be read, until a message is complete", async () => {
  const at = Math.floor(Date.now() / 1000);
  const whole = agentXml({ id: "odd", hostname: "odd", at, poll: 30, services: [{ name: TEXT }] });
  const odd = whole.replace("<poll>30", "<poll>0").replace(/(<monitormode>)0(.*?<onreboot>)0/s, "$1a$2b");
  expect((await muster.report(odd)).status).toBe(200);
  await page.goto("/hosts/2");
  const values = page.locator("#content ul.notice li");
  await values.first().waitFor();
  await expectSoon(() => values.allTextContents()).toEqual([
    "1 value of the agent could not be read: server/poll",
    `2 values of service ${TEXT} could not be read: monitormode, onreboot`,
  ]);
  await expectAsSent();

  const password = "long enough";
  await (await muster.admin()).post("/api/1/admin/users/create", { uname: "ola", password, fullname: "Ola" });
  await using secondPage = await openPage(browser, muster);
  await signIn(secondPage.page, password, "ola");
  await heading(secondPage.page, "Overview");
  await secondPage.page.goto("/hosts/2");
  await secondPage.page.locator("#content a[href^='/hosts/2/services/']").first().waitFor();
  await expectAbsent(secondPage.page.getByText("could not be read"));

  expect((await muster.report(whole)).status).toBe(200);
  await values.first().waitFor({ state: "detached" });
  expect(trouble).toEqual([]);
});

test("characters that would turn what stands beside a name are visible, and forms keep them", async () => {
  const [hostname, service] = ["web\u202e1", "disk\u2067x"];
  const message = {
    id: "turning",
    hostname,
    at: Math.floor(Date.now() / 1000),
    services: [{ name: service, type: 0, status: 2, body: filesystemXml() }],
    event: { service, serviceType: 0, id: 2, message: `${service} is full` },
  };
  expect((await muster.report(message)).status).toBe(200);
  const { json } = await (await muster.admin()).get("/api/1/status/hosts/list", { hostname });
  const { id } = json.records[0];
  for (const [path, name] of [
    ["/", "disk\ufffdx"],
    ["/hosts", "web\ufffd1"],
    [`/hosts/${id}`, "disk\ufffdx"],
    [`/events?hostid=${id}`, "disk\ufffdx is full"],
  ] as const) {
    await page.goto(path);
    await expectSoon(() => page.evaluate(() => document.body.textContent)).toContain(name);
    await settled(page);
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll("body *")].flatMap((element) => [
        ...[...element.childNodes].filter((node) => node.nodeType === 3).map((node) => node.nodeValue ?? ""),
        ...["title", "aria-label"].map((attribute) => element.getAttribute(attribute) ?? ""),
      ]),
    );
    expect(shown.filter((text) => /[\u202a-\u202e\u2066-\u2069]/.test(text))).toEqual([]);
  }
  await page.goto(`/hosts/${id}/settings`);
  await expectSoon(() => page.getByLabel("Name", { exact: true }).inputValue()).toBe(hostname);
  expect(trouble).toEqual([]);
});
