/** Clients that end their side of the connection after their request, as Monit 5.2.5 does, on every kind of address. */
import { afterEach, describe, expect, test } from "bun:test";
import { chmodSync, copyFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { connect, type Socket } from "node:net";
import { join } from "node:path";
import { connect as connectTls } from "node:tls";
import { nodeListener } from "../../../src/monitoring/collector/collector.node.ts";
import { readConfig } from "../../../src/platform/config/config.ts";
import { Listener, type ListenerLimits } from "../../../src/platform/http/listener.ts";
import { eventually, PATIENCE, temporaryFolder } from "../../e2e/support.ts";
import { agentXml } from "../../support/agent-messages.ts";
import { COLLECTOR_PASSWORD, TestApp } from "../../support/app.ts";

/** Within a test only the end of a connection ends anything, not a deadline of the server. */
const LIMITS: ListenerLimits = {
  maxConnections: 100,
  maxConnectionsPerSource: 100,
  maxUnsentPerConnection: 64 * 1024 * 1024,
  maxUnsent: 64 * 1024 * 1024,
  writeTimeout: PATIENCE,
  pipelinePause: 0,
  headersTimeout: PATIENCE,
  requestTimeout: PATIENCE,
  minBodyRate: 128 * 1024,
  keepAliveTimeout: PATIENCE,
  connectionsCheckingInterval: 50,
};

const cleanups: (() => void | Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
});

type Kind = "plain" | "TLS" | "unix";

async function listen(kind: Kind, answer: RequestListener, limits: ListenerLimits = LIMITS) {
  const flags = new Map([["--listen", "127.0.0.1:0"]]);
  const folder = temporaryFolder();
  cleanups.push(() => folder.remove());
  if (kind === "unix") flags.set("--listen", `unix:${join(folder.path, "muster.sock")}`);
  if (kind === "TLS")
    for (const name of ["cert", "key"]) {
      const path = join(folder.path, `${name}.pem`);
      copyFileSync(join(import.meta.dir, `../../fixtures/tls/${name}.pem`), path);
      // A key that others can read is refused.
      chmodSync(path, 0o600);
      flags.set(`--tls-${name}`, path);
    }
  const listener = await Listener.open(answer, readConfig(flags, {}), limits);
  cleanups.push(() => listener.close());
  const [address = ""] = listener.addresses;
  const port = Number(address.split(":").at(-1));
  const dial = (onConnected: () => void): Socket => {
    if (kind === "unix")
      return connect({ path: address.slice("unix:".length), allowHalfOpen: true }, onConnected);
    if (kind === "plain") return connect({ port, host: "127.0.0.1", allowHalfOpen: true }, onConnected);
    const options = { port, host: "127.0.0.1", rejectUnauthorized: false, allowHalfOpen: true };
    return connectTls(options, onConnected);
  };
  return (text: string) => new Client(dial, text);
}

/** A connection that sends a text and ends its side at once. */
class Client {
  received = "";
  /** Whether the server ended its side, too, or the connection broke. */
  hasEnded = false;
  isHalfClosed = false;
  readonly socket: Socket;

  constructor(dial: (onConnected: () => void) => Socket, text: string) {
    this.socket = dial(() => {
      this.socket.end(text, () => {
        this.isHalfClosed = true;
      });
    });
    const onEnd = () => {
      this.hasEnded = true;
    };
    this.socket.on("data", (data) => {
      this.received += data.toString("latin1");
    });
    this.socket.on("end", onEnd).on("error", onEnd).on("close", onEnd);
    cleanups.push(() => void this.socket.destroy());
  }

  get statuses(): string[] {
    return this.received.match(/HTTP\/1\.1 \d+/g) ?? [];
  }
}

const GET = (path: string) => `GET ${path} HTTP/1.1\r\nHost: muster\r\n\r\n`;

/** An application whose every reply except that of `/` waits until it is released. */
class SlowApplication {
  /** Paths of the requests that it got, in this order. */
  readonly asked: string[] = [];
  readonly #held: (() => void)[] = [];
  readonly #closed = new Set<string>();

  constructor(private readonly reply: Buffer | string = "done") {}

