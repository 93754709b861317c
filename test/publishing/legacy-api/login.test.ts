/** Signing in, as programs that know nothing of /api/1 do it. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createApp } from "../../../src/app.ts";
import { staticFiles } from "../../../src/platform/http/static.ts";
import { localAddress } from "../../../src/publishing/legacy-api/legacy-login.routes.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { TestClient } from "../../support/client.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { LegacyClient } from "./older-client.ts";

freshAppOfEachTest();

const INVALID = "Invalid username and/or password";
const LIST = "/status/hosts/list";
const sessions = (app: TestApp) => app.rows<{ csrf_protection: number }>("select * from sessions");

function expectLoginPage(reply: { status: number; headers: Headers; text: string }): void {
  expect([reply.status, reply.headers.get("Content-Type")]).toEqual([200, "text/html"]);
  expect(reply.text).toContain("z_security_check");
  expect(reply.text).not.toContain(INVALID);
  expect(() => JSON.parse(reply.text)).toThrow();
  expect(reply.headers.get("WWW-Authenticate")).toBeNull();
  expect(reply.headers.get("Cache-Control")).toBe("no-store");
}

describe("a client that keeps the first cookie", () => {
  for (const echoesLine of [false, true])
    for (const followsRedirects of [false, true])
      test(`signs in, ${echoesLine ? "echoes the line" : "sends name and value"}, ${followsRedirects ? "follows" : "does not follow"} the redirect`, async () => {
        await app.report({ hostname: "web1" });
        const client = new LegacyClient(app, { echoesLine, followsRedirects });
        const first = await client.get("/index.csp");
        expectLoginPage(first);
        expect(first.headers.getSetCookie()).toHaveLength(1);
        expect(client.cookie.includes("; Path=/; HttpOnly")).toBe(echoesLine);
        expect(sessions(app)).toEqual([]);
        const login = await client.login("user", USER_PASSWORD);
        expect(login.headers.getSetCookie()).toEqual([]);
        expect(client.seen).toEqual(followsRedirects ? [200, 302, 200] : [200, 302]);
        if (!followsRedirects) expect(login.headers.get("Location")).toBe("/index.csp");
        if (followsRedirects) expect(login.text).toContain("Signed in as A User");
        const reply = await client.get(LIST);
        expect(reply.json.records[0].hostname).toBe("web1");
        expect(reply.headers.getSetCookie()).toEqual([]);
        expect(sessions(app)).toHaveLength(1);
      });

  test("gets it from the start page, or from the first call that lacks a session", async () => {
    for (const path of ["/", LIST, "/api/2/status/hosts/list"]) {
      const app = new TestApp();
      const client = new LegacyClient(app);
      await client.get(path);
      expect(client.cookie).toMatch(/^zsessionid=[0-9a-f.]+$/);
      await client.login("user", USER_PASSWORD);
      expect((await client.get(LIST)).json.totalRecords).toBe(0);
    }
  });

  test("signs in again under the same id after the session expired", async () => {
    const client = new LegacyClient(app);
    await client.get("/index.csp");
    await client.login("user", USER_PASSWORD);
    const { cookie } = client;
    expect((await client.post(LIST)).status).toBe(200);
    app.clock.step(31 * 60);
    const expired = await client.post(LIST);
    expectLoginPage(expired);
    expect(expired.headers.getSetCookie()).toEqual([]);
    expect((await client.login("user", USER_PASSWORD)).status).toBe(302);
    expect((await client.post(LIST)).json.totalRecords).toBe(0);
    expect(client.cookie).toBe(cookie);
    expect(sessions(app)).toHaveLength(1);
  });

  test("signs in again under the same id after it signed out", async () => {
    const client = new LegacyClient(app, { followsRedirects: true });
    await client.get("/index.csp");
    for (const out of [() => client.get("/login/logout.csp"), () => client.post("/login/logout.csp")]) {
      await client.login("user", USER_PASSWORD);
      expect((await client.get(LIST)).json).toBeDefined();
      const signedOut = await out();
      expectLoginPage(signedOut);
      expect(sessions(app)).toEqual([]);
      expectLoginPage(await client.get(LIST));
    }
    await client.login("user", USER_PASSWORD);
    expect((await client.get(LIST)).json).toBeDefined();
  });

  test("signs in as another user under the same id, and nothing of the first is left", async () => {
    const client = new LegacyClient(app);
    await client.get("/index.csp");
    await client.login("admin", ADMIN_PASSWORD);
    await client.post("/session/put", { key: "value" });
    await client.login("user", USER_PASSWORD);
    expect(Object.keys((await client.get("/session/get")).json)).toEqual(["CSRFToken"]);
    expect((await client.get("/admin/hosts/list")).json.code).toBe("role.level");
  });
});

describe("a login", () => {
  test("takes its arguments in the query, by GET and by POST", async () => {
    for (const method of ["get", "post"] as const) {
      const app = new TestApp();
      const client = new LegacyClient(app);
      await client.get("/index.csp");
      const query = new URLSearchParams({ z_username: "user", z_password: USER_PASSWORD });
      expect((await client[method](`/z_security_check?${query}`)).status).toBe(302);
      expect((await client.get(LIST)).json).toBeDefined();
      expect(app.logged.join("\n")).not.toContain("secret");
      expect(sessions(app).map((row) => row.csrf_protection)).toEqual([1]);
    }
  });

  test("without a cookie gives one with the redirect", async () => {
    const client = new LegacyClient(new TestApp());
    expect((await client.login("user", USER_PASSWORD)).status).toBe(302);
    expect((await client.get(LIST)).json).toBeDefined();
  });

  test("under an id that Muster never gave gets another one", async () => {
    for (const id of ["mine", "0".repeat(32), `${"0".repeat(32)}.${"0".repeat(32)}`]) {
      const client = new LegacyClient(app);
      client.cookie = `zsessionid=${id}`;
      const reply = await client.login("user", USER_PASSWORD);
      const [line = ""] = reply.headers.getSetCookie();
      expect(line).toStartWith("zsessionid=");
      expect(line).not.toContain(id);
      expectLoginPage(await client.get(LIST));
    }
  });

  const BROWSERS: Record<string, string>[] = [
    { "Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "same-origin" },
    // Over plain http, to any name but localhost.
    { Origin: "http://muster.test" },
    { "Upgrade-Insecure-Requests": "1" },
    { "Accept-Language": "en" },
    { "User-Agent": "Mozilla/5.0 (X11; Linux x86_64)" },
  ];
  for (const headers of BROWSERS)
    test(`of a browser gets a new id, and none by GET: ${JSON.stringify(headers)}`, async () => {
      const planted = new LegacyClient(app);
      await planted.get("/index.csp");
      const victim = new LegacyClient(app, { headers });
      victim.cookie = planted.cookie;
      const query = new URLSearchParams({ z_username: "user", z_password: USER_PASSWORD });
      const byGet = await victim.get(`/z_security_check?${query}`);
      expect([byGet.status, byGet.headers.getSetCookie()]).toEqual([403, []]);
      expect(byGet.text).toContain("A browser cannot sign in by GET: send the form by POST");
      expect(sessions(app)).toEqual([]);
      const reply = await victim.login("user", USER_PASSWORD);
      expect(reply.status).toBe(302);
      expect(reply.headers.getSetCookie()).toHaveLength(1);
      expectLoginPage(await planted.get(LIST));
    });

  test("that fails is answered 401 with a page, never a redirect, and changes no session", async () => {
    const client = new LegacyClient(app, { followsRedirects: true });
    await client.get("/index.csp");
    await client.login("user", USER_PASSWORD);
    const before = stored(app);
    for (const fields of [{ z_username: "user", z_password: "wrong" }, { z_username: "user" }, {}]) {
      const reply = await client.post("/z_security_check", fields);
      expect([reply.status, reply.headers.get("Content-Type")]).toEqual([401, "text/html"]);
      expect(reply.text).toContain(INVALID);
      expect(reply.headers.get("WWW-Authenticate")).toBe("Session");
    }
    expect(changedTables(app, before)).toEqual(["login_failures"]);
    expect((await client.get(LIST)).json).toBeDefined();
  });

  test("is throttled after five failures, with the time to wait", async () => {
    const client = new LegacyClient(app);
    for (let i = 0; i < 5; i++) expect((await client.login("user", "wrong")).status).toBe(401);
    const reply = await client.login("user", USER_PASSWORD);
    expect([reply.status, reply.headers.get("Content-Type")]).toEqual([429, "text/html"]);
    expect(Number(reply.headers.get("Retry-After"))).toBeGreaterThan(800);
    expect(sessions(app)).toEqual([]);
  });

  const FOREIGN: Record<string, string>[] = [
    { Origin: "http://evil.test" },
    { Origin: "null" },
    { Referer: "http://evil.test/index.csp" },
    { "Sec-Fetch-Site": "cross-site" },
    { "Sec-Fetch-Site": "cross-site", Referer: "index.csp" },
  ];
  for (const headers of FOREIGN)
    test(`from another site is refused, as is signing out: ${JSON.stringify(headers)}`, async () => {
      const secondClient = new LegacyClient(app);
      await secondClient.get("/index.csp");
      await secondClient.login("user", USER_PASSWORD);
      const foreign = new LegacyClient(app, { headers });
      foreign.cookie = secondClient.cookie;
      const before = stored(app);
      const query = new URLSearchParams({ z_username: "admin", z_password: ADMIN_PASSWORD });
      const replies = [
        await foreign.login("admin", ADMIN_PASSWORD),
        await foreign.get(`/z_security_check?${query}`),
        await foreign.get("/login/logout.csp"),
      ];
      for (const reply of replies) expect([reply.status, reply.json.code]).toEqual([403, "csrf.origin"]);
      expect(changedTables(app, before)).toEqual([]);
    });

  for (const referer of ["muster.test/index.csp", "/index.csp", "http://muster.test/index.csp"])
    test(`from "${referer}" is none: programs name a page, some without its scheme`, async () => {
      const client = new LegacyClient(new TestApp(), { headers: { Referer: referer } });
      await client.get("/index.csp");
      expect((await client.login("user", USER_PASSWORD)).status).toBe(302);
      expect((await client.get(LIST)).json).toBeDefined();
    });

  test("by another method is answered 405", async () => {
    for (const path of ["/index.csp", "/z_security_check", "/login/logout.csp"]) {
      const reply = await new TestApp().client().raw(path, { method: "PUT" });
      expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET, POST"]);
    }
  });
});

describe("after the login", () => {
  test("a browser goes where it wanted to, by the form of the login page", async () => {
    const client = new LegacyClient(new TestApp(), { followsRedirects: true });
    const page = await client.get("/status/hosts/list?led=2&hostpattern=%22%3E");
    expectLoginPage(page);
    expect(page.text).toContain('action="/z_security_check"');
    const value = /name="z_requested" value="([^"]*)"/.exec(page.text)?.[1] ?? "";
    const requested = value.replace(/&#(\d+);/g, (_all, code) => String.fromCodePoint(Number(code)));
    expect(requested).toBe("/status/hosts/list?led=2&hostpattern=%22%3E");
    const reply = await client.login("user", USER_PASSWORD, { z_requested: requested });
    expect(reply.json.records).toEqual([]);
  });

  test("the form of /index.csp has the relative address that some clients look for", async () => {
    expect((await new TestApp().client().get("/index.csp")).text).toContain('action="z_security_check"');
  });

  const ADDRESSES: readonly [requested: string, to: string][] = [
    ["/status/hosts/list?id=1", "/status/hosts/list?id=1"],
    ["/hosts/3#events", "/hosts/3"],
    ["/status/hosts/list?led=2&z_username=a&z_password=b&z_totp=1", "/status/hosts/list?led=2"],
    ["/status/hosts/list?Password=b&z_password=c&z_password=d", "/status/hosts/list"],
    ["/status/hosts/list?hostpattern=%22%20x+y", "/status/hosts/list?hostpattern=%22%20x+y"],
    ["", "/index.csp"],
    ["status", "/index.csp"],
    ["http://evil.test/", "/index.csp"],
    ["//evil.test/", "/index.csp"],
    ["/\\evil.test/", "/index.csp"],
    ["\\\\evil.test/", "/index.csp"],
    ["/\t/evil.test/", "/index.csp"],
    ["/\n/evil.test", "/index.csp"],
    ["/.//evil.test/", "/index.csp"],
    ["/x/..//evil.test/", "/index.csp"],
    ["javascript:alert(1)", "/index.csp"],
    ["/z_security_check?z_username=a", "/index.csp"],
    ["/login/logout.csp", "/index.csp"],
  ];
  for (const [requested, to] of ADDRESSES)
    test(`${JSON.stringify(requested)} leads to ${to}`, () => {
      expect(localAddress(requested)).toBe(to);
    });
});

describe("the start page", () => {
  const folder = mkdtempSync(join(tmpdir(), "muster-"));
  writeFileSync(join(folder, "index.html"), "<!doctype html><title>the UI</title>");
  const web = staticFiles(folder);
  afterAll(() => rmSync(folder, { recursive: true }));

  function browser(): TestClient {
    const app = createApp({ ...new TestApp().muster, web });
    return new TestClient((request) => app.request(request));
  }

  test("is the UI's, and gives an id to a client that has none", async () => {
    const client = browser();
    const first = await client.get("/");
    expect([first.status, first.text]).toEqual([200, "<!doctype html><title>the UI</title>"]);
    expect(first.headers.getSetCookie()).toHaveLength(1);
    expect(first.headers.getSetCookie()[0]).toMatch(/^zsessionid=[^;]+; Path=\/; HttpOnly; SameSite=Strict$/);
    expect(first.headers.get("Cache-Control")).toBe("private, no-cache");
    const second = await client.get("/");
    expect([second.text, second.headers.getSetCookie()]).toEqual([first.text, []]);
  });

  test("leaves a cookie that it does not know alone", async () => {
    const client = browser();
    client.cookie = "zsessionid=of-another-server";
    expect((await client.get("/")).headers.getSetCookie()).toEqual([]);
  });

  test("gives none to a browser that comes from another site, which holds its own back", async () => {
    for (const headers of [{ "Sec-Fetch-Site": "cross-site" }, { Referer: "https://wiki.test/" }] as Record<
      string,
      string
    >[])
      expect((await browser().get("/", {}, headers)).headers.getSetCookie()).toEqual([]);
  });
});
