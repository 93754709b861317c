/** Uses every feature that is given a secret, rightly and wrongly, with secrets that can be found again. */

import { md5 } from "../../src/accounts/users/password.ts";
import { METHODS } from "../../src/platform/http/operation.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, type TestApp, USER_PASSWORD } from "../support/app.ts";
import type { Fields, Reply, TestClient } from "../support/client.ts";
import { totpCode } from "../support/totp.ts";

/** What is typed or made in the course of it, by what it is. None is part of another. */
export const TYPED = {
  "password of a user": "Sec-created-91",
  "password of a user after a change": "Sec-changed-92",
  "wrong password": "Sec-wrong-93",
  "password typed as a name": "Sec-asname-94",
  "wrong old password": "Sec-wrongold-95",
  "wrong code": "Sec-wrongcode-84",
  "password in a URL": "Sec-inurl-96",
  "agent's own password": "Sec-agentown-97",
  "agent's password, set": "Sec-agentset-98",
  "agent's password, tested": "Sec-agenttest-99",
  "collector's password": "Sec-collector-89",
  "collector's next password": "Sec-collector2-88",
  "wrong password of the collector": "Sec-collwrong-87",
  "wrong token": "muster_Sec-token-86",
  "forged session": "Secforgedsession85",
  "channel's token": "Sec-chtoken-84",
  "channel's next token": "Sec-chtoken2-83",
  "channel's address that is a key": "Sec-chaddress-82",
  "channel's token, tested": "Sec-chtest-81",
} as const;

export interface Everything {
  app: TestApp;
  /** By what they are; the session ids and tokens that were made among them. */
  secrets: Record<string, string>;
  replies: { call: string; reply: Reply }[];
}

/** Names of arguments that carry a secret somewhere. */
const SECRET_ARGUMENTS = [
  "password",
  "oldpassword",
  "agentpassword",
  "collectorpassword",
  "z_password",
  "z_totp",
  "code",
  "monitpassword",
];

