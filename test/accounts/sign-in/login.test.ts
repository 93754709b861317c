import { describe, expect, test } from "bun:test";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { app, freshAppOfEachTest } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

freshAppOfEachTest();

const LOGIN = "/api/1/login";
const GOOD = { z_username: "admin", z_password: ADMIN_PASSWORD };

test("a login replies who signed in and sets a cookie with a new id", async () => {
  const reply = await app.client().post(LOGIN, GOOD);
  expect(reply.status).toBe(200);
  expect(reply.json).toEqual({
    uname: "admin",
    fullname: "Administrator",
    admin: true,
    CSRFToken: expect.stringMatching(/^[0-9a-f]{32}$/),
  });
  expect(reply.headers.get("Set-Cookie")).toMatch(
    /^zsessionid=[0-9a-f]{32}\.[0-9a-f]{32}; Path=\/; HttpOnly; SameSite=Strict$/,
  );
});

test("the credentials may come in the query too", async () => {
  const query = new URLSearchParams(GOOD);
  expect((await new TestApp().client().post(`${LOGIN}?${query}`)).status).toBe(200);
});

test("a login is a POST", async () => {
  const reply = await new TestApp().client().get(LOGIN, GOOD);
  expect([reply.status, reply.headers.get("Allow"), reply.headers.get("Set-Cookie")]).toEqual([
    405,
    "POST",
    null,
  ]);
});

test("a second login has another id and another token, and the first goes on", async () => {
  const client = await app.admin();
  const [cookie, token] = [client.cookie, client.csrfToken];
  const again = await client.signIn("admin", ADMIN_PASSWORD);
  expect(again.cookie).not.toBe(cookie);
  expect(again.csrfToken).not.toBe(token);
  const first = app.client();
  first.cookie = cookie;
  expect((await first.get("/api/1/session/get")).json).toEqual({ CSRFToken: token });
});

test("a login takes no token, not even that of a signed-in user", async () => {
  const client = await app.user();
  client.csrfToken = "";
  expect((await client.post(LOGIN, GOOD)).status).toBe(200);
});

test("a login never takes the id that the client brought, ours or not", async () => {
  const unusedId = app.muster.sessions.newId();
  for (const id of [unusedId, "0".repeat(32), `${"0".repeat(32)}.${"0".repeat(32)}`]) {
    const client = app.client();
    client.cookie = `zsessionid=${id}`;
    await client.signIn("admin", ADMIN_PASSWORD);
    expect(client.cookie).not.toContain(id);
  }
});

test("neither id nor password is in the database", async () => {
  const client = await app.admin();
  const id = client.cookie.split("=")[1] ?? "";
  const everything = JSON.stringify(
    ["sessions", "session_attributes", "users"].map((table) => app.rows(`select * from ${table}`)),
  );
  expect(everything).not.toContain(id);
  expect(everything).not.toContain(id.split(".")[0] ?? "");
  expect(everything).not.toContain(ADMIN_PASSWORD);
  expect(everything).not.toMatch(/[0-9A-F]{32}/);
});

const WRONG: readonly [fields: Record<string, string>, status: number, why: string][] = [
  [{ ...GOOD, z_password: "wrong" }, 401, "wrong password"],
  [{ ...GOOD, z_password: ADMIN_PASSWORD.toUpperCase() }, 401, "case matters"],
  [{ ...GOOD, z_password: `${ADMIN_PASSWORD} ` }, 401, "spaces matter"],
  [{ ...GOOD, z_username: "nobody" }, 401, "unknown user"],
  [{ ...GOOD, z_username: "Admin" }, 401, "case of the name matters"],
  [{ z_username: "user", z_password: ADMIN_PASSWORD }, 401, "another's password"],
  [{ z_username: "admin' or '1'='1", z_password: "x" }, 401, "no SQL"],
  [{ z_username: "admin" }, 400, "no password"],
  [{ z_password: ADMIN_PASSWORD }, 400, "no name"],
  [{ ...GOOD, z_password: "" }, 400, "empty password"],
  [{ ...GOOD, z_username: "a".repeat(256) }, 400, "a name longer than any"],
  [{ ...GOOD, z_csrf_protection: "maybe" }, 400, "neither on nor off"],
];
for (const [fields, status, why] of WRONG)
  test(`${why}: ${status}, no cookie, no session`, async () => {
    const reply = await app.client().post(LOGIN, fields);
    expect(reply.status).toBe(status);
    expect(reply.headers.get("Set-Cookie")).toBeNull();
    if (status === 401) expect(reply.headers.get("WWW-Authenticate")).toBe("Session");
    expect(app.rows("select * from sessions")).toEqual([]);
  });

