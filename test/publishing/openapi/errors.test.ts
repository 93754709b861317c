/** The codes of errors: what the sources can throw against what is documented. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { everyError } from "../../../src/publishing/openapi/derived-errors.ts";
import { TestApp } from "../../support/app.ts";

const SOURCES = join(import.meta.dir, "../../../src");
const files = [...new Bun.Glob("**/*.ts").scanSync(SOURCES)].sort();
const texts = await Promise.all(
  files.map(async (file) => ({ file, text: await Bun.file(join(SOURCES, file)).text() })),
);

const DECLARATION = /\b(?:declareError\(\s*\d{3},|signInError\(|declareTaken\()\s*"([^"]+)"/g;

/** Codes by the declarations in the sources, in the order of the alphabet. */
const declared = texts
  .flatMap(({ text }) => [...text.matchAll(DECLARATION)])
  .map(([, code]) => code ?? "")
  .sort();

test("every code that the sources declare is documented, and no other", () => {
  const documented = everyError(new TestApp().operations).map(({ code }) => code);
  expect(documented.sort()).toEqual(declared);
});

test("every code is declared once", () => {
  expect(new Set(declared).size).toBe(declared.length);
});

test("errors of the API are made only by their declarations, or again on this side of the query workers", () => {
  const makers = texts.filter(({ text }) => text.includes("new ApiError(")).map(({ file }) => file);
  expect(makers).toEqual(["platform/http/errors.ts", "platform/queries/query-workers.ts"]);
});
