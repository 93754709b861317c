import { describe, expect, test } from "bun:test";
import { openApiDocument } from "../../../src/publishing/openapi/document.ts";
import { referencePage } from "../../../src/publishing/openapi/reference.page.ts";
import { TestApp } from "../../support/app.ts";

const app = new TestApp();
const page = await app.client().get("/api");

function matchesOf(pattern: RegExp, text: string): string[] {
  return [...text.matchAll(pattern)].map((match) => match[1] ?? "");
}

describe("the reference page", () => {
  test("is HTML for everyone, under the policy that forbids scripts and styles within a page", () => {
    expect(page.status).toBe(200);
    expect(page.headers.get("Content-Type")).toBe("text/html; charset=utf-8");
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'self'");
    expect(page.text).toStartWith("<!doctype html>");
    expect(page.text).not.toMatch(/<script|<style|\sstyle=|\son\w+=/);
  });

  test("shows every operation with its arguments", () => {
    for (const { path, request, summary } of app.operations) {
      const start = page.text.indexOf(`<code>/api/1${path}</code>`);
      expect([path, start > 0]).toEqual([path, true]);
      const section = page.text.slice(start, page.text.indexOf("</section>", start));
      expect(section).toContain(summary.replaceAll("'", "&#39;"));
      for (const name of Object.keys(request.entries)) expect(section).toContain(`<code>${name}</code>`);
    }
  });

  test("has a place for each of its own links", () => {
    const ids = matchesOf(/\sid="([^"]*)"/g, page.text);
    expect(new Set(ids).size).toBe(ids.length);
    const links = matchesOf(/href="#([^"]*)"/g, page.text);
    expect(links.length).toBeGreaterThan(app.operations.length);
    expect(links.filter((link) => !ids.includes(link))).toEqual([]);
  });

  test("brings its stylesheet along", async () => {
    expect(matchesOf(/<link rel="stylesheet" href="([^"]*)"/g, page.text)).toEqual(["/api/reference.css"]);
    const css = await app.client().get("/api/reference.css");
    expect([css.status, css.headers.get("Content-Type")]).toEqual([200, "text/css; charset=utf-8"]);
    expect(css.text).toContain("color-scheme: light dark");
  });

  test("escapes whatever it is made from", async () => {
    const hostile = '</p><script>alert("1")</script>';
    const operations = app.operations.map((operation) => ({ ...operation, summary: hostile }));
    const text = referencePage(await openApiDocument(operations));
    expect(text).not.toContain("<script>");
    expect(text).toContain("&lt;/p&gt;&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
  });

  for (const path of ["/api", "/api/reference.css"])
    test(`answers 405 to a POST of ${path}`, async () => {
      const reply = await app.client().post(path);
      expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET"]);
    });
});
