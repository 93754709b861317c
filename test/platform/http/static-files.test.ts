import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";
import { Hono } from "hono";
import type { AppEnv } from "../../../src/platform/http/context.ts";
import { ApiError } from "../../../src/platform/http/errors.ts";
import { type StaticFiles, serveStatic, staticFiles } from "../../../src/platform/http/static.ts";

const SCRIPT = `console.log(${JSON.stringify("muster ".repeat(200))});`;
let folder: string;
let app: Hono<AppEnv>;

function serving(files: StaticFiles): Hono<AppEnv> {
  const app = new Hono<AppEnv>();
  app.get("*", serveStatic(files));
  app.onError((error, c) => c.text("", error instanceof ApiError ? error.status : 500));
  return app;
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "muster-static-"));
  mkdirSync(join(folder, "deep"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>Muster</title>");
  writeFileSync(join(folder, "main-1a2b3c4d.js"), SCRIPT);
  writeFileSync(join(folder, "deep", "plain.png"), "not really");
  writeFileSync(join(folder, "deep", "index.html"), "<!doctype html><title>Deep</title>");
  app = serving(staticFiles(folder));
});

afterAll(() => rmSync(folder, { recursive: true }));

test.each([
  ["/", "Muster"],
  ["/hosts/1", "Muster"],
  ["/deep", "Deep"],
  ["/deep/", "Deep"],
  ["/deep/other", "Muster"],
])("%s is answered with the page %s", async (path, title) => {
  const reply = await app.request(path);
  expect([reply.status, await reply.text()]).toEqual([200, `<!doctype html><title>${title}</title>`]);
});

describe("a file of the UI", () => {
  test("with a hash in its name may be kept for ever", async () => {
    const reply = await app.request("/main-1a2b3c4d.js");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Cache-Control")).toBe("public, max-age=31536000, immutable");
    expect(reply.headers.get("Content-Type")).toContain("javascript");
    expect(await reply.text()).toBe(SCRIPT);
  });

  test("is read with its first request, and kept from then on", async () => {
    const path = join(folder, "late.txt");
    writeFileSync(path, "at the start");
    const files = serving(staticFiles(folder));
    writeFileSync(path, "at the first request");
    expect(await (await files.request("/late.txt")).text()).toBe("at the first request");
    rmSync(path);
    expect(await (await files.request("/late.txt")).text()).toBe("at the first request");
  });

  test("without one is asked for each time", async () => {
    const reply = await app.request("/deep/plain.png");
    expect(reply.headers.get("Cache-Control")).toBe("no-cache");
    expect(reply.headers.get("Content-Encoding")).toBeNull();
  });

  test("is sent compressed to a client that can inflate it, under another tag", async () => {
    const plain = await app.request("/main-1a2b3c4d.js", { headers: { "Accept-Encoding": "gzip;q=0, br" } });
    const small = await app.request("/main-1a2b3c4d.js", {
      headers: { "Accept-Encoding": "br, gzip;q=0.5" },
    });
    expect(plain.headers.get("Content-Encoding")).toBeNull();
    expect(small.headers.get("Content-Encoding")).toBe("gzip");
    expect(small.headers.get("Vary")).toBe("Accept-Encoding");
    expect(gunzipSync(await small.arrayBuffer()).toString()).toBe(SCRIPT);
    expect(small.headers.get("ETag")).not.toBe(plain.headers.get("ETag"));
  });

  test("is not sent again to a client that has it", async () => {
    const etag = (await app.request("/")).headers.get("ETag") ?? "";
    for (const held of [etag, `W/${etag}`, `"other", ${etag}`]) {
      const reply = await app.request("/", { headers: { "If-None-Match": held } });
      expect(reply.status).toBe(304);
      expect(await reply.text()).toBe("");
    }
    expect((await app.request("/", { headers: { "If-None-Match": '"other"' } })).status).toBe(200);
  });
});

describe("an address that is not a file", () => {
  test("is a page of the UI when it has no file's ending", async () => {
    const reply = await app.request("/hosts/12");
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Cache-Control")).toBe("no-cache");
    expect(await reply.text()).toContain("<title>Muster</title>");
  });

  test("is unknown when it has one, whatever it tries to climb out of", async () => {
    expect((await app.request("/missing.js")).status).toBe(404);
    expect((await app.request("/..%2f..%2fetc/passwd.txt")).status).toBe(404);
  });

  test("is unknown with two slashes in a row: to a program, a page would look like the reply of an operation", async () => {
    for (const path of ["//api/1/status/hosts/list", "/hosts//12"])
      expect((await app.request(path)).status).toBe(404);
  });

  test("is unknown while the UI is not built", async () => {
    expect((await serving(staticFiles(join(folder, "nowhere"))).request("/")).status).toBe(404);
  });
});
