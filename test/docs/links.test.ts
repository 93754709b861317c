/** Links of the documentation. There is no network in a test: external ones are checked for their form. */
import { expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { anchorsOf, codeSpansOf, linksOf, pages, ROOT } from "./markdown.ts";

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);

/** The fault of an external link; null if there is none. */
function faultOfAddress(target: string): string | null {
  if (!URL.canParse(target)) return "is no URL";
  const { protocol, hostname, username, href } = new URL(target);
  if (protocol !== "https:") return "is not https";
  if (!/^([a-z0-9-]+\.)+[a-z]{2,}$/.test(hostname) || username !== "") return "has no public name";
  return href === target || href === `${target}/` ? null : `should be ${href}`;
}

/** The fault of a link to a file of the project, from the folder of its page. */
function faultOfFile(page: string, target: string): string | null {
  const [path = "", anchor] = target.split("#");
  const file = path === "" ? page : normalize(join(dirname(page), path));
  if (file.startsWith("..") || !existsSync(join(ROOT, file))) return "does not exist";
  if (anchor !== undefined && !anchorsOf(file).has(anchor)) return "has no such heading";
  if (!file.endsWith(".png")) return null;
  return readFileSync(join(ROOT, file)).subarray(0, PNG.length).equals(PNG) ? null : "is no PNG";
}

for (const page of pages)
  test(`every link of ${page} leads somewhere`, () => {
    const faults = linksOf(page).flatMap((target) => {
      const fault = /^[a-z]+:/.test(target) ? faultOfAddress(target) : faultOfFile(page, target);
      return fault === null ? [] : [`${target} ${fault}`];
    });
    expect(faults).toEqual([]);
  });

test("a link that leads nowhere is noticed", () => {
  expect(faultOfFile("docs/api.md", "no-such.md")).toBe("does not exist");
  expect(faultOfFile("docs/api.md", "#no-such-heading")).toBe("has no such heading");
  expect(faultOfFile("docs/api.md", "../../secret")).toBe("does not exist");
  expect(faultOfFile("README.md", "docs/screenshots/host.png")).toBeNull();
  expect(faultOfFile("docs/moving.md", "#from-the-commercial-server")).toBeNull();
  expect(faultOfAddress("http://example.org/")).toBe("is not https");
  expect(faultOfAddress("https://localhost/")).toBe("has no public name");
});

/** A path in the source; capitals stand for any name. */
const PATH = /^(src|test|web|scripts|docs|packaging|drizzle)\/[\w./-]*$/;

test("every path of the source that the documentation names exists", () => {
  const named = pages.flatMap((page) => codeSpansOf(page).map((path) => ({ page, path })));
  const paths = named.filter(({ path }) => PATH.test(path) && !/[A-Z]{2,}/.test(path));
  expect(paths.length).toBeGreaterThan(20);
  expect(paths.filter(({ path }) => !existsSync(join(ROOT, path)))).toEqual([]);
  const folders = paths.filter(({ path }) => path.endsWith("/"));
  expect(folders.filter(({ path }) => !statSync(join(ROOT, path)).isDirectory())).toEqual([]);
});

/** Names that some file of the folder exports. */
function exportsOf(folder: string): Set<string> {
  const files = [...new Bun.Glob("**/*.ts").scanSync(join(ROOT, folder))];
  const texts = files.map((file) => readFileSync(join(ROOT, folder, file), "utf8"));
  const declared = /^export (?:async |abstract )*(?:class|interface|type|function|const) (\w+)/gm;
  return new Set(texts.flatMap((text) => [...text.matchAll(declared)].map(([, name = ""]) => name)));
}

for (const page of pages.filter((path) => /^src\/\w+\/README\.md$/.test(path)))
  test(`every type and file that ${page} names is in its module`, () => {
    const folder = dirname(page);
    const exported = exportsOf(folder);
    const types = codeSpansOf(page).filter((code) => /^[A-Z][a-zA-Z]+$/.test(code));
    expect(types.filter((name) => !exported.has(name))).toEqual([]);
    const files = codeSpansOf(page).filter((code) => /^[a-z-]+\/[\w./-]*$/.test(code) && !PATH.test(code));
    expect(files.filter((file) => !existsSync(join(ROOT, folder, file)))).toEqual([]);
  });
