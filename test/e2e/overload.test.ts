import { afterEach, expect, test } from "bun:test";
import { chmodSync, writeFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { nodeListener } from "../../src/monitoring/collector/collector.node.ts";
import { MAX_BODY_BYTES } from "../../src/monitoring/collector/collector.ts";
import { readConfig } from "../../src/platform/config/config.ts";
import { BLOCK_BYTES } from "../../src/platform/http/bodies.ts";
import { Listener, type ListenerLimits } from "../../src/platform/http/listener.ts";
import { agentXml } from "../support/agent-messages.ts";
import { TestApp } from "../support/app.ts";
import { TestClient } from "../support/client.ts";
import { COLLECTOR_PASSWORD } from "../support/passwords.ts";
import { EXECUTABLE, eventually, Muster, temporaryFolder } from "./support.ts";

/** No one is disconnected for being slow: how long anything takes is up to the machine. */
const LIMITS: ListenerLimits = {
  maxConnections: 20,
  maxConnectionsPerSource: 10,
  maxUnsentPerConnection: 32 * 1024 * 1024,
  maxUnsent: 64 * 1024 * 1024,
  writeTimeout: 600_000,
  pipelinePause: 0,
  headersTimeout: 600_000,
  requestTimeout: 600_000,
  minBodyRate: 128 * 1024,
  keepAliveTimeout: 600_000,
  connectionsCheckingInterval: 50,
};

/** The names of connections that have ended, in this order. */
const ended: Client[] = [];

/** A connection that sends a text, and notes the reply and its end. */
class Client {
  received = "";
  isClosed = false;
  readonly #socket: Socket;

  constructor(port: number, first: string) {
    this.#socket = connect(port, "127.0.0.1", () => this.#socket.write(first));
    this.#socket.on("data", (data) => {
      this.received += data.toString("latin1");
    });
    // A closed connection may end in a reset.
    this.#socket.on("error", () => this.#socket.destroy());
    this.#socket.on("close", () => {
      this.isClosed = true;
      ended.push(this);
    });
  }

  say(text: string): void {
    if (!this.#socket.destroyed) this.#socket.write(text);
  }

  leave(): void {
    this.#socket.destroy();
  }
}

const clients: Client[] = [];

function open(port: number, count: number, first: string): Client[] {
  const opened = Array.from({ length: count }, () => new Client(port, first));
  clients.push(...opened);
  return opened;
}

function leaveAll(): void {
  for (const client of clients.splice(0)) client.leave();
  ended.length = 0;
}

afterEach(leaveAll);

const closedOf = (some: readonly Client[]) => some.filter((client) => client.isClosed).length;

async function listen(limits: ListenerLimits) {
  const app = new TestApp();
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const admitted = { requests: 0 };
  const answer = nodeListener({ ...app.muster, app: app.app });
  const counted: RequestListener = (incoming, outgoing) => {
    admitted.requests++;
    answer(incoming, outgoing);
  };
  const listener = await Listener.open(counted, config, limits);
  const port = Number(new URL(`http://${listener.addresses[0]}`).port);
  const health = () =>
    fetch(`http://127.0.0.1:${port}/healthz`, { headers: { Connection: "close" } }).then(
      (response) => response.status,
    );
  const dispose = () => {
    // Half a request would hold up the end.
    leaveAll();
    return listener.close();
  };
  const report = async (message: string, password = COLLECTOR_PASSWORD) => {
    const client = new TestClient((request) => fetch(request), `http://127.0.0.1:${port}`);
    return (await client.report(message, password)).status;
  };
  return { app, port, health, report, admitted, [Symbol.asyncDispose]: dispose };
}

/** Half a request. */
const HALF = "GET /healthz HTTP/1.1\r\nHost: muster\r\n";

