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

  test("takes JSON of a bounded size", async () => {
    const { app, admin } = await world();
    const headers = bearer(await tokenOf(admin, "read"));
    expect(await send(app.client(), headers, "[")).toEqual([400, "request.invalid"]);
    expect(await send(app.client(), headers, "no JSON")).toEqual([400, "request.invalid"]);
    expect(await send(app.client(), headers, "x".repeat(65_537))).toEqual([413, "body.large"]);
    expect(await send(app.client(), headers, CALL, "GET")).toEqual([405, "method.refused"]);
    expect(await send(app.client(), headers, CALL, "DELETE")).toEqual([405, "method.refused"]);
  });

  describe("with a batch", () => {
    const HOSTS = { jsonrpc: "2.0", id: "hosts", method: "tools/call", params: { name: "list_hosts" } };
    const NOTE = { jsonrpc: "2.0", method: "notifications/initialized" };
    const INVALID = { jsonrpc: "2.0", id: null, error: { code: -32_600, message: expect.any(String) } };
    const WITH_BATCHES = { "MCP-Protocol-Version": "2025-03-26" };

    async function sendBatch(batch: unknown, version: Record<string, string> = WITH_BATCHES) {
      const { app, admin } = await world();
      const reply = await app.client().raw("/mcp", {
        method: "POST",
        body: JSON.stringify(batch),
        headers: {
          ...bearer(await tokenOf(admin, "read")),
          ...version,
          "Content-Type": "application/json",
          Accept: "application/json, text/event-stream",
        },
      });
      const text = await reply.text();
      return { status: reply.status, json: text === "" ? null : JSON.parse(text) };
    }

    test("answers each request in order, also two with one id, and no notification", async () => {
      for (const version of [WITH_BATCHES, {}]) {
        const { status, json } = await sendBatch([HOSTS, NOTE, CALL, CALL], version);
        expect(status).toBe(200);
        expect(json.map(({ id }: { id: unknown }) => id)).toEqual(["hosts", 1, 1]);
        expect(json[0].result.content[0].text).toContain("alpha");
        expect(json[2].result.tools).toHaveLength(8);
      }
      expect((await sendBatch([CALL])).json).toMatchObject([{ id: 1 }]);
      expect(await sendBatch([NOTE, NOTE])).toEqual({ status: 202, json: null });
    });

    test("says of each message what is wrong with it, and answers the others", async () => {
      const initialize = { jsonrpc: "2.0", id: 2, method: "initialize", params: {} };
      const { status, json } = await sendBatch([1, null, [CALL], initialize, { id: 3 }, CALL]);
      expect(status).toBe(200);
      expect(json).toMatchObject([
        INVALID,
        INVALID,
        INVALID,
        INVALID,
        { error: { code: -32_700 } },
        { id: 1, result: { tools: expect.any(Array) } },
      ]);
    });

    test("refuses one that is empty, too long, or of a later version of the protocol", async () => {
      for (const batch of [[], Array(21).fill(CALL)])
        expect(await sendBatch(batch)).toEqual({ status: 400, json: INVALID });
      const later = await sendBatch([CALL], { "MCP-Protocol-Version": "2025-06-18" });
      expect(later).toEqual({ status: 400, json: INVALID });
      expect(later.json.error.message).toContain("2025-03-26");
    });
  });
});