  readonly answer: RequestListener = ({ url = "", socket }, outgoing) => {
    this.asked.push(url);
    socket.on("close", () => this.#closed.add(url));
    if (url === "/") outgoing.end();
    else this.#held.push(() => outgoing.end(this.reply));
  };

  /** Whether the connection of a request has been closed. */
  isClosed(path: string): boolean {
    return this.#closed.has(path);
  }

  /** Answers all waiting requests. */
  release(): void {
    for (const answer of this.#held.splice(0)) answer();
  }
}

/** Returns when the server has handled everything that reached it before: it has answered later connections. */
async function serverCaughtUp(client: (text: string) => Client): Promise<void> {
  for (let i = 0; i < 3; i++) {
    const other = client(GET("/").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"));
    // Without support of half-closed connections it ends without an answer.
    await eventually("another connection is served", () => other.hasEnded);
  }
}

const message = (id: string) => {
  const xml = agentXml({ id });
  const credential = Buffer.from(`monit:${COLLECTOR_PASSWORD}`).toString("base64");
  return (
    "POST /collector HTTP/1.1\r\nHost: muster\r\nContent-Type: text/xml\r\n" +
    `Authorization: Basic ${credential}\r\nContent-Length: ${Buffer.byteLength(xml)}\r\n\r\n${xml}`
  );
};

const KINDS: readonly Kind[] = ["plain", "TLS", "unix"];

for (const kind of KINDS)
  describe(`on a ${kind} address`, () => {
    test("an agent that ends its side right after its message is answered, and the message is stored", async () => {
      const app = new TestApp();
      const client = await listen(kind, nodeListener({ ...app.muster, app: app.app }));
      const agents = Array.from({ length: 20 }, (_, i) => client(message(`agent-${10 + i}`)));
      await eventually("all connections have ended", () => agents.every(({ hasEnded }) => hasEnded));
      expect(agents.map(({ statuses }) => statuses)).toEqual(Array(20).fill(["HTTP/1.1 200"]));
      const ids = app.rows("select agent_id as id from hosts order by id");
      expect(ids).toEqual(Array.from({ length: 20 }, (_, i) => ({ id: `agent-${10 + i}` })));
      expect(app.muster.rejectedMessages.list()).toEqual([]);
      expect(app.logged).toEqual([]);
    });

    test("an answer that takes long is sent, and so are those to pipelined requests", async () => {
      const application = new SlowApplication();
      const client = await listen(kind, application.answer);
      const single = client(GET("/one"));
      const three = client(GET("/a") + GET("/b") + GET("/c"));
      await eventually("both are worked for", () => application.asked.length === 2);
      await eventually("both have ended their side", () => single.isHalfClosed && three.isHalfClosed);
      await serverCaughtUp(client);
      expect([single.hasEnded, three.hasEnded]).toEqual([false, false]);
      for (let i = 0; i < 3; i++) {
        application.release();
        await eventually("the next is answered", () => three.statuses.length === i + 1);
        await serverCaughtUp(client);
      }
      await eventually("the connections have ended", () => single.hasEnded && three.hasEnded);
      expect(single.statuses).toEqual(["HTTP/1.1 200"]);
      expect(application.asked.filter((path) => /[abc]/.test(path))).toEqual(["/a", "/b", "/c"]);
    });

    const REFUSED = "HTTP/1.1 400";
    test("a request that is incomplete ends with its client, and so does a connection without a request", async () => {
      const app = new TestApp();
      const client = await listen(kind, nodeListener({ ...app.muster, app: app.app }));
      const whole = message("partial");
      const clients = [
        "",
        "POST /collector HTTP/1.1\r\nHost: mus",
        whole.slice(0, -1),
        GET("/healthz"),
        whole.slice(0, whole.indexOf("\r\n\r\n") + 4),
      ].map(client);
      await eventually("all connections have ended", () => clients.every(({ hasEnded }) => hasEnded));
      expect(clients.map(({ statuses }) => statuses.join())).toEqual([
        "",
        REFUSED,
        REFUSED,
        "HTTP/1.1 200",
        REFUSED,
      ]);
      expect(app.rows("select count(*) as hosts from hosts")).toEqual([{ hosts: 0 }]);
      expect(app.muster.bodies.bytes).toBe(0);
      expect(app.muster.rejectedMessages.list()).toEqual([]);
    });

    test("a client that is gone costs the reply that it waited for, not all those that it requested", async () => {
      const application = new SlowApplication();
      const client = await listen(kind, application.answer);
      const gone = client(GET("/only"));
      const greedy = client(["/a", "/b", "/c", "/d"].map(GET).join(""));
      await eventually("both are worked for", () => application.asked.length === 2);
      await eventually("both have ended their side", () => gone.isHalfClosed && greedy.isHalfClosed);
      gone.socket.destroy();
      greedy.socket.destroy();
      await serverCaughtUp(client);
      application.release();
      await eventually("both are closed", () => application.isClosed("/only") && application.isClosed("/a"));
      await serverCaughtUp(client);
      application.release();
      await serverCaughtUp(client);
      expect(application.asked.filter((path) => path !== "/").sort()).toEqual(["/a", "/only"]);
    });

    test("a client that rejects a reply late, as across a network, costs no further reply", async () => {
      const application = new SlowApplication();
      const client = await listen(kind, application.answer, { ...LIMITS, pipelinePause: PATIENCE });
      const greedy = client(["/a", "/b", "/c"].map(GET).join(""));
      await eventually("it is worked for", () => application.asked.length === 1);
      application.release();
      await eventually("it is answered", () => greedy.statuses.length === 1);
      await serverCaughtUp(client);
      greedy.socket.resetAndDestroy();
      await eventually("it is closed", () => application.isClosed("/a"));
      application.release();
      expect(application.asked.filter((path) => path !== "/")).toEqual(["/a"]);
    });

    test("a client that is still there gets all replies, with a pause before each", async () => {
      const application = new SlowApplication();
      const client = await listen(kind, application.answer, { ...LIMITS, pipelinePause: 1 });
      const three = client(GET("/a") + GET("/b") + GET("/c"));
      for (let i = 1; i <= 3; i++) {
        await eventually("the next is worked for", () => application.asked.length === i);
        application.release();
      }
      await eventually("the connection has ended", () => three.hasEnded);
      expect(application.asked).toEqual(["/a", "/b", "/c"]);
    });

    test("a client that ended its side and reads nothing of its reply is disconnected", async () => {
      const application = new SlowApplication(Buffer.alloc(40 * 1024 * 1024));
      const client = await listen(kind, application.answer, { ...LIMITS, writeTimeout: 500 });
      const lazy = client(GET("/large"));
      await eventually("it is worked for", () => application.asked.length === 1);
      lazy.socket.pause();
      application.release();
      await eventually("it is cut", () => application.isClosed("/large"));
      expect(lazy.received).toBe("");
    });
  });
