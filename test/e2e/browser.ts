/** A real Chromium, and a watch for everything that must not happen in its pages. */
import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { pathOf } from "../../scripts/test-tools.ts";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { settled, watchTraffic } from "./page-reads.ts";
import { type Muster, PATIENCE } from "./support.ts";

/** Pages that live for seconds: to compile their code to the highest levels calculates more than it saves. */
const BRIEF_PAGES = "js-flags=--no-turbofan --no-maglev";

/** @param more flags, without the dashes before them */
export function launchBrowser(...more: string[]): Promise<Browser> {
  const quiet = ["disable-background-networking", "disable-component-update", "disable-sync", "no-first-run"];
  const flags = ["no-sandbox", "disable-gpu", "disable-quic", BRIEF_PAGES, ...quiet, ...more];
  return chromium.launch({
    executablePath: pathOf("chromium"),
    args: flags.map((flag) => `--${flag}`),
  });
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

/** Runs in the page: sums up how much of it moved without an action of the user. */
function watchLayoutShifts(): void {
  const shifts = { sum: 0 };
  Object.assign(window, { shifts });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[])
      if (!entry.hadRecentInput) shifts.sum += entry.value;
  });
  observer.observe({ type: "layout-shift", buffered: true });
}

/** The cumulative layout shift since the page was loaded, until it has settled. */
export async function layoutShift(page: Page): Promise<number> {
  await settled(page);
  return page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
}

export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Errors on the console with their addresses, violations of the content security policy, dialogs, requests to elsewhere. */
  trouble: string[];
  /**
   * Arguments, as "id=2", of what the test deletes: reads of a page that are under way, and those of its next poll,
   * may not find it.
   */
  gone: Set<string>;
}

/**
 * A page in a new profile. Unless the options say otherwise, it is 1280 pixels wide, without motion, so that what was closed
 * is gone at once, and without the service worker: to install it takes a tenth of what the browser calculates.
 */
export async function openPage(
  browser: Browser,
  muster: Muster,
  path = "/",
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: muster.url,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
    timezoneId: "UTC",
    reducedMotion: "reduce",
    serviceWorkers: "block",
    ...options,
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  watchTraffic(page);
  const trouble: string[] = [];
  const gone = new Set<string>();
  page.on("console", (message) => {
    // The browser reports each 401, which is how a page learns that nobody is signed in.
    const isSignedOut = message.text().includes("status of 401");
    const { url } = message.location();
    const isGone =
      message.text().includes("status of 404") && url.split(/[?&]/).some((part) => gone.has(part));
    if (message.type() !== "error" || isSignedOut || isGone) return;
    trouble.push(`${message.text()} ${url}`.trim());
  });
  page.on("pageerror", (error) => trouble.push(String(error)));
  page.on("dialog", (dialog) => {
    trouble.push(`dialog: ${dialog.message()}`);
    void dialog.dismiss();
  });
  page.on("request", (request) => {
    const url = new URL(request.url());
    if (url.protocol.startsWith("http") && url.origin !== muster.url) trouble.push(`request to ${url}`);
  });
  await page.addInitScript(watchLayoutShifts);
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (violation) => {
      console.error(`policy: ${violation.violatedDirective} ${violation.blockedURI} ${violation.sample}`);
    });
  });
  await page.goto(path);
  return { page, trouble, gone, [Symbol.asyncDispose]: () => context.close() };
}

export async function signIn(page: Page, password = ADMIN_PASSWORD, uname = "admin"): Promise<void> {
  await page.getByLabel("User name").fill(uname);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
}

/** Resolves when the page's main heading reads so. */
export function heading(page: Page, name: string): Promise<void> {
  return page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
}
