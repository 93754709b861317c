import { expect, test } from "bun:test";
import { ReplyCache } from "../../../web/api/reply-cache.ts";

test("the reply cache forgets the reply that was set longest ago", () => {
  const cache = new ReplyCache();
  for (let i = 0; i < 41; i++) cache.set(`/${i}`, { data: i, etag: null });
  expect(cache.get("/0")).toBeUndefined();
  expect(cache.get("/1")?.data).toBe(1);
  cache.set("/1", { data: "again", etag: null });
  cache.set("/41", { data: 41, etag: null });
  expect(cache.get("/1")?.data).toBe("again");
  expect(cache.get("/2")).toBeUndefined();
});

test("a reply that was read ahead counts as read for a minute; one that a page read does not", () => {
  const cache = new ReplyCache();
  cache.set("/new", { data: 1, etag: null, aheadAt: Date.now() });
  cache.set("/old", { data: 2, etag: null, aheadAt: Date.now() - 61_000 });
  cache.set("/page", { data: 3, etag: null });
  expect(cache.readAhead("/new")?.data).toBe(1);
  expect(cache.readAhead("/old")).toBeUndefined();
  expect(cache.readAhead("/page")).toBeUndefined();
});
