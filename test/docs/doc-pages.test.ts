/** The pages of the documentation that the executable serves. */
import { describe, expect, test } from "bun:test";
import { docPages } from "../../scripts/doc-pages.ts";
import { pages as sources } from "./markdown.ts";

const pages = docPages();
const anchors = new Set(
  pages.flatMap(({ name, body }) =>
    [...body.matchAll(/ id="([^"]+)"/g)].map(([, id]) => `/docs/${name}.html#${id}`),
  ),
);

test("are all of docs/ and the changelog", () => {
  const expected = sources
    .filter((path) => path.startsWith("docs/") || path === "CHANGELOG.md")
    .map((path) =>
      path
        .replace(/^docs\//, "")
        .replace(/\.md$/, "")
        .toLowerCase(),
    );
  expect(pages.map(({ name }) => name).sort()).toEqual(expected.sort());
});

describe.each(pages)("$name", ({ name, title, summary, body, headings }) => {
  test("has a title, a first paragraph and headings", () => {
    expect(title).not.toBe("");
    expect(summary).not.toBe("");
    expect(headings[0]).toMatchObject({ text: title, page: title });
    for (const { text, href } of headings) {
      expect(text).not.toMatch(/&\w+;|<|^$/);
      expect(anchors).toContain(href);
    }
  });

  test("leads only to headings of the documentation and to other sites", () => {
    for (const [, href = ""] of body.matchAll(/<a href="([^"]*)"/g)) {
      if (/^https?:/.test(href)) continue;
      const target = href.startsWith("#") ? `/docs/${name}.html${href}` : href;
      if (target.includes("#")) expect(anchors).toContain(target);
      else expect(pages.map((page) => `/docs/${page.name}.html`)).toContain(target);
    }
  });

  test("shows nothing that a browser would load from elsewhere or run", () => {
    expect(body).not.toMatch(/<(img|script|style|iframe|link)\b/);
  });
});