test("a wrong name and a wrong password get the same reply", async () => {
  const client = new TestApp().client();
  const unknown = await client.post(LOGIN, { z_username: "nobody", z_password: "x" });
  const wrong = await client.post(LOGIN, { z_username: "admin", z_password: "x" });
  expect(unknown.json).toEqual(wrong.json);
  expect(wrong.json.error).toContain("Invalid username and/or password");
});

describe("a login that another site caused", () => {
  for (const headers of [
    { Origin: "http://evil.test" },
    { Origin: "null" },
    { Referer: "http://evil.test/" },
    { "Sec-Fetch-Site": "cross-site" },
  ])
    test(`is refused: ${JSON.stringify(headers)}`, async () => {
      const post = () => app.client().post(LOGIN, GOOD, headers as Record<string, string>);
      await expectRefusal(app, post, 403, "csrf.origin");
    });

  const AT_OTHER_ADDRESS: readonly [options: object, headers: Record<string, string>, text: string][] = [
    [
      { baseUrl: "https://muster.example" },
      { Origin: "http://10.0.0.5:8080", "Sec-Fetch-Site": "same-origin" },
      "from http://10.0.0.5:8080, and Muster is at https://muster.example by its base URL",
    ],
    [
      {},
      { Origin: "http://muster.test", Referer: "https://muster.example/login?next=%2Fhosts" },
      "from https://muster.example, and Muster is at http://muster.test by",
    ],
  ];
  for (const [options, headers, text] of AT_OTHER_ADDRESS)
    test(`or seems to, at another address than Muster knows, is refused with both: ${text}`, async () => {
      const client = new TestApp(options).client();
      const reply = await client.post(LOGIN, GOOD, headers);
      expect([reply.status, reply.json.code]).toEqual([403, "csrf.origin"]);
      expect(reply.json.error).toContain(text);
    });

  for (const headers of [
    { Origin: "http://muster.test" },
    { Referer: "http://muster.test/login?next=/" },
    { "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
  ])
    test(`is none with ${JSON.stringify(headers)}`, async () => {
      const reply = await new TestApp().client().post(LOGIN, GOOD, headers as Record<string, string>);
      expect(reply.status).toBe(200);
    });
});

const HTTPS = "https://muster.example";
const PROXY = { address: "192.0.2.0", bits: 24, family: "ipv4" } as const;
const OUTSIDES: readonly [options: object, headers: Record<string, string>, secure: boolean, why: string][] =
  [
    [{}, {}, false, "plain http"],
    [{}, { "X-Forwarded-Proto": "https" }, false, "anyone can say so"],
    [{ baseUrl: HTTPS }, {}, true, "a base URL of https"],
    [{ trustedProxy: [PROXY] }, { "X-Forwarded-Proto": "https" }, true, "a trusted proxy says so"],
    [{ trustedProxy: [PROXY] }, { "X-Forwarded-Proto": "http" }, false, "a trusted proxy says not"],
    [{ trustedProxy: [PROXY] }, {}, false, "a trusted proxy says nothing"],
    [
      { trustedProxy: [{ ...PROXY, address: "203.0.113.0" }] },
      { "X-Forwarded-Proto": "https" },
      false,
      "another proxy",
    ],
  ];
for (const [options, headers, secure, why] of OUTSIDES)
  test(`the cookie is ${secure ? "" : "not "}for https only: ${why}`, async () => {
    const reply = await new TestApp(options).client().post(LOGIN, GOOD, headers);
    expect(reply.status).toBe(200);
    expect(reply.headers.get("Set-Cookie")?.includes("; Secure")).toBe(secure);
  });

test("behind a base URL its host is our own, and the host of the connection is foreign", async () => {
  const client = new TestApp({ baseUrl: HTTPS }).client();
  expect((await client.post(LOGIN, GOOD, { Origin: HTTPS })).status).toBe(200);
  expect((await client.post(LOGIN, GOOD, { Origin: `${HTTPS}:443` })).status).toBe(200);
  expect((await client.post(LOGIN, GOOD, { Origin: "http://muster.test" })).status).toBe(403);
});

test("a login with protection off needs no token for writes", async () => {
  const client = app.client();
  const fields = { z_username: "user", z_password: USER_PASSWORD, z_csrf_protection: "off" };
  expect((await client.post(LOGIN, fields)).status).toBe(200);
  expect((await client.post("/api/1/session/put", { a: "1" })).status).toBe(200);
  expect((await client.post("/api/1/session/put", { a: "2" }, { CSRFToken: "wrong" })).status).toBe(200);
  const foreign = await client.get("/api/1/session/put", { a: "3" }, { Origin: "http://evil.test" });
  expect(foreign.status).toBe(403);
  expect((await client.get("/api/1/session/get", { key: "a" })).json).toEqual({ a: "2" });
});
