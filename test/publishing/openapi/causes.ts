/** Everything that can go wrong with a call, tried on it. */

import {
  type Method,
  type Operation,
  rejectsUnknownArguments,
} from "../../../src/platform/http/operation.ts";
import { argumentsSchema, type Schema } from "../../../src/publishing/openapi/schemas.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import { CAREFUL_PASSWORD, examples, FROM_PROXY, type Populated, send } from "./examples.ts";

type Cause = (populated: Populated) => Promise<Reply>;

const FOREIGN = { Origin: "http://evil.test" };
/** Bytes; no operation takes so many. */
const TOO_MUCH = String(2 ** 40);
const NOBODY = { uname: "nobody" };
const NO_ADMIN = {
  ...{ uname: "admin", fullname: "", title: "", email: "", phone: "", mobile: "", imname: "", imtype: "" },
  admin: false,
};

/** Arguments that the rules of an operation refuse, on top of the example's. */
const OWN: Readonly<Record<string, readonly Fields[]>> = {
  "/login": [
    { z_password: "wrong" },
    { z_username: "careful", z_password: CAREFUL_PASSWORD },
    { z_username: "careful", z_password: CAREFUL_PASSWORD, z_totp: "000000" },
  ],
  "/session/revoke": [{ id: "unknown" }],
  "/session/put": [{ size: "x".repeat(8193) }, { "": "x" }],
  "/tokens/create": [{ expires: START - 1 }],
  "/tokens/delete": [{ id: 99 }],
  "/status/hosts/get": [{ id: 99 }],
  "/reports/events/get": [{ id: 99 }],
  "/reports/events/dismiss": [{ id: 99 }, { id: 2 }],
  "/reports/events/changes": [{ id: 99 }],
  "/reports/events/undismiss": [{ id: 99 }],
  "/problems/acknowledge": [{ id: 99 }, { id: 2 }, { until: START - 1 }],
  "/problems/unacknowledge": [{ id: 99 }],
  "/mutes/create": [{ minutes: 5 }],
  "/mutes/renew": [{ id: 99 }, {}],
  "/mutes/release": [{ id: 99 }, { id: 3 }],
  "/mutes/delete": [{ id: 99 }],
  "/reports/events/note": [{ id: 99 }],
  "/reports/events/alerts": [{ id: 99 }],
  "/reports/uptime/list": [{ datefrom: START + 120 }],
  "/reports/uptime/get": [{ id: 99 }, { range: 12 }],
  "/reports/uptime/bars": [{ id: 99 }, { service: "nothing" }, { range: 12 }],
  "/reports/mail/get": [{ id: 99 }],
  "/admin/mailreports/get": [{ id: 99 }],
  "/admin/mailreports/create": [{ name: "month" }, { hostgroupid: "" }],
  "/admin/mailreports/update": [{ id: 99 }, { name: "month" }],
  "/admin/mailreports/delete": [{ id: 99 }],
  "/admin/mailreports/send": [{ id: 99 }, { id: 2 }],
  "/admin/contacts/set": [NOBODY],
  "/admin/dependencies/create": [
    { hostid: 99, causehostid: 1 },
    { hostid: 1, service: "", causehostid: 2, causeservice: "db" },
    { hostid: 2, service: "db", causehostid: 1 },
  ],
  "/admin/dependencies/delete": [{ id: 99 }],
  "/oncall/get": [{ id: 99 }],
  "/oncall/calendar": [{ scheduleid: 99 }],
  "/oncall/create": [{ name: "Office" }],
  "/oncall/update": [{ id: 99 }, { name: "Database" }],
  "/oncall/delete": [{ id: 99 }, { id: 3 }],
  "/oncall/override/create": [{ scheduleid: 99 }, NOBODY],
  "/oncall/override/delete": [{ id: 99 }],
  "/limits/get": [{ id: 99 }],
  "/limits/preview": [{ id: 99 }, { limit: { name: "new", statistics: [18] } }],
  "/limits/create": [{ name: "disk" }, { critical: 1 }],
  "/limits/update": [{ id: 99 }, { name: "memory" }, { critical: 1 }],
  "/limits/delete": [{ id: 99 }],
  "/reports/history/get": [{ hostid: 99 }],
  "/admin/grants/get": [NOBODY],
  "/admin/grants/set": [NOBODY],
  "/reports/forecasts/get": [{ hostid: 99 }],
  "/admin/users/get": [NOBODY],
  "/admin/users/create": [{ uname: "user" }],
  "/admin/users/update": [
    NOBODY,
    { oldpassword: "wrong" },
    { uname: "pat", oldpassword: "anything", password: "long enough" },
    { uname: "admin", password: "admin secret", oldpassword: "admin secret", admin: false },
  ],
  "/admin/users/delete": [NOBODY, { uname: "admin" }, { uname: "careful" }],
  "/admin/users/image": [NOBODY, { remove: 0 }],
  "/admin/users/totp/begin": [{ password: "wrong" }],
  "/admin/users/totp/confirm": [{ code: "wrong" }],
  "/admin/users/totp/disable": [NOBODY, { uname: "user" }],
  "/admin/hosts/get": [{ id: 99 }],
  "/admin/hosts/update": [{ id: 99 }],
  "/admin/hosts/delete": [{ id: 1 }],
  "/admin/hosts/action": [{ id: 99 }, { service: "nothing" }, { id: 2, service: "db" }, {}],
  "/admin/groups/create": [{ name: "rack" }],
  "/admin/groups/update": [{ id: 99 }, { name: "empty" }],
  "/admin/groups/delete": [{ id: 99 }],
  "/admin/groups/add": [{ id: 99 }, { hostid: 99 }],
  "/admin/groups/remove": [{ id: 99 }, { hostid: 99 }],
  "/admin/hosts/bulk/update": [
    { hostid: 1 },
    { all: false, hostid: 99 },
    { addgroupid: 99 },
    { all: false, hostid: 2 },
  ],
  "/admin/hosts/bulk/delete": [{ all: true }, { hostid: 99 }, { count: 3 }],
  "/admin/tags/add": [{ hostid: 99 }, { hostid: 2, tag: "other" }],
  "/admin/tags/remove": [{ hostid: 99 }],
  "/admin/channels/get": [{ id: 99 }],
  "/admin/channels/create": [{ name: "phone" }, { "setting.url": "nonsense" }],
  "/admin/channels/update": [{ id: 99 }, { name: "chat" }],
  "/admin/channels/delete": [{ id: 99 }, { id: 1 }],
  "/admin/channels/test": [{ id: 99 }],
  "/admin/deliveries/retry": [{ id: 99 }, { id: 2 }],
  "/admin/rules/get": [{ id: 99 }],
  "/admin/rules/preview": [{ id: 99 }, { escalationchannelid: "" }],
  "/admin/rules/create": [{ name: "all" }],
  "/admin/rules/update": [{ id: 99 }, { name: "last" }],
  "/admin/rules/move": [{ id: 99 }],
  "/admin/rules/delete": [{ id: 99 }],
  "/admin/maintenance/get": [{ id: 99 }],
  "/admin/maintenance/create": [{ name: "patching" }],
  "/admin/maintenance/update": [{ id: 99 }, { name: "move" }],
  "/admin/maintenance/delete": [{ id: 99 }],
  "/admin/transfer/import": [{ file: "[]" }, { file: JSON.stringify({ muster: 1, users: [NO_ADMIN] }) }],
  "/admin/statuspages/create": [{ groupid: 99 }, { slug: "shelf" }],
  "/admin/statuspages/update": [{ id: 99 }, { slug: "annex" }],
  "/admin/statuspages/delete": [{ id: 99 }],
  "/admin/filters/create": [{ name: "red", screen: "hosts", query: "led=0" }],
  "/admin/filters/rename": [
    { id: 99, name: "free" },
    { id: 1, name: "taken" },
  ],
  "/admin/filters/delete": [{ id: 99 }],
  "/admin/views/create": [{ name: "disks", type: 18 }],
  "/admin/views/rename": [
    { id: 99, name: "free" },
    { id: 1, name: "taken" },
  ],
  "/admin/views/delete": [{ id: 99 }],
  "/admin/views/tokens/create": [{ id: 99, name: "lobby" }],
  "/admin/views/tokens/delete": [{ id: 99 }],
  "/wall/open": [{ token: "unknown" }],
};

