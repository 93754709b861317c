/** The UI as an installed app, until the service is away: one story, in this order. */
import { expect } from "bun:test";
import { needing } from "../support/programs.ts";
import { heading } from "./browser.ts";
import { expectAbsent, expectSoon, settled } from "./page-reads.ts";
import { eventually } from "./support.ts";
import { sharedBrowser, sharedMuster, signedInPage } from "./ui.ts";

const { test } = needing("chromium");

const browser = await sharedBrowser();
const muster = await sharedMuster({
  prepare: (started) =>
    started.report({ id: "a", hostname: "web-1", services: [{ name: "nginx", status: 512 }] }),
});

test("the manifest names icons that are there, and is of the same origin", async () => {
  const manifest = await (await fetch(`${muster.url}/manifest.webmanifest`)).json();
  expect(manifest).toMatchObject({ name: "Muster", start_url: "/", display: "standalone" });
  for (const { src, sizes } of manifest.icons as { src: string; sizes: string }[]) {
    const reply = await fetch(muster.url + src);
    expect([reply.status, reply.headers.get("Content-Type")]).toEqual([200, "image/png"]);
    const view = new DataView(await reply.arrayBuffer());
    expect(`${view.getUint32(16)}x${view.getUint32(20)}`).toBe(sizes);
  }
});

test("the title has the number of hosts with problems", async () => {
  await using open = await signedInPage(browser, muster, "/hosts", { serviceWorkers: "allow" });
  await expectSoon(() => open.page.title()).toBe("(1) Hosts - Muster");
  expect(open.trouble).toEqual([]);
});

test("while the service is away the app starts and says so, without a word of what it once read", async () => {
  await using open = await signedInPage(browser, muster, "/hosts", { serviceWorkers: "allow" });
  const { page } = open;
  await page.getByRole("link", { name: "web-1" }).first().waitFor();
  await page.evaluate(() => navigator.serviceWorker.ready.then(() => undefined));
  // The worker sees the files of the page once it controls it.
  await page.reload();
  await heading(page, "Hosts");
  const kept = () =>
    page.evaluate(async () => {
      const cache = await caches.open("muster-shell");
      return (await cache.keys()).map(({ url }) => new URL(url).pathname);
    });
  await eventually("the shell is kept", async () => {
    const paths = await kept();
    return paths.includes("/") && paths.some((path) => path.endsWith(".js"));
  });
  await settled(page);
  await expectSoon(async () => (await kept()).filter((path) => path.startsWith("/api"))).toEqual([]);
  await muster.kill();
  await page.reload();
  await page
    .getByText(/cannot be reached/)
    .first()
    .waitFor();
  await expectAbsent(page.getByText("web-1"));
  // No page of the app: the browser says itself that it cannot be reached.
  for (const path of ["/docs/limits", "/licenses", "/api"])
    expect(await page.goto(path).then(String, ({ message }) => message)).toContain("ERR_CONNECTION_REFUSED");
});
