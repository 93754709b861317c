import { describe, expect, test } from "bun:test";
import { asciiJson } from "../../../src/platform/http/reply.ts";
import { TestApp } from "../../support/app.ts";
import { admin, app, appOfEachTest } from "../../support/each-test.ts";

appOfEachTest();

const LISTS = [
  "/status/hosts/list",
  "/reports/events/list",
  "/admin/hosts/list",
  "/admin/users/list",
  "/admin/groups/list",
  "/status/hosts/summary",
];

test("JSON is ASCII only, and reads back as it was", () => {
  const value = { text: 'Blåbær "日本" \u{1F600} \u007f\u2028 \\ / ', ключ: [1, null, true, "\ud83d"] };
  const json = asciiJson(value);
  expect(json).toMatch(/^[\x20-\x7e]*$/);
  expect(JSON.parse(json)).toEqual(value);
});

test("names beyond ASCII are escaped in replies", async () => {
  await app.report({ hostname: "blåbær-日本" });
  const reply = await (await app.user()).get("/api/1/status/hosts/list");
  expect(reply.text).toContain("bl\\u00e5b\\u00e6r-\\u65e5\\u672c");
  expect(reply.json.records[0].hostname).toBe("blåbær-日本");
});

describe("a list", () => {
  for (const path of LISTS)
    test(`${path} carries a tag, and is answered 304 to a client that holds it`, async () => {
      await app.report({ services: [{ name: "web" }] });
      const first = await admin.get(`/api/1${path}`);
      const tag = first.headers.get("ETag") ?? "";
      expect(tag).toMatch(/^(W\/)?"[^"]+"$/);
      expect(first.headers.get("Cache-Control")).toBe("no-store");
      const again = await admin.get(`/api/1${path}`, {}, { "If-None-Match": tag });
      expect([again.status, again.text, again.headers.get("ETag")]).toEqual([304, "", tag]);
      expect(again.headers.get("Cache-Control")).toBe("no-store");
      await app.report({ id: "another", event: { service: "x" } });
      const other = await admin.get(`/api/1${path}`, {}, { "If-None-Match": tag });
      expect([path, other.status]).toEqual([path, path === "/admin/users/list" ? 304 : 200]);
    });

  test("is not answered 304 to a user who is no longer signed in", async () => {
    const tag = (await admin.get("/api/1/admin/hosts/list")).headers.get("ETag") ?? "";
    const stranger = await app.client().get("/api/1/admin/hosts/list", {}, { "If-None-Match": tag });
    expect(stranger.status).toBe(401);
  });
});

describe("an error is never answered 304", () => {
  const CASES: readonly [path: string, signedIn: boolean, status: number][] = [
    ["/admin/hosts/get?id=99", true, 404],
    ["/status/hosts/get?id=99", true, 404],
    ["/status/hosts/get", true, 400],
    ["/status/hosts/list", false, 401],
  ];
  for (const [path, signedIn, status] of CASES)
    test(`${status} of ${path}`, async () => {
      const client = signedIn ? await app.admin() : app.client();
      const first = await client.get(`/api/1${path}`);
      expect(first.status).toBe(status);
      for (const held of [first.headers.get("ETag") ?? '"x"', "*"])
        expect((await client.get(`/api/1${path}`, {}, { "If-None-Match": held })).status).toBe(status);
    });
});

describe("of several faults the first in order is told", () => {
  const update = "/api/1/admin/hosts/update";
  const text = { "Content-Type": "text/plain" };

  test("401 before 403, 415 and 400", async () => {
    const client = new TestApp().client();
    expect((await client.post(update, {}, text)).status).toBe(401);
    expect((await client.raw(update, { method: "POST", body: "x", headers: text })).status).toBe(401);
  });

  test("403 of the role before 403 of the token", async () => {
    const user = await new TestApp().user();
    expect((await user.post(update, {}, { CSRFToken: "wrong" })).json.code).toBe("role.level");
  });

  test("403 of the token before 413, 415 and 400", async () => {
    const wrong = { CSRFToken: "wrong" };
    const post = async (body: string, headers: Record<string, string>) => {
      const reply = await admin.raw(update, { method: "POST", body, headers });
      return ((await reply.json()) as { code: string }).code;
    };
    expect(await post("x", { ...text, ...wrong })).toBe("csrf.token");
    expect(await post("x=".padEnd(2_000_000, "y"), wrong)).toBe("csrf.token");
    expect((await admin.post(update, {}, wrong)).json.code).toBe("csrf.token");
  });

  test("415 before 400", async () => {
    const headers = { ...text, CSRFToken: admin.csrfToken };
    expect((await admin.raw(update, { method: "POST", body: "x", headers })).status).toBe(415);
  });

  test("400 before 404", async () => {
    const admin = await new TestApp().admin();
    expect((await admin.post(update, { id: 99, hostname: "" })).status).toBe(400);
    expect(
      (await admin.post(update, { id: 99, hostname: "x", agentuser: "", agentpassword: "" })).status,
    ).toBe(404);
  });

  test("a login from another site is refused before its arguments are looked at", async () => {
    const client = new TestApp().client();
    expect((await client.post("/api/1/login", {}, { Origin: "http://evil.test" })).status).toBe(403);
  });
});

test("an undeclared error is logged with its cause and answered with a plain 500", async () => {
  app.db.$client.run("alter table names rename to elsewhere");
  const reply = await admin.get("/api/1/reports/events/list");
  expect([reply.status, reply.json.code]).toEqual([500, "internal"]);
  expect(reply.text).not.toMatch(/names|SQL|table/i);
  expect(app.logged.filter((line) => line.startsWith("error request failed"))).toHaveLength(1);
  expect(app.logged.at(-1)).toContain("no such table");
});