export async function useEverything(app: TestApp): Promise<Everything> {
  const t = TYPED;
  const secrets: Record<string, string> = {
    ...t,
    "admin's password": ADMIN_PASSWORD,
    "user's password": USER_PASSWORD,
    "collector's first password": COLLECTOR_PASSWORD,
  };
  const replies: Everything["replies"] = [];
  const keep = async (call: string, pending: Promise<Reply>): Promise<Reply> => {
    const reply = await pending;
    replies.push({ call, reply });
    return reply;
  };
  const post = (client: TestClient, path: string, fields: Fields = {}, headers = {}) =>
    keep(`POST ${path}`, client.post(path, fields, headers));
  const remember = (what: string, { cookie }: TestClient) => {
    const id = cookie.split("=")[1] ?? "";
    const [random = "", signature = ""] = id.split(".");
    Object.assign(secrets, {
      [what]: id,
      [`${what}, first half`]: random,
      [`${what}, second half`]: signature,
    });
  };

  // Signing in.
  const [admin, user] = [await app.admin(), await app.user()];
  remember("admin's session", admin);
  remember("user's session", user);
  const login = (fields: Fields) => post(app.client(), "/api/1/login", fields);
  await login({ z_username: "admin", z_password: t["wrong password"] });
  await login({ z_username: t["password typed as a name"], z_password: "x" });
  const older = app.client();
  const query = `?z_username=admin&z_password=${t["password in a URL"]}`;
  await keep("GET z_security_check", older.get(`/z_security_check${query}`));
  await keep("GET with secrets in the URL", older.get(`/api/1/nothing${query}`));
  await keep("GET page with secrets in the URL", older.get(`/status/hosts/list${query}`));
  await post(older, "/z_security_check", { z_username: "user", z_password: USER_PASSWORD });
  remember("older session", older);
  const forged = app.client();
  forged.cookie = `zsessionid=${t["forged session"]}`;
  await keep("GET with a forged session", forged.get("/api/1/session/get"));

  // Users.
  const account = { uname: "x", fullname: "X" };
  await post(admin, "/api/1/admin/users/create", { ...account, password: t["password of a user"] });
  const update = (oldpassword: string, password: string) =>
    post(admin, "/api/1/admin/users/update", { ...account, oldpassword, password });
  await update(t["wrong old password"], t["password of a user after a change"]);
  await update(md5(t["wrong old password"]), t["password of a user after a change"]);
  await update(t["password of a user"], t["password of a user after a change"]);
  await app.signedIn("x", t["password of a user after a change"]);

  // A second factor.
  const careful = await app.signedIn("x", t["password of a user after a change"]);
  const totp = "/api/1/admin/users/totp";
  const begun = await careful.post(`${totp}/begin`, { password: t["password of a user after a change"] });
  const code = totpCode(begun.json.secret, app.clock.now());
  const { recoverycodes } = (await careful.post(`${totp}/confirm`, { code })).json;
  secrets["secret of a second factor"] = begun.json.secret;
  secrets["recovery code"] = recoverycodes[0];
  secrets["recovery code that was used"] = recoverycodes[1];
  const x = { z_username: "x", z_password: t["password of a user after a change"] };
  await login(x);
  for (const z_totp of [t["wrong code"], recoverycodes[1]]) await login({ ...x, z_totp });
  await post(careful, `${totp}/disable`, { password: t["wrong old password"] });
  await post(careful, `${totp}/disable`, { code: t["wrong code"] });

  // Agents.
  await app.report({
    services: [{ name: "web" }],
    httpd: { address: "127.0.0.1", port: 9 },
    credentials: { username: "monit", password: t["agent's own password"] },
  });
  const host = { id: 1, hostname: "h", agentuser: "me", ipaddrout: "127.0.0.1", portout: 9 };
  await post(admin, "/api/1/admin/hosts/update", { ...host, agentpassword: t["agent's password, set"] });
  const agent = { ipaddr: "127.0.0.1", port: 9, ssl: 0, agentuser: "me" };
  await post(admin, "/api/1/admin/hosts/test", { ...agent, agentpassword: t["agent's password, tested"] });
  await post(admin, "/api/1/admin/hosts/action", { id: 1, action: "stop", service: "web" });

  // Channels.
  const ntfy = (token: string, topic = "t") => ({
    name: "n",
    kind: "ntfy",
    settings: { url: "http://127.0.0.1:9", topic, token },
  });
  const tested = t["channel's token, tested"];
  await post(admin, "/api/1/admin/channels/create", ntfy(t["channel's token"]));
  await post(admin, "/api/1/admin/channels/test", { channel: ntfy(tested) });
  await post(admin, "/api/1/admin/channels/test", { channel: ntfy(tested, "a b") });
  const next = { token: t["channel's next token"] };
  await post(admin, "/api/1/admin/channels/update", { id: 1, settings: next });
  const key = `http://127.0.0.1:9/${t["channel's address that is a key"]}`;
  await post(admin, "/api/1/admin/channels/create", { name: "s", kind: "slack", settings: { url: key } });
  await post(admin, "/api/1/admin/channels/test", { id: 2 });

  // The collector.
  for (const name of ["collector's password", "collector's next password"] as const)
    await post(admin, "/api/1/admin/settings/update", { collectorpassword: t[name] });
  const wrong = btoa(`monit:${t["wrong password of the collector"]}`);
  await post(app.client(), "/collector", {}, { Authorization: `Basic ${wrong}`, "Content-Type": "text/xml" });

  // API tokens.
  const made = await admin.post("/api/1/tokens/create", { name: "bot", scope: "full" });
  secrets["API token"] = made.json.token;
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });
  await keep("GET with a token", app.client().get("/api/1/admin/hosts/list", {}, bearer(made.json.token)));
  await keep("GET with a wrong token", app.client().get("/api/1/metrics", {}, bearer(t["wrong token"])));
  await keep("GET with a wrong token", app.client().get("/uploads/x", {}, bearer(t["wrong token"])));

  await misuseEverything(app, admin, keep);
  return { app, secrets, replies };
}

/** Calls every operation with secrets where they may be, but too long or together with nonsense; nothing succeeds. */
async function misuseEverything(
  app: TestApp,
  admin: TestClient,
  keep: (call: string, pending: Promise<Reply>) => Promise<Reply>,
): Promise<void> {
  const secret = TYPED["password of a user after a change"];
  const fields = Object.fromEntries(SECRET_ARGUMENTS.map((name) => [name, secret.repeat(30)]));
  // The session store keeps what it is given, and its end would end all of this.
  const others = app.operations.filter(({ path }) => !/^\/session\/(put|invalidate)$/.test(path));
  for (const { path, kind } of others)
    for (const prefix of ["/api/1", "/api/2"])
      for (const method of METHODS[kind]) {
        const nonsense = { ...fields, id: "x", uname: "nobody", hostname: "", service: "x" };
        const url = `${prefix}${path}`;
        await keep(
          `${method} ${url}`,
          method === "GET" ? admin.get(url, nonsense) : admin.post(url, nonsense),
        );
      }
}
