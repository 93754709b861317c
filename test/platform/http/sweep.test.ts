/** The duties of every operation, checked for all of them: a new one cannot forget any. */
import { describe, expect, test } from "bun:test";
import * as v from "valibot";
import { changesState, METHODS, type Operation } from "../../../src/platform/http/operation.ts";
import { LEGACY_MOUNTS, legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { LEGACY_FAMILIES } from "../../../src/publishing/legacy-api/unknown-paths.ts";
import { argumentsSchema, type Schema } from "../../../src/publishing/openapi/schemas.ts";
import { calls, examples, populated, send } from "../../publishing/openapi/examples.ts";
import { TestApp } from "../../support/app.ts";
import type { Reply, TestClient } from "../../support/client.ts";
import { changedTables, stored } from "../../support/stored.ts";

const app = new TestApp();
const user = await app.user();
const admin = await app.admin();
const before = stored(app);

/** Nothing listens there: no agent is called. */
const CLOSED_PORT = 1;
/** An app with one of everything. The tests here change nothing of it. */
const populace = await populated(CLOSED_PORT);
const examplesOf = ({ path }: Operation) => examples(populace)[path] ?? {};

const url = (operation: Operation) => `/api/1${operation.path}`;
const closed = app.operations.filter(({ access }) => access !== "public");
const writes = app.operations.filter(({ kind, access }) => kind === "write" && access !== "public");
const changes = app.operations.filter(({ kind }) => kind === "change");

/** The names of its required arguments. */
function requiredOf({ request }: Operation): string[] {
  const entries = Object.entries(request.entries) as [string, v.GenericSchema][];
  return entries.filter(([, entry]) => !v.safeParse(entry, undefined).success).map(([name]) => name);
}

function call(client: TestClient, operation: Operation, method: string, headers = {}): Promise<Reply> {
  const path = url(operation);
  return method === "GET" ? client.get(path, {}, headers) : client.post(path, {}, headers);
}

function expectError(reply: Reply, status: number, code: string): void {
  expect([reply.status, reply.json?.code]).toEqual([status, code]);
  expect(Object.keys(reply.json)).toEqual(["error", "code"]);
  expect(reply.json.error).toMatch(/^[A-Z].*[^.]$/);
  expect(reply.headers.get("Content-Type")).toBe("application/json");
  expect(reply.headers.get("Cache-Control")).toBe("no-store");
  expect(changedTables(app, before)).toEqual([]);
}

/** A client of the same session that does not add the token automatically. */
function withoutToken(client: TestClient, of = app): TestClient {
  const bare = of.client();
  bare.cookie = client.cookie;
  return bare;
}

describe("without a session", () => {
  for (const operation of closed)
    for (const method of METHODS[operation.kind])
      test(`${method} ${operation.path} is answered 401`, async () => {
        const reply = await call(app.client(), operation, method);
        expectError(reply, 401, "session.required");
        expect(reply.headers.get("WWW-Authenticate")).toBe("Session");
        expect(reply.headers.get("Set-Cookie")).toBeNull();
      });
});

/** Who may not is in test/security/permissions.test.ts. */
describe("as a plain user", () => {
  for (const operation of closed.filter(({ access, kind }) => access === "session" && !changesState(kind)))
    test(`GET ${operation.path} is open to him, wherever the link was`, async () => {
      const elsewhere = { Origin: "http://elsewhere.test" };
      const reply = await send(populace.user, "GET", operation.path, examplesOf(operation), elsewhere);
      expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
    });
});

/** test/publishing/openapi/replies.test.ts checks that every operation answers 200 to these arguments. */
describe("the arguments of test/publishing/openapi/examples.ts", () => {
  for (const [operation, method] of calls(app.operations))
    for (const name of requiredOf(operation))
      test(`without "${name}" ${method} ${operation.path} is answered 400, and changes nothing`, async () => {
        const unchanged = stored(populace.app);
        const { [name]: _left, ...rest } = examplesOf(operation);
        const reply = await send(populace.admin, method, operation.path, rest);
        expect([reply.status, reply.json?.code]).toEqual([400, "argument.missing"]);
        expect(reply.json.error).toStartWith(`${name} is required`);
        expect(changedTables(populace.app, unchanged)).toEqual([]);
      });
});

/** Values that no argument of this schema may have: of another type, too short or long, too small or large. */
function wrongValues(schema: Schema): (string | number)[] {
  const item = typeof schema.items === "object" ? schema.items : schema;
  const { minLength, maxLength, minimum, maximum } = item;
  return [
    maxLength === undefined ? "no, nonsense\n" : "x".repeat(maxLength + 1),
    ...(minLength ? [""] : []),
    ...(minimum === undefined ? [] : [minimum - 1]),
    ...(maximum === undefined || maximum === Number.MAX_SAFE_INTEGER ? [] : [maximum + 1]),
  ];
}

describe("each argument of the examples", () => {
  for (const [operation, method] of calls(app.operations))
    for (const [name, schema] of Object.entries(argumentsSchema(operation).properties ?? {}))
      test(`is refused where ${method} ${operation.path} gets a wrong "${name}", and nothing changes`, async () => {
        const unchanged = stored(populace.app);
        for (const wrong of wrongValues(schema)) {
          const args = { ...examplesOf(operation), [name]: wrong };
          const reply = await send(populace.admin, method, operation.path, args);
          expect([reply.status, reply.json?.code]).toEqual([400, "argument.invalid"]);
          expect(reply.json.error).toStartWith(name);
          expect(reply.json.error).toContain(" must be ");
        }
        expect(changedTables(populace.app, unchanged)).toEqual([]);
      });
});

describe("without the CSRF token", () => {
  for (const operation of [...writes, ...changes])
    test(`POST ${operation.path} is answered 403`, async () => {
      expectError(await call(withoutToken(admin), operation, "POST"), 403, "csrf.token");
      expectError(await call(withoutToken(admin), operation, "POST", { CSRFToken: "" }), 403, "csrf.token");
      expectError(
        await call(withoutToken(admin), operation, "POST", { CSRFToken: user.csrfToken }),
        403,
        "csrf.token",
      );
      const inQuery = withoutToken(admin).post(`${url(operation)}?CSRFToken=${"0".repeat(32)}`);
      expectError(await inQuery, 403, "csrf.token");
    });

  for (const operation of app.operations.filter(({ kind }) => kind === "query"))
    test(`POST ${operation.path} needs none: it is a question`, async () => {
      const bare = withoutToken(
        operation.access === "session" ? populace.user : populace.admin,
        populace.app,
      );
      const reply = await send(bare, "POST", operation.path, examplesOf(operation));
      expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
    });
});

describe("a change by GET that another site caused", () => {
  const FOREIGN: Record<string, string>[] = [
    { Origin: "http://evil.test" },
    { Origin: "null" },
    { Origin: "http://muster.test:8081" },
    { Referer: "http://evil.test/page" },
    { Referer: "not a url" },
    { "Sec-Fetch-Site": "cross-site" },
  ];
  for (const operation of changes)
    for (const headers of FOREIGN)
      test(`${operation.path} with ${JSON.stringify(headers)} is answered 403`, async () => {
        expectError(await call(user, operation, "GET", headers), 403, "csrf.origin");
      });
});

describe("by another method", () => {
  for (const operation of app.operations)
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH", "OPTIONS"].filter(
      (method) => !METHODS[operation.kind].some((allowed) => allowed === method),
    ))
      test(`${method} ${operation.path} is answered 405, signed in or not`, async () => {
        for (const client of [app.client(), admin]) {
          const reply = await client.raw(url(operation), { method });
          expect(reply.status).toBe(405);
          expect(reply.headers.get("Allow")).toBe(METHODS[operation.kind].join(", "));
          expect(((await reply.json()) as { code: string }).code).toBe("method.refused");
        }
      });
});

