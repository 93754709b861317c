/** Cookies: where they are set, and what each of them says. */
import { expect, test } from "bun:test";
import { join } from "node:path";
import { COOKIES } from "../../../src/platform/http/cookies.ts";

const SOURCES = join(import.meta.dir, "../../../src");

test("one file sets all cookies", async () => {
  const setters: string[] = [];
  for (const file of new Bun.Glob("**/*.ts").scanSync(SOURCES)) {
    const text = await Bun.file(join(SOURCES, file)).text();
    if (/hono\/cookie|header\(\s*"Set-Cookie"|append\(\s*"Set-Cookie"/i.test(text)) setters.push(file);
  }
  expect(setters).toEqual(["platform/http/cookies.ts"]);
});

test("no two cookies have one name, and only that of a sign-in elsewhere comes with a navigation from there", () => {
  const cookies = Object.values(COOKIES);
  expect(new Set(cookies.map(({ name }) => name)).size).toBe(cookies.length);
  expect(cookies.filter(({ sameSite }) => sameSite !== "Strict")).toEqual([COOKIES.signIn]);
});
