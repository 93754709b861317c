/** Signing in with a real OpenID provider, over real HTTP. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { OidcOptions } from "../../../src/accounts/openid/oidc-options.ts";
import { freePort } from "../../e2e/support.ts";
import { TestApp } from "../../support/app.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { goesOnTo, ORIGIN, type Page, TestBrowser } from "./browser.ts";
import { CLIENT_ID, CLIENT_SECRET, TestProvider } from "./provider.ts";

const REDIRECT = `${ORIGIN}/login/oidc/callback`;

let provider: TestProvider;
beforeAll(() => {
  provider = new TestProvider({ redirectUri: REDIRECT });
});
afterAll(() => provider[Symbol.dispose]());

function appWith(options: Partial<OidcOptions> = {}): TestApp {
  return new TestApp({
    baseUrl: ORIGIN,
    oidc: {
      issuer: new URL(provider.issuer),
      clientId: CLIENT_ID,
      clientSecret: CLIENT_SECRET,
      groupsClaim: "groups",
      adminGroup: null,
      allowedGroup: null,
      name: "Example",
      baseUrl: new URL(ORIGIN),
      ...options,
    },
  });
}

let app: TestApp;
let browser: TestBrowser;
const ADA = {
  preferred_username: "ada",
  name: "Ada Lovelace",
  email: "ada@example.org",
  groups: ["staff", "admins"],
};
beforeEach(() => {
  provider.who = "sub-ada";
  provider.people["sub-ada"] = { ...ADA };
  app = appWith();
  browser = new TestBrowser(app);
});

const users = () =>
  app.rows<Record<string, unknown>>(
    "select uname, fullname, email, admin, origin, subject, password_md5 from users where id > 2 order by id",
  );
const ada = (more = {}) => ({
  uname: "ada",
  fullname: "Ada Lovelace",
  email: "ada@example.org",
  admin: 0,
  origin: "oidc",
  subject: `${provider.issuer}|sub-ada`,
  password_md5: "",
  ...more,
});

/** Nobody is signed in, and nothing is stored but the record of it. */
async function expectFailurePage(page: Page, status: number, says: string): Promise<void> {
  expect([page.status, page.headers.get("Content-Type")]).toEqual([status, "text/html"]);
  expect(page.text).toContain("You are not signed in.");
  expect(page.text).toContain(says);
  expect(page.headers.get("Cache-Control")).toBe("no-store");
  expect(goesOnTo(page)).toBeUndefined();
  expect(browser.cookie("zsessionid")).toBeUndefined();
  expect(await browser.user()).toBeNull();
  expect(app.rows("select * from sessions")).toEqual([]);
}

