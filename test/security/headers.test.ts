/** What every reply tells a browser, whatever kind of reply it is. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createApp } from "../../src/app.ts";
import { staticFiles } from "../../src/platform/http/static.ts";
import { localAddress } from "../../src/publishing/legacy-api/legacy-login.routes.ts";
import { temporaryFolder } from "../e2e/support.ts";
import { ADMIN_PASSWORD, TestApp, type TestOptions } from "../support/app.ts";

const folder = temporaryFolder();
afterAll(folder.remove);
mkdirSync(join(folder.path, "web"));
writeFileSync(join(folder.path, "web/index.html"), "<!doctype html><title>Muster</title>");
writeFileSync(join(folder.path, "web/app-0123456789ab.js"), "void 0;");

type Ask = (path: string, init?: RequestInit & { headers?: Record<string, string> }) => Promise<Response>;

/** The app with a web UI, and a way to ask it that keeps the login of an administrator. */
async function site(options: TestOptions = {}): Promise<{ app: TestApp; ask: Ask; stranger: Ask }> {
  const app = new TestApp(options);
  const served = createApp({ ...app.muster, web: staticFiles(join(folder.path, "web")) });
  const admin = await app.admin();
  const ask =
    (requestHeaders: Record<string, string>): Ask =>
    async (path, init = {}) => {
      const headers = { Host: "muster.test", ...requestHeaders, ...init.headers };
      return served.request(new Request(`http://muster.test${path}`, { ...init, headers }));
    };
  const cookie = { Cookie: admin.cookie, CSRFToken: admin.csrfToken };
  return { app, ask: ask(cookie), stranger: ask({}) };
}

const FORM = { "Content-Type": "application/x-www-form-urlencoded" };

/** One of each kind of reply. */
async function everyKind({
  app,
  ask,
  stranger,
}: Awaited<ReturnType<typeof site>>): Promise<Record<string, Response>> {
  const image = app.muster.users.setPicture("admin", Buffer.from("89504e470d0a1a0a00", "hex"));
  const list = await ask("/api/1/admin/hosts/list");
  const script = await ask("/app-0123456789ab.js");
  const held = (response: Response) => ({ headers: { "If-None-Match": response.headers.get("ETag") ?? "" } });
  const replies: Record<string, Response> = {
    "a list": list,
    "a list that did not change": await ask("/api/1/admin/hosts/list", held(list)),
    "a table as CSV": await ask("/api/1/reports/uptime/list?format=csv"),
    "a missing login": await stranger("/api/1/admin/hosts/list"),
    "a missing argument": await ask("/api/1/admin/hosts/get"),
    "another method": await ask("/api/1/admin/hosts/list", { method: "DELETE" }),
    "no such path": await ask("/api/1/nothing"),
    "a login": await stranger("/api/1/login", {
      method: "POST",
      headers: FORM,
      body: `z_username=admin&z_password=${encodeURIComponent(ADMIN_PASSWORD)}`,
    }),
    "a form that is none": await ask("/api/1/admin/groups/create", { method: "POST", body: "{}" }),
    "the reference": await stranger("/api"),
    "the older login page": await stranger("/status/hosts/list"),
    "the older login": await stranger("/z_security_check", {
      method: "POST",
      headers: FORM,
      body: `z_username=admin&z_password=${encodeURIComponent(ADMIN_PASSWORD)}`,
    }),
    "the older start page": await stranger("/index.csp"),
    "the UI": await stranger("/"),
    "a page of the UI": await stranger("/hosts/1"),
    "a script": script,
    "a script that did not change": await ask("/app-0123456789ab.js", held(script)),
    "a missing file": await stranger("/missing.js"),
    "a picture": await ask(`/uploads/${image}`),
    "a picture for nobody": await stranger(`/uploads/${image}`),
    health: await stranger("/healthz"),
    "an agent's refused message": await stranger("/collector", { method: "POST", body: "x" }),
    "an agent's message": await stranger("/collector", {
      method: "POST",
      body: "x",
      headers: { Authorization: `Basic ${btoa("monit:collector secret")}` },
    }),
  };
  app.db.$client.run("alter table names rename to elsewhere");
  replies["an error nobody declared"] = await ask("/api/1/reports/events/list");
  return replies;
}

const kinds = await everyKind(await site());
const overTls = await everyKind(await site({ baseUrl: "https://muster.test" }));

function policyOf(response: Response): Map<string, string> {
  const policy = response.headers.get("Content-Security-Policy") ?? "";
  return new Map(policy.split(";").map((part) => part.trim().split(/ (.*)/) as [string, string]));
}

test("they are of every kind", () => {
  const statuses = new Set(Object.values(kinds).map(({ status }) => status));
  for (const status of [200, 302, 304, 400, 401, 404, 405, 415, 500]) expect(statuses).toContain(status);
});

