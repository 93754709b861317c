/** Everything that can go wrong with a call, tried on it. */

import { MAX_GUESSES } from "../../../src/monitoring/agent-keys/guess-throttle.ts";
import {
  type Method,
  type Operation,
  rejectsUnknownArguments,
} from "../../../src/platform/http/operation.ts";
import { argumentsSchema, type Schema } from "../../../src/publishing/openapi/schemas.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { START } from "../../support/clock.ts";
import {
  CAREFUL_PASSWORD,
  examples,
  FROM_PROXY,
  NARROW_CODE,
  type Populated,
  send,
  USED_CODE,
} from "./examples.ts";

type Cause = (populated: Populated) => Promise<Reply>;

const FOREIGN = { Origin: "http://evil.test" };
/** Bytes; no operation takes so many. */
const TOO_MUCH = String(2 ** 40);
/** What nothing is called. Ids may be in lists, and in the JSON of a resource. */
const UNKNOWN: Fields = {
  ...Object.fromEntries(["id", "hostid", "scheduleid", "groupid", "addgroupid"].map((name) => [name, 99])),
  uname: "nobody",
};
/** A moment in the future, and one that is no longer known. */
const OTHER_MOMENTS: readonly Fields[] = [{ at: 10 * START }, { at: 1 }];
const NO_ADMIN = {
  uname: "admin",
  fullname: "",
  title: "",
  email: "",
  phone: "",
  mobile: "",
  imname: "",
  imtype: "",
  admin: false,
};

