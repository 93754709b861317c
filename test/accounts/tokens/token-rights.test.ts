import { describe, expect, test } from "bun:test";
import { md5 } from "../../../src/accounts/users/password.ts";
import { METHODS } from "../../../src/platform/http/operation.ts";
import { ADMIN_PASSWORD, COLLECTOR_PASSWORD, USER_PASSWORD } from "../../support/app.ts";
import type { Fields, Reply, TestClient } from "../../support/client.ts";
import { admin, app, appOfEachTest, user } from "../../support/each-test.ts";
import { expectRefusal } from "../../support/stored.ts";

type Scope = "read" | "full";
type Call = (method: "GET" | "POST", path: string, fields?: Fields) => Promise<Reply>;

const AGENT_PASSWORD = "agent secret";

appOfEachTest(async () => {
  await app.report({ credentials: { username: "monit", password: AGENT_PASSWORD } });
});

/** Calls with a token that was used before, so that its last use does not show as a change. */
async function withToken(owner: TestClient, scope: Scope): Promise<Call> {
  const { token } = (await owner.post("/api/1/tokens/create", { name: "t", scope })).json;
  const client = app.client();
  const headers = { Authorization: `Bearer ${token}` };
  await client.get("/api/1/status/hosts/list", {}, headers);
  return (method, path, fields = {}) =>
    method === "GET" ? client.get(path, fields, headers) : client.post(path, fields, headers);
}

const operations = () =>
  app.operations.flatMap((operation) =>
    METHODS[operation.kind].map((method) => ({ ...operation, method, url: `/api/1${operation.path}` })),
  );

/** Calls every read operation as an administrator's token. @returns the statuses, and the secrets that showed up */
async function readEverything(scope: Scope) {
  const call = await withToken(admin, scope);
  const secrets = { agent: AGENT_PASSWORD, collector: COLLECTOR_PASSWORD, user: md5(ADMIN_PASSWORD) };
  const statuses = new Set<number>();
  const leaked = new Set<string>();
  for (const { method, url, kind, access } of operations()) {
    if (!/^(read|query)$/.test(kind) || access === "login") continue;
    const reply = await call(method, url, { uname: "admin", id: 1 });
    statuses.add(reply.status);
    for (const [name, secret] of Object.entries(secrets))
      if ([secret, encodeURIComponent(secret)].some((text) => reply.text.includes(text))) leaked.add(name);
  }
  return { statuses, leaked };
}

describe("a token of scope read", () => {
  test("is refused every operation that changes something, by any method", async () => {
    const call = await withToken(admin, "read");
    const changing = operations().filter(
      ({ kind, access }) => /^(change|write)$/.test(kind) && access !== "public",
    );
    expect(changing.length).toBeGreaterThan(10);
    for (const { method, url, access } of changing)
      await expectRefusal(
        app,
        () => call(method, url),
        403,
        access === "login" ? "token.session" : "token.scope",
      );
  });

  test("reads, and finds no password or hash anywhere", async () => {
    const { statuses, leaked } = await readEverything("read");
    expect(leaked).toEqual(new Set());
    // Some operations need other arguments, and there is no event 1; none is refused.
    expect([...statuses].filter((status) => ![200, 400, 404].includes(status))).toEqual([]);
    const call = await withToken(admin, "read");
    expect((await call("GET", "/api/1/admin/hosts/get", { id: 1 })).json.agentpassword).toBe("");
    expect((await call("GET", "/api/1/admin/users/get", { uname: "admin" })).json.password).toBe("");
  });

  test("of a plain user has no more rights than he", async () => {
    const call = await withToken(user, "read");
    await expectRefusal(app, () => call("GET", "/api/1/admin/hosts/list"), 403, "role.level");
    await expectRefusal(
      app,
      () => call("GET", "/api/1/admin/users/get", { uname: "admin" }),
      403,
      "role.admin",
    );
    expect((await call("GET", "/api/1/admin/users/get", { uname: "user" })).json.password).toBe("");
  });
});

