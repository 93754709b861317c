/** The fast path of agents' messages gives the same answers as the app. */
import { afterAll, describe, expect, test } from "bun:test";
import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import { gzipSync } from "node:zlib";
import { nodeListener } from "../../../src/monitoring/collector/collector.node.ts";
import { MAX_BODY_BYTES } from "../../../src/monitoring/collector/collector.ts";
import { eventually } from "../../e2e/support.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { COLLECTOR_PASSWORD, TestApp, type TestOptions } from "../../support/app.ts";

const cleanups: (() => void)[] = [];
afterAll(() => {
  for (const cleanup of cleanups) cleanup();
});

/** The app behind a real server, and its answer without one to the same request from the same address. */
async function served(options: TestOptions = {}) {
  const app = new TestApp(options);
  const server = createServer(nodeListener({ ...app.muster, app: app.app }));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  cleanups.push(
    () => void server.close(),
    () => server.closeAllConnections(),
  );
  const { port } = server.address() as AddressInfo;
  const twin = new TestApp(options);
  return {
    app,
    port,
    ask: (path: string, init: RequestInit) => fetch(`http://127.0.0.1:${port}${path}`, init),
    askTwin: (path: string, init: RequestInit & { headers?: Record<string, string> }) =>
      twin.client("127.0.0.1").raw(path, init),
  };
}

const GOOD = { Authorization: `Basic ${btoa(`monit:${COLLECTOR_PASSWORD}`)}` };
const XML = { ...GOOD, "Content-Type": "text/xml" };

/** Headers of the connection, which only a server adds. */
const OF_CONNECTION = ["date", "connection", "keep-alive", "content-length", "transfer-encoding"];

async function shown(reply: Response) {
  const headers = [...reply.headers].filter(([name]) => !OF_CONNECTION.includes(name)).sort();
  return { status: reply.status, headers, text: await reply.text() };
}

type Init = RequestInit & { headers: Record<string, string> };

describe("an answer is that of the app", () => {
  const CASES: readonly [what: string, status: number, init: Init, path?: string, options?: TestOptions][] = [
    ["a message", 200, { method: "POST", body: agentXml(), headers: XML }],
    [
      "a gzipped one",
      200,
      { method: "POST", body: gzipSync(agentXml()), headers: { ...XML, "Content-Encoding": "gzip" } },
    ],
    ["no message", 400, { method: "POST", body: "x", headers: XML }],
    ["no body", 400, { method: "POST", headers: XML }],
    ["no gzip", 400, { method: "POST", body: "x", headers: { ...XML, "Content-Encoding": "gzip" } }],
    ["no credential", 401, { method: "POST", body: agentXml(), headers: {} }],
    ["GET", 405, { method: "GET", headers: XML }],
    ["HEAD", 405, { method: "HEAD", headers: XML }],
    ["PUT", 405, { method: "PUT", body: "x", headers: XML }],
    ["too much", 413, { method: "POST", body: "x".repeat(MAX_BODY_BYTES + 1), headers: XML }],
    [
      "another kind",
      415,
      { method: "POST", body: "{}", headers: { ...GOOD, "Content-Type": "application/json" } },
    ],
    ["no room", 503, { method: "POST", body: agentXml(), headers: XML }, "/collector", { queueLimit: 0 }],
    ["with a query", 200, { method: "POST", body: agentXml(), headers: XML }, "/collector?a=b"],
    ["another path", 404, { method: "POST", body: "x", headers: XML }, "/collector/x"],
    [
      "over https",
      200,
      { method: "POST", body: agentXml(), headers: XML },
      "/collector",
      { baseUrl: "https://muster.test" },
    ],
  ];
  for (const [title, status, init, path = "/collector", options = {}] of CASES)
    test(`${status}: ${title}`, async () => {
      const { ask, askTwin } = await served(options);
      const expected = await shown(await askTwin(path, init));
      expect(expected.status).toBe(status);
      // Twice: the answer to an accepted message is remembered.
      for (let i = 0; i < 2; i++) expect(await shown(await ask(path, init))).toEqual(expected);
    });
});

/** Sends raw text to the server, and returns what has come back. */
function say(port: number, ...pieces: string[]) {
  const said = { received: "", isClosed: false, leave: () => void socket.destroy() };
  const socket = connect(port, "127.0.0.1", () => {
    for (const piece of pieces) socket.write(piece);
  });
  socket.on("data", (data) => {
    said.received += data.toString("latin1");
  });
  socket.on("error", said.leave);
  socket.on("close", () => {
    said.isClosed = true;
  });
  cleanups.push(said.leave);
  return said;
}

