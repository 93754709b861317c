/** What the tests of the UI share: a Muster with some days of history, and pages that are signed in. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import type { Fields } from "../support/client.ts";
import { makeDemoFleet } from "../support/demo-fleet.ts";
import { DEMO_HOSTS, type DemoHost } from "../support/demo-hosts.ts";
import { heading, openPage, signIn, type WatchedPage } from "./browser.ts";
import { Muster, temporaryFolder } from "./support.ts";

const AXE = readFileSync(join(import.meta.dir, "../../node_modules/axe-core/axe.min.js"), "utf8");

export interface Scene extends AsyncDisposable {
  muster: Muster;
  folder: string;
}

/** A channel that leads nowhere, a rule, maintenance and a status page, so that their screens have something to show. */
export async function setUpAlerts(muster: Muster): Promise<void> {
  const admin = await muster.admin();
  const make = async (what: string, fields: Fields) => {
    const reply = await admin.post(`/api/1/admin/${what}/create`, fields);
    if (reply.status !== 200) throw new Error(`${what}: ${reply.text}`);
  };
  await make("channels", { name: "Hook", kind: "webhook", "setting.url": "https://hooks.invalid/" });
  await make("rules", { name: "Oslo", hostgroupid: 1, delay: 5, repeat: 60, channelid: 1 });
  await make("maintenance", { name: "Patching", days: [0], timeofday: "03:00", minutes: 90 });
  await make("statuspages", { title: "Oslo", groupid: 1, slug: "oslo" });
}

/** A Muster whose first host has two days of history; of the others some hours. */
export async function demoScene(hosts: readonly DemoHost[] = DEMO_HOSTS.slice(0, 5)): Promise<Scene> {
  const folder = temporaryFolder();
  makeDemoFleet({
    folder: join(folder.path, "data"),
    now: Math.floor(Date.now() / 1000),
    days: [2, 0.4],
    hosts,
  });
  const muster = await Muster.start({ cwd: folder.path });
  await setUpAlerts(muster);
  const dispose = async () => {
    await muster.kill();
    folder.remove();
  };
  return { muster, folder: folder.path, [Symbol.asyncDispose]: dispose };
}

/** Longer than any screen leaves between two readings, milliseconds. */
const CYCLE = 10_000;

/** Lets time pass on a page whose clock was installed, so that it reads anew. */
export function passCycle(page: Page): Promise<void> {
  return page.clock.runFor(CYCLE);
}

/**
 * A page on which the administrator is signed in.
 * @param steppable its clock can be moved on
 */
export async function signedInPage(
  browser: Browser,
  muster: Muster,
  path = "/",
  steppable = false,
): Promise<WatchedPage> {
  const open = await openPage(browser, muster);
  if (steppable) await open.page.clock.install();
  await signIn(open.page);
  await heading(open.page, "Overview");
  if (path !== "/") await open.page.goto(path);
  return open;
}

interface AxeResult {
  violations: { id: string; nodes: { html: string; failureSummary: string }[] }[];
}

/**
 * What axe-core finds wrong with the page as it is shown now.
 * @param rules only these
 */
export async function accessibilityProblems(page: Page, rules?: readonly string[]): Promise<string[]> {
  const options = { resultTypes: ["violations"], ...(rules && { runOnly: { type: "rule", values: rules } }) };
  const result = await page.evaluate<AxeResult>(`${AXE};axe.run(document, ${JSON.stringify(options)})`);
  return result.violations.flatMap(({ id, nodes }) =>
    nodes.map(({ html, failureSummary }) => `${id}: ${html.slice(0, 200)}: ${failureSummary.slice(0, 200)}`),
  );
}

/** How many pixels the page is wider than its window. */
export function excessWidth(page: Page): Promise<number> {
  return page.evaluate(() => {
    const { scrollWidth, clientWidth } = document.documentElement;
    return Math.max(0, scrollWidth - clientWidth);
  });
}

/** Names of tables with a row that leaves a part of their width free. */
export function unfilledTables(page: Page): Promise<string[]> {
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
