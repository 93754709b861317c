/** Everything that can go wrong with a call, tried on it. */
import type { Method, Operation } from "../../src/http/operation.ts";
import type { Schema } from "../../src/openapi/document.types.ts";
import { argumentsSchema } from "../../src/openapi/schemas.ts";
import type { Fields, Reply, TestClient } from "../support/client.ts";
import { START } from "../support/clock.ts";
import { examples, type Populated, send } from "./examples.ts";

type Cause = (populated: Populated) => Promise<Reply>;

const FOREIGN = { Origin: "http://evil.test" };
const NOBODY = { uname: "nobody" };

/** Arguments that the rules of an operation refuse, on top of the example's. */
const OWN: Readonly<Record<string, readonly Fields[]>> = {
  "/login": [{ z_password: "wrong" }],
  "/session/revoke": [{ id: "unknown" }],
  "/session/put": [{ size: "x".repeat(8193) }, { "": "x" }],
  "/tokens/create": [{ expires: START - 1 }],
  "/tokens/delete": [{ id: 99 }],
  "/status/hosts/get": [{ id: 99 }],
  "/reports/events/get": [{ id: 99 }],
  "/reports/events/dismiss": [{ id: 99 }, { id: 2 }],
  "/reports/events/note": [{ id: 99 }],
  "/reports/uptime/list": [{ datefrom: START + 120 }],
  "/reports/uptime/get": [{ id: 99 }, { range: 12 }],
  "/reports/uptime/bars": [{ id: 99 }, { service: "nothing" }, { range: 12 }],
  "/reports/history/get": [{ hostid: 99 }],
  "/admin/users/get": [NOBODY],
  "/admin/users/create": [{ uname: "user" }],
  "/admin/users/update": [
    NOBODY,
    { oldpassword: "wrong" },
    { uname: "admin", password: "admin secret", oldpassword: "admin secret", admin: false },
  ],
  "/admin/users/delete": [NOBODY, { uname: "admin" }],
  "/admin/users/image": [NOBODY, { remove: 0 }],
  "/admin/hosts/get": [{ id: 99 }],
  "/admin/hosts/update": [{ id: 99 }],
  "/admin/hosts/delete": [{ id: 1 }],
  "/admin/hosts/action": [{ id: 99 }, { service: "nothing" }, { id: 2, service: "db" }, {}],
  "/admin/groups/create": [{ name: "rack" }],
  "/admin/groups/update": [{ id: 99 }, { name: "empty" }],
  "/admin/groups/delete": [{ id: 99 }],
  "/admin/groups/add": [{ id: 99 }, { hostid: 99 }],
  "/admin/groups/remove": [{ id: 99 }, { hostid: 99 }],
};

/** Calls that take other arguments than the example. */
const APART: Readonly<Record<string, readonly Fields[]>> = {
  "/session/put": [{}, { CSRFToken: "stolen" }],
  "/reports/uptime/list": [{ range: 12 }],
  "/reports/history/get": [{ hostid: 1, range: 12 }],
  "/admin/hosts/delete": [{}, { id: 99 }],
};

function invalid(schema: Schema): string {
  const value = typeof schema.items === "object" ? schema.items : schema;
  return value.type === "string" && value.maxLength !== undefined
    ? "x".repeat(value.maxLength + 1)
    : "nonsense";
}

function without(args: Fields, name: string): Fields {
  const { [name]: _left, ...rest } = args;
  return rest;
}

async function postBody(client: TestClient, path: string, type: string, body: string): Promise<Reply> {
  const headers = { "Content-Type": type, CSRFToken: client.csrfToken };
  const response = await client.raw(`/api/1${path}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

function ofBody(path: string): Cause[] {
  return [
    ({ admin }) => postBody(admin, path, "text/plain", "x"),
    ({ admin }) => postBody(admin, path, "multipart/form-data; boundary=x", "no form"),
    ({ admin }) => postBody(admin, path, "application/x-www-form-urlencoded", `x=${"y".repeat(2 ** 21)}`),
  ];
}

/** Ways to call an operation that may be refused. Those that may succeed come last. */
export function causesOf(operation: Operation, method: Method, populated: Populated): Cause[] {
  const { path } = operation;
  const example = examples(populated)[path] ?? {};
  const { properties = {}, required = [] } = argumentsSchema(operation);
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  const asAdmin = (args: Fields): Cause => {
    return ({ admin }) => send(admin, method, path, args);
  };
  return [
    ...required.map((name) => asAdmin(without(example, name))),
    ...Object.entries(properties).map(([name, schema]) => asAdmin({ ...example, [name]: invalid(schema) })),
    ...(OWN[path] ?? []).map((args) => asAdmin({ ...example, ...args })),
    ...(APART[path] ?? []).map(asAdmin),
    ...(method === "POST" ? ofBody(path) : []),
    ({ app, admin }) => {
      const bare = app.client();
      bare.cookie = admin.cookie;
      return send(bare, method, path, without(example, "z_username"), method === "GET" ? FOREIGN : {});
    },
    ({ app }) => send(app.client(), method, path, example, path === "/login" ? FOREIGN : {}),
    ({ user }) => send(user, method, path, { ...example, ...("uname" in properties && { uname: "admin" }) }),
    ({ app, tokens }) => send(app.client(), method, path, example, bearer(tokens.read)),
    ({ app, tokens }) =>
      send(
        app.client(),
        method,
        path,
        { ...example, ...("uname" in properties && { uname: "admin" }) },
        bearer(tokens.full),
      ),
    ...(path === "/login" ? guesses(asAdmin({ ...example, z_password: "wrong" })) : []),
    ...(path === "/admin/users/update" ? guesses(asAdmin({ ...example, oldpassword: "wrong" })) : []),
  ];
}

/** More guesses at a password than are allowed. */
function guesses(guess: Cause): Cause[] {
  return Array.from({ length: 6 }, () => guess);
}
