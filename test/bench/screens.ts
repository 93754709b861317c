/**
 * How fast Muster answers each call that a screen of the UI makes, with many hosts. Chromium opens the screens and
 * records their calls. A freshly started Muster then answers them, one after another.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Page } from "playwright-core";
import { STATISTIC } from "../../src/monit/statistic-types.ts";
import { MOMENT_PATHS } from "../../src/monitoring/moment/moment-paths.ts";
import { match } from "../../web/state/router.ts";
import { launchBrowser } from "../e2e/browser.ts";
import { Muster, temporaryFolder } from "../e2e/support.ts";
import { signedInPage } from "../e2e/ui.ts";
import type { TestClient } from "../support/client.ts";
import type { BenchContext } from "./harness/context.ts";
import { type Figure, medianOf } from "./harness/figures.ts";
import { usageOf } from "./harness/process-usage.ts";
import { HISTORY_GROUP, type ScreenSize, seedScreens } from "./screen-seed.ts";

const TARGET_MS = 300;
const PREVIEW_TARGET_MS = 2000;
/** How often each call is made; its figure is the longest time. */
const ROUNDS = 5;
const SIZES: Readonly<Record<"short" | "long", ScreenSize>> = {
  short: { hosts: 2000, events: 200_000, historyHosts: 20 },
  long: { hosts: 10_000, events: 1_000_000, historyHosts: 200 },
};
const PREVIEW_DAYS = 30;
const TOP = "/api/1/reports/history/top?";

/** Hosts 1 to 10, which have a month of history. */
const COMPARED = Array.from({ length: 10 }, (_, i) => `h${i + 1}`).join(".");

/** Every screen, the longer ones also in their most costly form. */
const SCREENS = [
  "/",
  "/hosts",
  "/hosts?sort=disk&dir=desc",
  "/hosts?sort=load&dir=desc&group=1",
  "/hosts/1",
  "/hosts/1?range=30d",
  "/hosts/1/settings",
  "/hosts/1/services/1",
  "/hosts/change",
  "/hosts/deleted",
  "/hosts/expected",
  "/incidents",
  "/incidents?hostgroupid=1&shown=500",
  "/events",
  "/events?hostgroupid=1&state=1",
  "/events?text=happened",
  "/uptime",
  "/uptime/1",
  "/fleet",
  "/fleet?number=disk&group=1&count=50",
  `/fleet?compare=${COMPARED}&range=30d`,
  "/groups",
  "/users",
  "/users/edit?uname=admin",
  "/alerts",
  "/alerts/rules/edit",
  "/alerts/channels",
  "/alerts/maintenance",
  "/alerts/deliveries",
  "/alerts/reports",
  "/alerts/rehearsals",
  "/on-call",
  "/limits",
  "/limits/edit",
  "/status-pages",
  "/keys",
  "/account",
  "/settings",
  "/settings/backups",
  "/health",
  "/audit",
  "/setup",
  "/about",
];

const DISK_FULL = { statistics: [STATISTIC.spacePercent.code], warning: 99 };
const BUSY = { statistics: [STATISTIC.cpuUser.code, STATISTIC.cpuSystem.code], warning: 10 };

/** Moments at which the calls are made again, in days before now, with what each may take; rankings of all hosts may take `top`. */
const MOMENTS = [
  { days: 13, atMost: 300, top: 1000 },
  { days: 365, atMost: 1000, top: 1000 },
] as const;
const DAY = 86_400;

/** The name of a call leaves out its time, and replaces a list of ids by their number. */
function nameOf(call: string): string {
  return call
    .replace("/api/1/", "")
    .replace(/(datefrom|dateto)=\d+/g, "$1=…")
    .replace(/\b(\w+)=\d+(?:&\1=\d+)+/g, (ids, name) => `${ids.split("&").length} × ${name}`);
}

/** The screens of an incident, its event, and a report by mail, a rehearsal and an agent key that are created for that. */
async function screensOfOne(client: TestClient): Promise<string[]> {
  const { records } = (await client.get("/api/1/incidents/list", { results: 1 })).json;
  const [{ id }] = records as [{ id: number }];
  const channel = await client.post("/api/1/admin/channels/create", {
    name: "mail",
    kind: "email",
    settings: { host: "mail.example", from: "muster@mail.example", to: "ops@mail.example" },
  });
  const report = await client.post("/api/1/admin/mailreports/create", {
    name: "week",
    channel: channel.json.id,
    everything: true,
    users: ["admin"],
    period: "weekly",
  });
  if (report.status !== 200) throw new Error(`a report is answered ${report.status}: ${report.text}`);
  await client.post("/api/1/admin/settings/update", { baseurl: "https://muster.example" });
  const rule = await client.post("/api/1/admin/rules/create", {
    name: "rehearsed",
    steps: [{ users: ["admin"] }],
  });
  const rehearsal = await client.post("/api/1/admin/rehearsals/start", { rule: rule.json.id });
  if (rehearsal.status !== 200)
    throw new Error(`a rehearsal is answered ${rehearsal.status}: ${rehearsal.text}`);
  const key = await client.post("/api/1/admin/keys/create", { name: "all", hostgroups: [1] });
  if (key.status !== 200) throw new Error(`a key is answered ${key.status}: ${key.text}`);
  return [
    `/keys/${key.json.id}`,
    `/incidents/${id}`,
    `/events/${id}`,
    `/mail-reports/${report.json.id}`,
    `/rehearsals/${rehearsal.json.id}`,
  ];
}