test.each(changes.map((operation) => operation.path))(
  "HEAD %s is answered 405: it changes nothing",
  async (path) => {
    const headers = { Cookie: admin.cookie, CSRFToken: admin.csrfToken };
    const reply = await app.client().raw(`/api/1${path}`, { method: "HEAD", headers });
    expect([reply.status, reply.headers.get("Allow")]).toEqual([405, "GET, POST"]);
    expect(changedTables(app, before)).toEqual([]);
  },
);

describe("an unknown path", () => {
  for (const path of [
    "/api/",
    "/api/1",
    "/api/1/",
    "/api/1/nothing",
    "/api/1/admin/hosts",
    "/api/1/admin/hosts/list/",
    "/api/9/status/hosts/list",
    "/api/1/Status/hosts/list",
  ])
    for (const method of ["GET", "POST", "DELETE"])
      test(`${method} ${path} is answered 404, before anyone asks for a session`, async () => {
        const reply = await app.client().raw(path, { method });
        expect([reply.status, ((await reply.json()) as { code: string }).code]).toEqual([
          404,
          "path.unknown",
        ]);
      });
});

test("every route is an operation, or one of the few that are not", () => {
  const fields = new Set([
    ...app.operations.map(url),
    ...legacyOperations(app.muster.queries, app.operations).flatMap(({ path }) =>
      LEGACY_MOUNTS.map((at) => at + path),
    ),
    "/",
    "/index.csp",
    "/z_security_check",
    "/login/logout.csp",
    "/status/hosts/detail",
    // The paths before them, and those that are not part of the API.
    "/*",
    "/api/*",
    "/api/1/*",
    "/api/2/*",
    "*",
    "/metrics",
    "/metrics/*",
    "/metrics/fleet",
    "/mcp",
    "/healthz",
    "/healthz/*",
    "/collector",
    "/collector/*",
    "/agent/*",
    "/agent/actions",
    "/agent/actions/result",
    "/enrol.sh",
    "/muster-actions.sh",
    // Where the legacy API has nothing.
    ...LEGACY_FAMILIES.map((family) => `/${family}/*`),
    "/api",
    "/api/reference.css",
    "/acknowledge/page.css",
    "/acknowledge/:token",
    "/s.css",
    "/s/*",
    "/s/:slug",
    "/s/:slug/badge.svg",
  ]);
  const strangers = app.app.routes
    .map(({ path }) => path)
    .filter((path) => !fields.has(path) && !path.startsWith("/uploads/"));
  expect([...new Set(strangers)]).toEqual([]);
});

test("no two operations share a path", () => {
  const paths = app.operations.map(({ path }) => path);
  expect(paths.filter((path, i) => paths.indexOf(path) !== i)).toEqual([]);
});
