/** The style of pages outside the UI. */
import { afterAll, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../../src/app.ts";
import { staticFiles } from "../../../src/platform/http/static.ts";
import { temporaryFolder } from "../../e2e/support.ts";
import { TestApp } from "../../support/app.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
const FILE = "/geist-latin-wght-normal-0123abcd.woff2";
mkdirSync(join(folder.path, "web"));
writeFileSync(join(folder.path, "web", FILE), "wOF2");
const SHEETS = ["/s.css", "/acknowledge/page.css", "/api/reference.css"];
const PAGES = ["/s/none", "/acknowledge/none", "/api"];

test("names the typeface of the UI, which its pages request together with it", async () => {
  const served = createApp({ ...new TestApp().muster, web: staticFiles(join(folder.path, "web")) });
  for (const path of SHEETS) {
    const reply = await served.request(path);
    const etag = reply.headers.get("ETag") ?? "";
    expect((await reply.text()).match(/url\([^)]*\)/g)).toEqual([`url(${FILE})`]);
    expect((await served.request(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
  }
  for (const path of PAGES) {
    const { headers } = await served.request(path);
    expect(headers.get("Link")).toBe(`<${FILE}>; rel=preload; as=font; type="font/woff2"; crossorigin`);
  }
  expect((await served.request(FILE)).status).toBe(200);
});

test("names no file while the UI is not built", async () => {
  const served = createApp(new TestApp().muster);
  for (const path of SHEETS) expect(await (await served.request(path)).text()).not.toContain("url(");
  for (const path of PAGES) expect((await served.request(path)).headers.has("Link")).toBe(false);
});
