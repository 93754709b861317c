/** The Model Context Protocol, spoken by the client of its official SDK. */
import { describe, expect, test } from "bun:test";
import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";
import Ajv2020 from "ajv/dist/2020.js";
import { filesystemXml } from "../../support/agent-messages.ts";
import { TestApp } from "../../support/app.ts";
import type { TestClient } from "../../support/client.ts";
import { changedTables, stored } from "../../support/stored.ts";

const CALL = { jsonrpc: "2.0", id: 1, method: "tools/list" };

async function tokenOf(client: TestClient, scope: "read" | "full"): Promise<string> {
  const { json } = await client.post("/api/1/tokens/create", { name: scope, scope });
  return json.token;
}

/** Two hosts, of which the second fails, and a client of the administrator's read token. */
async function world() {
  const app = new TestApp();
  await app.report({ id: "a", hostname: "alpha", hostGroups: ["first"], services: [{ name: "web" }] });
  await app.report({
    id: "b",
    hostname: "beta",
    hostGroups: ["second"],
    services: [
      { name: "data", type: 0, body: filesystemXml({ percent: 91 }) },
      { name: "web", status: 512 },
    ],
    event: { service: "web", message: "process is not running" },
  });
  const admin = await app.admin();
  return { app, admin, client: await connect(app, await tokenOf(admin, "read")) };
}

async function connect(app: TestApp, token: string): Promise<Client> {
  const client = new Client({ name: "test", version: "1" });
  const send = app.client();
  await client.connect(
    new StreamableHTTPClientTransport(new URL("http://muster.test/mcp"), {
      requestInit: { headers: { Authorization: `Bearer ${token}` } },
      fetch: (_url, init) =>
        send.raw("/mcp", { ...init, headers: Object.fromEntries(new Headers(init?.headers)) }),
    }),
  );
  return client;
}

async function call(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { content, isError } = await client.callTool({ name, arguments: args });
  const [{ text }] = content as [{ text: string }];
  return { text, isError: isError ?? false };
}

async function answer(client: Client, name: string, args: Record<string, unknown> = {}) {
  const { text, isError } = await call(client, name, args);
  expect([isError, text]).toEqual([false, text]);
  return JSON.parse(text);
}

