/** Unknown arguments, tried on every operation: a misspelt one could change something else than was meant. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { changesState, METHODS, rejectsUnknownArguments } from "../../../src/platform/http/operation.ts";
import { legacyOperations } from "../../../src/publishing/legacy-api/legacy-api.routes.ts";
import { calls, examples, type Populated, populated, send } from "../../publishing/openapi/examples.ts";
import { AgentHttpd } from "../../support/agent-httpd.ts";
import { TestApp } from "../../support/app.ts";
import type { Fields, TestClient } from "../../support/client.ts";
import { expectRefusal } from "../../support/stored.ts";
import { SPECIFICATION } from "./specification.table.ts";

const { operations, muster } = new TestApp();
const UNKNOWN = { unheard_of: "1" };

let agent: AgentHttpd;
let shared: Populated;
beforeAll(async () => {
  agent = await AgentHttpd.start();
  shared = await populated(agent.port);
});
afterAll(() => agent.stop());

/** A client of the same session that sends its CSRF token only as an argument. */
function withoutHeader(app: TestApp, { cookie }: TestClient): TestClient {
  const client = app.client();
  client.cookie = cookie;
  return client;
}

test("the operations that ignore them are those of the specification, those of the legacy API, and reads", () => {
  const compatible = operations.filter((operation) => operation.compatible).map(({ path }) => path);
  expect(compatible.sort()).toEqual(Object.keys(SPECIFICATION).sort());
  const strict = operations.filter(rejectsUnknownArguments).map(({ path }) => path);
  const changing = operations
    .filter(({ kind, body }) => changesState(kind) || body === "json")
    .map(({ path }) => path);
  expect(strict.sort()).toEqual(changing.filter((path) => !(path in SPECIFICATION)).sort());
  expect(legacyOperations(muster.queries, operations).filter(rejectsUnknownArguments)).toEqual([]);
});

describe("a write that is not in the specification", () => {
  for (const operation of operations.filter(rejectsUnknownArguments)) {
    const { path, request, kind } = operation;
    test(`${path} names the unknown argument, changes nothing, and knows the CSRF token`, async () => {
      const populace = await populated(agent.port);
      const example = examples(populace)[path] ?? {};
      const attempt = (args: Fields) => send(populace.admin, METHODS[kind].at(-1) ?? "POST", path, args);
      const refused = await expectRefusal(
        populace.app,
        () => attempt({ ...example, ...UNKNOWN }),
        400,
        "argument.unknown",
      );
      expect(refused.json.error).toStartWith("There is no argument unheard_of: ");
      for (const name of Object.keys(request.entries)) expect(refused.json.error).toContain(name);
      const inQuery = () => populace.admin.post(`/api/1${path}?unheard_of=1`, example);
      await expectRefusal(populace.app, inQuery, 400, "argument.unknown");
      if (operation.body === "json") return;
      const asArgument = { ...example, CSRFToken: populace.admin.csrfToken };
      const reply = await send(withoutHeader(populace.app, populace.admin), "POST", path, asArgument);
      expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
    });
  }
});

describe("everything else ignores it:", () => {
  for (const [operation, method] of calls(operations))
    if (!rejectsUnknownArguments(operation))
      test(`${method} ${operation.path}`, async () => {
        const populace = changesState(operation.kind) ? await populated(agent.port) : shared;
        const args = { ...examples(populace)[operation.path], ...UNKNOWN };
        const reply = await send(populace.admin, method, operation.path, args);
        expect([reply.status, reply.json?.error]).toEqual([200, undefined]);
      });
});

test("a misspelt level of a user is ignored on the mounts of the legacy API", async () => {
  const { app, admin } = await populated(agent.port);
  const misspelt = { uname: "user", viwe: 1, restricted: true };
  for (const mount of ["", "/api/2"])
    expect((await admin.post(`${mount}/admin/grants/set`, misspelt)).status).toBe(200);
  expect(app.rows("select restricted from users where uname = 'user'")).toEqual([{ restricted: 1 }]);
});

test("an error repeats at most 100 characters of a name", async () => {
  const reply = await shared.admin.post("/api/1/mutes/delete", { id: 3, ["x".repeat(5000)]: 1 });
  expect(reply.json.error).toBe(`There is no argument ${"x".repeat(100)}: use id`);
});