function head(...lines: string[]): string {
  return [
    "POST /collector HTTP/1.1",
    "Host: muster",
    `Authorization: ${GOOD.Authorization}`,
    ...lines,
    "",
    "",
  ].join("\r\n");
}

test("messages in pieces, and one after the other on a connection, are taken in", async () => {
  const { app, port } = await served();
  const [first, second] = ["a", "b"].map((id) => agentXml({ id }));
  const chunk = (text: string) => `${text.length.toString(16)}\r\n${text}\r\n`;
  const said = say(
    port,
    `${head("Transfer-Encoding: chunked")}${chunk((first ?? "").slice(0, 100))}`,
    `${chunk((first ?? "").slice(100))}0\r\n\r\n`,
    `${head(`Content-Length: ${second?.length}`)}${second}`,
  );
  await eventually("both are answered", () => said.received.split("HTTP/1.1 200").length === 3);
  expect(app.rows("select agent_id as id from hosts order by id")).toEqual([{ id: "a" }, { id: "b" }]);
});

test("more than was allowed is refused while it comes", async () => {
  const { app, port } = await served();
  const said = say(port, head("Transfer-Encoding: chunked"));
  const piece = "x".repeat(1024 * 1024);
  const more = say(port, `${head("Transfer-Encoding: chunked")}${`100000\r\n${piece}\r\n`.repeat(5)}`);
  await eventually("it is refused", () => more.received.startsWith("HTTP/1.1 413"));
  expect(said.received).toBe("");
  expect(app.muster.rejectedMessages.list()).toMatchObject([
    { reason: expect.stringContaining("larger"), count: 1 },
  ]);
});

test("a client that leaves within a message is dropped silently", async () => {
  const { app, port, ask } = await served();
  const said = say(port, head("Content-Length: 1000", "Expect: 100-continue"));
  await eventually("it is being read", () => said.received.startsWith("HTTP/1.1 100"));
  said.leave();
  expect((await ask("/collector", { method: "POST", body: agentXml(), headers: XML })).status).toBe(200);
  expect(app.logged).toEqual([]);
  expect(app.muster.rejectedMessages.list()).toEqual([]);
});

test("what is answered is counted once", async () => {
  const { app, ask } = await served();
  for (const body of [agentXml(), agentXml(), "x", agentXml()])
    await ask("/collector", { method: "POST", body, headers: XML });
  await ask("/collector", { method: "GET" });
  const text = app.muster.metrics.text();
  for (const line of [
    "muster_messages_total 3",
    'muster_messages_refused_total{reason="message.invalid"} 1',
    'muster_messages_refused_total{reason="method.refused"} 1',
    'muster_http_requests_total{surface="collector",status="2xx"} 3',
    'muster_http_requests_total{surface="collector",status="4xx"} 2',
    'muster_http_request_duration_seconds_count{surface="collector"} 5',
  ])
    expect(text).toContain(line);
});

test("the address is the client's, proxies that are trusted taken into account", async () => {
  const proxy = { address: "127.0.0.1", bits: 32, family: "ipv4" } as const;
  const headers = { ...XML, "X-Forwarded-For": "203.0.113.9" };
  const addressOf = async (options: TestOptions) => {
    const { app, ask } = await served(options);
    await ask("/collector", { method: "POST", body: "x", headers });
    return app.muster.rejectedMessages.list().map(({ address }) => address);
  };
  expect(await addressOf({})).toEqual(["127.0.0.1"]);
  expect(await addressOf({ trustedProxy: [proxy] })).toEqual(["203.0.113.9"]);
});

test("a health check without a host, as load balancers send it, is answered", async () => {
  const { port } = await served();
  const answerTo = (request: string) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(request));
      socket
        .on("data", (bytes) => resolve(bytes.toString("latin1").split("\r\n")[0] ?? ""))
        .on("error", reject);
    });
  expect(await answerTo("GET /healthz HTTP/1.0\r\n\r\n")).toBe("HTTP/1.1 200 OK");
  // HTTP/1.1 demands one.
  expect(await answerTo("GET /healthz HTTP/1.1\r\n\r\n")).toBe("HTTP/1.1 400 Bad Request");
});
