/** Signing in whom a trusted proxy has signed in. */
import { beforeEach, describe, expect, test } from "bun:test";
import { ADMIN_PASSWORD, TestApp, type TestOptions } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { changedTables, expectRefusal, stored } from "../../support/stored.ts";

const PROXY = "10.1.2.3";
const CLIENT = "192.0.2.10";
const LOGIN = "/api/1/login/proxy";
const TRUSTED = { address: "10.0.0.0", bits: 8, family: "ipv4" } as const;

function appWith(options: TestOptions = {}): TestApp {
  return new TestApp({
    trustedProxy: [TRUSTED],
    identity: { user: "Remote-User", groups: "Remote-Groups" },
    proxyLogin: { create: true, adminGroup: "admins" },
    ...options,
  });
}

const as = (uname: string, more: Record<string, string> = {}) => ({
  "Remote-User": uname,
  "X-Forwarded-For": CLIENT,
  ...more,
});

let app: TestApp;
beforeEach(() => {
  app = appWith();
});

async function signIn(uname: string, more: Record<string, string> = {}): Promise<TestClient> {
  const client = app.client(PROXY);
  const reply = await client.post(LOGIN, {}, as(uname, more));
  expect([reply.status, reply.json]).toEqual([200, expect.anything()]);
  client.csrfToken = reply.json.CSRFToken;
  return client;
}

const stateOf = (client: TestClient, headers: Record<string, string> = {}) =>
  client.get("/api/1/session/user", {}, headers).then(({ status, json }) => [status, json.uname]);

const SIGNED_OUT = [401, undefined];

describe("whom the proxy names", () => {
  test("gets an account and a session like any other, with a CSRF token of its own", async () => {
    const client = await signIn("pat");
    expect(app.rows("select uname, fullname, origin, admin, password_md5 from users where id > 2")).toEqual([
      { uname: "pat", fullname: "pat", origin: "proxy", admin: 0, password_md5: "" },
    ]);
    expect(app.rows("select address, csrf_protection from sessions")).toEqual([
      { address: CLIENT, csrf_protection: 1 },
    ]);
    expect(await stateOf(client, as("pat"))).toEqual([200, "pat"]);
    const put = (headers: Record<string, string>) => client.post("/api/1/session/put", { a: "1" }, headers);
    expect((await put(as("pat", { CSRFToken: "wrong" }))).json.code).toBe("csrf.token");
    expect((await put(as("pat"))).status).toBe(200);
    await signIn("pat");
    expect(app.rows("select id from users")).toHaveLength(3);
  });

  test("may have a name and groups with any letters, which proxies send as UTF-8 or Latin-1", async () => {
    app = appWith({ proxyLogin: { create: true, adminGroup: "Équipe Ω" } });
    // As the server reads what a proxy sends.
    const asRead = (text: string) => Buffer.from(text, "utf8").toString("latin1");
    await signIn(asRead("jürgen"), { "Remote-Groups": asRead("staff, Équipe Ω") });
    await signIn("rené");
    expect(app.rows("select uname, admin from users where id > 2 order by id")).toEqual([
      { uname: "jürgen", admin: 1 },
      { uname: "rené", admin: 0 },
    ]);
  });

  test("is in the audit log", async () => {
    await signIn("pat");
    const { records } = app.muster.audit.list({ results: 10, startindex: 0 });
    expect(
      records.map(({ operation, uname, address, details }) => [operation, uname, address, details]),
    ).toEqual([
      ["login", "pat", CLIENT, { through: "proxy" }],
      ["login/created", "pat", CLIENT, { origin: "proxy", admin: false }],
    ]);
  });

  test("is an administrator while the group is among his", async () => {
    const ledger: readonly [groups: string | undefined, admin: boolean][] = [
      ["staff, admins", true],
      ["staff", false],
      ["admins", true],
      ["Admins,admins2", false],
      [" admins ,staff", true],
      [undefined, false],
    ];
    for (const [groups, admin] of ledger) {
      const client = await signIn("pat", groups === undefined ? {} : { "Remote-Groups": groups });
      expect([groups, (await client.get("/api/1/session/user", {}, as("pat"))).json.admin]).toEqual([
        groups,
        admin,
      ]);
    }
  });

  test("keeps the role that was given here where no group decides", async () => {
    app = appWith({
      identity: { user: "Remote-User", groups: null },
      proxyLogin: { create: true, adminGroup: null },
    });
    await signIn("pat");
    app.db.$client.run("update users set admin = 1 where uname = 'pat'");
    const client = await signIn("pat", { "Remote-Groups": "none" });
    expect((await client.get("/api/1/session/user", {}, as("pat"))).json.admin).toBe(true);
  });

  test("is told by login/methods, so that the UI can ask", async () => {
    const methods = async (address: string, headers: Record<string, string>) =>
      (await app.client(address).get("/api/1/login/methods", {}, headers)).json.proxy;
    expect(await methods(PROXY, as("pat"))).toEqual({ uname: "pat" });
    expect(await methods(PROXY, {})).toBeNull();
    expect(await methods(CLIENT, as("pat"))).toBeNull();
  });
});