/** @throws if the router has a screen that is not among these */
function refuseMissing(screens: readonly string[]): void {
  const app = readFileSync(join(import.meta.dir, "../../web/app.tsx"), "utf8");
  const patterns = [...app.matchAll(/pattern: "([^"]+)"/g)].flatMap(([, pattern]) => pattern ?? []);
  const missing = patterns.filter(
    (pattern) => !screens.some((screen) => match(pattern, screen.split("?")[0] ?? "")),
  );
  if (missing.length > 0) throw new Error(`no screen is measured of ${missing.join(", ")}`);
}

/** The reads that the screens make, by name. */
async function callsOf(page: Page, screens: readonly string[]): Promise<Map<string, string>> {
  const calls = new Map<string, string>();
  page.on("response", (response) => {
    const { pathname, search } = new URL(response.url());
    const isRead = response.request().method() === "GET" && pathname.startsWith("/api/1/");
    const call = pathname + search;
    if (isRead && response.ok() && !calls.has(nameOf(call))) calls.set(nameOf(call), call);
  });
  for (const screen of screens) await page.goto(screen, { waitUntil: "networkidle" });
  return calls;
}

async function recordedCalls(cwd: string): Promise<Map<string, string>> {
  await using muster = await Muster.start({ cwd });
  const browser = await launchBrowser();
  try {
    const { page } = await signedInPage(browser, muster);
    const screens = [...SCREENS, ...(await screensOfOne(await muster.admin()))];
    refuseMissing(screens);
    return await callsOf(page, screens);
  } finally {
    await browser.close();
    await muster.stop();
  }
}

/** Milliseconds until the whole reply has arrived. @throws unless it has one of the statuses */
async function timed(client: TestClient, call: string, statuses = [200]): Promise<number> {
  const startedAt = performance.now();
  const reply = await client.raw(call);
  await reply.arrayBuffer();
  if (!statuses.includes(reply.status)) throw new Error(`${call} is answered ${reply.status}`);
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

async function previewFigures(client: TestClient, cpu: () => number, size: ScreenSize): Promise<Figure[]> {
  const hosts = size.historyHosts;
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
    // It examines hosts for five seconds and reports how many.
    { what: `${size.hosts} hosts, 7 days, as a suggestion`, limit: DISK_FULL, days: 7 },
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

/** The calls that also show the past, at moments of it. The first call about a moment composes it; each second has one. */
async function momentFigures(client: TestClient, calls: ReadonlyMap<string, string>): Promise<Figure[]> {
  const now = Math.floor(Date.now() / 1000);
  const shown = [...calls].filter(([, call]) =>
    MOMENT_PATHS.some((path) => new URL(call, "http://muster").pathname === `/api/1${path}`),
  );
  const figures: Figure[] = [];
  for (const { days, atMost, top } of MOMENTS)
    for (const [i, [title, call]] of shown.entries()) {
      const at = now - days * DAY - i;
      // An incident of today is not there yet.
      const value = await timed(client, `${call}${call.includes("?") ? "&" : "?"}at=${at}`, [200, 404]);
      const target = { atMost: call.startsWith(TOP) ? top : atMost };
      figures.push({ what: `${title}, ${days} days ago`, value, unit: "ms", target });
    }
  return figures;
}

/** @throws when a call is not answered */
export async function benchScreens({ long }: BenchContext): Promise<Figure[]> {
  using folder = temporaryFolder();
  const size = SIZES[long ? "long" : "short"];
  seedScreens(folder.path, size);
  const calls = await recordedCalls(folder.path);
  await using muster = await Muster.start({ cwd: folder.path });
  const database = join(folder.path, "data/muster.db");
  const cpu = () => usageOf(muster.pid, database).cpu;
  const client = await muster.admin();
  const figures: Figure[] = [{ what: "hosts", value: size.hosts }];
  let isTopMeasured = false;
  for (const [title, call] of calls) {
    if (call.startsWith(TOP) && !isTopMeasured) {
      figures.push(...(await topFigures(client, cpu, call)));
      isTopMeasured = true;
      continue;
    }
    let longest = 0;
    for (let round = 0; round < ROUNDS; round++) longest = Math.max(longest, await timed(client, call));
    figures.push({ what: title, value: longest, unit: "ms", target: { atMost: TARGET_MS } });
  }
  figures.push(...(await previewFigures(client, cpu, size)));
  await muster.stop();
  return figures;
}

/** Calls of the screens about moments of the past. @throws when a call is not answered */
export async function benchMoments({ long }: BenchContext): Promise<Figure[]> {
  using folder = temporaryFolder();
  const size = { hosts: 2000, events: long ? 10_000_000 : 200_000, historyHosts: 20 };
  seedScreens(folder.path, size);
  const calls = await recordedCalls(folder.path);
  await using muster = await Muster.start({ cwd: folder.path });
  const figures = await momentFigures(await muster.admin(), calls);
  await muster.stop();
  return [{ what: "hosts", value: size.hosts }, { what: "events", value: size.events }, ...figures];
}
