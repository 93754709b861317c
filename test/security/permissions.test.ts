/**
 * Who may call what: every route and every operation, asked by everyone. What is expected follows from the route's address
 * by the rules below; how an operation declares its own rights is not looked at.
 */
import { beforeAll, describe, expect, test } from "bun:test";
import { METHODS, type Operation } from "../../src/platform/http/operation.ts";
import { LEGACY_MOUNTS, legacyOperations } from "../../src/publishing/legacy-api/legacy-api.routes.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../support/app.ts";
import type { Reply, TestClient } from "../support/client.ts";
import { changedTables, stored } from "../support/stored.ts";

type Right = "anyone" | "read token" | "user" | "login" | "self" | "admin" | "agent";

/** By address, without its mount; the first that fits counts. */
const RIGHTS: readonly [address: RegExp, right: Right][] = [
  [/^\/(collector|agent\/actions(\/result)?)$/, "agent"],
  [/^\/(login|login\/methods|login\/proxy|openapi\.json)$/, "anyone"],
  [/^\/wall\/(open|show)$/, "anyone"],
  [/^\/((enrol|muster-actions)\.sh|enrol\/(exchange|arrival))$/, "anyone"],
  [/^\/(index\.csp|z_security_check|login\/logout\.csp)$/, "anyone"],
  [/^\/(healthz|api|api\/reference\.css|)$/, "anyone"],
  [/^\/acknowledge\/(page\.css|:token)$/, "anyone"],
  [/^\/s(\.css|\/:slug|\/:slug\/badge\.svg|\/\*)$/, "anyone"],
  [/^\/(assets\/.*|hosts\/1|favicon\.ico|\*)$/, "anyone"],
  // It leads to the page of the host, which asks for a login.
  [/^\/status\/hosts\/detail$/, "anyone"],
  [/^\/admin\/users\/(get|update|image|totp\/disable)$/, "self"],
  [/^\/admin\/users\/totp\/(begin|confirm)$/, "login"],
  [/^\/mutes\/(list|history)$/, "user"],
  [/^\/forgotten\/list$/, "user"],
  [/^\/moment\/get$/, "user"],
  [/^\/publicnotes\/list$/, "user"],
  [/^\/publicnotes\/(create|withdraw)$/, "admin"],
  [/^\/(limits|views|filters|incidents)\/(list|get)$/, "user"],
  [/^\/incidents\/moved$/, "user"],
  [/^\/limits\/sums$/, "user"],
  [/^\/oncall\/(list|get|now|calendar)$/, "user"],
  [/^\/(admin|action|mutes|limits|oncall|views|filters)\//, "admin"],
  [/^\/session\/(user|rights)$/, "user"],
  [/^\/(session|tokens)\//, "login"],
  [/^\/(status|reports|problems|map|uploads)\//, "user"],
  [/^\/mcp$/, "read token"],
  [/^\/metrics(\/fleet|\/\*)?$/, "user"],
];

/** An operation whose last word is another one changes something, or reaches out to an agent. */
const QUESTION =
  /\/(export|list|get|kinds|summary|bars|history|collector|user|preview|budget|alerts|glance|search|rights|top|compare|changes|now|calendar|unmatched|hosts|missing|suggestions|sums|moved)$|^\/(map|uploads|metrics)/;

/** Below these a missing login is answered with a page to sign in, not with 401. */
const LEGACY_MOUNT = /^(?:\/api\/2)?(?=\/(?:admin|status|reports|session|map|action)\/)/;

type Who =
  | "nobody"
  | "agent"
  | "user"
  | "user's read token"
  | "user's full token"
  | "admin's read token"
  | "admin's full token"
  | "admin";

const EVERYONE: readonly Who[] = [
  ...(["nobody", "agent", "user", "user's read token", "user's full token"] as const),
  ...(["admin's read token", "admin's full token", "admin"] as const),
];

/** open: whatever the answer, it is not for want of rights. */
type Answer = "open" | "401" | "403" | "login page";

interface Route {
  method: string;
  path: string;
}

function bare(path: string): string {
  return path.replace(/^\/api\/[12](?=\/)/, "");
}

function rightOf(path: string): Right {
  const right = RIGHTS.find(([address]) => address.test(bare(path)))?.[1];
  if (!right) throw new Error(`who may call ${path}?`);
  return right;
}

function expected(path: string, who: Who, forSomebodyElse: boolean): Answer {
  const right = rightOf(path);
  const isQuestion = QUESTION.test(bare(path));
  if (right === "agent") return who === "agent" ? "open" : "401";
  if (right === "anyone") return "open";
  if (who === "nobody" || who === "agent")
    return LEGACY_MOUNT.test(path) && !path.startsWith("/api/1") ? "login page" : "401";
  if (right === "read token" && who.endsWith("read token")) return "open";
  if (right === "read token") return who.endsWith("full token") ? "403" : "401";
  const isAdmin = who.startsWith("admin");
  const isToken = who.endsWith("token");
  if (right === "admin" && !isAdmin) return "403";
  if (right === "self" && forSomebodyElse && !isAdmin) return "403";
  if (right === "login" && isToken) return "403";
  if (who.endsWith("read token") && !isQuestion) return "403";
  if (right === "self" && isToken && !forSomebodyElse && !isQuestion) return "403";
  return "open";
}

type Caller = (route: Route, query: string) => Promise<Reply>;

interface World {
  app: TestApp;
  callers: Record<Who, Caller>;
}

async function makeWorld(): Promise<World> {
  const app = new TestApp();
  const [admin, user] = [await app.admin(), await app.user()];
  const call =
    (client: TestClient, headers: Record<string, string> = {}): Caller =>
    ({ method, path }, query) =>
      method === "GET"
        ? client.get(path + query, {}, headers)
        : client.post(
            path + query,
            {},
            path === "/collector" ? { ...headers, "Content-Type": "text/xml" } : headers,
          );
  const withToken = async (owner: TestClient, scope: string) => {
    const { token } = (await owner.post("/api/1/tokens/create", { name: scope, scope })).json;
    return (route: Route, query: string) =>
      call(app.client(), { Authorization: `Bearer ${token}` })(route, query);
  };
  const basic = { Authorization: `Basic ${btoa(`monit:${COLLECTOR_PASSWORD}`)}` };
  return {
    app,
    callers: {
      nobody: (route, query) => call(app.client())(route, query),
      agent: (route, query) => call(app.client(), basic)(route, query),
      user: call(user),
      admin: call(admin),
      "user's read token": await withToken(user, "read"),
      "user's full token": await withToken(user, "full"),
      "admin's read token": await withToken(admin, "read"),
      "admin's full token": await withToken(admin, "full"),
    },
  };
}

function answerOf({ status, headers, text }: Reply): Answer {
  if (status === 401 || status === 403) return `${status}`;
  const isPage = headers.get("Content-Type") === "text/html" && text.includes('action="/z_security_check"');
  return isPage ? "login page" : "open";
}

/** The operations by every address. They are looked up by their paths, and so are no routes of their own. */
function operationsOf({ operations, muster }: TestApp): Route[] {
  const at = (mount: string) => (operation: Operation) =>
    METHODS[operation.kind].map((method) => ({ method, path: mount + operation.path }));
  const legacy = legacyOperations(muster.queries, operations);
  return [
    ...operations.flatMap(at("/api/1")),
    ...LEGACY_MOUNTS.flatMap((mount) => legacy.flatMap(at(mount))),
  ];
}

function routesOf(app: TestApp): Route[] {
  const declared = [...operationsOf(app), ...app.app.routes]
    .filter(({ method, path }) => /^(GET|POST)$/.test(method) && !/^\/?\*$/.test(path))
    .map(({ method, path }) => ({ method, path: path.replace(":name", `${"0".repeat(32)}.png`) }));
  const pages = ["/", "/hosts/1", "/assets/x.js", "/favicon.ico"].map((path) => ({ method: "GET", path }));
  const routes = new Map([...declared, ...pages].map((route) => [`${route.method} ${route.path}`, route]));
  return [...routes.values()];
}

/** Those that end the session of their caller. */
const SIGNS_OUT = /invalidate$|logout/;

let world: World;
beforeAll(async () => {
  world = await makeWorld();
});

const routes = routesOf(new TestApp());

test("there is something to ask", () => {
  expect(routes.length).toBeGreaterThan(150);
  const rights = new Set(routes.map(({ path }) => rightOf(path)));
  expect([...rights].sort()).toEqual(["admin", "agent", "anyone", "login", "read token", "self", "user"]);
});

for (const forSomebodyElse of [false, true])
  describe(forSomebodyElse ? "for the account of somebody else" : "by address", () => {
    for (const route of routes.filter(({ path }) => !forSomebodyElse || rightOf(path) === "self"))
      test(`${route.method} ${route.path}`, async () => {
        const { app, callers } = SIGNS_OUT.test(route.path) ? await makeWorld() : world;
        const answers: Partial<Record<Who, Answer>> = {};
        for (const who of EVERYONE) {
          const other = who.startsWith("admin") ? "user" : "admin";
          const before = stored(app);
          const reply = await callers[who](route, forSomebodyElse ? `?uname=${other}` : "");
          const answer = answerOf(reply);
          // For the page itself everyone may ask.
          answers[who] = answer === "login page" && rightOf(route.path) === "anyone" ? "open" : answer;
          // What is refused has no effect; that a token was used is noted all the same.
          if (reply.status === 401 || reply.status === 403)
            expect(changedTables(app, before).filter((table) => table !== "api_tokens")).toEqual([]);
        }
        const wanted = EVERYONE.map((who) => [who, expected(route.path, who, forSomebodyElse)]);
        // A failed login is the answer of a sign-in form to one who did not fill it in.
        if (/z_security_check$/.test(route.path)) {
          expect(new Set(Object.values(answers))).toEqual(new Set(["401"]));
          return;
        }
        expect(answers).toEqual(Object.fromEntries(wanted));
      });
  });

describe("no login is a credential of an agent, nor the other way round", () => {
  test("with a wrong password nobody may post", async () => {
    const { app } = world;
    for (const header of [
      "",
      "Basic",
      `Basic ${btoa("monit:")}`,
      `Basic ${btoa("admin:admin secret")}`,
      "Bearer x",
    ]) {
      const reply = await app
        .client()
        .raw("/collector", { method: "POST", headers: { Authorization: header } });
      expect([header, reply.status]).toEqual([header, 401]);
    }
  });
});
