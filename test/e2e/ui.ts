/** Shared by the tests of the UI: a Muster with some days of history, and signed-in pages. */
import { afterAll, expect } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { BRIEF_PROCESS } from "../../scripts/brief-process.ts";
import { DEMO_HOSTS, type DemoHost } from "../../src/demo/demo-hosts.ts";
import type { Fields } from "../support/client.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { isReady, nothingToTest } from "../support/programs.ts";
import { notifying } from "../support/rules.ts";
import { heading, launchBrowser, openPage, type WatchedPage } from "./browser.ts";
import { settled } from "./page-reads.ts";
import { Muster, PASSWORDS, temporaryFolder } from "./support.ts";

const AXE = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

/** A channel that leads nowhere, a rule, maintenance and a status page, so that their screens have content. */
export async function setUpAlerts(muster: Muster): Promise<void> {
  const admin = await muster.admin();
  const make = async (what: string, fields: Fields) => {
    const reply = await admin.post(`/api/1/admin/${what}/create`, fields);
    if (reply.status !== 200) throw new Error(`${what}: ${reply.text}`);
  };
  await make("channels", { name: "Hook", kind: "webhook", settings: { url: "https://hooks.invalid/" } });
  await make("rules", { name: "Oslo", filter: { hostgroups: [1] }, delay: 5, repeat: 60, ...notifying(1) });
  await make("maintenance", {
    name: "Patching",
    filter: {},
    schedule: { kind: "weekly", days: [0], from: "03:00", minutes: 90 },
  });
  await make("statuspages", { title: "Oslo", hostgroup: 1, slug: "oslo" });
}

/** Longer than the interval between two reads of any screen, milliseconds. */
const CYCLE = 10_000;

/** Lets time pass on a page with a simulated clock, so that it reads again. */
export function passCycle(page: Page): Promise<void> {
  return page.clock.runFor(CYCLE);
}

export interface PageOptions extends BrowserContextOptions {
  /** Whether its clock can be moved. */
  steppable?: boolean;
}

/** A page on which the administrator is signed in, by the cookie of a session instead of the form. */
export async function signedInPage(
  browser: Browser,
  muster: Muster,
  path = "/",
  { steppable = false, ...options }: PageOptions = {},
): Promise<WatchedPage> {
  const [name = "", value = ""] = (await muster.admin()).cookie.split("=");
  const open = await openPage(browser, muster, "about:blank", options);
  const { page } = open;
  await page.context().addCookies([{ name, value, url: muster.url, httpOnly: true }]);
  if (steppable) await page.clock.install();
  await page.goto(path);
  if (path === "/") await heading(page, "Overview");
  return open;
}

/** What the tests of the present file share. */
let shared: AsyncDisposableStack | null = null;

/** Items are ended after the last test of the file, the newest first, so that a page ends before its server. */
function sharedByFile(): AsyncDisposableStack {
  if (shared) return shared;
  const stack = new AsyncDisposableStack();
  shared = stack;
  afterAll(async () => {
    shared = null;
    await stack.disposeAsync();
  });
  return stack;
}

/** The browser of all files, where one was started for them. */
let browserOfAll: Browser | null = null;

/** From now on, files share this browser. The caller closes it. */
export function useBrowser(browser: Browser): void {
  browserOfAll = browser;
}

/**
 * A browser for the tests of the file that awaits this at its top; unless shared, it is closed after the last of
 * them.
 */
export async function sharedBrowser(): Promise<Browser> {
  if (!isReady("chromium")) return nothingToTest();
  if (browserOfAll) return browserOfAll;
  return sharedByFile().adopt(await launchBrowser(), (browser) => browser.close());
}

export interface SharedMuster {
  args?: string[];
  /** Creates the database with which Muster starts. */
  fill?: (data: string) => void;
  /** Runs before the tests. */
  prepare?: (muster: Muster) => Promise<unknown>;
}

/** A Muster for the tests of the file that awaits this at its top; it ends after the last of them. */
export async function sharedMuster({ args, fill, prepare }: SharedMuster = {}): Promise<Muster> {
  if (!isReady("chromium")) return nothingToTest();
  await using started = new AsyncDisposableStack();
  const folder = started.use(temporaryFolder());
  fill?.(join(folder.path, "data"));
  const env = { ...PASSWORDS, ...BRIEF_PROCESS };
  const muster = started.use(await Muster.start({ cwd: folder.path, env, ...(args && { args }) }));
  await prepare?.(muster);
  sharedByFile().use(started.move());
  return muster;
}

/** A Muster with channel, rule, maintenance and status page, whose first host has two days of history; others hours. */
export function sharedDemo(hosts: readonly DemoHost[] = DEMO_HOSTS.slice(0, 5)): Promise<Muster> {
  const now = Math.floor(Date.now() / 1000);
  return sharedMuster({
    fill: (folder) => makeDemoFleet({ folder, now, days: [2, 0.4], hosts }),
    prepare: setUpAlerts,
  });
}

