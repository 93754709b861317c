/** Requests whose sender holds back the end of the body until they have lost what they were allowed. */
import { describe, expect, test } from "bun:test";
import { METHODS } from "../../src/platform/http/operation.ts";
import { TestApp } from "../support/app.ts";
import type { TestClient } from "../support/client.ts";
import { takesJson } from "../support/json-operations.ts";
import { changedTables, stored } from "../support/stored.ts";

const app = new TestApp();
const posted = app.operations.filter(
  ({ access, kind }) => access !== "public" && (METHODS[kind] as readonly string[]).includes("POST"),
);

/** Begins a request. @returns what sends the rest of its body, for the reply */
function begin(client: TestClient, path: string, body = ""): () => Promise<Response> {
  const { promise: isReleased, resolve: release } = Promise.withResolvers<void>();
  const whole = new ReadableStream({
    async pull(controller) {
      await isReleased;
      controller.enqueue(new TextEncoder().encode(body));
      controller.close();
    },
  });
  const type = takesJson(path) ? "application/json" : "application/x-www-form-urlencoded";
  const headers = { "Content-Type": type, CSRFToken: client.csrfToken };
  const reply = client.raw(path, { method: "POST", body: whole, headers });
  return () => {
    release();
    return reply;
  };
}

describe("a session that ends meanwhile", () => {
  for (const { path } of posted)
    test(`is refused ${path}`, async () => {
      const client = await app.admin();
      const end = begin(client, `/api/1${path}`, takesJson(`/api/1${path}`) ? "{}" : "id=1");
      // Until the request waits for its body.
      await new Promise((resolve) => setImmediate(resolve));
      await client.post("/api/1/session/invalidate");
      const before = stored(app);
      const reply = await end();
      expect([reply.status, (await reply.json()).code]).toEqual([401, "session.required"]);
      expect(changedTables(app, before)).toEqual([]);
    });
});

test("an administrator who is deleted meanwhile adds no other", async () => {
  const admin = await app.admin();
  await admin.post("/api/1/admin/users/create", {
    uname: "eve",
    password: "eve's secret",
    fullname: "Eve",
    admin: true,
  });
  const eve = await app.signedIn("eve", "eve's secret");
  const end = begin(
    eve,
    "/api/1/admin/users/create",
    "uname=mallory&password=mallory+secret&fullname=M&admin=true",
  );
  await new Promise((resolve) => setImmediate(resolve));
  await admin.post("/api/1/admin/users/delete", { uname: "eve" });
  expect((await end()).status).toBe(401);
  expect(app.rows("select id from users where uname = 'mallory'")).toEqual([]);
});

test("a manager who loses a host meanwhile does not change it", async () => {
  const admin = await app.admin();
  await app.report({ hostname: "host-1", hostGroups: ["rack"] });
  await admin.post("/api/1/admin/grants/set", { uname: "user", manage: 1 });
  const end = begin(await app.user(), "/api/1/admin/hosts/update", "id=1&description=mine");
  await new Promise((resolve) => setImmediate(resolve));
  await admin.post("/api/1/admin/grants/set", { uname: "user" });
  expect((await end()).status).toBe(403);
  expect(app.rows("select description from hosts")).toEqual([{ description: "" }]);
});
