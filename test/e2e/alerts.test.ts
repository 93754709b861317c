/** Alerts of the delivered executable, sent to a remote that misbehaves in every way. */

import { expect, test } from "bun:test";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { notifying } from "../support/rules.ts";
import { eventually, Muster, PASSWORDS, temporaryFolder } from "./support.ts";

interface Received {
  id: string;
  kind: string;
  events: { service: string }[];
}

type Behaviour = (request: IncomingMessage, response: ServerResponse) => void;

const works: Behaviour = (_request, response) => response.end("ok");
const fails: Behaviour = (_request, response) => response.writeHead(500, { "Retry-After": "1" }).end("no");
const disconnects: Behaviour = (request) => request.socket.destroy();
const stalls: Behaviour = () => undefined;

/** Accepts messages, and treats each as the next of its behaviours says. */
class FarSide implements AsyncDisposable {
  readonly received: Received[] = [];
  readonly next: Behaviour[] = [];
  readonly #server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { kind, events } = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    this.received.push({ id: String(request.headers["x-muster-id"]), kind, events });
    (this.next.shift() ?? works)(request, response);
  });

  static async start(): Promise<FarSide> {
    const far = new FarSide();
    await new Promise<void>((resolve) => far.#server.listen(0, "127.0.0.1", resolve));
    return far;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/hook`;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

const ARGS = ["--channel-reach", "loopback"];

async function setUp(muster: Muster, url: string): Promise<void> {
  const admin = await muster.admin();
  const channel = { name: "hook", kind: "webhook", settings: { url } };
  expect((await admin.post("/api/1/admin/channels/create", channel)).status).toBe(200);
  expect((await admin.post("/api/1/admin/rules/create", { name: "all", ...notifying(1) })).status).toBe(200);
}

const AGENT_START = Math.floor(Date.now() / 1000) - 3600;
let agentTime = Math.floor(Date.now() / 1000) - 60;

/** A report of a service that fails; with the event that says so, or without. */
async function report(
  muster: Muster,
  service: string,
  event: { service: string } | null = null,
): Promise<void> {
  const services = [{ name: service, status: 512 }];
  const reply = await muster.report({ at: ++agentTime, incarnation: AGENT_START, services, event });
  expect(reply.status).toBe(200);
}

async function outbox(muster: Muster): Promise<{ status: string; attempts: number }[]> {
  const reply = await (await muster.admin()).get("/api/1/admin/deliveries/list");
  return reply.json.records.map(({ status, attempts }: { status: string; attempts: number }) => ({
    status,
    attempts,
  }));
}

test("a message arrives through errors, lost connections and a crash in the middle of its delivery, under one id", async () => {
  using folder = temporaryFolder();
  await using far = await FarSide.start();
  far.next.push(disconnects, fails, stalls);
  const options = { cwd: folder.path, env: PASSWORDS, args: ARGS };
  const id = await (async () => {
    await using muster = await Muster.start(options);
    await setUp(muster, far.url);
    await report(muster, "web", { service: "web" });
    await eventually("the third attempt begins", () => far.received.length === 3);
    // It hangs; agents do not notice.
    for (let i = 0; i < 20; i++) await report(muster, "web");
    expect(await outbox(muster)).toEqual([{ status: "sending", attempts: 3 }]);
    await muster.kill();
    return far.received[0]?.id ?? "";
  })();
  await using again = await Muster.start({ ...options, env: {} });
  await eventually("it is sent again", async () => (await outbox(again))[0]?.status === "sent");
  expect(id).toMatch(/^[0-9a-f]{32}$/);
  expect(
    far.received.map((message) => [message.id, message.kind, message.events.map(({ service }) => service)]),
  ).toEqual(Array.from({ length: 4 }, () => [id, "problem", ["web"]]));
  expect(await outbox(again)).toEqual([{ status: "sent", attempts: 4 }]);
});

test("a stop does not wait long for a remote that hangs, and what it took with it is sent at the next start", async () => {
  using folder = temporaryFolder();
  await using far = await FarSide.start();
  far.next.push(stalls);
  const options = { cwd: folder.path, env: PASSWORDS, args: ARGS };
  await using muster = await Muster.start(options);
  await setUp(muster, far.url);
  await report(muster, "db", { service: "db" });
  await eventually("the attempt begins", () => far.received.length === 1);
  expect(await muster.stop()).toBe(0);
  await using again = await Muster.start({ ...options, env: {} });
  // Had it waited until the attempt was given up, the outcome would be stored.
  expect(again.output).toContain("messages were interrupted and are sent again messages=1");
  await eventually("it is sent again", async () => (await outbox(again))[0]?.status === "sent");
  expect(far.received.map(({ id }) => id)).toEqual([far.received[0]?.id ?? "", far.received[0]?.id ?? ""]);
});