/** Arguments that the rules of an operation refuse besides names and ids of nothing, on top of the example's. */
const OWN: Readonly<Record<string, readonly Fields[]>> = {
  "/login": [
    { z_password: "wrong" },
    { z_username: "careful", z_password: CAREFUL_PASSWORD },
    { z_username: "careful", z_password: CAREFUL_PASSWORD, z_totp: "000000" },
  ],
  "/session/revoke": [{ id: "unknown" }],
  "/session/put": [{ size: "x".repeat(8193) }, { "": "x" }],
  "/tokens/create": [{ expires: START - 1 }],
  "/reports/events/dismiss": [{ id: 2 }],
  "/problems/acknowledge": [{ id: 2 }, { until: START - 1 }],
  "/admin/health/acknowledge": [{ id: 2 }, { until: START - 1 }],
  "/limits/sums": [{ id: 1 }],
  "/publicnotes/list": [{ eventid: 1 }],
  "/publicnotes/create": [{ hostid: 1 }, { eventid: 2 }, { eventid: 99 }],
  "/mutes/create": [{ filter: {} }],
  "/mutes/renew": [{}],
  "/mutes/release": [{ id: 3 }],
  "/reports/uptime/list": [{ datefrom: START + 120 }],
  "/reports/uptime/bars": [{ service: "nothing" }],
  "/reports/uptime/budget": [{ hostgroupid: 99 }],
  "/admin/mailreports/create": [{ name: "month" }, { hostgroups: [] }],
  "/admin/mailreports/update": [{ name: "month" }, { everything: true }],
  "/admin/mailreports/send": [{ id: 2 }],
  "/admin/rehearsals/start": [{ schedule: 1 }, { rule: 99 }, { rule: 3 }],
  "/admin/weeklyrehearsals/create": [{ name: "Nights" }, { schedule: 1 }],
  "/admin/weeklyrehearsals/update": [{ name: "Nights" }, { schedule: 1 }],
  "/admin/dependencies/create": [
    { dependent: { host: 99 }, cause: { host: 1 } },
    { dependent: { host: 1, service: "" }, cause: { host: 2, service: "db" } },
    { dependent: { host: 2, service: "db" }, cause: { host: 1 } },
  ],
  "/oncall/create": [{ name: "Office" }],
  "/oncall/override/create": [{ to: START }],
  "/oncall/update": [{ name: "Database" }],
  "/oncall/delete": [{ id: 3 }],
  "/limits/preview": [{ limit: { name: "new", statistics: [18] } }],
  "/limits/create": [{ name: "disk" }, { critical: 1 }],
  "/limits/update": [{ name: "memory" }, { critical: 1 }],
  "/admin/users/create": [{ uname: "user" }],
  "/admin/users/update": [
    { oldpassword: "wrong" },
    { uname: "pat", oldpassword: "anything", password: "long enough" },
    { uname: "admin", password: "admin secret", oldpassword: "admin secret", admin: false },
  ],
  "/admin/users/delete": [{ uname: "admin" }, { uname: "careful" }],
  "/admin/users/image": [{ remove: 0 }],
  "/admin/users/totp/begin": [{ password: "wrong" }],
  "/admin/users/totp/confirm": [{ code: "wrong" }],
  "/admin/users/totp/disable": [{ uname: "user" }],
  "/admin/hosts/delete": [{ id: 1 }],
  "/admin/hosts/action": [{ service: "nothing" }, { id: 2, service: "db" }, {}],
  "/admin/hosts/action/cancel": [{ action: 99 }, { action: 1 }],
  "/admin/hosts/action/queue": [{ service: ["nothing"] }],
  "/admin/groups/create": [{ name: "rack" }],
  "/admin/groups/update": [{ name: "empty" }],
  "/admin/hosts/bulk/update": [{ hosts: [1] }, { filter: { tag: ["n=0"] } }],
  "/admin/hosts/bulk/delete": [{ filter: {} }, { count: 3 }],
  "/admin/hosts/deleted/restore": [{ hosts: [99] }, { hosts: [902] }],
  "/admin/hosts/deleted/delete": [{ hosts: [99] }],
  "/admin/tags/add": [{ hosts: [99] }, { hosts: [2], tags: ["other"] }],
  "/admin/tags/remove": [{ hosts: [99] }],
  "/admin/settings/update": [{ mailhost: "mail.example" }],
  "/admin/channels/create": [{ name: "phone" }, { settings: { url: "nonsense" } }],
  "/admin/channels/update": [{ name: "chat" }],
  "/admin/channels/delete": [{ id: 1 }],
  "/admin/deliveries/retry": [{ id: 2 }],
  "/admin/keys/create": [{ name: "annex" }, { hostgroups: [99] }],
  "/admin/keys/update": [{ name: "annex" }, { hostgroups: [99] }],
  "/admin/keys/move": [{ id: 99 }, { hosts: [99] }],
  "/enrol/exchange": [{ code: "unknown" }, { code: USED_CODE }, { code: NARROW_CODE, hostname: "host-1" }],
  "/enrol/arrival": [{ secret: "wrong" }],
  "/admin/expected/create": [{ hostname: "web-1" }, { hostgroups: [99] }],
  "/admin/expected/update": [{ hostname: "web-2" }, { hostgroups: [99] }],
  "/admin/expected/import": [{ list: "web-[1:10000]" }],
  "/admin/pastevents/missing": [{ agentid: "unknown" }],
  "/admin/pastevents/store": [{ agentid: "unknown" }],
  "/admin/rules/create": [{ name: "all" }, { steps: [{}] }],
  "/admin/rules/update": [{ name: "last" }, { steps: [{}] }],
  "/admin/maintenance/create": [{ name: "patching" }, { schedule: { kind: "once", from: 1, to: 0 } }],
  "/admin/maintenance/update": [{ name: "move" }, { schedule: { kind: "once", from: 1, to: 0 } }],
  "/admin/transfer/import": [{ file: "[]" }, { file: JSON.stringify({ muster: 1, users: [NO_ADMIN] }) }],
  "/admin/statuspages/create": [{ hostgroup: 99 }, { slug: "shelf" }],
  "/admin/statuspages/update": [{ slug: "annex" }, { hostgroup: 99 }],
  "/filters/create": [{ name: "red" }, { filter: { screen: "hosts" } }],
  "/filters/update": [{ name: "taken" }, { filter: { screen: "hosts" } }],
  "/views/create": [{ name: "disks" }, { hostgroup: 99 }],
  "/views/update": [{ name: "taken" }, { hostgroup: 99 }],
  "/views/tokens/create": [{ id: 99, name: "lobby" }],
  "/wall/open": [{ token: "unknown" }],
};

/** Calls that take other arguments than the example. */
const APART: Readonly<Record<string, readonly Fields[]>> = {
  "/session/put": [{}, { CSRFToken: "stolen" }],
  "/reports/uptime/list": [{ range: 12 }],
  "/reports/uptime/get": [{ id: 1, range: 12 }],
  "/reports/uptime/bars": [{ id: 1, range: 12 }],
  "/reports/uptime/budget": [{ range: 12 }],
  "/reports/history/get": [{ hostid: 1, range: 12 }],
  "/reports/history/compare": [{ hostid: 1, type: 0, range: 12 }],
  "/admin/users/totp/disable": [{}],
  "/admin/hosts/delete": [{}, { id: 99 }],
  "/admin/channels/test": [{}],
  "/admin/rehearsals/start": [{}],
  "/admin/rules/preview": [{}],
  "/publicnotes/list": [{}],
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
    ...Object.keys(properties)
      .filter((name) => name in UNKNOWN)
      .map((name) => asAdmin({ ...example, [name]: UNKNOWN[name] })),
    ...(OWN[path] ?? []).map((args) => asAdmin({ ...example, ...args })),
    ...(operation.past || path === "/moment/get" ? OTHER_MOMENTS : []).map((args) =>
      asAdmin({ ...example, ...args }),
    ),
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
    ...(path === "/enrol/exchange" ? guesses(asAdmin({ code: "unknown" }), MAX_GUESSES) : []),
    ...(path === "/enrol/arrival" ? guesses(asAdmin({ ...example, secret: "wrong" }), MAX_GUESSES) : []),
    ...(path === "/admin/users/update" ? guesses(asAdmin({ ...example, oldpassword: "wrong" })) : []),
  ];
}

