/** The duties of every operation on the legacy mounts. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { changesState, METHODS, type Operation } from "../../../src/platform/http/operation.ts";
import { LEGACY_MOUNTS, legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { LEGACY_API } from "../../../src/publishing/legacy-api/translation.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { ADMIN_PASSWORD, TestApp, USER_PASSWORD } from "../../support/app.ts";
import { changedTables, stored } from "../../support/stored.ts";
import { examples, type Populated, populated } from "../openapi/examples.ts";
import { LegacyClient } from "./older-client.ts";

const app = new TestApp();
const signedIn = async (uname: string, password: string, more = {}, to = app) => {
  const client = new LegacyClient(to);
  await client.login(uname, password, more);
  return client;
};
/** With the CSRF protection on: they did not ask for it to be off. */
const admin = await signedIn("admin", ADMIN_PASSWORD);
const user = await signedIn("user", USER_PASSWORD);
const unprotected = await signedIn("admin", ADMIN_PASSWORD, { z_csrf_protection: "off" });
const tokenOf = async (client: LegacyClient): Promise<string> =>
  (await client.get("/session/get?key=CSRFToken")).json.CSRFToken;
const token = await tokenOf(admin);
const api1 = await app.admin();
await api1.post("/api/1/tokens/create", { name: "reader", scope: "read" });
const bearer = (await api1.post("/api/1/tokens/create", { name: "t", scope: "full" })).json.token as string;

const agent = await AgentHttpd.start();
afterAll(() => agent.stop());

const operations = legacyOperations(app.muster.queries, app.operations);
const everywhere = LEGACY_MOUNTS.flatMap((mount) =>
  operations.map((operation) => ({ ...operation, path: mount + operation.path })),
);

/** The example of the operation that it is here, under whatever path. */
function argumentsOf({ path }: Operation, populace: Populated) {
  return path.startsWith("/map/") ? {} : examples(populace)[LEGACY_API[path]?.sameAs ?? path];
}

const ask = (client: LegacyClient, method: string, path: string) =>
  method === "GET" ? client.get(path) : client.post(path);

test("they are the operations of the specification and a few more, at paths of their own", () => {
  const paths = operations.map(({ path }) => path);
  // It knows no JSON.
  const currentPaths = app.operations
    .filter(({ body }) => body === "form")
    .map(({ path }) => path)
    .filter((path) => /^\/(admin|reports|session|status)\//.test(path));
  expect(currentPaths.filter((path) => !paths.includes(path))).toEqual([]);
  const more = paths.filter((path) => !currentPaths.includes(path) && !path.startsWith("/map/"));
  expect(more).toEqual(["/action/service", "/reports/analytics/get"]);
  expect(new Set(paths).size).toBe(paths.length);
});

describe("without a session", () => {
  for (const { path, kind } of everywhere)
    for (const method of METHODS[kind])
      test(`${method} ${path} is answered with the login page`, async () => {
        const before = stored(app);
        const reply = await ask(new LegacyClient(app), method, path);
        expect([reply.status, reply.headers.get("Content-Type")]).toEqual([200, "text/html"]);
        expect(reply.text).toContain('action="/z_security_check"');
        expect(reply.headers.getSetCookie()).toHaveLength(1);
        expect(reply.headers.get("ETag")).toBeNull();
        expect(changedTables(app, before)).toEqual([]);
      });
});

describe("with the CSRF protection on", () => {
  for (const { path, kind } of everywhere) {
    if (kind === "write" || kind === "change")
      test(`POST ${path} without the token is answered 403`, async () => {
        const before = stored(app);
        const reply = await admin.post(path);
        expect([reply.status, reply.json.code]).toEqual([403, "csrf.token"]);
        expect(changedTables(app, before)).toEqual([]);
      });
  }

  test("the token is taken from header and argument", async () => {
    const path = "/api/2/admin/groups/create";
    expect((await admin.post(path, {}, { CSRFToken: token })).json.code).toBe("argument.missing");
    expect((await admin.post(path, { CSRFToken: token })).json.code).toBe("argument.missing");
  });
});

describe("with arguments of its own, and the CSRF protection on,", () => {
  let shared: Populated;
  beforeAll(async () => {
    shared = await populated(agent.port);
  });
  /** Calls that change nothing share a database. */
  const provide = ({ kind }: Operation) => (changesState(kind) ? populated(agent.port) : shared);

  /** It takes a file, and these clients send none. */
  const callable = operations.filter(({ path }) => path !== "/admin/transfer/import");
  for (const mount of LEGACY_MOUNTS)
    for (const operation of callable)
      for (const method of METHODS[operation.kind])
        test(`${method} ${mount}${operation.path} is answered 200`, async () => {
          const populace = await provide(operation);
          const client = await signedIn("admin", ADMIN_PASSWORD, {}, populace.app);
          const args = argumentsOf(operation, populace);
          expect(args, "test/publishing/openapi/examples.ts lacks an example").toBeDefined();
          const path = mount + operation.path;
          const headers = changesState(operation.kind) ? { CSRFToken: await tokenOf(client) } : {};
          const reply = await (method === "GET" ? client.get(path, args) : client.post(path, args, headers));
          expect([reply.status, reply.json?.error, typeof reply.json]).toEqual([200, undefined, "object"]);
        });
});

test("with the CSRF protection off, writes need no token", async () => {
  expect((await unprotected.post("/admin/groups/create")).json.code).toBe("argument.missing");
});

test("another method than an operation's is answered 405, signed in or not", async () => {
  for (const path of ["/status/hosts/list", "/api/2/admin/hosts/delete"])
    for (const cookie of ["", admin.cookie]) {
      const reply = await app.client().raw(path, { method: "PUT", headers: { Cookie: cookie } });
      expect([reply.status, reply.headers.get("Allow")]).toEqual([
        405,
        path.startsWith("/api") ? "POST" : "GET, POST",
      ]);
    }
});

test("what is no operation below /api/2 is answered 404", async () => {
  for (const path of ["/api/2", "/api/2/", "/api/2/nothing", "/api/2/login", "/api/2/tokens/list"])
    expect((await app.client().get(path)).json.code).toBe("path.unknown");
});

test("an API token is valid here too; an invalid one gets an error, not a login page", async () => {
  const ask = (authorization: string) =>
    app.client().get("/api/2/status/hosts/summary", {}, { Authorization: authorization });
  expect((await ask(`Bearer ${bearer}`)).json.status).toHaveLength(6);
  const wrong = await ask("Bearer wrong");
  expect([wrong.status, wrong.json.code]).toEqual([401, "session.required"]);
});

test("errors other than that of a missing session are those of /api/1", async () => {
  const reply = await user.get("/status/hosts/get?id=99");
  expect([reply.status, reply.json]).toEqual([404, { error: "There is no host 99", code: "object.unknown" }]);
  expect((await user.get("/status/hosts/get")).json.code).toBe("argument.missing");
});
