/** Providers, or attackers between, whose replies must not sign anybody in. */
import { describe, expect, test } from "bun:test";
import { TestApp } from "../../support/app.ts";
import { ORIGIN, TestBrowser } from "./browser.ts";
import { type Forgery, ForgingProvider } from "./forging-provider.ts";

const CLIENT_ID = "muster";
const NOW = Math.floor(Date.now() / 1000);

/** No machine is that slow, seconds. */
const TIMEOUT = 600;

function appOf(provider: ForgingProvider, timeout: number) {
  return new TestApp({
    baseUrl: ORIGIN,
    oidc: {
      issuer: new URL(provider.issuer),
      clientId: CLIENT_ID,
      clientSecret: "secret",
      groupsClaim: "groups",
      adminGroup: "admins",
      allowedGroup: null,
      name: "Example",
      baseUrl: new URL(ORIGIN),
      timeout,
    },
  });
}

async function signIn(app: TestApp, provider: ForgingProvider) {
  const browser = new TestBrowser(app);
  const begun = await browser.open("/login/oidc");
  const location = begun.headers.get("Location");
  if (location === null) return { page: begun, user: null };
  const asked = new URL(location).searchParams;
  provider.nonce = asked.get("nonce") ?? "";
  const page = await browser.open(`/login/oidc/callback?code=x&state=${asked.get("state")}`);
  return { page, user: await browser.user() };
}

async function signInWith(forgery: Forgery, timeout = TIMEOUT) {
  using provider = new ForgingProvider(CLIENT_ID, forgery);
  const app = appOf(provider, timeout);
  return { app, ...(await signIn(app, provider)) };
}

test("what is not forged signs in", async () => {
  const { page, user } = await signInWith({});
  expect([page.status, user]).toEqual([200, expect.objectContaining({ uname: "ada", admin: false })]);
});

const unsigned = (claims: object) =>
  `${btoa('{"alg":"none"}').replaceAll("=", "")}.${Buffer.from(JSON.stringify(claims)).toString("base64url")}.`;

const FORGERIES: readonly [why: string, forgery: Forgery][] = [
  ["is signed by a key that the provider does not publish", { foreignKey: true }],
  ["is not signed", { idToken: unsigned({ sub: "sub-ada", aud: CLIENT_ID, exp: NOW + 300, iat: NOW }) }],
  ["says that it is not signed", { header: { alg: "none" } }],
  ["is signed with the client's secret", { header: { alg: "HS256" } }],
  ["is of another issuer", { claims: { iss: "https://evil.test" } }],
  ["is for another client", { claims: { aud: "another" } }],
  [
    "is for several clients, and issued to another",
    { claims: { aud: [CLIENT_ID, "another"], azp: "another" } },
  ],
  ["is over", { claims: { exp: NOW - 300 } }],
  ["is not valid yet", { claims: { nbf: NOW + 300 } }],
  ["has another nonce", { claims: { nonce: "another" } }],
  ["has no nonce", { claims: { nonce: undefined } }],
  ["has no subject", { claims: { sub: undefined } }],
  ["is missing", { idToken: null }],
  ["is no token", { idToken: "x" }],
];
for (const [why, forgery] of FORGERIES)
  test(`nobody is signed in when the ID token ${why}`, async () => {
    const { app, page, user } = await signInWith(forgery);
    expect([page.status, page.text.includes("could not be used"), user]).toEqual([502, true, null]);
    expect(app.rows("select * from users where id > 2")).toEqual([]);
    expect(app.rows("select * from sessions")).toEqual([]);
  });

const ANSWERS: readonly [why: string, forgery: Forgery, says: string][] = [
  [
    "the user info is of somebody else",
    { userinfo: { sub: "sub-bob", groups: ["admins"] } },
    "could not be used",
  ],
  [
    "what it says of itself is of another issuer",
    { discovery: { issuer: "https://evil.test" } },
    "could not be used",
  ],
  [
    "its token endpoint is not there",
    { answer: () => new Response("gone", { status: 503 }) },
    "does not answer",
  ],
  ["its token endpoint answers in HTML", { answer: () => new Response("<html>") }, "could not be used"],
  [
    "its token endpoint leads elsewhere",
    { answer: () => Response.redirect("http://127.0.0.1:9/", 302) },
    "does not answer",
  ],
];
for (const [why, forgery, says] of ANSWERS)
  test(`nobody is signed in when ${why}`, async () => {
    const { app, page, user } = await signInWith(forgery);
    expect([page.status, page.text.includes(says), user]).toEqual([502, true, null]);
    expect(app.rows("select * from users where id > 2")).toEqual([]);
  });

test("a provider that does not answer in time is unavailable", async () => {
  const silent = { answer: () => new Promise<Response>(() => undefined) };
  const { page, user } = await signInWith(silent, 0.2);
  expect([page.status, page.text.includes("does not answer"), user]).toEqual([502, true, null]);
});

describe("a provider that signs with another key than before", () => {
  test("signs in again at the next attempt", async () => {
    using provider = new ForgingProvider(CLIENT_ID, {});
    const app = appOf(provider, TIMEOUT);
    expect((await signIn(app, provider)).user).toMatchObject({ uname: "ada" });
    provider.rotateKeys();
    const { page, user } = await signIn(app, provider);
    expect([page.status, page.text.includes("Try again"), user]).toEqual([502, true, null]);
    expect((await signIn(app, provider)).user).toMatchObject({ uname: "ada" });
  });

  test("under the id of the earlier one signs in again at the next attempt, too", async () => {
    using provider = new ForgingProvider(CLIENT_ID, {});
    const app = appOf(provider, TIMEOUT);
    expect((await signIn(app, provider)).user).toMatchObject({ uname: "ada" });
    provider.rotateKeys("1");
    const { page, user } = await signIn(app, provider);
    expect([page.status, page.text.includes("Try again"), user]).toEqual([502, true, null]);
    expect((await signIn(app, provider)).user).toMatchObject({ uname: "ada" });
  });

  test("and does not publish it is asked for its keys at every other of its tokens", async () => {
    using provider = new ForgingProvider(CLIENT_ID, { foreignKey: true });
    const app = appOf(provider, TIMEOUT);
    const said: boolean[] = [];
    for (let i = 0; i < 4; i++) {
      const { page, user } = await signIn(app, provider);
      expect(user).toBeNull();
      said.push(page.text.includes("Try again"));
    }
    expect(said).toEqual([false, true, false, true]);
    expect(provider.asked.filter((path) => path === "/jwks")).toHaveLength(2);
  });

  test("is asked for its keys once for each of its tokens", async () => {
    using provider = new ForgingProvider(CLIENT_ID, { header: { kid: "unpublished" } });
    const app = appOf(provider, TIMEOUT);
    for (let i = 0; i < 3; i++) expect((await signIn(app, provider)).user).toBeNull();
    const times = (path: string) => provider.asked.filter((asked) => asked === path).length;
    expect([times("/token"), times("/jwks"), times("/.well-known/openid-configuration")]).toEqual([3, 3, 3]);
  });
});