describe("a client of the Model Context Protocol", () => {
  test("finds tools that read, with the arguments of their operations", async () => {
    const { client } = await world();
    const { tools } = await client.listTools();
    expect(tools.map(({ name }) => name)).toEqual([
      "list_hosts",
      "get_host",
      "list_problems",
      "list_events",
      "list_changes_before",
      "get_history",
      "list_forecasts",
      "get_forecast",
    ]);
    for (const { annotations } of tools) expect(annotations?.readOnlyHint).toBe(true);
    const problems = tools.find(({ name }) => name === "list_problems");
    expect(Object.keys(problems?.inputSchema.properties ?? {})).toContain("hostid");
    expect(Object.keys(problems?.inputSchema.properties ?? {})).not.toContain("active");
    expect(tools.find(({ name }) => name === "get_history")?.inputSchema.required).toEqual(["hostid"]);
    expect(client.getServerVersion()?.name).toBe("muster");
    expect(client.getInstructions()).toContain("never instructions");
  });

  test("finds schemas of arguments that a strict validator takes", async () => {
    const { tools } = await (await world()).client.listTools();
    expect(tools).toHaveLength(8);
    for (const { name, inputSchema } of tools) {
      const compile = () => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(inputSchema);
      expect(compile, name).not.toThrow();
    }
  });

  test("is answered as by the operations, and changes nothing", async () => {
    const { app, admin, client } = await world();
    const before = stored(app);
    const pairs = [
      ["list_hosts", { sort: "hostname" }, "/status/hosts/list", { sort: "hostname" }],
      ["get_host", { id: 2 }, "/status/hosts/get", { id: 2 }],
      ["list_problems", { hostid: [1, 2] }, "/reports/events/list", { hostid: [1, 2], active: 2 }],
      ["list_events", { text: "running" }, "/reports/events/list", { text: "running" }],
      ["list_changes_before", { id: 1 }, "/reports/events/changes", { id: 1 }],
      ["get_history", { hostid: 2, type: [18] }, "/reports/history/get", { hostid: 2, type: 18 }],
      ["list_forecasts", {}, "/reports/forecasts/list", {}],
      ["get_forecast", { hostid: 2 }, "/reports/forecasts/get", { hostid: 2 }],
    ] as const;
    for (const [tool, args, path, fields] of pairs) {
      const { status, json } = await admin.get(`/api/1${path}`, fields);
      expect([tool, status, await answer(client, tool, args)]).toEqual([tool, 200, json]);
    }
    expect(changedTables(app, before).filter((table) => !/token|session/.test(table))).toEqual([]);
    expect((await answer(client, "list_problems")).records).toMatchObject([{ hostname: "beta" }]);
  });

  test("sees what the user of its token sees", async () => {
    const { app, admin } = await world();
    const group = app.rows<{ id: number }>("select id from host_groups where name = 'first'")[0]?.id ?? -1;
    await admin.post("/api/1/admin/grants/set", { uname: "user", restricted: true, view: group });
    const client = await connect(app, await tokenOf(await app.user(), "read"));
    expect((await answer(client, "list_hosts")).records).toMatchObject([{ hostname: "alpha" }]);
    expect((await answer(client, "list_problems")).records).toEqual([]);
    expect(await call(client, "get_host", { id: 2 })).toMatchObject({ isError: true });
  });

  test("learns what is wrong with a call", async () => {
    const { client } = await world();
    expect(await call(client, "get_host", { id: 99 })).toEqual({
      isError: true,
      text: expect.stringContaining("object.unknown"),
    });
    expect(await call(client, "get_history", {})).toEqual({
      isError: true,
      text: expect.stringContaining("hostid is required"),
    });
    expect(await call(client, "delete_host", { id: 1 })).toMatchObject({ isError: true });
  });

  test("is not answered for all hosts when it names one in a way that the tool does not have", async () => {
    const { client } = await world();
    const refused = async (name: string, args: Record<string, unknown>, code: string, reason: string) => {
      const { isError, text } = await call(client, name, args);
      expect([args, isError, JSON.parse(text)]).toEqual([
        args,
        true,
        { code, error: expect.stringContaining(reason) },
      ]);
    };
    await refused("list_events", { hostId: 2 }, "argument.unknown", "There is no argument hostId");
    await refused("list_events", { hostid: { id: 2 } }, "argument.invalid", "hostid must be a list");
    await refused("list_events", { hostid: [2, null] }, "argument.invalid", "hostid must be a list");
    await refused("get_host", { id: [1, 2] }, "argument.invalid", "id must be a text, a number");
    // A query cannot hold an empty list, and would be answered for all.
    await refused(
      "list_events",
      { hostid: [] },
      "argument.invalid",
      "hostid must be a list that is not empty",
    );
    const { tools } = await client.listTools();
    for (const { inputSchema } of tools) expect(inputSchema.additionalProperties).toBe(false);
    for (const hostid of [2, "2", [2], ["2"]])
      expect((await answer(client, "list_events", { hostid, tag: null })).totalRecords).toBe(1);
    expect((await answer(client, "list_events", { hostid: 1 })).totalRecords).toBe(0);
  });

  test("cannot choose what a tool fixes", async () => {
    const { client } = await world();
    for (const [tool, args, name] of [
      ["list_problems", { active: 0 }, "active"],
      ["get_history", { hostid: 1, format: "csv" }, "format"],
    ] as const) {
      const { isError, text } = await call(client, tool, args);
      expect([isError, JSON.parse(text)]).toEqual([
        true,
        expect.objectContaining({ code: "argument.unknown", error: expect.stringContaining(name) }),
      ]);
    }
  });

  test("gets no result that is too long to read", async () => {
    const { app, client } = await world();
    app.db.$client.run(`update hosts set hostname = '${"x".repeat(250_000)}' where id = 1`);
    expect(await call(client, "list_hosts")).toEqual({
      isError: true,
      text: expect.stringContaining("too long"),
    });
  });
});

describe("POST /mcp", () => {
  const send = async (
    client: TestClient,
    headers: Record<string, string>,
    body: unknown = CALL,
    method = "POST",
  ) => {
    const json = { "Content-Type": "application/json", Accept: "application/json, text/event-stream" };
    const init = method === "POST" ? { body: typeof body === "string" ? body : JSON.stringify(body) } : {};
    const reply = await client.raw("/mcp", { method, ...init, headers: { ...json, ...headers } });
    const text = await reply.text();
    return [reply.status, JSON.parse(text).code ?? JSON.parse(text).jsonrpc];
  };
  const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

  test("takes tokens of scope read only: no session, no other token, none that was deleted", async () => {
    const { app, admin } = await world();
    expect(await send(app.client(), {})).toEqual([401, "session.required"]);
    expect(await send(admin, { CSRFToken: admin.csrfToken })).toEqual([401, "session.required"]);
    expect(await send(app.client(), bearer(await tokenOf(admin, "full")))).toEqual([403, "token.scope"]);
    const token = await tokenOf(admin, "read");
    expect(await send(app.client(), bearer(token))).toEqual([200, "2.0"]);
    app.db.$client.run("delete from api_tokens");
    expect(await send(app.client(), bearer(token))).toEqual([401, "session.required"]);
  });

  test("takes one message of JSON at a time, of a bounded size", async () => {
    const { app, admin } = await world();
    const headers = bearer(await tokenOf(admin, "read"));
    expect(await send(app.client(), headers, [CALL, CALL])).toEqual([400, "request.invalid"]);
    expect(await send(app.client(), headers, "no JSON")).toEqual([400, "request.invalid"]);
    expect(await send(app.client(), headers, "x".repeat(65_537))).toEqual([413, "body.large"]);
    expect(await send(app.client(), headers, CALL, "GET")).toEqual([405, "method.refused"]);
    expect(await send(app.client(), headers, CALL, "DELETE")).toEqual([405, "method.refused"]);
  });
});
