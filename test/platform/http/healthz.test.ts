import { expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { changedTables, stored } from "../../support/stored.ts";

test("anyone may ask whether Muster is well, and nothing is stored", async () => {
  const app = new TestApp();
  const before = stored(app);
  const reply = await app.client().get("/healthz");
  expect([reply.status, reply.json.status]).toEqual([200, "ok"]);
  expect(reply.headers.get("Cache-Control")).toBe("no-store");
  expect(changedTables(app, before)).toEqual([]);
});

test("a database that cannot be written is answered 503", async () => {
  const app = new TestApp();
  app.db.$client.run("pragma query_only = on");
  app.db.$client.close();
  const reply = await app.client().get("/healthz");
  expect([reply.status, reply.json.code, reply.headers.get("Retry-After")]).toEqual([503, "busy", "5"]);
});

test("the answer is good for a second, so that asking often costs nothing", async () => {
  const app = new TestApp();
  const client = app.client();
  expect((await client.get("/healthz")).status).toBe(200);
  app.db.$client.close();
  expect((await client.get("/healthz")).status).toBe(200);
  app.clock.step(1);
  expect((await client.get("/healthz")).status).toBe(503);
});

test("another method is answered 405 with Allow", async () => {
  const reply = await new TestApp().client().post("/healthz");
  expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET"]);
});