describe("every reply", () => {
  for (const [kind, response] of [...Object.entries(kinds), ...Object.entries(overTls)])
    test(`${kind} (${response.status}) allows no foreign and no inline code, no frame, no guessing of its type`, () => {
      const policy = policyOf(response);
      expect(["'self'", "'none'"]).toContain(policy.get("default-src") ?? "missing");
      expect(response.headers.get("Content-Security-Policy")).not.toMatch(/unsafe|\*|https?:/);
      // A frame of it, or one in it, is of no use; a picture is nothing that could be framed to any end.
      if (kind !== "a picture") {
        expect(policy.get("frame-ancestors")).toBe("'none'");
        expect(policy.get("base-uri")).toBe("'none'");
        expect(policy.get("object-src")).toBe("'none'");
        expect(policy.get("form-action")).toBe("'self'");
      } else expect(policy.has("sandbox")).toBe(true);
      expect(response.headers.get("X-Content-Type-Options")).toBe("nosniff");
      expect(response.headers.get("X-Frame-Options")).toBe("DENY");
      expect(response.headers.get("Referrer-Policy")).toBe("same-origin");
      expect(response.headers.get("Cross-Origin-Opener-Policy")).toBe("same-origin");
      expect(response.headers.get("Cross-Origin-Resource-Policy")).toBe("same-origin");
      expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
      expect(response.headers.get("X-Powered-By")).toBeNull();
    });

  for (const [kind, response] of Object.entries(kinds))
    test(`${kind} insists on https only where it is spoken`, () => {
      expect(response.headers.get("Strict-Transport-Security")).toBeNull();
      const secure = overTls[kind];
      expect(secure?.headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
    });

  test("the collector alone names its software", () => {
    for (const [kind, response] of Object.entries(kinds))
      expect([kind, response.headers.has("Server")]).toEqual([kind, kind.startsWith("an agent's")]);
  });
});

test("no shared cache keeps what belongs to a user", () => {
  for (const [kind, response] of Object.entries(kinds)) {
    if (/script|UI|picture$|missing file|reference|agent's message$/.test(kind)) continue;
    expect([kind, response.headers.get("Cache-Control") ?? ""]).toEqual([
      kind,
      expect.stringMatching(/no-store/),
    ]);
  }
});

describe("the session's cookie", () => {
  const cookiesOf = (responses: Record<string, Response>) =>
    Object.values(responses).flatMap((response) => response.headers.getSetCookie());

  test("is for this site's own requests only, and for no script", () => {
    expect(cookiesOf(kinds).length).toBeGreaterThan(2);
    for (const cookie of [...cookiesOf(kinds), ...cookiesOf(overTls)]) {
      expect(cookie).toMatch(/^zsessionid=[0-9a-f.]+;/);
      expect(cookie).toContain("; HttpOnly");
      expect(cookie).toContain("; SameSite=Strict");
      expect(cookie).toContain("; Path=/");
      expect(cookie).not.toContain("Domain");
    }
  });

  test("travels over https only where there is https", () => {
    for (const cookie of cookiesOf(kinds)) expect(cookie).not.toContain("Secure");
    for (const cookie of cookiesOf(overTls)) expect(cookie).toContain("; Secure");
  });
});

describe("https that a proxy speaks", () => {
  const proxy = { address: "192.0.2.10", bits: 32, family: "ipv4" as const };
  const header = { "X-Forwarded-Proto": "https" };

  test("counts when the proxy is trusted", async () => {
    const reply = await new TestApp({ trustedProxy: [proxy] }).client().get("/healthz", {}, header);
    expect(reply.headers.get("Strict-Transport-Security")).toBe("max-age=31536000");
  });

  test("is anybody's word otherwise", async () => {
    const reply = await new TestApp().client().get("/healthz", {}, header);
    expect(reply.headers.get("Strict-Transport-Security")).toBeNull();
  });
});

describe("after a login nobody is sent elsewhere", () => {
  const ELSEWHERE = [
    "https://evil.test/",
    "//evil.test",
    "///evil.test",
    "/\\evil.test",
    "\\\\evil.test",
    "/\t/evil.test",
    "/\n/evil.test",
    "javascript:alert(1)",
    "data:text/html,x",
    "evil.test",
    "http:evil.test",
    "/.//evil.test",
    "/..//evil.test",
    "/%2e//evil.test",
    "@evil.test",
    "/\r\nLocation: https://evil.test",
  ];
  for (const address of ELSEWHERE)
    test(JSON.stringify(address), () => {
      const target = localAddress(address);
      const url = new URL(target, "https://muster.test/index.csp");
      expect([url.origin, url.pathname.startsWith("//")]).toEqual(["https://muster.test", false]);
      expect(target).toStartWith("/");
      expect(target).not.toMatch(/[\r\n\t]/);
    });

  test("but to where he was", () => {
    expect(localAddress("/status/hosts/list?led=0")).toBe("/status/hosts/list?led=0");
  });
});