describe("a token of scope full", () => {
  test("writes without a CSRF token", async () => {
    const call = await withToken(admin, "full");
    expect((await call("POST", "/api/1/admin/groups/create", { name: "g" })).json).toEqual({ id: 1 });
    expect(app.rows("select name from host_groups")).toEqual([{ name: "g" }]);
  });

  test("of an administrator sees passwords, one of a plain user does not", async () => {
    expect((await readEverything("full")).leaked).toEqual(new Set(["agent", "collector", "user"]));
    const admins = await withToken(admin, "full");
    expect((await admins("GET", "/api/1/admin/hosts/get", { id: 1 })).json.agentpassword).toBe(
      AGENT_PASSWORD,
    );
    expect((await admins("GET", "/api/1/admin/users/get", { uname: "user" })).json.password).toBe(
      md5(USER_PASSWORD),
    );
    const users = await withToken(user, "full");
    expect((await users("GET", "/api/1/admin/users/get", { uname: "user" })).json.password).toBe("");
    await expectRefusal(
      app,
      () => users("POST", "/api/1/admin/groups/create", { name: "g" }),
      403,
      "role.admin",
    );
  });

  test("opens neither the session store nor the tokens", async () => {
    const call = await withToken(admin, "full");
    const closed = operations().filter(({ path }) => /^\/(session|tokens)\/(?!(user|rights)$)/.test(path));
    expect(closed.length).toBe(13);
    for (const { method, url } of closed)
      await expectRefusal(app, () => call(method, url, { key: "a", id: 1 }), 403, "token.session");
  });

  test("does not change the account of its user, by whatever name for it", async () => {
    const fields = { password: ADMIN_PASSWORD, oldpassword: ADMIN_PASSWORD, fullname: "Changed" };
    const call = await withToken(admin, "full");
    const ofCaller = { ...fields, uname: "admin" };
    await expectRefusal(app, () => call("POST", "/api/1/admin/users/update", ofCaller), 403, "token.session");
    await expectRefusal(
      app,
      () => call("POST", "/api/1/admin/users/delete", { uname: "admin" }),
      403,
      "token.session",
    );
    await expectRefusal(
      app,
      () => call("POST", "/api/1/admin/users/image", { remove: 1 }),
      403,
      "token.session",
    );
    const users = await withToken(user, "full");
    const his = { ...fields, uname: "user" };
    await expectRefusal(app, () => users("POST", "/api/1/admin/users/update", his), 403, "token.session");
  });

  test("changes the accounts of others where its user may", async () => {
    const call = await withToken(admin, "full");
    const fields = { uname: "user", password: "new secret", oldpassword: USER_PASSWORD, fullname: "Changed" };
    expect((await call("POST", "/api/1/admin/users/update", fields)).json).toEqual({});
    expect(app.rows("select fullname from users where id = 2")).toEqual([{ fullname: "Changed" }]);
    expect((await user.get("/api/1/session/get")).status).toBe(401);
    expect((await call("POST", "/api/1/admin/users/delete", { uname: "user" })).json).toEqual({});
  });

  test("loses the role together with its user", async () => {
    await admin.post("/api/1/admin/users/create", {
      uname: "b",
      password: "long enough",
      fullname: "B",
      admin: true,
    });
    const other = await app.signedIn("b", "long enough");
    const call = await withToken(other, "full");
    expect((await call("GET", "/api/1/admin/hosts/list")).status).toBe(200);
    const fields = {
      uname: "b",
      password: "long enough",
      oldpassword: "long enough",
      fullname: "B",
      admin: false,
    };
    expect((await admin.post("/api/1/admin/users/update", fields)).status).toBe(200);
    expect((await call("GET", "/api/1/admin/hosts/list")).status).toBe(403);
  });
});