/**
 * A page for the tests of the file that awaits this at its top, on which the administrator is signed in. After the
 * last test, no fault may have occurred on it.
 * @param browser of `sharedBrowser`
 */
export async function sharedPage(
  browser: Browser,
  muster: Muster,
  ...how: [path?: string, options?: PageOptions]
): Promise<WatchedPage> {
  if (!isReady("chromium")) return nothingToTest();
  const open = await signedInPage(browser, muster, ...how);
  return sharedByFile().adopt(open, async ({ trouble }) => {
    await open[Symbol.asyncDispose]();
    expect(trouble).toEqual([]);
  });
}

/** Waits until screen readers have been given a text. */
export function announced(page: Page, text: string): Promise<void> {
  return page.getByRole("log").getByText(text).last().waitFor({ state: "attached" });
}

/** Removes an expected fault from those of a page. */
export function forgive(trouble: string[], expected: RegExp): void {
  trouble.splice(0, Number.POSITIVE_INFINITY, ...trouble.filter((text) => !expected.test(text)));
}

/** Chooses by a visible text: in a select, or among the suggestions of an input. */
export async function choose(field: Locator, text: string): Promise<void> {
  if (await field.evaluate((element) => element instanceof HTMLSelectElement)) {
    await field.selectOption({ label: text });
    return;
  }
  await field.fill(text);
  const suggestions = field.page().getByRole("listbox", { name: "Suggestions" });
  await suggestions.getByRole("option", { name: text }).first().click();
}

/**
 * Types a text, and types on as soon as the page has put that into its address, before it is painted: nothing that the page
 * writes back may replace what was typed since.
 */
export function typeOn(field: Locator, text: string, further: string): Promise<void> {
  return field.evaluate(
    (input, [text, further]) =>
      new Promise<void>((done) => {
        if (!(input instanceof HTMLInputElement)) throw new Error("not an input");
        const type = (typed: string) => {
          input.value = typed;
          // A date is a change with each part of it that is typed.
          const events = input.type === "datetime-local" ? ["input", "change"] : ["input"];
          for (const event of events) input.dispatchEvent(new Event(event, { bubbles: true }));
        };
        const replaceState = history.replaceState.bind(history);
        history.replaceState = (...args) => {
          history.replaceState = replaceState;
          replaceState(...args);
          let rendered = Promise.resolve();
          for (let step = 0; step < 20; step++) rendered = rendered.then(() => undefined);
          void rendered.then(() => type(further)).then(done);
        };
        type(text);
      }),
    [text, further] as const,
  );
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/** The faults that axe-core finds in the page as it is shown now. @param rules only these */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  // Half a megabyte of script, once for each page.
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(`${AXE};0`);
  // Text that fades in has too little contrast.
  await settled(page);
  const result = await page.evaluate<AxeResult>(`axe.run(document, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary.slice(0, 200)}`),
  );
}

/** How many pixels the page is wider than its window, once it has settled. */
export async function excessWidth(page: Page): Promise<number> {
  await settled(page);
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}

/** Names of tables with a row that leaves a part of their width free, once the page has settled. */
async function unfilledTables(page: Page): Promise<string[]> {
  await settled(page);
  return page.evaluate(() =>
    [...document.querySelectorAll("table")]
      .filter((table) => table.offsetWidth > 1 && table.tBodies.length > 0)
      .filter((table) => {
        const { right } = table.getBoundingClientRect();
        return [...table.tBodies].some((body) =>
          [...body.rows].some((row) => {
            const ends = [...row.cells].map((cell) => cell.getBoundingClientRect().right);
            return row.offsetHeight > 0 && Math.max(...ends) < right - 4;
          }),
        );
      })
      .map((table) => table.caption?.textContent ?? "a table"),
  );
}

/** Shows the page in both widths and themes, one after the other, and collects the faults of each. */
export async function problemsEverywhere(page: Page): Promise<string[]> {
  const violations: string[] = [];
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 900 });
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
      // The layout does not depend on the theme.
      const rules = colorScheme === "light" ? undefined : ["color-contrast", "link-in-text-block"];
      const problems = await accessibilityProblems(page, rules);
      violations.push(...problems.map((problem) => `${width} ${colorScheme}: ${problem}`));
    }
    const excess = await excessWidth(page);
    if (excess > 0) violations.push(`${width}: ${excess} pixels too wide`);
    violations.push(
      ...(await unfilledTables(page)).map((name) => `${width}: rows of ${name} leave width free`),
    );
  }
  await page.setViewportSize({ width: 1280, height: 900 });
  return violations;
}
