/**
 * How soon Muster answers each call that a screen of the UI makes, with 10,000 hosts. Chromium opens the screens and
 * records their calls. A Muster that was started anew then answers them, one after the other.
 */
import { join } from "node:path";
import type { Page } from "playwright-core";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import { launchBrowser } from "../e2e/browser.ts";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { signedInPage } from "../e2e/ui.ts";
import type { TestClient } from "../support/client.ts";
import type { BenchContext } from "./harness/context.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { EVENTS, HISTORY_GROUP, HOSTS, seedScreens } from "./screen-seed.ts";

const TARGET_MS = 300;
const PREVIEW_TARGET_MS = 2000;
/** How often each call is made; its figure is the longest time. */
const ROUNDS = 5;
/** Hosts with a month of history. */
const HISTORY_HOSTS = { short: 20, long: 200 } as const;
const PREVIEW_DAYS = 30;
const TOP = "/api/1/reports/history/top?";

/** Hosts 1 to 10, of which there is a month of history. */
const COMPARED = Array.from({ length: 10 }, (_, i) => `h${i + 1}`).join(".");

/** Every screen, the longer ones also with what makes their calls costly. */
const SCREENS = [
  "/",
  "/hosts",
  "/hosts?sort=disk&dir=desc",
  "/hosts?sort=load&dir=desc&group=1",
  "/hosts/1",
  "/hosts/1?range=30d",
  "/hosts/1/settings",
  "/hosts/change",
  "/events",
  "/events?hostgroupid=1&state=1",
  "/events?text=happened",
  `/events/${EVENTS}`,
  "/uptime",
  "/uptime/1",
  "/fleet",
  "/fleet?number=disk&group=1&count=50",
  `/fleet?compare=${COMPARED}&range=30d`,
  "/groups",
  "/users",
  "/alerts",
  "/alerts/rules/edit",
  "/alerts/channels",
  "/alerts/maintenance",
  "/alerts/deliveries",
  "/alerts/reports",
  "/on-call",
  "/limits",
  "/limits/edit",
  "/status-pages",
  "/account",
  "/settings",
  "/audit",
  "/setup",
  "/about",
];

const DISK_FULL = { statistics: [STATISTIC.spacePercent.code], warning: 99 };
const BUSY = { statistics: [STATISTIC.cpuUser.code, STATISTIC.cpuSystem.code], warning: 10 };

/** When a call is made is no part of its name, and of several ids in a row only their number. */
function nameOf(call: string): string {
  return call
    .replace("/api/1/", "")
    .replace(/(datefrom|dateto)=\d+/g, "$1=…")
    .replace(/\b(\w+)=\d+(?:&\1=\d+)+/g, (ids, name) => `${ids.split("&").length} × ${name}`);
}

/** The reads that the screens make, by name. */
async function callsOf(page: Page): Promise<Map<string, string>> {
  const calls = new Map<string, string>();
  page.on("response", (response) => {
    const { pathname, search } = new URL(response.url());
    const isRead = response.request().method() === "GET" && pathname.startsWith("/api/1/");
    const call = pathname + search;
    if (isRead && response.ok() && !calls.has(nameOf(call))) calls.set(nameOf(call), call);
  });
  for (const screen of SCREENS) await page.goto(screen, { waitUntil: "networkidle" });
  return calls;
}

async function recordedCalls(cwd: string): Promise<Map<string, string>> {
  await using muster = await Muster.start({ cwd });
  const browser = await launchBrowser();
  try {
    const { page } = await signedInPage(browser, muster);
    return await callsOf(page);
  } finally {
    await browser.close();
    await muster.stop();
  }
}

/** Milliseconds until the whole reply is there. @throws unless it succeeds */
async function timed(client: TestClient, call: string): Promise<number> {
  const startedAt = performance.now();
  const reply = await client.raw(call);
  await reply.arrayBuffer();
  if (reply.status !== 200) throw new Error(`${call} is answered ${reply.status}`);
  return performance.now() - startedAt;
}

/** Milliseconds until a limit is previewed. @throws unless it succeeds */
async function previewed(client: TestClient, limit: object, days: number): Promise<number> {
  const startedAt = performance.now();
  const { status, text } = await client.post("/api/1/limits/preview", {
    limit: { name: "new", ...limit, minutes: 10 },
    days,
  });
  if (status !== 200) throw new Error(`a preview is answered ${status}: ${text}`);
  return performance.now() - startedAt;
}

async function topFigures(client: TestClient, cpu: () => number, call: string): Promise<Figure[]> {
  const before = cpu();
  const first = await timed(client, call);
  const used = cpu() - before;
  const repeated: number[] = [];
  for (let round = 1; round < ROUNDS; round++) repeated.push(await timed(client, call));
  const target = { atMost: TARGET_MS };
  return [
    { what: `${nameOf(call)}, first`, value: first, unit: "ms", target },
    { what: "of that, CPU of Muster", value: used * 1000, unit: "ms" },
    { what: "the same call repeated, median", value: medianOf(repeated), unit: "ms", target },
  ];
}

async function previewFigures(client: TestClient, cpu: () => number, hosts: number): Promise<Figure[]> {
  const ofHistory = { filter: { hostgroups: [HISTORY_GROUP] } };
  const target = { atMost: PREVIEW_TARGET_MS };
  const previews: { what: string; limit: object; days: number; target?: { atMost: number } }[] = [
    {
      what: `${hosts} hosts, ${PREVIEW_DAYS} days, rarely exceeded`,
      limit: { ...ofHistory, ...DISK_FULL },
      days: PREVIEW_DAYS,
      target,
    },
    {
      what: `${hosts} hosts, ${PREVIEW_DAYS} days, exceeded and kept in every hour`,
      limit: { ...ofHistory, ...BUSY },
      days: PREVIEW_DAYS,
      target,
    },
    // It examines hosts for five seconds, and tells how many.
    { what: `${HOSTS} hosts, 7 days, as a suggestion`, limit: DISK_FULL, days: 7 },
  ];
  const figures: Figure[] = [];
  for (const { what, limit, days, target } of previews) {
    const before = cpu();
    const value = await previewed(client, limit, days);
    figures.push(
      { what: `limits/preview: ${what}`, value, unit: "ms", ...(target && { target }) },
      { what: `limits/preview: ${what}: CPU of Muster`, value: (cpu() - before) * 1000, unit: "ms" },
    );
  }
  return figures;
}

/** @throws when a call is not answered */
export async function benchScreens({ long }: BenchContext): Promise<Figure[]> {
  using folder = temporaryFolder();
  const historyHosts = long ? HISTORY_HOSTS.long : HISTORY_HOSTS.short;
  seedScreens(folder.path, historyHosts);
  const calls = await recordedCalls(folder.path);
  await using muster = await Muster.start({ cwd: folder.path });
  const database = join(folder.path, "data/muster.db");
  const cpu = () => usageOf(muster.pid, database).cpu;
  const client = await muster.admin();
  const figures: Figure[] = [{ what: "hosts", value: HOSTS }];
  let isTopMeasured = false;
  for (const [what, call] of calls) {
    if (call.startsWith(TOP) && !isTopMeasured) {
      figures.push(...(await topFigures(client, cpu, call)));
      isTopMeasured = true;
      continue;
    }
    let longest = 0;
    for (let round = 0; round < ROUNDS; round++) longest = Math.max(longest, await timed(client, call));
    figures.push({ what, value: longest, unit: "ms", target: { atMost: TARGET_MS } });
  }
  figures.push(...(await previewFigures(client, cpu, historyHosts)));
  await muster.stop();
  return figures;
}