test("a new connection is let in at the expense of the one that has said nothing for the longest time", async () => {
  await using server = await listen(LIMITS);
  const crowd = open(server.port, LIMITS.maxConnections, HALF);
  const answers: number[] = [];
  await eventually("one is closed for a newcomer", async () => {
    answers.push(await server.health());
    return closedOf(crowd) > 0;
  });
  expect(new Set(answers)).toEqual(new Set([200]));
  expect(closedOf(crowd)).toBe(1);

  open(server.port, 100, HALF);
  await eventually("all of the crowd are closed", () => closedOf(crowd) === crowd.length);
  expect(closedOf(clients)).toBe(clients.length - LIMITS.maxConnections);
  expect(crowd.map(({ received }) => received).join("")).toBe("");
  // Every accepted client is served.
  const within = clients.find((client) => !client.isClosed);
  within?.say("Connection: close\r\n\r\n");
  await eventually("it is answered", () => within?.received.startsWith("HTTP/1.1 200"));
});

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: muster\r\n\r\n`;
const answersOf = ({ received }: Client) => received.match(/HTTP\/1\.1 \d+/g) ?? [];

test("requests that come before the reply are answered in their order, a few of them", async () => {
  await using server = await listen(LIMITS);
  const [few] = open(server.port, 1, ["/api", "/nowhere.txt", "/healthz"].map(GET).join(""));
  if (!few) throw new Error("no client");
  await eventually("all are answered", () => answersOf(few).length === 3);
  expect(answersOf(few)).toEqual(["HTTP/1.1 200", "HTTP/1.1 404", "HTTP/1.1 200"]);

  const [many] = open(server.port, 1, GET("/api").repeat(2000));
  if (!many) throw new Error("no client");
  await eventually("the connection is cut", () => many.isClosed);
  expect(answersOf(many).length).toBeLessThan(20);
  expect(await server.health()).toBe(200);
});

test("four requests of a connection wait for a reply, and a further one ends it", async () => {
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const listener = await Listener.open(() => undefined, config, LIMITS);
  try {
    const port = Number(new URL(`http://${listener.addresses[0]}`).port);
    const [five, six] = [5, 6].flatMap((requests) => open(port, 1, GET("/").repeat(requests)));
    await eventually("the connection of six is cut", () => six?.isClosed);
    expect(five?.isClosed).toBe(false);
    five?.say(GET("/"));
    await eventually("that of five is cut at its sixth", () => five?.isClosed);
  } finally {
    leaveAll();
    await listener.close();
  }
});

/** Requests that are answered without waiting for anything. */
const PIPELINED = [
  { what: "health checks", request: GET("/healthz") },
  {
    what: "messages without a credential",
    request: "POST /collector HTTP/1.1\r\nHost: muster\r\nContent-Length: 0\r\n\r\n",
  },
];

test.each(PIPELINED)(
  "of thousands of $what that come at once over a connection, few are handled",
  async ({ request }) => {
    const connections = 15;
    await using server = await listen(LIMITS);
    const flood = open(server.port, connections, request.repeat(5000));
    await eventually("the connections are cut", () => closedOf(flood) === connections);
    // Four of all in each turn, and one of each connection; up to four of each wait.
    expect(server.admitted.requests).toBeLessThanOrEqual(connections * 10);
    expect(server.admitted.requests).toBeGreaterThan(0);

    const [few] = open(server.port, 1, request.repeat(5));
    if (!few) throw new Error("no client");
    await eventually("a few are all answered", () => answersOf(few).length === 5);
    expect(await server.health()).toBe(200);
  },
);

test("two Host headers are refused, an agent's too", async () => {
  await using server = await listen(LIMITS);
  const twice = "Host: muster\r\nHost: other\r\nContent-Length: 0\r\n\r\n";
  const asked = ["GET /healthz", "GET /api/1/openapi.json", "POST /collector"].flatMap((line) =>
    open(server.port, 1, `${line} HTTP/1.1\r\n${twice}`),
  );
  await eventually("all are answered", () => asked.every((client) => answersOf(client).length === 1));
  expect(asked.flatMap(answersOf)).toEqual(Array(3).fill("HTTP/1.1 400"));
});

/** More than any socket accepts at once. */
const LARGE = 40 * 1024 * 1024;

/** A server whose every reply is that large, and clients of it that read nothing. */
async function listenLarge(limits: ListenerLimits) {
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const reply = Buffer.alloc(LARGE);
  const ended: Socket[] = [];
  const answer: RequestListener = ({ socket }, outgoing) => {
    socket.on("close", () => ended.push(socket));
    outgoing.end(reply);
  };
  const listener = await Listener.open(answer, config, limits);
  const port = Number(new URL(`http://${listener.addresses[0]}`).port);
  const ask = () => {
    const socket = connect(port, "127.0.0.1", () => socket.pause().write(GET("/")));
    socket.on("error", () => socket.destroy());
    return socket;
  };
  return { ended, ask, [Symbol.asyncDispose]: () => listener.close() };
}

