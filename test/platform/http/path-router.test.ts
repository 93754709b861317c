import { expect, test } from "bun:test";
import { TrieRouter } from "hono/router/trie-router";
import { PathRouter } from "../../../src/platform/http/path-router.ts";
import { TestApp } from "../../support/app.ts";

test("finds the same handlers as a router of hono, in the same order", () => {
  const [router, reference] = [new PathRouter<number>(), new TrieRouter<number>()];
  const { routes } = new TestApp().app;
  for (const [i, { method, path }] of routes.entries())
    for (const each of [router, reference]) each.add(method, path, i);
  const asked = routes.map(({ path }) => path.replaceAll("*", "any/thing").replaceAll(/:\w+/g, "value"));
  for (const path of new Set([...asked, ...asked.map((each) => `${each}/`), "/nowhere", "/s/", "//"]))
    for (const method of ["GET", "POST", "DELETE"]) {
      const plain = ([handlers]: ReturnType<typeof router.match>) =>
        handlers.map(([handler, params]) => [handler, { ...params }]);
      expect([method, path, plain(router.match(method, path))]).toEqual([
        method,
        path,
        plain(reference.match(method, path)),
      ]);
    }
});
