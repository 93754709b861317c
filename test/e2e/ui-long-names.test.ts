/** Long names without a space, which agents and people may give. */
import { expect } from "bun:test";
import { DEMO_HOSTS } from "../../src/demo/demo-hosts.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { needing } from "../support/programs.ts";
import { layoutShift } from "./browser.ts";
import { settled } from "./page-reads.ts";
import { excessWidth, sharedBrowser, sharedMuster, sharedPage } from "./ui.ts";

const { test } = needing("chromium");

/** A name that begins so and has 60 characters. */
const long = (start: string) => `${start}abcdefghijklmnopqrstuvwxyz0123456789`.padEnd(60, "x");
const HOST = long("web");
const SERVICE = long("svc");
const GROUP = long("group");
const OTHER = long("other");
const SECOND = long("second");
/** A name that begins so and has the greatest length. */
const longest = (start: string) => start.padEnd(255, "x");

const browser = await sharedBrowser();
const muster = await sharedMuster({
  fill: (folder) => {
    const [first] = DEMO_HOSTS;
    if (!first) throw new Error("no hosts");
    const incidents = [{ service: SERVICE, type: 512, from: 600, failed: long("reason"), succeeded: "runs" }];
    const host = { ...first, name: HOST, group: GROUP, processes: [SERVICE], incidents };
    makeDemoFleet({ folder, now: Math.floor(Date.now() / 1000), days: [0.1, 0.1], hosts: [host] });
  },
  prepare: async (started) => {
    const admin = await started.admin();
    const make = async (path: string, fields: object) => {
      const reply = await admin.post(`/api/1/admin/${path}/create`, { ...fields });
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    };
    const settings = { url: "https://hooks.invalid/" };
    await make("channels", { name: long("channel"), kind: "webhook", settings });
    await make("rules", { name: long("rule"), filter: { hostgroups: [1] }, steps: [{ channels: [1] }] });
    await make("groups", { name: OTHER });
    await make("keys", { name: long("key"), hostgroups: [1] });
    const schedule = { kind: "weekly", days: [0], from: "03:00", minutes: 90 };
    await make("maintenance", { name: long("maintenance"), filter: {}, schedule });
    await make("statuspages", { title: long("page"), hostgroup: 1, slug: "long" });
    const event = { service: SERVICE, state: 1, id: 512, message: long("reason") };
    const services = [{ name: SERVICE, status: 512 }];
    await started.report({ id: "second", hostname: SECOND, services, event });
    const depends = { dependent: { host: 1, service: "" }, cause: { host: 2, service: SERVICE } };
    await make("dependencies", depends);
    const person = { uname: longest("person"), fullname: longest("full"), title: longest("title") };
    await make("users", { ...person, password: "a long password" });
    await make("groups", { name: longest("group") });
    await make("keys", { name: "all", hostgroups: [3] });
    await make("statuspages", { title: longest("page"), hostgroup: 3, slug: "longest" });
    const daily = { unit: "day", every: 1, hours: null, handover: "09:00", start: "2026-01-01" };
    const rotation = { name: longest("rotation"), users: [person.uname], ...daily };
    for (const [path, fields] of [
      ["filters", { name: longest("filter"), filter: { screen: "hosts", text: "web" } }],
      ["views", { name: longest("view"), statistics: [18] }],
      ["oncall", { name: longest("schedule"), timezone: "UTC", rotations: [rotation] }],
    ] as const) {
      const reply = await admin.post(`/api/1/${path}/create`, fields);
      if (reply.status !== 200) throw new Error(`${path}: ${reply.text}`);
    }
  },
});
const { page, trouble } = await sharedPage(browser, muster);

/** Pages with such names, and one of them that the page shows in full. */
const PAGES: readonly (readonly [path: string, name: string])[] = [
  ["/hosts/1", GROUP],
  ["/hosts/1/settings", HOST],
  ["/hosts/1/settings", SECOND],
  ["/setup", HOST],
  ["/incidents", SERVICE],
  ["/events", HOST],
  ["/uptime", HOST],
  ["/groups", OTHER],
  ["/users/edit?uname=user", OTHER],
  ["/alerts", long("rule")],
  ["/alerts/rules/edit?id=1", GROUP],
  ["/alerts/channels", long("channel")],
  ["/alerts/maintenance", long("maintenance")],
  ["/status-pages", long("page")],
  ["/keys", long("key")],
  ["/s/long", HOST],
];

test.each(PAGES)("%s shows them whole at 390 and at 820 pixels, and becomes no wider", async (path, name) => {
  await page.setViewportSize({ width: 390, height: 900 });
  await page.goto(path);
  for (const width of [390, 820]) {
    await page.setViewportSize({ width, height: 900 });
    const shown = page.getByText(name).filter({ visible: true }).first();
    await shown.waitFor();
    await settled(page);
    const room = await shown.evaluate((element) => {
      const range = document.createRange();
      range.selectNodeContents(element);
      const { left, right } = range.getBoundingClientRect();
      // What is cut lies outside of an element that hides what it does not contain.
      let [from, to] = [0, innerWidth];
      for (let at: Element | null = element; at; at = at.parentElement) {
        if (getComputedStyle(at).overflowX === "visible") continue;
        const box = at.getBoundingClientRect();
        [from, to] = [Math.max(from, box.left), Math.min(to, box.right)];
      }
      return { left: left - from, right: to - right };
    });
    expect(room.left).toBeGreaterThan(-1);
    expect(room.right).toBeGreaterThan(-1);
    expect([width, await excessWidth(page)]).toEqual([width, 0]);
  }
  expect(trouble).toEqual([]);
});

test.each([
  ["/", longest("schedule")],
  ["/hosts", longest("filter")],
  ["/fleet", longest("view")],
  ["/users", longest("title")],
  ["/keys", longest("group")],
  ["/status-pages", longest("group")],
  ["/on-call", longest("schedule")],
])("%s becomes no wider with names of the greatest length", async (path, name) => {
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(path);
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    await page.getByText(name).first().waitFor({ state: "attached" });
    expect([width, await excessWidth(page)]).toEqual([width, 0]);
  }
  expect(trouble).toEqual([]);
});

test("names of services and hosts leave room for what moved first", async () => {
  const { records } = (await (await muster.admin()).get("/api/1/incidents/list?hostid=2")).json;
  await page.setViewportSize({ width: 1280, height: 900 });
  await page.goto(`/incidents/${records[0].id}`);
  const table = page.getByRole("table", { name: "What moved first" });
  await table.waitFor();
  await settled(page);
  const [what, all] = [table.getByRole("columnheader", { name: "What" }), table].map((part) =>
    part.evaluate((element: HTMLElement) => element.offsetWidth),
  );
  expect(((await what) ?? 0) / ((await all) ?? 1)).toBeGreaterThan(0.3);
});

test("a long name moves nothing when it comes before the rest of the settings of its host", async () => {
  const rest = "**/api/1/admin/dependencies/list?*";
  const held = Promise.withResolvers<void>();
  await page.route(rest, async (route) => {
    await held.promise;
    await route.continue();
  });
  await page.setViewportSize({ width: 390, height: 844 });
  const settings = page.waitForResponse("**/api/1/admin/hosts/get?*");
  await page.goto("/hosts/1/settings");
  await settings;
  await page.waitForFunction(() => {
    const body = document.querySelector(".page-body");
    return body !== null && getComputedStyle(body, "::before").opacity === "1";
  });
  held.resolve();
  await page.getByRole("heading", { level: 1, name: HOST }).waitFor();
  expect(await layoutShift(page)).toBeLessThan(0.02);
  await page.unroute(rest);
});