test("a client that reads nothing of its reply is disconnected", async () => {
  const limits = { ...LIMITS, maxUnsentPerConnection: 2 * LARGE, maxUnsent: 2 * LARGE, writeTimeout: 500 };
  await using server = await listenLarge(limits);
  const socket = server.ask();
  await eventually("it is cut", () => server.ended.length === 1);
  socket.destroy();
});

test("of replies that are not taken those that have waited the longest are given up, and one that is too large", async () => {
  await using server = await listenLarge({
    ...LIMITS,
    maxUnsentPerConnection: 2 * LARGE,
    maxUnsent: 2.5 * LARGE,
  });
  const sockets: Socket[] = [];
  for (let i = 0; i < 5; i++) {
    sockets.push(server.ask());
    await eventually("all but two are given up", () => server.ended.length >= i - 2);
  }
  await eventually("the first ones are given up", () => server.ended.length >= 2);
  expect(server.ended.length).toBeLessThan(5);
  for (const socket of sockets) socket.destroy();

  await using strict = await listenLarge({
    ...LIMITS,
    maxUnsentPerConnection: LARGE / 2,
    maxUnsent: 2 * LARGE,
  });
  const socket = strict.ask();
  await eventually("it is cut at once", () => strict.ended.length === 1);
  socket.destroy();
});

const POST_HEAD = (length: string) =>
  `POST /collector HTTP/1.1\r\nHost: muster\r\nContent-Type: text/xml\r\n${length}\r\n` +
  `Authorization: Basic ${Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64")}\r\n\r\n`;

/** With one short limit each: on a slow machine any of them may pass before a client has said a word. */
const TIMED_OUT = [
  { what: "a head", first: HALF, drip: "X: y\r\n", limits: { headersTimeout: 500 } },
  {
    what: "a body",
    first: POST_HEAD("Content-Length: 100000"),
    drip: "x",
    // That of the head must not be longer.
    limits: { headersTimeout: 500, requestTimeout: 500 },
  },
];
for (const { what, first, drip, limits } of TIMED_OUT)
  test(`${what} that drips in is cut`, async () => {
    await using server = await listen({ ...LIMITS, ...limits });
    const [client] = open(server.port, 1, first);
    const dripping = setInterval(() => client?.say(drip), 20);
    try {
      await eventually("it is cut", () => client?.isClosed);
    } finally {
      clearInterval(dripping);
    }
    expect(client?.received).toStartWith("HTTP/1.1 408");
  });

/** Everything longer than some bytes is long, and has hours. */
const SLOW_LINE = { ...LIMITS, requestTimeout: 500, minBodyRate: 0.01 };

test("a long body may take the time that its length takes on a slow line, and one of unknown length may not", async () => {
  await using server = await listen(SLOW_LINE);
  const message = agentXml({});
  const half = Math.floor(message.length / 2);
  const [long] = open(
    server.port,
    1,
    POST_HEAD(`Content-Length: ${Buffer.byteLength(message)}`) + message.slice(0, half),
  );
  await eventually("it has begun", () => server.admitted.requests === 1);
  const [unknown] = open(server.port, 1, `${POST_HEAD("Transfer-Encoding: chunked")}1\r\n<\r\n`);
  await eventually("the one that began later is cut", () => unknown?.isClosed);
  expect(unknown?.received).toStartWith("HTTP/1.1 408");
  long?.say(message.slice(half));
  await eventually("the long one is answered", () => long?.received.startsWith("HTTP/1.1 200"));
});

test("a long body has no more time than a short one once its request is answered", async () => {
  await using server = await listen(SLOW_LINE);
  const [client] = open(
    server.port,
    1,
    GET("/healthz").replace("\r\n\r\n", "\r\nContent-Length: 100000\r\n\r\n"),
  );
  const dripping = setInterval(() => client?.say("x"), 20);
  try {
    await eventually("it is cut", () => client?.isClosed);
  } finally {
    clearInterval(dripping);
  }
  expect(client?.received).toStartWith("HTTP/1.1 200");
});