describe("nobody is signed in", () => {
  const SPOOFED: readonly [why: string, address: string, headers: Record<string, string>][] = [
    ["by a client that sends the header itself", CLIENT, { "Remote-User": "pat" }],
    [
      "by one that claims to come through the proxy",
      CLIENT,
      as("pat", { "X-Forwarded-For": PROXY, Forwarded: `for=${PROXY}` }),
    ],
    ["by a proxy that is not trusted", "11.0.0.1", as("pat")],
    ["without the header", PROXY, {}],
    ["with an empty header", PROXY, as("  ")],
    ["with two headers, one of which the proxy let through", PROXY, as("admin, pat")],
    ["with a header of another name", PROXY, { "X-Remote-User": "pat" }],
    ["with a name that is too long", PROXY, as("x".repeat(256))],
  ];
  for (const [why, address, headers] of SPOOFED)
    test(why, async () => {
      const reply = await expectRefusal(
        app,
        () => app.client(address).post(LOGIN, {}, headers),
        400,
        "request.invalid",
      );
      expect(reply.headers.get("Set-Cookie")).toBeNull();
    });

  test("by the header on any other call: it makes no caller of anyone", async () => {
    for (const uname of ["admin", "pat"])
      for (const path of ["/api/1/session/user", "/api/1/admin/hosts/list", "/metrics"])
        expect((await app.client(PROXY).get(path, {}, as(uname))).status).toBe(401);
  });

  test("where it is not set up", async () => {
    app = new TestApp({ trustedProxy: [TRUSTED] });
    await expectRefusal(app, () => app.client(PROXY).post(LOGIN, {}, as("pat")), 400, "request.invalid");
    expect((await app.client(PROXY).get("/api/1/login/methods", {}, as("pat"))).json.proxy).toBeNull();
  });

  test("by a request that another site caused", () =>
    expectRefusal(
      app,
      () => app.client(PROXY).post(LOGIN, {}, as("pat", { Origin: "http://evil.test" })),
      403,
      "csrf.origin",
    ));

  test("as a user with a password here, or one of a provider", async () => {
    app.db.$client.run(
      "insert into users (uname, password_md5, origin, subject) values ('ada', '', 'oidc', 'issuer|1')",
    );
    for (const uname of ["admin", "user", "ada"]) {
      const before = stored(app);
      await expectRefusal(app, () => app.client(PROXY).post(LOGIN, {}, as(uname)), 409, "login.nametaken");
      expect(changedTables(app, before)).toEqual([]);
    }
    const failed = app.muster.audit.list({ operation: "login/failed", results: 1, startindex: 0 });
    expect(failed.totalRecords).toBe(3);
    expect(failed.records[0]?.details).toEqual({ through: "proxy", reason: "name taken" });
  });

  test("without an account, where none is made", async () => {
    app = appWith({ proxyLogin: { create: false, adminGroup: null } });
    await expectRefusal(app, () => app.client(PROXY).post(LOGIN, {}, as("pat")), 403, "login.noaccount");
    app.muster.users.createForProxy("pat", true);
    expect(await stateOf(await signIn("pat"), as("pat"))).toEqual([200, "pat"]);
  });
});

