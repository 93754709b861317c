/**
 * A real browser on plain http, with a name that is not localhost: it sends no Sec-Fetch headers there, and accepts
 * cookies that a neighbour of the name set.
 */
import { expect } from "bun:test";
import type { Browser, Page } from "playwright-core";
import { ADMIN_PASSWORD } from "../support/passwords.ts";
import { needing } from "../support/programs.ts";
import { launchBrowser } from "./browser.ts";
import { Muster, temporaryFolder } from "./support.ts";

const { afterAll, beforeAll, test } = needing("chromium");

const LIST = "/status/hosts/list";
const folder = temporaryFolder();
let browser: Browser;
let muster: Muster;
/** The address of Muster for people. */
let origin: string;
beforeAll(async () => {
  browser = await launchBrowser("host-resolver-rules=MAP *.house.test 127.0.0.1");
  muster = await Muster.start({ cwd: folder.path });
  origin = `http://muster.house.test:${muster.port}`;
});
afterAll(async () => {
  await browser?.close();
  await muster?.kill();
  folder.remove();
});

/** Another site in the same domain, with one page that sets a cookie. */
function neighbour(page: string, cookie = "") {
  const headers = { "Content-Type": "text/html", ...(cookie && { "Set-Cookie": cookie }) };
  const server = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => new Response(page, { headers }) });
  const url = `http://evil.house.test:${server.port}/`;
  return { url, [Symbol.asyncDispose]: () => server.stop(true) };
}

/** A page in a new profile. */
const newPage = async (): Promise<Page> => (await browser.newContext()).newPage();

test("an id that a neighbour planted is not signed in by the legacy form", async () => {
  const attacker = muster.client();
  await attacker.get("/index.csp");
  expect(attacker.cookie).toStartWith("zsessionid=");
  await using evil = neighbour("<p>hello", `${attacker.cookie}; Domain=house.test; Path=/`);
  const page = await newPage();
  await page.goto(evil.url);
  await page.goto(`${origin}/index.csp`);
  await page.getByLabel("User name").fill("admin");
  await page.getByLabel("Password").fill(ADMIN_PASSWORD);
  const [reply] = await Promise.all([
    page.waitForResponse((response) => response.url() === `${origin}/z_security_check`),
    page.getByRole("button", { name: "Sign in" }).click(),
  ]);
  // The attack arrived: the planted cookie was sent, and no header that says where a request comes from.
  const request = await reply.request().allHeaders();
  expect(request.cookie).toContain(attacker.cookie);
  expect(Object.keys(request).filter((name) => name.startsWith("sec-fetch"))).toEqual([]);
  expect(reply.status()).toBe(302);
  const cookies = (await reply.allHeaders())["set-cookie"] ?? "";
  expect(cookies).toStartWith("zsessionid=");
  expect(cookies).not.toContain(attacker.cookie);
  expect((await attacker.get(LIST)).headers.get("Content-Type")).toBe("text/html");
  await page.context().close();
});

test("another site cannot sign a browser in by a link or a form", async () => {
  const query = `z_username=admin&z_password=${ADMIN_PASSWORD}`;
  const form = (method: string) =>
    `<form method="${method}" action="${origin}/z_security_check">
       <input name="z_username" value="admin"><input name="z_password" value="${ADMIN_PASSWORD}">
       <button>on</button></form>`;
  const pages = [`<a href="${origin}/z_security_check?${query}">on</a>`, form("get"), form("post")];
  for (const text of pages) {
    await using evil = neighbour(text);
    const page = await newPage();
    await page.goto(evil.url);
    const [reply] = await Promise.all([
      page.waitForResponse((response) => response.url().startsWith(origin)),
      page.getByText("on", { exact: true }).click(),
    ]);
    expect([text, reply.status(), (await reply.allHeaders())["set-cookie"]]).toEqual([text, 403, undefined]);
    expect(await page.context().cookies(origin)).toEqual([]);
    await page.context().close();
  }
});
