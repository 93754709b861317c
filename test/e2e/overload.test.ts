import { afterEach, expect, setDefaultTimeout, test } from "bun:test";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { nodeListener } from "../../src/agent/collector.node.ts";
import { MAX_BODY_BYTES } from "../../src/agent/collector.ts";
import { readConfig } from "../../src/config/config.ts";
import { type Limits, Listener } from "../../src/listener.ts";
import { agentXml } from "../support/agent-messages.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../support/app.ts";
import { EXECUTABLE, eventually, Muster, TIMEOUT, temporaryFolder } from "./support.ts";

setDefaultTimeout(TIMEOUT);

const LIMITS: Limits = {
  maxConnections: 20,
  headersTimeout: 1000,
  requestTimeout: 2000,
  keepAliveTimeout: 3000,
  connectionsCheckingInterval: 50,
};

/** Whose connections have ended, in this order. */
const ended: Client[] = [];

/** A connection that says something, and notes what comes and when it ends. */
class Client {
  received = "";
  isClosed = false;
  readonly #socket: Socket;

  constructor(port: number, first: string) {
    this.#socket = connect(port, "127.0.0.1", () => this.#socket.write(first));
    this.#socket.on("data", (data) => {
      this.received += data.toString("latin1");
    });
    // A connection that is cut may end in a reset.
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

async function listen(limits: Limits) {
  const app = new TestApp();
  const config = readConfig(new Map([["--listen", "127.0.0.1:0"]]), {});
  const listener = await Listener.open(nodeListener({ ...app.parts, app: app.app }), config, limits);
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
  return { port, health, [Symbol.asyncDispose]: dispose };
}

/** Half a request. */
const HALF = "GET /healthz HTTP/1.1\r\nHost: muster\r\n";

test("connections beyond the limit are closed at once, and room that is left again is used", async () => {
  await using server = await listen({ ...LIMITS, headersTimeout: 60_000, requestTimeout: 60_000 });
  const crowd = open(server.port, LIMITS.maxConnections + 30, HALF);
  await eventually("those that are too many are closed", () => closedOf(crowd) >= 30);
  const within = crowd.filter((client) => !client.isClosed);
  expect(within).toHaveLength(LIMITS.maxConnections);
  expect(crowd.map(({ received }) => received).join("")).toBe("");
  await expect(server.health()).rejects.toThrow();

  // Whoever was let in is served.
  within[0]?.say("Connection: close\r\n\r\n");
  await eventually("the first is answered", () => within[0]?.received.startsWith("HTTP/1.1 200"));
  expect(await eventually("there is room again", server.health)).toBe(200);
  expect(closedOf(within)).toBe(1);
});

test("a head that drips in is cut, and so is a body, and a connection that is idle", async () => {
  await using server = await listen(LIMITS);
  const [head, body, idle] = [
    HALF,
    "POST /collector HTTP/1.1\r\nHost: muster\r\nContent-Type: text/xml\r\nContent-Length: 100000\r\n" +
      `Authorization: Basic ${Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64")}\r\n\r\n`,
    `${HALF}\r\n`,
  ].flatMap((first) => open(server.port, 1, first));
  if (!head || !body || !idle) throw new Error("no clients");
  const dripping = setInterval(() => {
    head.say("X: y\r\n");
    body.say("x");
  }, 20);
  try {
    await eventually("head and body are cut", () => head.isClosed && body.isClosed);
    expect(ended).toEqual([head, body]);
    expect(head.received).toStartWith("HTTP/1.1 408");
    expect(body.received).not.toContain("HTTP/1.1 200");
  } finally {
    clearInterval(dripping);
  }
  expect(idle.received).toStartWith("HTTP/1.1 200");
  await eventually("the idle one is cut", () => idle.isClosed);
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
  const refused = closedOf(crowd);
  expect(refused).toBeLessThan(CONNECTIONS);

  // One of those within is served while the others wait, and what it asks for opens files.
  const within = crowd.find((client) => !client.isClosed);
  within?.say("Connection: close\r\n\r\n");
  await eventually("it is answered", () => within?.received.startsWith("HTTP/1.1 200"));
  for (const client of crowd) client.leave();
  const status = await eventually("agents are accepted again", async () => (await muster.report({})).status);
  expect(status).toBe(200);
  expect(muster.output).not.toContain("error");
});

/** Of a process, MB: what its memory reached at most. */
function peakMb(pid: number): number {
  const kilobytes = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) / 1024;
}

/** A message of the largest size. */
const LARGEST = agentXml({ services: [{ name: "app" }] }).padEnd(MAX_BODY_BYTES, " ");

/** Calls `send` from `atOnce` agents at a time, `waves` times each. */
async function flood(atOnce: number, waves: number, send: () => Promise<void>): Promise<void> {
  for (let wave = 0; wave < waves; wave++) await Promise.all(Array.from({ length: atOnce }, send));
}

test("a flood of the largest messages is taken in, and takes no more memory the longer it lasts", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const peaks: number[] = [];
  // A server that cannot keep up says so with 503, and agents send again.
  const send = async () => {
    await eventually("it is taken in", async () => {
      const { status } = await muster.report(LARGEST);
      if (status !== 503) expect(status).toBe(200);
      return status === 200;
    });
  };
  for (let i = 0; i < 4; i++) {
    await flood(40, 5, send);
    peaks.push(peakMb(muster.pid));
  }
  // Each of the four brings 800 MB.
  expect(Math.max(...peaks) - Math.min(...peaks)).toBeLessThan(400);
});

test("a flood of messages without the password costs little memory", async () => {
  using folder = temporaryFolder();
  await using muster = await Muster.start({ cwd: folder.path });
  const before = peakMb(muster.pid);
  const answers: (number | string)[] = [];
  const send = async () => {
    // A connection that is cut in the middle of a body nobody reads is an answer, too.
    const reset = (error: { code?: string }) => error.code ?? String(error);
    const answer = muster.client().report(LARGEST, "wrong");
    answers.push(await answer.then(({ status }) => status, reset));
  };
  // 800 MB at a time.
  await flood(200, 3, send);
  expect(answers).toHaveLength(600);
  expect(answers.filter((answer) => answer !== 401 && answer !== "ECONNRESET")).toEqual([]);
  expect((await muster.report({})).status).toBe(200);
  expect(peakMb(muster.pid) - before).toBeLessThan(250);
});
