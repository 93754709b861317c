/**
 * Makes the pages of the documentation that the executable serves at /docs, from docs/ and CHANGELOG.md:
 * `bun scripts/doc-pages.ts FOLDER`.
 */
import { copyFileSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { html, raw } from "hono/html";
import { htmlDocument } from "../src/platform/http/page.ts";

const ROOT = join(import.meta.dir, "..");
const SOURCES = ["docs/*.md", "CHANGELOG.md"];
const STYLE = "web/docs/docs.css";

/** A heading, for the search of the UI. */
export interface Heading {
  text: string;
  /** Title of the page. */
  page: string;
  href: string;
}

export interface DocPage {
  /** File name without extension. */
  name: string;
  title: string;
  /** The first paragraph. */
  summary: string;
  body: string;
  headings: Heading[];
}

const slugOf = (path: string) => basename(path, ".md").toLowerCase();
const addressOf = (name: string) => `/docs/${name}.html`;

/** The address of a link of one page; null if what it leads to is not in the executable. */
function hrefOf(target: string, names: ReadonlySet<string>): string | null {
  if (/^(https?:|#)/.test(target)) return target;
  const [path = "", anchor] = target.split("#");
  const name = path.endsWith(".md") ? slugOf(path) : "";
  if (!names.has(name) || /(^|\/)README\.md$/.test(path)) return null;
  return anchor ? `${addressOf(name)}#${anchor}` : addressOf(name);
}

/** A page as HTML. Empty header cells become plain ones, since they head no column. */
function parsed(path: string): string {
  const text = readFileSync(join(ROOT, path), "utf8");
  return Bun.markdown.html(text, { headings: { ids: true } }).replaceAll("<th></th>", "<td></td>");
}

/** Reads a page. Links out of the documentation become plain text. */
function pageOf(path: string, names: ReadonlySet<string>): DocPage {
  const name = slugOf(path);
  const headings: Heading[] = [];
  let title = "";
  let summary = "";
  let paragraphs = 0;
  let heading: Heading | null = null;
  const body = new HTMLRewriter()
    .on("h1, h2, h3", {
      element(element) {
        heading = { text: "", page: "", href: `${addressOf(name)}#${element.getAttribute("id")}` };
        headings.push(heading);
        element.onEndTag(() => {
          title ||= heading?.text ?? "";
          heading = null;
        });
      },
      text({ text }) {
        if (heading) heading.text += withoutEntities(text);
      },
    })
    .on("p", {
      element() {
        paragraphs++;
      },
      text({ text }) {
        if (paragraphs === 1) summary += withoutEntities(text);
      },
    })
    // These scroll sideways on narrow screens. In the tab order, they can also be scrolled with the keyboard.
    .on("pre, table", {
      element(element) {
        element.setAttribute("tabindex", "0");
      },
    })
    .on("a[href]", {
      element(element) {
        const href = hrefOf(element.getAttribute("href") ?? "", names);
        if (href === null) element.removeAndKeepContent();
        else element.setAttribute("href", href);
      },
    })
    .transform(parsed(path));
  return { name, title, summary, body, headings: headings.map((each) => ({ ...each, page: title })) };
}

function withoutEntities(text: string): string {
  return text
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}

/** All pages, by title. */
export function docPages(): DocPage[] {
  const paths = SOURCES.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(ROOT)]);
  const names = new Set(paths.map(slugOf));
  return paths.map((path) => pageOf(path, names)).sort((a, b) => (a.title < b.title ? -1 : 1));
}

function documentOf(title: string, content: unknown): string {
  const head = html`<link rel="icon" href="/icon-192.png">
<link rel="stylesheet" href="/docs/docs.css">`;
  const body = html`<header><a href="/">Muster</a> <a href="/docs">Documentation</a></header>
<main>
${content}
</main>`;
  return htmlDocument(`${title} - Muster`, head, body);
}

/** Writes the pages, their list, and `headings.json` with all headings. */
export function writeDocPages(folder: string): void {
  const pages = docPages();
  const list = html`<h1>Documentation</h1>
<ul class="pages">
${pages.map(({ name, title, summary }) => html`<li><a href="${addressOf(name)}">${title}</a><p>${summary}</p></li>\n`)}</ul>`;
  mkdirSync(folder, { recursive: true });
  copyFileSync(join(ROOT, STYLE), join(folder, "docs.css"));
  for (const { name, title, body } of pages)
    writeFileSync(join(folder, `${name}.html`), documentOf(title, raw(body)));
  writeFileSync(join(folder, "index.html"), documentOf("Documentation", list));
  writeFileSync(join(folder, "headings.json"), JSON.stringify(pages.flatMap(({ headings }) => headings)));
}

if (import.meta.main) writeDocPages(process.argv[2] ?? "dist/web/docs");
