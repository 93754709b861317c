/**
 * Takes screenshots of the main screens for docs/screenshots: `make screenshots`. It starts the
 * demonstration of dist/muster, and controls Chromium.
 */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { heading, launchBrowser, signIn } from "../test/e2e/browser.ts";
import { servedDemo } from "../test/e2e/demonstration.ts";
import { Muster, temporaryFolder } from "../test/e2e/support.ts";

const FOLDER = join(import.meta.dir, "../docs/screenshots");
const WIDE = 1280;
const NARROW = 390;
/** Height at which a longer page is cut, pixels. */
const MAX_HEIGHT = 1900;
const MAX_BYTES = 200_000;

type Scheme = "light" | "dark";

interface Picture {
  name: string;
  path: string;
  width?: number;
  scheme?: Scheme;
  /** Selector to wait for before the screenshot. */
  ready?: string;
}

const CHARTS = ".chart canvas";
const PICTURES: readonly Picture[] = [
  { name: "overview", path: "/" },
  { name: "overview-narrow", path: "/", width: NARROW },
  { name: "hosts", path: "/hosts" },
  { name: "host", path: "/hosts/1?range=7d", ready: CHARTS },
  { name: "host-narrow-dark", path: "/hosts/1?range=7d", ready: CHARTS, width: NARROW, scheme: "dark" },
  { name: "service", path: "/hosts/1/services/3", ready: CHARTS },
  { name: "incidents", path: "/incidents" },
  { name: "uptime", path: "/uptime?range=5" },
  { name: "alerts", path: "/alerts" },
  { name: "on-call-dark", path: "/on-call", ready: ".on-call-calendar", scheme: "dark" },
  { name: "status-page", path: "/s/oslo" },
];

/**
 * Saves a screenshot of the whole page. The window is as high as the page, so that fixed elements span it.
 */
async function save(page: Page, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  const { width } = page.viewportSize() ?? { width: WIDE };
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  await page.setViewportSize({ width, height: Math.min(MAX_HEIGHT, Math.max(800, height)) });
  const picture = new Bun.Image(await page.screenshot({ animations: "disabled" }));
  // 256 colours are enough for a user interface.
  const png = await picture.png({ palette: true, colors: 256, compressionLevel: 9 }).bytes();
  const size = png.length;
  writeFileSync(path, png);
  if (size > MAX_BYTES) throw new Error(`${name}.png has ${size} bytes, more than ${MAX_BYTES}`);
  console.log(`${name}.png ${Math.ceil(size / 1024)} kB`);
}

async function take(
  page: Page,
  { name, path, width = WIDE, scheme = "light", ready }: Picture,
): Promise<void> {
  await page.setViewportSize({ width, height: 800 });
  await page.emulateMedia({ colorScheme: scheme, reducedMotion: "reduce" });
  await page.goto(path);
  await page
    .locator(ready ?? "main h1")
    .first()
    .waitFor();
  await page.waitForLoadState("networkidle");
  await save(page, name);
}

async function newPage(browser: Browser, { url }: { url: string }): Promise<Page> {
  const context = await browser.newContext({ baseURL: url, locale: "en-GB", timezoneId: "UTC" });
  return context.newPage();
}

/** A screenshot of a new Muster before the first host reports. */
async function takeFirstSteps(browser: Browser): Promise<void> {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const page = await newPage(browser, muster);
  await page.setViewportSize({ width: WIDE, height: 800 });
  await page.goto("/");
  await page.getByRole("button", { name: "Sign in" }).waitFor();
  await signIn(page);
  await page.getByRole("heading", { name: "1. Connect an agent" }).waitFor();
  await page.waitForLoadState("networkidle");
  await save(page, "first-host");
}

rmSync(FOLDER, { recursive: true, force: true });
mkdirSync(FOLDER, { recursive: true });
const browser = await launchBrowser();
try {
  await takeFirstSteps(browser);
  using folder = temporaryFolder();
  await using demo = await servedDemo(folder.path);
  const page = await newPage(browser, demo);
  await page.goto("/");
  await heading(page, "Overview");
  for (const picture of PICTURES) await take(page, picture);
} finally {
  await browser.close();
}