/** Calls that take other arguments than the example. */
const APART: Readonly<Record<string, readonly Fields[]>> = {
  "/session/put": [{}, { CSRFToken: "stolen" }],
  "/reports/uptime/list": [{ range: 12 }],
  "/reports/history/get": [{ hostid: 1, range: 12 }],
  "/reports/history/compare": [{ hostid: 1, type: 0, range: 12 }],
  "/admin/users/totp/disable": [{}],
  "/admin/hosts/delete": [{}, { id: 99 }],
  "/admin/channels/test": [{}],
  "/admin/transfer/import": [{}],
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

async function postBody(
  client: TestClient,
  path: string,
  type: string,
  body: string,
  more: Record<string, string> = {},
): Promise<Reply> {
  const headers = { "Content-Type": type, CSRFToken: client.csrfToken, ...more };
  const response = await client.raw(`/api/1${path}`, { method: "POST", headers, body });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
}

function ofBody(path: string): Cause[] {
  return [
    ({ admin }) => postBody(admin, path, "text/plain", "x"),
    ({ admin }) => postBody(admin, path, "multipart/form-data; boundary=x", "no form"),
    ({ admin }) => postBody(admin, path, "application/json", '{"nonsense":1}'),
    ({ admin }) => postBody(admin, path, "application/json", "{"),
    ({ admin }) =>
      postBody(admin, path, "application/x-www-form-urlencoded", "x=y", { "Content-Length": TOO_MUCH }),
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
    ...(rejectsUnknownArguments(operation) ? [asAdmin({ ...example, unheard_of: "1" })] : []),
    ...(OWN[path] ?? []).map((args) => asAdmin({ ...example, ...args })),
    ...(APART[path] ?? []).map(asAdmin),
    ...(method === "POST" ? ofBody(path) : []),
    ({ app, admin }) => {
      const bare = app.client();
      bare.cookie = admin.cookie;
      return send(bare, method, path, without(example, "z_username"), method === "GET" ? FOREIGN : {});
    },
    ({ app }) =>
      send(app.client(), method, path, example, ["/login", "/wall/open"].includes(path) ? FOREIGN : {}),
    ({ user }) => send(user, method, path, { ...example, ...("uname" in properties && { uname: "admin" }) }),
    ({ guest }) => send(guest, method, path, example),
    ({ app, tokens }) => send(app.client(), method, path, example, bearer(tokens.read)),
    ({ app, tokens }) =>
      send(
        app.client(),
        method,
        path,
        { ...example, ...("uname" in properties && { uname: "admin" }) },
        bearer(tokens.full),
      ),
    ...(FROM_OTHERS[path] ?? []).map(({ who, args }): Cause => {
      return (populace) => who(populace, method, path, args);
    }),
    ...(path === "/login" ? guesses(asAdmin({ ...example, z_password: "wrong" })) : []),
    ...(path === "/admin/users/update" ? guesses(asAdmin({ ...example, oldpassword: "wrong" })) : []),
  ];
}

type Asker = (populated: Populated, method: Method, path: string, args: Fields) => Promise<Reply>;

const manager: Asker = ({ manager }, method, path, args) => send(manager, method, path, args);
const careful: Asker = ({ careful }, method, path, args) => send(careful, method, path, args);
const user: Asker = ({ user }, method, path, args) => send(user, method, path, args);
/** The user whom the proxy signs in. */
const pat: Asker = async ({ app }, method, path, args) => {
  const client = app.client();
  client.csrfToken = String((await client.post("/api/1/login/proxy", {}, FROM_PROXY)).json.CSRFToken);
  return send(client, method, path, args, FROM_PROXY);
};
/** Somebody without a cookie. */
const stranger: Asker = ({ app }, method, path, args) =>
  send(app.client(), method, path, args, { Cookie: "none=1" });
/** A program of an administrator's that may only read. */
const reader: Asker = ({ app, tokens }, method, path, args) =>
  send(app.client(), method, path, args, { Authorization: `Bearer ${tokens.read}` });
/** Whom the proxy calls something else. */
const calledBy =
  (name: string, headers: Record<string, string> = {}): Asker =>
  ({ app }, method, path, args) =>
    send(app.client(), method, path, args, { "Remote-User": name, ...headers });

/** Somebody who asks about a host with so many statistics that a short time of them is too much. */
const greedy: Asker = ({ app, admin }, method, path, args) => {
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
     insert into statistics (service_id, type, descriptor) select min(services.id), 0, 'many ' || n.i
     from services, n where services.host_id = 1 group by n.i on conflict do nothing`,
  );
  return send(admin, method, path, { hostid: 1, type: 0, ...args });
};

/** Calls that only some user, or nobody of ours, gets refused in this way. */
const FROM_OTHERS: Readonly<Record<string, readonly { who: Asker; args: Fields }[]>> = {
  "/login/proxy": [
    { who: calledBy("stranger"), args: {} },
    { who: calledBy("admin"), args: {} },
    { who: calledBy(""), args: {} },
    { who: calledBy("pat", FOREIGN), args: {} },
  ],
  "/admin/hosts/update": [
    {
      who: manager,
      args: { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "", ipaddrout: "192.0.2.9" },
    },
  ],
  "/reports/history/get": [{ who: greedy, args: { datefrom: START - 30 * 86_400 } }],
  "/reports/history/compare": [{ who: greedy, args: { datefrom: START - 30 * 86_400, points: 500 } }],
  "/wall/show": [{ who: stranger, args: {} }],
  "/admin/transfer/export": [{ who: reader, args: { secrets: true } }],
  "/admin/users/totp/begin": [
    { who: careful, args: { password: CAREFUL_PASSWORD } },
    { who: pat, args: { password: "anything" } },
    ...Array.from({ length: 6 }, () => ({ who: user, args: { password: "wrong" } })),
  ],
  "/admin/users/totp/confirm": [
    { who: careful, args: { code: "000000" } },
    { who: user, args: { code: "000000" } },
  ],
  "/admin/users/totp/disable": [
    { who: careful, args: { code: "wrong" } },
    { who: pat, args: { password: "anything" } },
    ...Array.from({ length: 6 }, () => ({ who: user, args: { password: "wrong" } })),
  ],
};

/** More guesses at a password than are allowed. */
function guesses(guess: Cause): Cause[] {
  return Array.from({ length: 6 }, () => guess);
}