describe("a first sign-in", () => {
  test("makes an account without a password, and a session under a new id", async () => {
    const page = await browser.signIn("/hosts/3?range=7d&x=1");
    expect([page.status, goesOnTo(page)]).toEqual([200, "/hosts/3?range=7d&x=1"]);
    expect(page.headers.get("Location")).toBeNull();
    expect(users()).toEqual([ada()]);
    expect(await browser.user()).toMatchObject({ uname: "ada", fullname: "Ada Lovelace", admin: false });
    const set = page.headers.getSetCookie();
    expect(set.find((line) => line.startsWith("zsessionid="))).toMatch(
      /; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(browser.cookie("muster_oidc")).toBeUndefined();
    expect(await app.client().get("/api/1/login/methods")).toMatchObject({
      json: { password: true, oidc: { name: "Example" }, proxy: null, signedin: false },
    });
    expect(JSON.parse((await browser.open("/api/1/login/methods")).text).signedin).toBe(true);
  });

  test("is asked for with state, nonce and PKCE, which the browser carries sealed for ten minutes", async () => {
    const page = await browser.open("/login/oidc");
    const url = new URL(page.headers.get("Location") ?? "");
    expect(page.status).toBe(302);
    expect(url.origin).toBe(provider.issuer);
    const query = Object.fromEntries(url.searchParams);
    expect(query).toMatchObject({
      client_id: CLIENT_ID,
      response_type: "code",
      redirect_uri: REDIRECT,
      scope: "openid profile email groups",
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    });
    const [line = ""] = page.headers.getSetCookie();
    expect(line).toMatch(/^muster_oidc=v1\./);
    expect(line).toContain("; Max-Age=600; Path=/login/oidc; HttpOnly; Secure; SameSite=Lax");
    for (const name of ["state", "nonce"]) expect(line).not.toContain(url.searchParams.get(name) ?? "-");
  });

  test("is in the audit log, with who was made", async () => {
    await browser.signIn();
    const { records } = app.muster.audit.list({ results: 10, startindex: 0 });
    expect(records.map(({ operation, uname, via, details }) => [operation, uname, via, details])).toEqual([
      ["login", "ada", "login", { through: "oidc" }],
      ["login/created", "ada", "login", { origin: "oidc", admin: false }],
    ]);
  });

  test("never takes over an account that is there, nor a name that is almost the same", async () => {
    for (const [name, sub, expected] of [
      ["admin", "sub-1", "admin-2"],
      ["Admin", "sub-2", "Admin-3"],
      ["user", "sub-3", "user-2"],
      ["user", "sub-4", "user-3"],
    ] as const) {
      const before = app.rows("select * from users where id <= 2");
      provider.who = sub;
      provider.people[sub] = { preferred_username: name };
      const other = new TestBrowser(app);
      await other.signIn();
      expect(await other.user()).toMatchObject({ uname: expected, admin: false });
      expect(app.rows("select * from users where id <= 2")).toEqual(before);
    }
  });

  const NAMES: readonly [claims: Record<string, unknown>, uname: string][] = [
    [{ preferred_username: "a.b+c@example" }, "a.b+c@example"],
    [{ preferred_username: "../../etc/passwd" }, "etc-passwd"],
    [{ preferred_username: "<b>x</b>" }, "b-x-b"],
    [{ preferred_username: "Zoë Ångström" }, "Zoë-Ångström"],
    [{ preferred_username: "\u202e\u0000" }, "user-2"],
    [{ preferred_username: "x".repeat(300) }, "x".repeat(64)],
    [{ preferred_username: ["list"], email: "mail@example.org" }, "mail@example.org"],
    [{ name: "Only A Name" }, "Only-A-Name"],
    [{}, "user-2"],
  ];
  for (const [claims, uname] of NAMES)
    test(`names the account safely: ${JSON.stringify(claims).slice(0, 60)}`, async () => {
      provider.people["sub-ada"] = claims;
      await browser.signIn();
      expect((await browser.user())?.uname).toBe(uname);
    });
});

describe("a later sign-in", () => {
  test("is of the same account, whose name and e-mail follow the provider, but not its login name", async () => {
    await browser.signIn();
    provider.people["sub-ada"] = {
      preferred_username: "countess",
      name: "Ada King",
      email: "king@example.org",
    };
    await new TestBrowser(app).signIn();
    expect(users()).toEqual([ada({ fullname: "Ada King", email: "king@example.org" })]);
    const [updated] = app.muster.audit.list({
      operation: "login/updated",
      results: 1,
      startindex: 0,
    }).records;
    expect(updated?.details).toEqual({
      fullname: ["Ada Lovelace", "Ada King"],
      email: ["ada@example.org", "king@example.org"],
    });
  });

  test("keeps what the provider does not say any more, and a role that was given here", async () => {
    await browser.signIn();
    app.db.$client.run("update users set admin = 1 where uname = 'ada'");
    provider.people["sub-ada"] = {};
    await new TestBrowser(app).signIn();
    expect(users()).toEqual([ada({ admin: 1 })]);
  });

  test("of another subject with the same name is of another account", async () => {
    await browser.signIn();
    provider.who = "sub-other";
    provider.people["sub-other"] = { ...ADA };
    const other = new TestBrowser(app);
    await other.signIn();
    expect((await other.user())?.uname).toBe("ada-2");
  });

  test("gets another session id, and never the one the browser brought", async () => {
    await browser.signIn();
    const first = browser.cookie("zsessionid");
    await browser.signIn();
    expect(browser.cookie("zsessionid")).not.toBe(first);
    const planted = app.muster.sessions.newId();
    browser.setCookie("zsessionid", planted);
    await browser.signIn();
    expect(browser.cookie("zsessionid")).not.toBe(planted);
  });
});

describe("groups", () => {
  test("make administrators and take it from them, at each sign-in", async () => {
    app = appWith({ adminGroup: "admins" });
    const ledger: readonly [groups: unknown, admin: boolean, why: string][] = [
      [["staff"], false, "not in it"],
      [["staff", "admins"], true, "joined"],
      [["Admins", "admins2"], false, "names are exact"],
      ["admins", true, "one alone, not in a list"],
      [undefined, false, "the provider says nothing"],
      [["admins"], true, "joined again"],
      [{ admins: true }, false, "no list"],
      [[["admins"]], false, "a list in a list"],
    ];
    for (const [groups, admin, why] of ledger) {
      provider.people["sub-ada"] = { ...ADA, groups };
      browser = new TestBrowser(app);
      await browser.signIn();
      expect([why, (await browser.user())?.admin]).toEqual([why, admin]);
    }
    // A user who is an administrator by password stays one.
    expect(app.rows("select admin from users where id = 1")).toEqual([{ admin: 1 }]);
  });

  test("give levels in host groups, at each sign-in", async () => {
    app = appWith({ adminGroup: "admins" });
    await app.report({ hostGroups: ["rack"], services: [] });
    app.settings.set("externallevels", "staff=rack:operate,boss=rack:manage");
    const ledger: readonly [groups: unknown, level: string | undefined][] = [
      [["staff"], "operate"],
      [["staff", "boss"], "manage"],
      ["staff", "operate"],
      [[7, { staff: true }], undefined],
    ];
    for (const [groups, level] of ledger) {
      provider.people["sub-ada"] = { ...ADA, groups };
      browser = new TestBrowser(app);
      await browser.signIn();
      const rows = app.rows<{ level: string }>("select level from grants");
      expect([groups, rows.map((row) => row.level)]).toEqual([groups, level ? [level] : []]);
    }
    expect(app.rows("select restricted from users where subject is not null")).toEqual([{ restricted: 1 }]);
  });

  test("are asked for with the scope that the provider has for them", async () => {
    browser = new TestBrowser(appWith({ allowedGroup: "staff" }));
    const url = new URL((await browser.open("/login/oidc")).headers.get("Location") ?? "");
    expect(url.searchParams.get("scope")).toBe("openid profile email groups");
  });

  test("let in only members of the one that may, and leave no account of others", async () => {
    app = appWith({ allowedGroup: "operators" });
    browser = new TestBrowser(app);
    const before = stored(app);
    await expectFailurePage(await browser.signIn(), 403, "none of the groups");
    expect(changedTables(app, before)).toEqual([]);
    const [failed] = app.muster.audit.list({ operation: "login/failed", results: 1, startindex: 0 }).records;
    expect(failed).toMatchObject({
      via: "none",
      uname: "",
      details: { through: "oidc", reason: "forbidden" },
    });
    provider.people["sub-ada"] = { ...ADA, groups: ["operators"] };
    await browser.signIn();
    expect((await browser.user())?.uname).toBe("ada");
  });

  test("may be within another claim, and in the ID token alone", async () => {
    using other = new TestProvider({ redirectUri: REDIRECT, claimsInToken: true });
    other.people["sub-ada"] = { preferred_username: "ada", groups: { roles: ["admins"] } };
    app = appWith({ issuer: new URL(other.issuer), adminGroup: "admins", groupsClaim: "groups.roles" });
    browser = new TestBrowser(app);
    await browser.signIn();
    expect(await browser.user()).toMatchObject({ uname: "ada", admin: true });
  });
});

describe("where the browser goes afterwards", () => {
  const PLACES: readonly [next: string, place: string][] = [
    ["/events?active=1", "/events?active=1"],
    ["", "/"],
    ["hosts", "/"],
    ["https://evil.test/", "/"],
    ["//evil.test/", "/"],
    ["/\\evil.test", "/"],
    ["/\t/evil.test", "/"],
    ["javascript:alert(1)", "/"],
    ["/login/oidc", "/"],
    ['/"><script>', "/%22%3E%3Cscript%3E"],
  ];
  for (const [next, place] of PLACES)
    test(`${JSON.stringify(next)} leads to ${place}`, async () => {
      const page = await browser.signIn(next);
      expect(goesOnTo(page)).toBe(place);
      expect(page.text).not.toContain("evil");
      expect(page.text).not.toContain("<script");
    });
});

describe("nobody is signed in", () => {
  test("when the provider refuses", async () => {
    provider.who = null;
    await expectFailurePage(await browser.signIn(), 403, "cancelled, or refused");
    expect(users()).toEqual([]);
  });

  const WRONG: readonly [why: string, status: number, says: string, change: (url: URL) => void][] = [
    [
      "the state is another one",
      400,
      "begun in another browser",
      (url) => url.searchParams.set("state", "x"),
    ],
    ["the state is missing", 400, "begun in another browser", (url) => url.searchParams.delete("state")],
    [
      "the issuer is another one",
      502,
      "could not be used",
      (url) => url.searchParams.set("iss", "https://evil.test"),
    ],
    ["the issuer is missing", 502, "could not be used", (url) => url.searchParams.delete("iss")],
    [
      "the code is another one",
      400,
      "took too long, was used before",
      (url) => url.searchParams.set("code", "x"),
    ],
    ["the code is missing", 502, "could not be used", (url) => url.searchParams.delete("code")],
  ];
  for (const [why, status, says, change] of WRONG)
    test(`when ${why}`, async () => {
      const url = await browser.upToCallback();
      change(url);
      await expectFailurePage(await browser.open(url), status, says);
      expect(users()).toEqual([]);
    });

  const ALTERED: readonly [name: string, status: number][] = [
    ["nonce", 502],
    ["code_challenge", 400],
  ];
  for (const [name, status] of ALTERED)
    test(`when the ${name} was altered on the way to the provider`, async () => {
      const begun = new URL((await browser.open("/login/oidc")).headers.get("Location") ?? "");
      begun.searchParams.set(name, "x".repeat(43));
      const { url } = await browser.follow(begun, (url) => url.origin === ORIGIN);
      await expectFailurePage(await browser.open(url), status, "not signed in");
      expect(users()).toEqual([]);
    });

  test("when it took more than ten minutes", async () => {
    const url = await browser.upToCallback();
    app.clock.step(601);
    await expectFailurePage(await browser.open(url), 400, "took too long");
  });

  test("when the callback comes back a second time, or to another browser", async () => {
    const url = await browser.upToCallback();
    const cookie = browser.cookie("muster_oidc") ?? "";
    const thief = new TestBrowser(app);
    expect((await thief.open(url)).status).toBe(400);
    expect(goesOnTo(await browser.open(url))).toBe("/");
    const sessions = app.rows("select * from sessions");
    for (const carried of [cookie, undefined]) {
      const again = new TestBrowser(app);
      if (carried) again.setCookie("muster_oidc", carried);
      const page = await again.open(url);
      expect([page.status, again.cookie("zsessionid")]).toEqual([400, undefined]);
    }
    expect(app.rows("select * from sessions")).toEqual(sessions);
  });

  test("with a cookie that was altered, or sealed by another Muster's key", async () => {
    const url = await browser.upToCallback();
    const cookie = decodeURIComponent(browser.cookie("muster_oidc") ?? "");
    const flipped = `${cookie.slice(0, -6)}AAAA${cookie.slice(-2)}`;
    for (const value of [flipped, "v1.AAAA", "v2.x", "x", app.box.seal("{}"), app.box.seal("no JSON")]) {
      browser.setCookie("muster_oidc", encodeURIComponent(value), "/login/oidc");
      await expectFailurePage(await browser.open(url), 400, "took too long");
    }
  });

  test("when the client's secret is wrong, which the log tells without it", async () => {
    app = appWith({ clientSecret: "a wrong secret" });
    browser = new TestBrowser(app);
    await expectFailurePage(await browser.signIn(), 502, "The log of Muster says why");
    expect(app.logged.join("\n")).toContain("reason=invalid_client");
    expect(app.logged.join("\n")).not.toContain("wrong secret");
  });

  test("by POST", async () => {
    for (const path of ["/login/oidc", "/login/oidc/callback"])
      expect((await app.client().post(path)).headers.get("Allow")).toBe("GET");
  });
});

describe("a provider that is unavailable", () => {
  test("is told as such, and asked again the next time", async () => {
    const port = freePort();
    app = appWith({ issuer: new URL(`http://127.0.0.1:${port}`) });
    browser = new TestBrowser(app);
    await expectFailurePage(await browser.open("/login/oidc"), 502, "does not answer");
    expect(app.logged.join("\n")).toContain("the OpenID provider could not be contacted");
    using _back = new TestProvider({ redirectUri: REDIRECT, port });
    await browser.signIn();
    expect((await browser.user())?.uname).toBe("ada");
  });

  test("between the way there and back is told as such", async () => {
    const other = new TestProvider({ redirectUri: REDIRECT });
    app = appWith({ issuer: new URL(other.issuer) });
    browser = new TestBrowser(app);
    const url = await browser.upToCallback();
    other[Symbol.dispose]();
    await expectFailurePage(await browser.open(url), 502, "does not answer");
  });

  test("or has nothing at the address of its metadata is named in the log with that address", async () => {
    const issuer = `${provider.issuer}/realms/mian`;
    app = appWith({ issuer: new URL(issuer) });
    browser = new TestBrowser(app);
    await expectFailurePage(await browser.open("/login/oidc"), 502, "does not answer");
    expect(app.logged.join("\n")).toContain(`404 from ${issuer}/.well-known/openid-configuration`);
  });

  test("or speaks of another issuer than the one that was set up, is not used", async () => {
    app = appWith({ issuer: new URL(provider.issuer.replace("127.0.0.1", "localhost")) });
    browser = new TestBrowser(app);
    await expectFailurePage(await browser.open("/login/oidc"), 502, "could not be used");
  });
});

test("a provider that wants the client's secret in the body gets it there", async () => {
  using other = new TestProvider({ redirectUri: REDIRECT, tokenAuth: "client_secret_post" });
  app = appWith({ issuer: new URL(other.issuer) });
  browser = new TestBrowser(app);
  await browser.signIn();
  expect((await browser.user())?.uname).toBe("ada");
});

describe("an account of the provider", () => {
  test("has no password: none signs in, and none can be set", async () => {
    await browser.signIn();
    for (const z_password of ["x", "D41D8CD98F00B204E9800998ECF8427E"])
      expect((await app.client().post("/api/1/login", { z_username: "ada", z_password })).json.code).toBe(
        "login.failed",
      );
    const admin = await app.admin();
    const fields = { uname: "ada", fullname: "Ada", oldpassword: "x" };
    const refused = await admin.post("/api/1/admin/users/update", { ...fields, password: "long enough" });
    expect([refused.status, refused.json.code]).toEqual([409, "user.nopassword"]);
    expect(
      (await admin.post("/api/1/admin/users/update", { ...fields, password: "x", title: "Dr" })).status,
    ).toBe(200);
    expect(app.rows("select title, password_md5 from users where uname = 'ada'")).toEqual([
      { title: "Dr", password_md5: "" },
    ]);
  });

  test("does not count as the last administrator, who has a password here", async () => {
    app = appWith({ adminGroup: "admins" });
    browser = new TestBrowser(app);
    await browser.signIn();
    const admin = await app.admin();
    const deleted = await admin.post("/api/1/admin/users/delete", { uname: "admin" });
    expect([deleted.status, deleted.json.code]).toEqual([409, "user.lastadmin"]);
    expect((await admin.post("/api/1/admin/users/delete", { uname: "ada" })).status).toBe(200);
    expect(await browser.user()).toBeNull();
  });
});

test("without a provider there is no way to one", async () => {
  const plain = new TestApp();
  expect((await plain.client().get("/login/oidc")).headers.get("Location")).toBeNull();
  expect((await plain.client().get("/api/1/login/methods")).json.oidc).toBeNull();
});
