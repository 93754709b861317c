/** A real Chromium, and a watch over everything in its pages that must not happen. */
import { type Browser, chromium, type Page } from "playwright-core";
import { pathOf } from "../../scripts/test-tools.ts";
import { ADMIN_PASSWORD } from "../support/app.ts";
import { type Muster, PATIENCE } from "./support.ts";

/** @param more flags, without the dashes before them */
export function launchBrowser(...more: string[]): Promise<Browser> {
  const quiet = ["disable-background-networking", "disable-component-update", "disable-sync", "no-first-run"];
  return chromium.launch({
    executablePath: pathOf("chromium"),
    args: ["no-sandbox", "disable-gpu", "disable-quic", ...quiet, ...more].map((flag) => `--${flag}`),
  });
}

interface LayoutShift extends PerformanceEntry {
  value: number;
  hadRecentInput: boolean;
}

/** Runs in the page: sums up how much of it moved without anybody having done something. */
function watchLayoutShifts(): void {
  const shifts = { sum: 0 };
  Object.assign(window, { shifts });
  const observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries() as LayoutShift[])
      if (!entry.hadRecentInput) shifts.sum += entry.value;
  });
  observer.observe({ type: "layout-shift", buffered: true });
}

/** The cumulative layout shift since the page was loaded, or since it was set to 0. */
export function layoutShift(page: Page): Promise<number> {
  return page.evaluate(() => (window as unknown as { shifts: { sum: number } }).shifts.sum);
}

export interface WatchedPage extends AsyncDisposable {
  page: Page;
  /** Errors on the console, violations of the content security policy, dialogs, requests to elsewhere. */
  trouble: string[];
}

/** A page in a profile of its own, 1280 pixels wide. */
export async function openPage(browser: Browser, muster: Muster, path = "/"): Promise<WatchedPage> {
  const context = await browser.newContext({
    baseURL: muster.url,
    viewport: { width: 1280, height: 800 },
    locale: "en-GB",
  });
  context.setDefaultTimeout(PATIENCE);
  const page = await context.newPage();
  const trouble: string[] = [];
  page.on("console", (message) => {
    // The browser itself reports each 401, which is how a page learns that nobody is signed in.
    const isSignedOut = message.text().includes("status of 401");
    if (message.type() === "error" && !isSignedOut) trouble.push(message.text());
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
  return { page, trouble, [Symbol.asyncDispose]: () => context.close() };
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