describe("a session of the proxy's user", () => {
  test("is worth as much as the header that comes with it", async () => {
    const client = await signIn("pat");
    const { cookie } = client;
    const from = (address: string) => Object.assign(app.client(address), { cookie });
    expect(await stateOf(from(PROXY), as("pat"))).toEqual([200, "pat"]);
    expect(await stateOf(from(PROXY), {})).toEqual(SIGNED_OUT);
    expect(await stateOf(from(PROXY), as("sam"))).toEqual(SIGNED_OUT);
    expect(await stateOf(from(CLIENT), as("pat"))).toEqual(SIGNED_OUT);
    expect(await stateOf(from(PROXY), as("pat"))).toEqual([200, "pat"]);
  });

  test("ends with a sign-out and is made anew only when asked for", async () => {
    const client = await signIn("pat");
    expect((await client.post("/api/1/session/invalidate", {}, as("pat"))).status).toBe(200);
    expect(await stateOf(client, as("pat"))).toEqual(SIGNED_OUT);
  });

  test("of a user with a password here does not depend on the header", async () => {
    const admin = await app.client(PROXY).signIn("admin", ADMIN_PASSWORD);
    expect(await stateOf(admin, as("pat"))).toEqual([200, "admin"]);
    expect(await stateOf(admin)).toEqual([200, "admin"]);
  });

  test("leaves his API tokens alone", async () => {
    const client = await signIn("pat");
    const { token } = (await client.post("/api/1/tokens/create", { name: "bot", scope: "read" }, as("pat")))
      .json;
    expect(await stateOf(app.client(CLIENT), { Authorization: `Bearer ${token}` })).toEqual([200, "pat"]);
  });
});

test("nobody is signed in if one of the headers comes twice: the client can have sent one of them", async () => {
  const statusWith = async (...more: string[]) => {
    const rawHeaders = ["Remote-User", "pat", "Remote-Groups", "admins", ...more];
    const incoming = {
      socket: { remoteAddress: PROXY, remotePort: 40_000, remoteFamily: "IPv4" },
      rawHeaders,
    };
    const headers = as("pat", { "Remote-Groups": "admins" });
    const request = new Request(`http://muster.test${LOGIN}`, { method: "POST", headers });
    return (await app.app.request(request, undefined, { incoming } as never)).status;
  };
  expect([await statusWith("remote-user", "pat"), await statusWith("REMOTE-GROUPS", "staff")]).toEqual([
    400, 400,
  ]);
  expect(app.rows("select id from users where uname = 'pat'")).toEqual([]);
  expect(await statusWith()).toBe(200);
});

describe("levels by groups of the proxy", () => {
  const seen = (client: TestClient) =>
    client.get("/api/1/status/hosts/list", {}, as("pat")).then(({ json }) => json.totalRecords as number);
  const signInWith = (groups: string) => signIn("pat", { "Remote-Groups": groups });
  const granted = () => app.rows("select group_id, level from grants order by group_id");

  beforeEach(async () => {
    for (const id of [1, 2])
      await app.report({ id: `agent-${id}`, hostGroups: [`rack ${id}`], services: [] });
    app.settings.set("externallevels", "ops=rack 1:operate,web=rack 1:view,web=rack 2:manage,web=gone:view");
  });

  test("are those of the groups at each sign-in, the highest of several", async () => {
    await signInWith("web,ops");
    expect(granted()).toEqual([
      { group_id: 1, level: "operate" },
      { group_id: 2, level: "manage" },
    ]);
    expect(await seen(await signInWith("ops"))).toBe(1);
    expect(granted()).toEqual([{ group_id: 1, level: "operate" }]);
  });

  test("leave nothing to see to who is in none of them, not everything", async () => {
    expect(await seen(await signInWith("ops"))).toBe(1);
    expect(await seen(await signInWith("others"))).toBe(0);
    const changes = app.rows<{ details: string }>(
      "select details from audit where operation = 'login/updated'",
    );
    expect(changes.map(({ details }) => JSON.parse(details))).toEqual([{ grants: ["1 operate", ""] }]);
  });

  test("stay as they are while the session lasts, and are given in Muster without the setting", async () => {
    const client = await signInWith("ops");
    app.settings.set("externallevels", "");
    expect(await seen(client)).toBe(1);
    app.muster.grants.set({ uname: "pat", view: [2], operate: [], manage: [], restricted: true });
    await signInWith("ops");
    expect(granted()).toEqual([{ group_id: 2, level: "view" }]);
  });
});
