/** Real remotes: servers on this machine, and messages to send there. */
import { readFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer } from "node:https";
import {
  type AddressInfo,
  createServer as createSocketServer,
  type Socket,
  type Server as SocketServer,
} from "node:net";
import { join } from "node:path";
import type {
  AlertMessage,
  ChannelSettings,
  MessageEvent,
} from "../../../src/alerting/channels/kinds/channel-kind.ts";
import { withInitials } from "../../../src/alerting/channels/kinds/fields.ts";
import { kindNamed } from "../../../src/alerting/channels/kinds/kinds.ts";
import { isAlert } from "../../../src/alerting/notifications/delivery-messages.service.ts";
import { composeMessage } from "../../../src/alerting/notifications/message-text.ts";
import { NetworkEgress, type NetworkOptions } from "../../../src/platform/egress/network-egress.ts";
import { TestClock } from "../../support/clock.ts";

const TLS = join(import.meta.dir, "../../fixtures/tls");
/** Of localhost and 127.0.0.1. */
export const CERT = readFileSync(join(TLS, "cert.pem"), "utf8");
export const KEY = readFileSync(join(TLS, "key.pem"), "utf8");

export interface Received {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  body: string;
  // biome-ignore lint/suspicious/noExplicitAny: its shape is what tests assert
  json: any;
}

type Reply = (response: ServerResponse, received: Received) => void;

/** A server that keeps its requests. */
export class Receiver implements AsyncDisposable {
  readonly received: Received[] = [];
  reply: Reply = (response) => response.end("ok");

  private constructor(
    private readonly server: Server,
    private readonly scheme: string,
  ) {
    server.on("request", (request, response) => {
      const chunks: Buffer[] = [];
      request.on("data", (chunk: Buffer) => chunks.push(chunk));
      request.on("end", () => {
        const body = Buffer.concat(chunks).toString("utf8");
        const isJson = /json/.test(request.headers["content-type"] ?? "");
        const { method = "", url: path = "", headers } = request;
        const received = { method, path, headers, body, json: isJson ? JSON.parse(body) : undefined };
        this.received.push(received);
        this.reply(response, received);
      });
    });
  }

  static start(tls = false): Promise<Receiver> {
    const server = tls ? createSecureServer({ cert: CERT, key: KEY }) : createServer();
    const receiver = new Receiver(server, tls ? "https" : "http");
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(receiver)));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `${this.scheme}://127.0.0.1:${this.port}`;
  }

  /** The only request so far. */
  get only(): Received {
    const [only, ...more] = this.received;
    if (!only || more.length > 0) throw new Error(`${this.received.length} requests came`);
    return only;
  }

  /** Answers with this from now on. */
  answers(status: number, body = "", headers: Record<string, string> = {}): void {
    this.reply = (response) => response.writeHead(status, headers).end(body);
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.server.closeAllConnections();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

/** A server below HTTP: `serve` gets every connection. */
export class Sockets implements AsyncDisposable {
  readonly #open = new Set<Socket>();
  connections = 0;

  private constructor(private readonly server: SocketServer) {}

  static start(serve: (socket: Socket) => void): Promise<Sockets> {
    const server = createSocketServer();
    const sockets = new Sockets(server);
    server.on("connection", (socket) => {
      sockets.connections++;
      sockets.#open.add(socket);
      socket.on("error", () => undefined);
      serve(socket);
    });
    return new Promise((resolve) => server.listen(0, "127.0.0.1", () => resolve(sockets)));
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  get url(): string {
    return `http://127.0.0.1:${this.port}/secret-path`;
  }

  [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#open) socket.destroy();
    return new Promise((resolve) => this.server.close(() => resolve()));
  }
}

export const NOW = 1_800_000_000;

/** An egress client that reaches this machine and does not wait for long. */
export function testEgress(options: Partial<NetworkOptions> = {}): NetworkEgress {
  const clock = new TestClock();
  return new NetworkEgress({
    reach: "loopback",
    exec: false,
    clock,
    timeLimit: 20_000,
    ca: CERT,
    ...options,
  });
}

export function event(fields: Partial<MessageEvent> = {}): MessageEvent {
  return {
    id: 17,
    hostId: 3,
    hostname: "db-1",
    service: "mysqld",
    type: "Connection",
    state: "error",
    message: "connection refused",
    date: NOW - 60,
    key: `muster-17-${NOW - 60}`,
    ...fields,
  };
}

/** The composer's message about one event, with these fields. */
export function message(fields: Partial<AlertMessage> = {}): AlertMessage {
  const { kind = "problem" } = fields;
  const composed = composeMessage({
    id: "0b6c9a8e-1111-4222-8333-444455556666",
    kind: isAlert(kind) ? kind : "problem",
    rule: "Databases",
    events: [
      {
        id: 17,
        hostId: 3,
        hostname: "db-1",
        service: "mysqld",
        eventType: 32,
        state: 1,
        message: "connection refused",
        date: NOW - 60,
        failedAt: NOW - 60,
        endedAt: NOW,
      },
    ],
    baseUrl: new URL("https://muster.example"),
    timeZone: "Europe/Oslo",
    at: NOW,
  });
  return { ...composed, ...fields };
}

/** A kind by its name, with a way to send through it. */
export function channelOf(name: string, settings: ChannelSettings, egress = testEgress()) {
  const kind = kindNamed(name);
  if (!kind) throw new Error(`There is no kind ${name}`);
  const complete = withInitials(kind, settings);
  return { kind, settings: complete, send: (sent = message()) => kind.send(complete, sent, egress) };
}