test("a connection whose body has arrived stays open", async () => {
  await using server = await listen(SLOW_LINE);
  const message = agentXml({});
  const length = `Content-Length: ${Buffer.byteLength(message)}`;
  const [client] = open(server.port, 1, POST_HEAD(length) + message);
  await eventually("it is answered", () => client?.received.startsWith("HTTP/1.1 200"));
  const [late] = open(server.port, 1, `${POST_HEAD("Transfer-Encoding: chunked")}1\r\n<\r\n`);
  await eventually("another one is cut", () => late?.isClosed);
  expect(client?.isClosed).toBe(false);
});

test("a connection that is idle is closed", async () => {
  await using server = await listen({ ...LIMITS, keepAliveTimeout: 500 });
  const [client] = open(server.port, 1, `${HALF}\r\n`);
  await eventually("it is closed", () => client?.isClosed);
  expect(client?.received).toStartWith("HTTP/1.1 200");
  expect(await server.health()).toBe(200);
});

test("a process that may open few files stays healthy under more connections than that", async () => {
  const FILES = 300;
  const CONNECTIONS = 400;
  using folder = temporaryFolder();
  const executable = join(folder.path, "muster-with-few-files");
  writeFileSync(executable, `#!/bin/sh\nulimit -n ${FILES}\nexec '${EXECUTABLE}' "$@"\n`);
  chmodSync(executable, 0o700);
  await using muster = await Muster.start({ cwd: folder.path, executable });
  const crowd = open(muster.port, CONNECTIONS, HALF);
  await eventually("what is too much is closed", () => closedOf(crowd) >= CONNECTIONS - FILES);

  // A newcomer is served while the others wait, and what it asks for opens files. It may be refused until there is room.
  const health = await eventually("a newcomer is answered", async () =>
    fetch(`${muster.url}/healthz`, { headers: { Connection: "close" } }),
  );
  expect(health.status).toBe(200);
  expect(closedOf(crowd)).toBeLessThan(CONNECTIONS);
  for (const client of crowd) client.leave();
  const status = await eventually("agents are accepted again", async () => (await muster.report({})).status);
  expect(status).toBe(200);
  expect(muster.output).not.toContain("error");
});

/** A message of the largest size. */
const LARGEST = agentXml({ services: [{ name: "app" }] }).padEnd(MAX_BODY_BYTES, " ");

/** Calls `send` from `atOnce` agents at a time, `waves` times each. */
async function flood(atOnce: number, waves: number, send: () => Promise<void>): Promise<void> {
  for (let wave = 0; wave < waves; wave++) await Promise.all(Array.from({ length: atOnce }, send));
}

/** The most bytes of messages that a server held at a time since this was called. */
function mostHeld({ bodies }: TestApp["muster"]): () => number {
  let most = 0;
  const changed = bodies.changed.bind(bodies);
  bodies.changed = (...change) => {
    changed(...change);
    most = Math.max(most, bodies.bytes);
  };
  return () => most;
}

test("a flood of the largest messages is accepted, and nothing of it stays in memory", async () => {
  const AT_ONCE = 6;
  await using server = await listen({ ...LIMITS, maxConnections: 200 });
  const most = mostHeld(server.app.muster);
  for (let wave = 0; wave < 4; wave++) {
    await flood(AT_ONCE, 1, async () => expect(await server.report(LARGEST)).toBe(200));
    expect(server.app.muster.bodies.bytes).toBe(0);
  }
  expect(most()).toBeGreaterThanOrEqual(MAX_BODY_BYTES);
  expect(most()).toBeLessThanOrEqual(AT_ONCE * (MAX_BODY_BYTES + BLOCK_BYTES));
});

test("of a flood of messages without the password nothing is held", async () => {
  await using server = await listen({ ...LIMITS, maxConnections: 200 });
  // From then on the right password is accepted from this address, however often it guesses.
  expect(await server.report(agentXml({}))).toBe(200);
  const most = mostHeld(server.app.muster);
  const answers: (number | string)[] = [];
  // A connection that is closed in the middle of a body that no one reads is also an answer.
  const reset = (error: { code?: string }) => error.code ?? String(error);
  await flood(50, 2, async () => {
    answers.push(await server.report(LARGEST, "wrong").catch(reset));
  });
  expect(answers).toHaveLength(100);
  expect(answers.filter((answer) => answer !== 401 && answer !== 429 && answer !== "ECONNRESET")).toEqual([]);
  expect([most(), server.app.muster.bodies.bytes]).toEqual([0, 0]);
  // A connection kept for the next request may also have been closed.
  expect(await eventually("a message is answered", () => server.report(agentXml({})))).toBe(200);
});
