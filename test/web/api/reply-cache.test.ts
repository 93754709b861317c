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