type Asker = (populated: Populated, method: Method, path: string, args: Fields) => Promise<Reply>;

const manager: Asker = ({ manager }, method, path, args) => send(manager, method, path, args);
const admin: Asker = ({ admin }, method, path, args) => send(admin, method, path, args);
/** An administrator who has named no place for backups. */
const withoutPlace: Asker = ({ app, admin }, method, path, args) => {
  app.settings.set("backupplace", "");
  return send(admin, method, path, args);
};
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
/** One that may change things. */
const writer: Asker = ({ app, tokens }, method, path, args) =>
  send(app.client(), method, path, args, { Authorization: `Bearer ${tokens.full}` });
/** Whom the proxy calls something else. */
const calledBy =
  (name: string, headers: Record<string, string> = {}): Asker =>
  ({ app }, method, path, args) =>
    send(app.client(), method, path, args, { "Remote-User": name, ...headers });

/** An administrator who does the same twice at once. */
const twice: Asker = async ({ admin }, method, path, args) => {
  const first = send(admin, method, path, args);
  const second = await send(admin, method, path, args);
  await first;
  return second;
};

/** Somebody who asks about a host of long ago with so many statistics that a short time of them is too much. */
const greedy: Asker = ({ app, admin }, method, path, args) => {
  app.db.$client.run("update hosts set created_at = 0 where id = 1");
  app.db.$client.run(
    `with recursive n(i) as (select 1 union all select i + 1 from n where i < 5000)
     insert into statistics (service_id, type, descriptor) select min(services.id), 0, 'many ' || n.i
     from services, n where services.host_id = 1 group by n.i on conflict do nothing`,
  );
  return send(admin, method, path, { hostid: 1, type: 0, ...args });
};

/** An administrator, once columns of the host have changed. */
const onceHost =
  (columns: string): Asker =>
  ({ app, admin }, method, path, args) => {
    app.db.$client.run(`update hosts set ${columns} where id = 1`);
    return send(admin, method, path, { id: 1, action: "stop", service: ["web"], ...args });
  };

/** An administrator who asks again and again. */
const impatient: Asker = async ({ admin }, method, path, args) => {
  const asked = { id: 1, action: "stop", ...args };
  for (let i = 0; i < 20; i++) await send(admin, method, path, asked);
  return send(admin, method, path, asked);
};

/** Calls that only some user, or nobody of ours, gets refused in this way. */
const FROM_OTHERS: Readonly<Record<string, readonly { who: Asker; args: Fields }[]>> = {
  "/enrol/exchange": [
    { who: calledBy("", { "X-Forwarded-Proto": "http" }), args: { code: "any" } },
    { who: calledBy("", FOREIGN), args: {} },
  ],
  "/login/proxy": [
    { who: calledBy("stranger"), args: {} },
    { who: calledBy("admin"), args: {} },
    { who: calledBy(""), args: {} },
    { who: calledBy("pat", FOREIGN), args: {} },
  ],
  "/admin/backups/start": [
    { who: admin, args: {} },
    { who: withoutPlace, args: {} },
  ],
  "/admin/hosts/update": [
    {
      who: manager,
      args: { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "", ipaddrout: "192.0.2.9" },
    },
    {
      who: manager,
      args: { id: 1, hostname: "host-1", agentuser: "admin", agentpassword: "", actionqueue: 0 },
    },
  ],
  "/admin/hosts/action/queue": [
    { who: onceHost("actionqueue = false"), args: {} },
    { who: onceHost("actionqueue = true, key_id = 0"), args: {} },
    { who: onceHost("key_id = 2, conflict = 'It is elsewhere'"), args: {} },
    { who: onceHost("conflict = ''"), args: {} },
    { who: impatient, args: { service: ["web"] } },
  ],
  "/reports/history/get": [{ who: greedy, args: { datefrom: START - 30 * 86_400 } }],
  "/reports/history/compare": [{ who: greedy, args: { datefrom: START - 30 * 86_400, points: 500 } }],
  "/wall/show": [{ who: stranger, args: {} }],
  "/admin/transfer/import": [
    { who: writer, args: { file: JSON.stringify({ muster: 1, users: [NO_ADMIN] }) } },
    { who: twice, args: { file: JSON.stringify({ muster: 1 }) } },
  ],
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
function guesses(guess: Cause, count = 6): Cause[] {
  return Array.from({ length: count }, () => guess);
}
